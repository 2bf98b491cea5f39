// The events of a site: an append-only feed that explains every state (contract, section 11).
import * as z from 'zod'
import { type Amount, AmountAnswer, amountAnswer } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import { PaymentStatus } from './payment.ts'
import { CURSOR_RULE } from './query.ts'
import { QrCodeStatus } from './status.ts'

export const ACTORS = ['merchant', 'network', 'payer', 'clock'] as const
/** Who caused an event: the merchant's server, the payment network, the payer on the page, the end of the ttl. */
export type Actor = (typeof ACTORS)[number]

export const EVENT_TYPES = [
  'qrCode.created',
  'qrCode.cancelled',
  'qrCode.expired',
  'payment.completed',
  'payment.declined',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** One event; `at` is Unix seconds, `status` is the QR code's after the event. */
export interface Event {
  /** The site's events are numbered from 1, without gaps. */
  number: number
  type: EventType
  at: number
  actor: Actor
  keyId?: string | undefined
  qrCodeUid?: string | undefined
  status?: QrCodeStatus | undefined
  payment?: EventPayment | undefined
}

export interface EventPayment {
  paymentUid: string
  status: PaymentStatus
  amount: Amount
  applied: boolean
}

const EventAnswer = z
  .object({
    id: z.int().min(1).meta({ description: 'Counts the site’s events from 1, without gaps' }),
    type: z.enum(EVENT_TYPES).meta({ id: 'EventType' }),
    dateTime: z.iso.datetime({ offset: true }),
    by: z.object({
      actor: z.enum(ACTORS).meta({ description: 'payer: on the payer’s page; clock: the ttl ended' }),
      keyId: z.string().optional().meta({ description: '`jti` of the access token' }),
    }),
    qrCodeUid: z.string().optional(),
    status: QrCodeStatus.optional().meta({ description: 'Of the QR code, after the event' }),
    payment: z
      .object({
        paymentUid: z.string(),
        status: PaymentStatus,
        amount: AmountAnswer,
        applied: z.boolean().meta({ description: 'Whether the QR code took it' }),
      })
      .optional(),
  })
  .meta({ id: 'Event' })

export const EventsAnswer = z
  .object({
    events: z.array(EventAnswer),
    nextCursor: z.string().optional().meta({ description: 'Where there are more events' }),
  })
  .meta({ id: 'QrCodeEvents' })
export type EventsAnswer = z.infer<typeof EventsAnswer>

export const FeedAnswer = z
  .object({
    events: z.array(EventAnswer),
    nextCursor: z.string().meta({ description: '`after` of the next request' }),
  })
  .meta({ id: 'EventFeed' })
export type FeedAnswer = z.infer<typeof FeedAnswer>

/** The answer that shows an event. @param offset the deployment's offset from UTC */
export const eventAnswer = (event: Event, offset: string): z.infer<typeof EventAnswer> => ({
  id: event.number,
  type: event.type,
  dateTime: formatDateTime(event.at, offset),
  by: { actor: event.actor, ...(event.keyId !== undefined && { keyId: event.keyId }) },
  ...(event.qrCodeUid !== undefined && { qrCodeUid: event.qrCodeUid }),
  ...(event.status && { status: event.status }),
  ...(event.payment && { payment: { ...event.payment, amount: amountAnswer(event.payment.amount) } }),
})

/** A position in the feed: the events after `number` of the feed with that epoch. A restored site has a new epoch. */
export interface FeedCursor {
  epoch: string
  number: number
}

/** `after` as a cursor. */
export const FeedAfter = z
  .string(CURSOR_RULE)
  .transform((text, context): FeedCursor => {
    const [, epoch, number] = /^([0-9a-f]{0,32})-(\d{1,15})$/.exec(text) ?? []
    if (epoch !== undefined && number !== undefined) return { epoch, number: Number(number) }
    context.issues.push({ code: 'custom', input: text, message: CURSOR_RULE })
    return z.NEVER
  })
  .meta({ description: 'nextCursor of the page before; by default the feed begins at its first event' })

export const feedCursorOf = ({ epoch, number }: FeedCursor): string => `${epoch}-${number}`
