// Refunds: what a merchant requests, what a site keeps, what is answered (contract, section 8).
import * as z from 'zod/mini'
import { type Amount, AmountAnswer, amountAnswer, RefundAmount, ReportedRefundAmount } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { ifValid } from './if-valid.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { PaymentStatus } from './payment.ts'
import {
  type LatestReceipt,
  type NoReceipt,
  RefundReceiptAnswer,
  refundReceiptAnswer,
} from './receipts/latest-receipt.ts'
import { RefundReceiptRequest } from './receipts/receipt.ts'
import { optionalText, unicodeText } from './text.ts'

/** Which payment is refunded: one by its own identifier, or the one that a QR code took. */
export type PaymentKey = { paymentUid: string } | { qrCodeUid: string }

/** The most refunds that are requested of one payment, declined ones included; those that the network reports are not limited. */
export const MAX_REFUNDS = 100
/** The most characters of a refund's comment. */
export const MAX_COMMENT = 255

/** A refund as its site keeps it; times are Unix seconds. */
export interface Refund {
  refundUid: string
  paymentUid: string
  createdAt: number
  amount: Amount
  comment?: string | undefined
  status: PaymentStatus
  changedAt: number
  reason?: string | undefined
  /** Its latest document of the cash register; absent until it is completed, and where the site makes none. */
  receipt?: LatestReceipt | NoReceipt | undefined
}

export const RefundBody = strictObject({
  amount: RefundAmount.apply(meta, {
    description: 'At most what is left of the payment, in its currency',
  }),
  comment: z
    .optional(unicodeText(MAX_COMMENT))
    .apply(meta, { description: 'The reason, for your own records' }),
  receipt: z.optional(RefundReceiptRequest).apply(meta, {
    description:
      'What is returned, of the items of the sale’s receipt that remain; the items add up to the refund. If absent, the whole remainder, or shares of it',
  }),
}).apply(meta, { id: 'RefundRequest' })

/** What a merchant requests; without a currency, it is the payment's. */
export type RefundSpec = z.output<typeof RefundBody> & { refundUid: string }

/** The body of the network's report: unknown fields are ignored, and so is an optional field that breaks its rule. */
export const RefundReportBody = z
  .object({
    status: PaymentStatus,
    amount: ifValid(ReportedRefundAmount).apply(meta, {
      description: 'What was refunded. A completed refund that nobody requested is recorded by it',
    }),
    reason: optionalText(255).apply(meta, {
      description: 'Why it was declined; of one that is WAITING, where it must be given, what it waits for',
    }),
    networkUid: optionalText(64).apply(meta, {
      description:
        'The refund’s identifier at the bank, by which its settlement files name it. A repeat can add it',
    }),
  })
  .check(
    z.refine(({ status, reason }) => status !== 'WAITING' || reason !== undefined, {
      path: ['status'],
      error: 'must be COMPLETED or DECLINED where there is no reason',
    }),
  )
  .apply(meta, { id: 'RefundReport' })

/** The network's report of a refund; with an amount, a completed one can be a refund that nobody requested. */
export type RefundReport = z.output<typeof RefundReportBody>

export const RefundAnswer = z
  .object({
    refundId: z.string(),
    paymentId: z.string(),
    createdDateTime: z.iso.datetime({ offset: true }),
    amount: AmountAnswer,
    comment: z.optional(z.string()),
    status: z.object({
      value: PaymentStatus,
      changedDateTime: z.iso.datetime({ offset: true }),
      reason: z.optional(z.string()),
    }),
    receipt: z.optional(RefundReceiptAnswer).apply(meta, {
      description: 'Of a completed refund, if the payments of the site get receipts',
    }),
    flags: z.array(z.literal('REFUND')),
  })
  .apply(meta, { id: 'Refund' })
export type RefundAnswer = z.infer<typeof RefundAnswer>

/** All refunds of a payment, oldest first: at most MAX_REFUNDS that were requested, besides those that the network made. */
export const RefundsAnswer = z.array(RefundAnswer)
export type RefundsAnswer = z.infer<typeof RefundsAnswer>

/** The answer that shows a refund. @param offset the deployment's offset from UTC */
export const refundAnswer = (refund: Refund, offset: string): RefundAnswer => ({
  refundId: refund.refundUid,
  paymentId: refund.paymentUid,
  createdDateTime: formatDateTime(refund.createdAt, offset),
  amount: amountAnswer(refund.amount),
  ...(refund.comment !== undefined && { comment: refund.comment }),
  status: {
    value: refund.status,
    changedDateTime: formatDateTime(refund.changedAt, offset),
    ...(refund.reason !== undefined && { reason: refund.reason }),
  },
  ...(refund.receipt && { receipt: refundReceiptAnswer(refund.receipt) }),
  flags: ['REFUND'],
})

const refund = {
  refundId: 'refund-1',
  paymentId: 'A6325171030000001',
  createdDateTime: '2026-11-20T20:15:00+03:00',
  amount: { value: '0.01', currency: 'RUB' },
  comment: 'One cup was broken',
  status: { value: 'WAITING', changedDateTime: '2026-11-20T20:15:00+03:00' },
  flags: ['REFUND'],
}

export const REFUND_EXAMPLE: Example = { summary: 'A refund that the network carries out', value: refund }

export const REFUNDS_EXAMPLE: Example = { summary: 'The only refund', value: [refund] }

/** Requests for refunds. */
export const REFUND_REQUEST_EXAMPLES = {
  refund: {
    summary: 'A refund of 0.01 RUB',
    value: { amount: { value: '0.01', currency: 'RUB' }, comment: 'One cup was broken' },
  },
  items: {
    summary: 'A refund that names what is returned, of the items of the sale’s receipt',
    value: {
      amount: { value: '0.01', currency: 'RUB' },
      receipt: { items: [{ name: 'Tea', price: '0.01', vat: 'none' }] },
    },
  },
} satisfies Record<string, Example>

/** The network's reports of refunds. */
export const REFUND_REPORT_EXAMPLES = {
  completed: {
    summary: 'Carried out',
    value: { status: 'COMPLETED', amount: { value: '0.01', currency: 'RUB' } },
  },
  declined: { summary: 'Declined', value: { status: 'DECLINED', reason: 'the account is closed' } },
  waiting: { summary: 'Held', value: { status: 'WAITING', reason: 'held: the bank did not answer' } },
} satisfies Record<string, Example>
