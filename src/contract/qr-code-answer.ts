// A QR code as it is answered (contract, section 3).
import * as z from 'zod/mini'
import { AmountAnswer, amountAnswer } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { type Image, MediaType } from './image.ts'
import { LatestPaymentAnswer, latestPaymentAnswer } from './latest-payment.ts'
import { meta } from './meta.ts'
import { PaymentStatus } from './payment.ts'
import { Flag, isReusable, type QrCode, QrCodeType, refundedOf, requestsToken } from './qr-code.ts'
import { QrCodeStatus } from './status.ts'
import { TokenAnswer, tokenAnswer } from './token.ts'

export const QrCodeAnswer = z
  .object({
    qrCodeUid: z
      .string()
      .apply(meta, { description: 'Your identifier of the QR code', examples: ['order-1001'] }),
    qrCode: z
      .object({
        type: QrCodeType,
        ttl: z
          .optional(z.int())
          .apply(meta, { description: 'Lifetime in minutes; absent if the QR code has no end' }),
        image: z
          .optional(
            z
              .object({
                mediaType: MediaType,
                width: z.int().apply(meta, { description: 'Pixels' }),
                height: z.int().apply(meta, { description: 'Pixels' }),
                content: z
                  .string()
                  .apply(meta, { contentEncoding: 'base64', description: 'The file in base64' }),
              })
              .apply(meta, { id: 'Image' }),
          )
          .apply(meta, {
            description: 'The picture; only in the response to a create that requests it',
          }),
        payload: z.string().apply(meta, {
          description:
            'The functional link, which the QR code shows; empty while a token is charged, and after a declined charge before which the bank cancelled the link',
        }),
        status: QrCodeStatus,
      })
      .apply(meta, { description: 'The link, the status and the picture' }),
    createdOn: z.iso.datetime({ offset: true }).apply(meta, { examples: ['2026-11-20T20:10:32+03:00'] }),
    expiresOn: z.optional(z.iso.datetime({ offset: true })).apply(meta, {
      description: 'From this second on the QR code cannot be paid; absent if it has no end',
    }),
    pageUrl: z.string().apply(meta, { format: 'uri', description: 'The address of the payer’s page' }),
    amount: z
      .optional(AmountAnswer)
      .apply(meta, { description: 'What is paid; absent if the payer types the sum' }),
    tokenizationPurpose: z.optional(z.string()).apply(meta, { description: 'What the payment token is for' }),
    flags: z.optional(z.array(Flag)),
    token: z
      .optional(TokenAnswer)
      .apply(meta, { description: 'Present if a token is requested or was reported' }),
    payment: z.optional(LatestPaymentAnswer).apply(meta, {
      description:
        'Of a DYNAMIC QR code: the latest payment attempt that it took; absent before the first one',
    }),
    lastPayment: z.optional(LatestPaymentAnswer).apply(meta, {
      description:
        'Of a STATIC or COUNTER QR code: the latest payment that it took; absent before the first one',
    }),
    refunds: z
      .optional(z.array(z.object({ refundUid: z.string(), refundStatus: PaymentStatus })))
      .apply(meta, { description: 'The refunds of that payment, oldest first; absent before the first one' }),
  })
  .apply(meta, { id: 'QrCode' })
export type QrCodeAnswer = z.infer<typeof QrCodeAnswer>

/** A picture with its bytes in base64. */
export type DrawnImage = Image & { content: string }

/** What an answer needs besides the QR code: the deployment's offset from UTC, the payer's page, the drawn picture. */
interface AnswerContext {
  utcOffset: string
  pageUrl: string
  /** Whether the caller may see the values of tokens. */
  showsTokens: boolean
  image?: DrawnImage | undefined
}

/**
 * The link that is given out, with its picture: empty while a token is charged, because the customer must not pay then, and
 * after a charge before which the link was cancelled.
 */
export const shownPayload = ({ status, payload }: Pick<QrCode, 'status' | 'payload'>): string =>
  status === 'INIT_PAYMENT_BY_TOKEN' ? '' : payload

/** The answer that shows a QR code. */
export function qrCodeAnswer(
  qrCode: QrCode,
  { utcOffset, pageUrl, showsTokens, image }: AnswerContext,
): QrCodeAnswer {
  const withToken = requestsToken(qrCode)
  return {
    qrCodeUid: qrCode.qrCodeUid,
    qrCode: {
      type: qrCode.type,
      ...(qrCode.ttl !== undefined && { ttl: qrCode.ttl }),
      ...(image && { image }),
      payload: shownPayload(qrCode),
      status: qrCode.status,
    },
    createdOn: formatDateTime(qrCode.createdAt, utcOffset),
    ...(qrCode.expiresAt !== undefined && { expiresOn: formatDateTime(qrCode.expiresAt, utcOffset) }),
    pageUrl,
    ...(qrCode.amount && { amount: amountAnswer(qrCode.amount) }),
    ...(withToken &&
      qrCode.tokenizationPurpose !== undefined && { tokenizationPurpose: qrCode.tokenizationPurpose }),
    ...(qrCode.createToken && { flags: ['CREATE_TOKEN'] }),
    ...(qrCode.token && { token: tokenAnswer(qrCode.token, utcOffset, showsTokens) }),
    ...(qrCode.payment && {
      [isReusable(qrCode) ? 'lastPayment' : 'payment']: latestPaymentAnswer(
        qrCode.payment,
        utcOffset,
        refundedOf(qrCode.refunds),
      ),
    }),
    ...(qrCode.refunds.length > 0 && {
      refunds: qrCode.refunds.map(({ refundUid, status }) => ({ refundUid, refundStatus: status })),
    }),
  }
}

