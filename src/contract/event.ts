// What happened to a QR code: an append-only history that explains its state.
import * as z from 'zod'
import { type Amount, AmountAnswer, formatKopecks } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import { type QrCodeStatus, STATUSES } from './status.ts'

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

export const EventsAnswer = z.object({
  events: z.array(
    z.object({
      status: z.enum(STATUSES).meta({ description: 'The state that it led to' }),
      dateTime: z.iso.datetime({ offset: true }),
      by: z.enum(ACTORS).meta({ description: 'payer: on the payer’s page; clock: the ttl was over' }),
      payment: z.object({ paymentUid: z.string(), amount: AmountAnswer }).optional(),
    }),
  ),
})
export type EventsAnswer = z.infer<typeof EventsAnswer>

/** The answer that shows events, oldest first. */
export const eventsAnswer = (events: readonly Event[], offset: string): EventsAnswer => ({
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
})
