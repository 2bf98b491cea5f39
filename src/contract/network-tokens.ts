// The lists of bindings and charges that a connector asks its bank about (contract, section 14).
import * as z from 'zod/mini'
import { type Amount, AmountAnswer, amountAnswer } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { parsed } from './parsed.ts'
import { CURSOR_RULE, DateTime, limitParameter, nextCursor } from './query.ts'
import { TokenStatus } from './token.ts'

const limit = limitParameter({ byDefault: 100, max: 500 })

/** A position in a list of several parts, each in the order of a time in Unix seconds, then of the numbers of the rows. */
export interface PartCursor {
  part: number
  at: number
  number: number
}

const Cursor = parsed(z.string(CURSOR_RULE), CURSOR_RULE, (text): PartCursor | undefined => {
  const [, part, at, number] = /^(\d)-(\d{1,12})-(\d{1,15})$/.exec(text) ?? []
  return part && at && number ? { part: Number(part), at: Number(at), number: Number(number) } : undefined
}).apply(meta, { description: '`nextCursor` of the page before' })

export const partCursorOf = ({ part, at, number }: PartCursor): string => `${part}-${at}-${number}`

const NETWORK_BINDING_STATUSES = ['WAITING', 'CREATED', 'ENDED'] as const
export type NetworkBindingStatus = (typeof NETWORK_BINDING_STATUSES)[number]

export const NetworkBindingsQuery = strictObject({
  status: z
    ._default(z.enum(NETWORK_BINDING_STATUSES, `one of ${NETWORK_BINDING_STATUSES.join(', ')}`), 'WAITING')
    .apply(meta, {
      description:
        'WAITING: consents that are awaited, and those that can still come since the clock ended the QR code, or rejected the token; CREATED: tokens that can be charged; ENDED: tokens that were',
    }),
  endedFrom: z.optional(DateTime).apply(meta, {
    description: 'Since when the listed QR codes and tokens ended; by default, since 24 hours ago',
  }),
  limit,
  cursor: z.optional(Cursor),
})
export type NetworkBindingsQuery = z.output<typeof NetworkBindingsQuery>

export const WaitingChargesQuery = strictObject({
  status: z._default(z.literal('WAITING', 'WAITING'), 'WAITING'),
  limit,
  cursor: z.optional(Cursor),
})
export type WaitingChargesQuery = z.output<typeof WaitingChargesQuery>

const qrcId = z.string().apply(meta, { description: 'The network’s identifier of the QR code' })
const reference = z
  .optional(z.string())
  .apply(meta, { description: 'What the connector called the QR code when it was registered' })
const bindingReference = z
  .optional(z.string())
  .apply(meta, { description: 'What the connector called the binding when it was reported' })
const dateTime = z.iso.datetime({ offset: true })

export const NetworkBindingsAnswer = z
  .object({
    bindings: z.array(
      z
        .object({
          bindingUid: z
            .optional(z.string())
            .apply(meta, { description: 'Absent while no binding was reported' }),
          qrcId,
          reference,
          bindingReference,
          status: TokenStatus,
          expiresOn: z.optional(dateTime).apply(meta, {
            description: 'Until when the consent is awaited; absent once it came',
          }),
          expiredDate: z.optional(dateTime).apply(meta, {
            description: 'From this second on no new charge of the token is taken; absent before the consent',
          }),
        })
        .apply(meta, { id: 'NetworkBinding' }),
    ),
    nextCursor: nextCursor('bindings'),
  })
  .apply(meta, { id: 'NetworkBindings' })

export const WaitingChargesAnswer = z
  .object({
    charges: z.array(
      z
        .object({
          paymentUid: z.string(),
          qrcId,
          bindingUid: z.string(),
          reference,
          bindingReference,
          amount: AmountAnswer,
          expiresOn: dateTime.apply(meta, {
            description: 'From this second on it must not be executed for the first time',
          }),
          createdOn: dateTime,
        })
        .apply(meta, { id: 'WaitingCharge' }),
    ),
    nextCursor: nextCursor('charges'),
  })
  .apply(meta, { id: 'WaitingCharges' })

/** What the network knows of a token, or of the request for one; times are Unix seconds. */
export interface NetworkBinding {
  bindingUid?: string | undefined
  qrcId: string
  reference?: string | undefined
  bindingReference?: string | undefined
  status: TokenStatus
  expiresAt?: number | undefined
  expiredAt?: number | undefined
}

/** What the network knows of a charge that it has not reported; times are Unix seconds. */
export interface WaitingCharge {
  paymentUid: string
  qrcId: string
  bindingUid: string
  reference?: string | undefined
  bindingReference?: string | undefined
  amount: Amount
  expiresAt: number
  createdAt: number
}

/** @param utcOffset of the deployment */
export const networkBindingAnswer = (
  { bindingUid, qrcId, reference, bindingReference, status, expiresAt, expiredAt }: NetworkBinding,
  utcOffset: string,
) => ({
  ...(bindingUid !== undefined && { bindingUid }),
  qrcId,
  ...(reference !== undefined && { reference }),
  ...(bindingReference !== undefined && { bindingReference }),
  status,
  ...(expiresAt !== undefined && { expiresOn: formatDateTime(expiresAt, utcOffset) }),
  ...(expiredAt !== undefined && { expiredDate: formatDateTime(expiredAt, utcOffset) }),
})

/** @param utcOffset of the deployment */
export const waitingChargeAnswer = (
  { paymentUid, qrcId, bindingUid, reference, bindingReference, amount, ...times }: WaitingCharge,
  utcOffset: string,
) => ({
  paymentUid,
  qrcId,
  bindingUid,
  ...(reference !== undefined && { reference }),
  ...(bindingReference !== undefined && { bindingReference }),
  amount: amountAnswer(amount),
  expiresOn: formatDateTime(times.expiresAt, utcOffset),
  createdOn: formatDateTime(times.createdAt, utcOffset),
})

const bound = {
  bindingUid: 'C2M7P9R4T6V8X1Z3B5D7F9H2J4K6N8Q1',
  qrcId: 'AB10003K2M7P9R4T6V8X1Z3B5D7F9H2J',
  reference: 'raiffeisen-main sub-1',
  bindingReference: 'raiffeisen-main sub-1',
}

export const NETWORK_BINDINGS_EXAMPLE: Example = {
  summary: 'One that can be charged',
  value: {
    bindings: [{ ...bound, status: 'CREATED', expiredDate: '2027-11-20T20:11:40+03:00' }],
  },
}

export const WAITING_CHARGES_EXAMPLE: Example = {
  summary: 'One that waits for its report',
  value: {
    charges: [
      {
        paymentUid: '7KQ2M0V5T1C8D3R9H4B6N0P5S2F7G1J8',
        ...bound,
        qrcId: 'AD100004BAL7227F9BNP6KNE007J9B3K',
        reference: 'raiffeisen-main order-5',
        amount: { value: '149.50', currency: 'RUB' },
        expiresOn: '2026-11-20T21:10:32+03:00',
        createdOn: '2026-11-20T20:10:32+03:00',
      },
    ],
  },
}