const PATH = 'AD100004BAL7227F9BNP6KNE007J9B3K?type=02&bank=100000000007&sum=1&cur=RUB&crc=AB75'

const created = {
  qrCodeUid: 'order-1001',
  qrCode: {
    type: 'DYNAMIC',
    ttl: 60,
    payload: `https://qr.nspk.ru/${PATH}`,
    status: 'CREATED',
  },
  createdOn: '2026-11-20T20:10:32+03:00',
  expiresOn: '2026-11-20T21:10:32+03:00',
  pageUrl: `https://qr.acquirer.example/pay/demo/${PATH}`,
  amount: { value: '0.01', currency: 'RUB' },
}
const inStatus = (status: string) => ({ ...created, qrCode: { ...created.qrCode, status } })

export const QR_CODE_EXAMPLE: Example = { summary: 'A QR code for 0.01 RUB', value: created }

const paid = {
  ...inStatus('PAYED'),
  payment: {
    paymentUid: 'A6325171030000001',
    paymentStatus: 'COMPLETED',
    amount: created.amount,
    dateTime: '2026-11-20T20:11:40+03:00',
  },
}

export const PAID_QR_CODE_EXAMPLE: Example = { summary: 'A QR code that was paid', value: paid }

export const CANCELLED_QR_CODE_EXAMPLE: Example = {
  summary: 'A QR code that was cancelled',
  value: inStatus('CANCELLED'),
}

export const REFUNDED_QR_CODE_EXAMPLE: Example = {
  summary: 'A QR code with a refund',
  value: { ...paid, refunds: [{ refundUid: 'refund-1', refundStatus: 'WAITING' }] },
}

export const CHARGED_QR_CODE_EXAMPLE: Example = {
  summary: 'A QR code whose payment by token waits for the network',
  value: {
    ...created,
    qrCode: { ...created.qrCode, payload: '', status: 'INIT_PAYMENT_BY_TOKEN' },
    payment: {
      paymentUid: '7KQ2M0V5T1C8D3R9H4B6N0P5S2F7G1J8',
      paymentStatus: 'WAITING',
      amount: created.amount,
      dateTime: '2026-11-20T20:11:40+03:00',
    },
  },
}

export const BOUND_QR_CODE_EXAMPLE: Example = {
  summary: 'A QR code by which an account was bound',
  value: {
    qrCodeUid: 'customer-7-binding',
    qrCode: {
      type: 'TOKEN',
      ttl: 10,
      payload: 'https://sub.nspk.ru/AB1S002LBQ7PDTTE88HQ1SE2PVFVTP04?type=03&bank=100000000111&crc=3B02',
      status: 'ACCEPTED',
    },
    createdOn: '2026-11-20T20:10:32+03:00',
    expiresOn: '2026-11-20T20:20:32+03:00',
    pageUrl:
      'https://qr.acquirer.example/pay/demo/AB1S002LBQ7PDTTE88HQ1SE2PVFVTP04?type=03&bank=100000000111&crc=3B02',
    tokenizationPurpose: 'Subscription',
    token: {
      status: 'CREATED',
      last4: '5c6d',
      expiredDate: '2027-11-20T20:11:40+03:00',
    },
  },
}

const STATIC_PATH = 'AS10003P3RH0LJ2A9ROO038L6NT5RU1M?type=01&bank=000000000001&sum=10000&cur=RUB&crc=F3D0'

export const STATIC_QR_CODE_EXAMPLE: Example = {
  summary: 'A printed QR code that was paid already',
  value: {
    qrCodeUid: 'table-7',
    qrCode: { type: 'STATIC', payload: `https://qr.nspk.ru/${STATIC_PATH}`, status: 'CREATED' },
    createdOn: '2026-11-20T20:10:32+03:00',
    pageUrl: `https://qr.acquirer.example/pay/demo/${STATIC_PATH}`,
    amount: { value: '100.00', currency: 'RUB' },
    lastPayment: {
      paymentUid: 'A6325171030000001',
      paymentStatus: 'COMPLETED',
      amount: { value: '100.00', currency: 'RUB' },
      dateTime: '2026-11-20T20:11:40+03:00',
    },
  },
}
