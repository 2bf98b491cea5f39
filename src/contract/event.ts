// The events of a site: an append-only feed that explains every state (contract, section 11).
import * as z from 'zod/mini'
import { AmountAnswer, amountAnswer, StoredAmount } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import { EventSettlement } from './event-settlement.ts'
import { EVENT_TYPES, type EventType } from './event-type.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { PaymentMethod, PaymentStatus } from './payment.ts'
import { EventDecision } from './payment-decision.ts'
import { CURSOR_RULE, limitParameter, nextCursor, positionParameter } from './query.ts'
import { DocumentKind, DocumentState, FAILURE_REASONS } from './receipts/document.ts'
import { ROLES } from './role.ts'
import { SaleStatus } from './sale-status.ts'
import { QrCodeStatus } from './status.ts'
import { TokenStatus } from './token.ts'

export const ACTORS = ['merchant', 'network', 'payer', 'clock', 'operator'] as const
/** Who caused an event: the merchant's server, the payment network, the payer on the page, the end of a time, the operator. */
export type Actor = (typeof ACTORS)[number]

/** One event; `at` is Unix seconds, `status` is the QR code's after the event. */
export interface Event {
  /** The site's events are numbered from 1. A number is never used again, also if its event is deleted. */
  number: number
  type: EventType
  at: number
  actor: Actor
  keyId?: string | undefined
  personId?: string | undefined
  /** The name of the person, or the label of the key, as it is now; of a removed person as it was last. */
  name?: string | undefined
  qrCodeUid?: string | undefined
  status?: QrCodeStatus | undefined
  sale?: EventSale | undefined
  payment?: EventPayment | undefined
  refund?: EventRefund | undefined
  token?: EventToken | undefined
  apiKey?: EventApiKey | undefined
  person?: EventPerson | undefined
  receipt?: EventReceipt | undefined
  settlement?: EventSettlement | undefined
}

/** A sale as it was after the event. */
export const EventSale = z.object({ saleUid: z.string(), status: SaleStatus, amount: StoredAmount })
export type EventSale = z.output<typeof EventSale>

/** A payment as the report said it. */
export const EventPayment = z.object({
  paymentUid: z.string(),
  status: PaymentStatus,
  amount: StoredAmount,
  applied: z.boolean().apply(meta, { description: 'Whether the QR code took the payment' }),
  method: z.optional(PaymentMethod),
  saleUid: z.optional(z.string()).apply(meta, { description: 'The sale of a COUNTER code that it is for' }),
  decision: z.optional(EventDecision).apply(meta, { description: 'Of payment.decided: what was decided' }),
})
export type EventPayment = z.output<typeof EventPayment>

/** A token as an event shows it: never its value. */
export const EventToken = z.object({
  status: TokenStatus,
  last4: z.optional(z.string()).apply(meta, { description: 'The last four characters of its value' }),
})
export type EventToken = z.output<typeof EventToken>

/** The key that an event of a key is about. */
export const EventApiKey = z.object({
  id: z.string(),
  label: z.string().apply(meta, { description: 'As it was at the event; empty if it has none' }),
})
export type EventApiKey = z.output<typeof EventApiKey>

/** A person as an event shows them. */
const EventPerson = z
  .object({ id: z.string(), name: z.string(), role: z.enum(ROLES) })
  .apply(meta, { id: 'EventPerson' })
export type EventPerson = z.output<typeof EventPerson>

/** A document of a cash register as it was after the event: neither its items nor its contact. */
const EventReceipt = z
  .object({
    receiptUid: z.string(),
    kind: DocumentKind,
    state: DocumentState,
    paymentUid: z.string(),
    refundUid: z.optional(z.string()),
    closingUid: z.optional(z.string()),
    reason: z.optional(z.enum(FAILURE_REASONS)).apply(meta, { description: 'Of receipt.failed' }),
  })
  .apply(meta, { id: 'EventReceipt' })
export type EventReceipt = z.output<typeof EventReceipt>

/** What an event is about besides its QR code. */
export const EventSubject = z.object({
  apiKey: z.optional(EventApiKey),
  person: z.optional(EventPerson),
  receipt: z.optional(EventReceipt),
  settlement: z.optional(EventSettlement),
})
export type EventSubject = z.output<typeof EventSubject>

export const EventRefund = z.object({
  refundUid: z.string(),
  paymentUid: z.string(),
  status: PaymentStatus,
  amount: StoredAmount,
  overRefunded: z
    .optional(z.literal(true))
    .apply(meta, { description: 'Present if the refunds exceed the payment since this event' }),
})
export type EventRefund = z.output<typeof EventRefund>

/** The details of an event as an answer shows them. */
const answered = <Shape extends z.core.$ZodShape>(details: z.ZodMiniObject<Shape>) =>
  z.extend(details, { amount: AmountAnswer })

