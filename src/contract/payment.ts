// Payments: what the network reports, what a site keeps, what is answered (contract, sections 7 and 8).
import * as z from 'zod/mini'
import { type Amount, AmountAnswer, amountAnswer, amountRequest, ReportedAmount } from './amount.ts'
import { BindingReportFields, Consent } from './binding.ts'
import { formatDateTime } from './date-time.ts'
import { ifValid } from './if-valid.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { DecisionAnswer, decisionAnswer, type StandingDecision } from './payment-decision.ts'
import { nextCursor, StoredDateTime } from './query.ts'
import { type LatestReceipt, LatestReceiptAnswer, latestReceiptAnswer } from './receipts/latest-receipt.ts'
import { SettlementBank } from './settlement-bank.ts'
import { optionalText } from './text.ts'
import { BindingUid, SaleUid } from './uid.ts'

export const PAYMENT_STATUSES = ['WAITING', 'COMPLETED', 'DECLINED'] as const
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]
export const PaymentStatus = z
  .enum(PAYMENT_STATUSES, `one of ${PAYMENT_STATUSES.join(', ')}`)
  .apply(meta, { id: 'PaymentStatus' })

export const PAYMENT_RESULTS = ['COMPLETED', 'DECLINED'] as const
export type PaymentResult = (typeof PAYMENT_RESULTS)[number]

/** Why a QR code could not take a completed payment. */
export const NOT_APPLIED_REASONS = [
  'AMOUNT_MISMATCH',
  'ALREADY_PAYED',
  'NOT_PAYABLE',
  'UNKNOWN_QR_CODE',
] as const
export type NotAppliedReason = (typeof NOT_APPLIED_REASONS)[number]

/** How a payment was made. */
export const PAYMENT_METHODS = ['sbp', 'digitalRouble', 'other'] as const
export type PaymentMethod = (typeof PAYMENT_METHODS)[number]
export const PaymentMethod = z.enum(PAYMENT_METHODS, `one of ${PAYMENT_METHODS.join(', ')}`).apply(meta, {
  id: 'PaymentMethod',
  description: 'How it was paid; absent if the network does not report it',
})

export const NETWORKS = ['sandbox', 'external'] as const
/** The network that a payment came from: a payment of the sandbox bank moved no money. */
export type Network = (typeof NETWORKS)[number]

/** The reason of a decline that was the customer's own decision: the payer's page blames nobody then. */
export const CUSTOMER_REFUSED = 'CUSTOMER_REFUSED'

/** A payment attempt as its site keeps it; times are Unix seconds. */
export interface Payment {
  paymentUid: string
  /** Absent where the site has no such QR code. */
  qrCodeUid?: string | undefined
  /** The sale that it is for, of a COUNTER code. */
  saleUid?: string | undefined
  /** The purpose of its sale, else of its QR code; for the console. */
  paymentPurpose?: string | undefined
  createdAt: number
  amount: Amount
  /** Absent where the network has not reported it. */
  method?: PaymentMethod | undefined
  status: PaymentStatus
  changedAt: number
  reason?: string | undefined
  applied: boolean
  notAppliedReason?: NotAppliedReason | undefined
  decision?: StandingDecision | undefined
  /** Minor units of its completed refunds, and of those that are completed or waiting. */
  refunded: number
  acceptedRefunds: number
  /** Whether the merchant charged a token. */
  byToken: boolean
  /** The receipt of the sale. */
  receipt?: LatestReceipt | undefined
}

export const PaymentResult = z
  .enum(PAYMENT_RESULTS, `one of ${PAYMENT_RESULTS.join(', ')}`)
  .apply(meta, { id: 'PaymentResult', description: 'The result of a payment attempt, or of a refund' })

/**
 * The body of the network's report. A completed payment is a fact, whatever else the report says: any currency is
 * accepted, unknown fields are ignored, and so is an optional field that breaks its rule.
 */
export const PaymentReportBody = z
  .object({
    status: PaymentResult,
    amount: ReportedAmount.apply(meta, { description: 'What was paid' }),
    dateTime: ifValid(StoredDateTime).apply(meta, {
      description:
        'When it was paid. Without it that is not known: answers show the time of the report, and no sale takes the payment by its time',
    }),
    method: ifValid(PaymentMethod).apply(meta, {
      description: 'How it was paid. A repeat can add it; COMPLETED replaces that of a declined attempt',
    }),
    reason: optionalText(255).apply(meta, {
      description: `Why it was declined; ${CUSTOMER_REFUSED}: the customer refused`,
    }),
    networkUid: optionalText(64).apply(meta, { description: 'The network’s own identifier of the payment' }),
    bank: ifValid(SettlementBank).apply(meta, {
      description:
        'The bank in whose settlement files the payment stands. A repeat can add it. Without it, no file is expected to have the payment',
    }),
    order: optionalText(200).apply(meta, {
      description:
        'Your own number, by which the bank’s settlement files name the payment besides networkUid. A repeat can add it',
    }),
    reference: optionalText(200).apply(meta, {
      description:
        'Your own text, which every instruction about the payment repeats; by default that of the QR code',
    }),
    saleUid: ifValid(SaleUid).apply(meta, {
      description:
        'The sale that was paid. Without it, dateTime decides which sale of a COUNTER code was ACTIVE',
    }),
    payer: ifValid(z.object({ bankMemberId: optionalText(64), phone: optionalText(64) })).apply(meta, {
      description: 'Who paid, if the network tells it',
    }),
    bindingUid: ifValid(BindingUid).apply(meta, {
      description:
        'Of a charge: the binding that was charged. A site that was restored, and has lost the charge, knows by it that the payment is by token',
    }),
    binding: ifValid(BindingReportFields).apply(meta, {
      description: 'The customer’s answer to the request for a token',
    }),
    linkCancelled: ifValid(z.boolean()).apply(meta, {
      description:
        'Of a declined charge: true if you cancelled the link of the QR code before it. Then nobody can pay by it, and only tokens can',
    }),
  })
  .apply(meta, { id: 'PaymentReport' })

