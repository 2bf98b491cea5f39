// What happened to a QR code: an append-only history that explains its state.
import * as z from 'zod'
import { type Amount, AmountAnswer, formatKopecks } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import { type QrCodeStatus, STATUSES } from './life.ts'
import { Cursor, cursorOf, limitOr } from './paging.ts'

export const ACTORS = ['merchant', 'network', 'payer', 'clock'] as const
/** Who made it happen: the merchant's server, the payment network, the payer on the page, the end of the ttl. */
export type Actor = (typeof ACTORS)[number]

/** One change of state; `at` is Unix seconds. */
export interface Event {
  status: QrCodeStatus
  at: number
  by: Actor
  payment?: { paymentUid: string; amount: Amount } | undefined
}

/** Events of one QR code, oldest first. */
export interface EventPage {
  events: Event[]
  /** The number that the next page begins after, where there is one. */
  next?: number | undefined
}

/** The schema of the query. */
export const EventsQuery = z.object({ limit: limitOr(100), cursor: Cursor.optional() })

export const EventsAnswer = z.object({
  events: z.array(
    z.object({
      status: z.enum(STATUSES).meta({ description: 'The state that it led to' }),
      dateTime: z.iso.datetime({ offset: true }),
      by: z.enum(ACTORS).meta({ description: 'payer: on the payer’s page; clock: the ttl was over' }),
      payment: z.object({ paymentUid: z.string(), amount: AmountAnswer }).optional(),
    }),
  ),
  nextCursor: z.string().optional().meta({ description: 'Where there are more' }),
})
export type EventsAnswer = z.infer<typeof EventsAnswer>

/** The answer that shows a page of events. */
export const eventsAnswer = ({ events, next }: EventPage, offset: string): EventsAnswer => ({
  events: events.map(({ status, at, by, payment }) => ({
    status,
    dateTime: formatDateTime(at, offset),
    by,
    ...(payment && {
      payment: {
        paymentUid: payment.paymentUid,
        amount: { value: formatKopecks(payment.amount.kopecks), currency: payment.amount.currency },
      },
    }),
  })),
  ...(next !== undefined && { nextCursor: cursorOf(next) }),
})