const EventAnswer = z
  .object({
    id: z.int().check(z.minimum(1)).apply(meta, {
      description:
        'The number of the event: 1, 2, 3, …, with gaps where the deployment deletes old QR codes. No number is used twice',
    }),
    type: z.enum(EVENT_TYPES).apply(meta, { id: 'EventType' }),
    dateTime: z.iso.datetime({ offset: true }),
    by: z.object({
      actor: z
        .enum(ACTORS)
        .apply(meta, { description: 'Who caused it. payer: on the payer’s page; clock: a lifetime ended' }),
      keyId: z.optional(z.string()).apply(meta, { description: '`jti` of the access token' }),
      personId: z
        .optional(z.string())
        .apply(meta, { description: 'The person who was signed in by a passkey' }),
      name: z.optional(z.string()).apply(meta, {
        description:
          'The label of the key, or the name of the person, as it is now; of a removed person as it was last',
      }),
    }),
    qrCodeUid: z.optional(z.string()),
    status: z
      .optional(QrCodeStatus)
      .apply(meta, { description: 'The status of the QR code after the event' }),
    sale: z.optional(answered(EventSale)).apply(meta, { description: 'The sale of a COUNTER code' }),
    payment: z.optional(answered(EventPayment)),
    refund: z.optional(answered(EventRefund)),
    token: z.optional(EventToken),
    apiKey: z
      .optional(EventApiKey)
      .apply(meta, { description: 'Of apiKey.created and apiKey.revoked: which key' }),
    person: z.optional(EventPerson).apply(meta, { description: 'The person, as of the event' }),
    receipt: z.optional(EventReceipt).apply(meta, { description: 'The document of a cash register' }),
    settlement: z
      .optional(EventSettlement)
      .apply(meta, { description: 'Of settlement.imported and settlement.deleted: the file' }),
  })
  .apply(meta, { id: 'Event' })

export const EventsAnswer = z
  .object({
    events: z.array(EventAnswer),
    nextCursor: nextCursor('events'),
  })
  .apply(meta, { id: 'QrCodeEvents' })
export type EventsAnswer = z.infer<typeof EventsAnswer>

export const FeedAnswer = z
  .object({
    events: z.array(EventAnswer),
    nextCursor: z
      .string()
      .apply(meta, { description: 'Send it as `after`, or as `before` if you did, in the next request' }),
  })
  .apply(meta, { id: 'EventFeed' })
export type FeedAnswer = z.infer<typeof FeedAnswer>

/** The answer that shows an event. @param offset the deployment's offset from UTC */
export const eventAnswer = (event: Event, offset: string): z.infer<typeof EventAnswer> => ({
  id: event.number,
  type: event.type,
  dateTime: formatDateTime(event.at, offset),
  by: {
    actor: event.actor,
    ...(event.keyId !== undefined && { keyId: event.keyId }),
    ...(event.personId !== undefined && { personId: event.personId }),
    ...(event.name !== undefined && { name: event.name }),
  },
  ...(event.qrCodeUid !== undefined && { qrCodeUid: event.qrCodeUid }),
  ...(event.status && { status: event.status }),
  ...(event.sale && { sale: { ...event.sale, amount: amountAnswer(event.sale.amount) } }),
  ...(event.payment && { payment: { ...event.payment, amount: amountAnswer(event.payment.amount) } }),
  ...(event.refund && { refund: eventRefundAnswer(event.refund) }),
  ...(event.token && { token: event.token }),
  ...(event.apiKey && { apiKey: event.apiKey }),
  ...(event.person && { person: event.person }),
  ...(event.receipt && { receipt: event.receipt }),
  ...(event.settlement && { settlement: event.settlement }),
})

const eventRefundAnswer = ({ overRefunded, amount, ...refund }: EventRefund) => ({
  ...refund,
  amount: amountAnswer(amount),
  ...(overRefunded && ({ overRefunded } as const)),
})

/** A position in the feed: the events after `number` of the feed with that epoch. A restored site has a new epoch. */
export interface FeedCursor {
  epoch: string
  number: number
}

/** A cursor, or the end of the feed, whatever its number is. */
export type FeedPosition = FeedCursor | 'end'

const POSITION_RULE = `${CURSOR_RULE}, or end`

const positionOf = (position: FeedPosition): string =>
  position === 'end' ? position : feedCursorOf(position)

const Position = positionParameter(
  positionOf,
  (text): FeedPosition | undefined => {
    if (text === 'end') return text
    const [, epoch, number] = /^([0-9a-f]{0,32})-(\d{1,15})$/.exec(text) ?? []
    return epoch !== undefined && number !== undefined ? { epoch, number: Number(number) } : undefined
  },
  POSITION_RULE,
)

/** The query of the feed. */
export const FeedQuery = strictObject({
  after: z.optional(Position).apply(meta, {
    description:
      '`nextCursor` of the page before; without it, the list starts at the first event. `end`: after the latest event',
  }),
  before: z.optional(Position).apply(meta, {
    description:
      'The events before this position, newest first: `end`, then each `nextCursor`. An empty page is the last. Not beside `after`',
  }),
  limit: limitParameter({ byDefault: 100, max: 1000 }),
}).check(
  z.check(({ value: { after, before }, issues }) => {
    if (after === undefined || before === undefined) return
    issues.push({ code: 'custom', input: before, path: ['before'], message: 'absent beside after' })
  }),
)

export const feedCursorOf = ({ epoch, number }: FeedCursor): string => `${epoch}-${number}`
