// What a merchant decides about a completed payment that no QR code took (contract, section 8).
import * as z from 'zod/mini'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { unicodeText } from './text.ts'

/** DELIVERED: the goods were handed over. OPEN: that is undone, and the payment needs a decision again. */
export const DECISIONS = ['DELIVERED', 'OPEN'] as const
/** The most characters of a decision's note. */
export const MAX_NOTE = 255

export const Decision = z
  .enum(DECISIONS, `one of ${DECISIONS.join(', ')}`)
  .apply(meta, { id: 'PaymentDecision' })

/** What an event tells of a decision. */
export const EventDecision = z.object({
  value: Decision,
  note: z.optional(z.string()).apply(meta, { description: 'As the request had it' }),
})

export const DecisionBody = strictObject({
  value: Decision.apply(meta, {
    description: 'DELIVERED: the goods were handed over. OPEN: that was a mistake, the payment is open again',
  }),
  note: z
    .optional(unicodeText(MAX_NOTE))
    .apply(meta, { description: 'For your own records: who took it, by which receipt' }),
}).apply(meta, { id: 'PaymentDecisionRequest' })
export type DecisionBody = z.output<typeof DecisionBody>

/** A decision that stands; `at` is Unix seconds. A payment that is open has none. */
export interface StandingDecision {
  value: 'DELIVERED'
  note?: string | undefined
  at: number
}

export const DecisionAnswer = z.object({
  value: z.literal('DELIVERED'),
  changedDateTime: z.iso.datetime({ offset: true }),
  note: z.optional(z.string()),
})

/** @param offset the deployment's offset from UTC */
export const decisionAnswer = (
  { value, note, at }: StandingDecision,
  offset: string,
): z.infer<typeof DecisionAnswer> => ({
  value,
  changedDateTime: formatDateTime(at, offset),
  ...(note !== undefined && { note }),
})

export const DECISION_REQUEST_EXAMPLES = {
  delivered: {
    summary: 'The goods were handed over',
    value: { value: 'DELIVERED', note: 'Receipt 118, taken at the counter' },
  },
  open: { summary: 'That is undone', value: { value: 'OPEN' } },
} satisfies Record<string, Example>

export const DELIVERED_PAYMENT_EXAMPLE: Example = {
  summary: 'A payment of another amount, for which the goods were handed over',
  value: {
    paymentId: 'A6325171030000003',
    qrCodeUid: 'order-1001',
    createdDateTime: '2026-11-20T20:11:40+03:00',
    amount: { value: '0.02', currency: 'RUB' },
    refundedAmount: { value: '0.00', currency: 'RUB' },
    paymentMethod: { type: 'SBP' },
    status: { value: 'COMPLETED', changedDateTime: '2026-11-20T20:11:40+03:00' },
    applied: false,
    notAppliedReason: 'AMOUNT_MISMATCH',
    decision: {
      value: 'DELIVERED',
      changedDateTime: '2026-11-20T20:20:00+03:00',
      note: 'Receipt 118, taken at the counter',
    },
    flags: ['SALE'],
  },
}
