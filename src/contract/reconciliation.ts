// The lists of QR codes, sales and refunds that a connector asks its bank about (contract, section 14).
import * as z from 'zod/mini'
import { AmountAnswer, amountAnswer } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { parsed } from './parsed.ts'
import { type QrCode, QrCodeType } from './qr-code.ts'
import { CURSOR_RULE, Cursor, DateTime, limitParameter, nextCursor } from './query.ts'
import type { Refund } from './refund.ts'
import type { Sale } from './sale.ts'
import { SaleStatus } from './sale-status.ts'
import { QrCodeStatus } from './status.ts'

const limit = limitParameter({ byDefault: 100, max: 500 })

/** A position in the list of QR codes: the end in Unix seconds, null among those without one, which are last; then the number of the row. */
export interface EndCursor {
  expiresAt: number | null
  number: number
}

const NO_END = 'none'

const EndCursor = parsed(z.string(CURSOR_RULE), CURSOR_RULE, (text): EndCursor | undefined => {
  const [, end, number] = /^(\d{1,12}|none)-(\d{1,15})$/.exec(text) ?? []
  return end && number
    ? { expiresAt: end === NO_END ? null : Number(end), number: Number(number) }
    : undefined
}).apply(meta, { description: '`nextCursor` of the page before' })

export const endCursorOf = ({ expiresAt, number }: EndCursor): string => `${expiresAt ?? NO_END}-${number}`

export const NetworkQrCodesQuery = strictObject({
  endedFrom: z
    .optional(DateTime)
    .apply(meta, { description: 'Since when the listed QR codes ended; by default, since 24 hours ago' }),
  limit,
  cursor: z.optional(EndCursor),
})
export type NetworkQrCodesQuery = z.output<typeof NetworkQrCodesQuery>

export const WaitingRefundsQuery = strictObject({
  status: z._default(z.literal('WAITING', 'WAITING'), 'WAITING'),
  limit,
  cursor: z.optional(Cursor),
})

const qrcId = z.string().apply(meta, { description: 'The network’s identifier of the QR code' })
const reference = z
  .optional(z.string())
  .apply(meta, { description: 'What the connector called it when it was registered or paid' })
const createdOn = z.iso.datetime({ offset: true })

export const NetworkQrCodesAnswer = z
  .object({
    qrCodes: z.array(
      z
        .object({
          qrcId,
          reference,
          type: QrCodeType,
          amount: z.optional(AmountAnswer),
          createdOn,
          expiresOn: z
            .optional(z.iso.datetime({ offset: true }))
            .apply(meta, { description: 'Absent if the QR code has no end' }),
          status: QrCodeStatus,
          sales: z
            .optional(
              z.array(
                z.object({
                  saleUid: z.string(),
                  status: SaleStatus,
                  amount: AmountAnswer,
                  createdOn,
                  expiresOn: z.iso.datetime({ offset: true }),
                  reference,
                }),
              ),
            )
            .apply(meta, {
              description:
                'Of a COUNTER code: the ACTIVE sale, and those that ended since `endedFrom` unpaid',
            }),
        })
        .apply(meta, { id: 'NetworkQrCode' }),
    ),
    nextCursor: nextCursor('QR codes'),
  })
  .apply(meta, { id: 'NetworkQrCodes' })

export const WaitingRefundsAnswer = z
  .object({
    refunds: z.array(
      z
        .object({
          refundUid: z.string(),
          paymentUid: z.string(),
          qrcId,
          reference,
          networkUid: z
            .optional(z.string())
            .apply(meta, { description: 'The network’s own identifier of the payment' }),
          amount: AmountAnswer,
          createdOn,
        })
        .apply(meta, { id: 'WaitingRefund' }),
    ),
    nextCursor: nextCursor('refunds'),
  })
  .apply(meta, { id: 'WaitingRefunds' })

/** What the network knows of a QR code. */
export type NetworkQrCode = Pick<QrCode, 'type' | 'amount' | 'createdAt' | 'expiresAt' | 'status'> & {
  qrcId: string
  reference?: string | undefined
  sales?: readonly NetworkSale[] | undefined
}

/** What the network knows of a sale. */
export type NetworkSale = Pick<Sale, 'saleUid' | 'status' | 'amount' | 'createdAt' | 'expiresAt'> & {
  reference?: string | undefined
}

/** What the network knows of a refund that it has not reported. */
export type WaitingRefund = Pick<Refund, 'refundUid' | 'paymentUid' | 'amount' | 'createdAt'> & {
  qrcId: string
  reference?: string | undefined
  networkUid?: string | undefined
}

/** @param utcOffset of the deployment */
export const networkQrCodeAnswer = (
  { qrcId, reference, type, amount, createdAt, expiresAt, status, sales }: NetworkQrCode,
  utcOffset: string,
) => ({
  qrcId,
  ...(reference !== undefined && { reference }),
  type,
  ...(amount && { amount: amountAnswer(amount) }),
  createdOn: formatDateTime(createdAt, utcOffset),
  ...(expiresAt !== undefined && { expiresOn: formatDateTime(expiresAt, utcOffset) }),
  status,
  ...(sales && { sales: sales.map((sale) => networkSaleAnswer(sale, utcOffset)) }),
})

const networkSaleAnswer = (
  { saleUid, status, amount, createdAt, expiresAt, reference }: NetworkSale,
  utcOffset: string,
) => ({
  saleUid,
  status,
  amount: amountAnswer(amount),
  createdOn: formatDateTime(createdAt, utcOffset),
  expiresOn: formatDateTime(expiresAt, utcOffset),
  ...(reference !== undefined && { reference }),
})

/** @param utcOffset of the deployment */
export const waitingRefundAnswer = (
  { refundUid, paymentUid, qrcId, reference, networkUid, amount, createdAt }: WaitingRefund,
  utcOffset: string,
) => ({
  refundUid,
  paymentUid,
  qrcId,
  ...(reference !== undefined && { reference }),
  ...(networkUid !== undefined && { networkUid }),
  amount: amountAnswer(amount),
  createdOn: formatDateTime(createdAt, utcOffset),
})

const amount = { value: '149.50', currency: 'RUB' }
const known = {
  qrcId: 'AD100004BAL7227F9BNP6KNE007J9B3K',
  reference: 'tochka-main MF0000000001/40702810000000000001/044525104',
}

export const NETWORK_QR_CODES_EXAMPLE: Example = {
  summary: 'One that can be paid',
  value: {
    qrCodes: [
      {
        ...known,
        type: 'DYNAMIC',
        amount,
        createdOn: '2026-11-20T20:10:32+03:00',
        expiresOn: '2026-11-20T21:10:32+03:00',
        status: 'CREATED',
      },
    ],
  },
}

export const WAITING_REFUNDS_EXAMPLE: Example = {
  summary: 'One that waits for its report',
  value: {
    refunds: [
      {
        refundUid: 'refund-1',
        paymentUid: known.qrcId,
        ...known,
        networkUid: 'A6325171030000001',
        amount,
        createdOn: '2026-11-20T20:30:00+03:00',
      },
    ],
  },
}