/** The network's report of one payment attempt; `at` is its `dateTime` in Unix seconds. */
export type PaymentReport = Omit<z.output<typeof PaymentReportBody>, 'dateTime'> & {
  paymentUid: string
  at?: number | undefined
}

/** The body of a sandbox payment; by default it is completed and has the QR code's own amount. */
export const sandboxPayment = (currencies: readonly string[]) =>
  strictObject({
    status: z._default(PaymentResult, 'COMPLETED'),
    amount: z
      .optional(amountRequest(currencies))
      .apply(meta, { description: 'What is paid. Required if the QR code has no amount' }),
    binding: z
      .optional(Consent)
      .apply(meta, { description: 'The customer’s answer to the request for a token' }),
  }).apply(meta, { id: 'SandboxPayment' })

const NOT_APPLIED = `AMOUNT_MISMATCH: the amount or the currency is not the QR code’s; ALREADY_PAYED: another \
payment was applied; NOT_PAYABLE: the QR code only requests a token, is STATIC and was cancelled, or is COUNTER and no sale was ACTIVE; UNKNOWN_QR_CODE: the site does not have the QR code`

export const NotAppliedReason = z
  .enum(NOT_APPLIED_REASONS)
  .apply(meta, { id: 'NotAppliedReason', description: NOT_APPLIED })

export const PaymentAnswer = z
  .object({
    paymentId: z.string().apply(meta, { description: 'The network’s identifier of the payment' }),
    qrCodeUid: z
      .optional(z.string())
      .apply(meta, { description: 'Absent if the site does not have the QR code' }),
    saleUid: z
      .optional(z.string())
      .apply(meta, { description: 'Of a COUNTER code: the sale that the payment is for' }),
    createdDateTime: z.iso.datetime({ offset: true }),
    amount: AmountAnswer,
    refundedAmount: AmountAnswer.apply(meta, { description: 'The sum of the completed refunds' }),
    paymentMethod: z.object({
      type: z.enum(['SBP', 'TOKEN']).apply(meta, { description: 'TOKEN: the merchant charged a token' }),
    }),
    method: z.optional(PaymentMethod),
    status: z.object({
      value: PaymentStatus,
      changedDateTime: z.iso.datetime({ offset: true }),
      reason: z.optional(z.string()),
    }),
    applied: z.boolean().apply(meta, { description: 'Whether the QR code took the payment' }),
    notAppliedReason: z.optional(NotAppliedReason),
    decision: z.optional(DecisionAnswer).apply(meta, {
      description: 'Present if the merchant has marked a payment that is not applied as delivered',
    }),
    overRefunded: z.optional(z.literal(true)).apply(meta, {
      description:
        'Present if the refunds exceed the payment: the network completed a refund that it declined before, or that nobody requested',
    }),
    receipt: z.optional(LatestReceiptAnswer).apply(meta, { description: 'The receipt of the sale' }),
    flags: z.array(z.literal('SALE')),
  })
  .apply(meta, { id: 'Payment' })
export type PaymentAnswer = z.infer<typeof PaymentAnswer>

/** Whether more is or will be refunded than was paid. */
export const isOverRefunded = ({ amount, acceptedRefunds }: Pick<Payment, 'amount' | 'acceptedRefunds'>) =>
  acceptedRefunds > amount.minorUnits

/** The answer that shows a payment. @param offset the deployment's offset from UTC */
export const paymentAnswer = (payment: Payment, offset: string): PaymentAnswer => ({
  paymentId: payment.paymentUid,
  ...(payment.qrCodeUid !== undefined && { qrCodeUid: payment.qrCodeUid }),
  ...(payment.saleUid !== undefined && { saleUid: payment.saleUid }),
  createdDateTime: formatDateTime(payment.createdAt, offset),
  amount: amountAnswer(payment.amount),
  refundedAmount: amountAnswer({ ...payment.amount, minorUnits: payment.refunded }),
  paymentMethod: { type: payment.byToken ? 'TOKEN' : 'SBP' },
  ...(payment.method && { method: payment.method }),
  status: {
    value: payment.status,
    changedDateTime: formatDateTime(payment.changedAt, offset),
    ...(payment.reason !== undefined && { reason: payment.reason }),
  },
  applied: payment.applied,
  ...(payment.notAppliedReason && { notAppliedReason: payment.notAppliedReason }),
  ...(payment.decision && { decision: decisionAnswer(payment.decision, offset) }),
  ...(isOverRefunded(payment) && { overRefunded: true }),
  ...(payment.receipt && { receipt: latestReceiptAnswer(payment.receipt) }),
  flags: ['SALE'],
})

export const PaymentsAnswer = z
  .object({
    payments: z.array(PaymentAnswer),
    nextCursor: nextCursor('payments'),
  })
  .apply(meta, { id: 'PaymentPage' })
export type PaymentsAnswer = z.infer<typeof PaymentsAnswer>
