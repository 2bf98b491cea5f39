// The content of a notification, as the outbox stores it until it is delivered (contract, section 11).
import * as z from 'zod/mini'
import { StoredAmount } from '../amount.ts'
import { BINDING_STATUSES } from '../binding.ts'
import { EventSettlement } from '../event-settlement.ts'
import { NOT_APPLIED_REASONS, PAYMENT_METHODS, PAYMENT_RESULTS } from '../payment.ts'
import { DOCUMENT_KINDS, FAILURE_REASONS } from '../receipts/document.ts'
import { EndedBy } from '../token.ts'

/** The statuses of a QR code that are notified: payments and tokens have notifications of their own. */
export const NOTIFIED_STATUSES = ['CANCELLED', 'EXPIRED'] as const

/** What a notification says became of a settlement file. */
export const SETTLEMENT_CHANGES = ['IMPORTED', 'DELETED'] as const

/** The fields that the notifications of a payment and of its refunds share. */
const ResultOfPayment = {
  paymentUid: z.string(),
  qrCodeUid: z.optional(z.string()),
  createdAt: z.int(),
  amount: StoredAmount,
  status: z.enum(PAYMENT_RESULTS),
  changedAt: z.int(),
  reason: z.optional(z.string()),
  /** Whether the QR code took the payment. */
  applied: z.boolean(),
  /** The customer's identifier in the merchant's system. */
  account: z.optional(z.string()),
  payer: z.optional(z.object({ bankMemberId: z.optional(z.string()), phone: z.optional(z.string()) })),
}

const TEXT = z.optional(z.string())

/** The facts at the time of the change; times are Unix seconds. */
export const NotificationContent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('PAYMENT'),
    ...ResultOfPayment,
    /** The sale that it is for, of a COUNTER code. */
    saleUid: z.optional(z.string()),
    notAppliedReason: z.optional(z.enum(NOT_APPLIED_REASONS)),
    method: z.optional(z.enum(PAYMENT_METHODS)),
    /** The merchant asked for it: there is no such payment. */
    isTest: z.optional(z.boolean()),
  }),
  z.object({ type: z.literal('REFUND'), refundUid: z.string(), ...ResultOfPayment }),
  z.object({
    type: z.literal('TOKEN'),
    /** Absent where the site has no such QR code. */
    qrCodeUid: z.optional(z.string()),
    /** The customer's identifier in the merchant's system, or empty. */
    account: z.string(),
    status: z.enum(BINDING_STATUSES),
    changedAt: z.int(),
    reason: z.optional(z.string()),
    value: z.optional(z.string()),
    expiresAt: z.optional(z.int()),
    /** Of a DELETED one. */
    endedBy: z.optional(EndedBy),
    /** What follows the base of the payer's page. */
    pageLink: z.optional(z.string()),
    bankMemberId: z.optional(z.string()),
  }),
  z.object({
    type: z.literal('QR_CODE'),
    qrCodeUid: z.string(),
    status: z.enum(NOTIFIED_STATUSES),
    changedAt: z.int(),
  }),
  z.object({
    type: z.literal('RECEIPT'),
    receiptUid: z.string(),
    kind: z.enum(DOCUMENT_KINDS),
    paymentUid: z.string(),
    refundUid: TEXT,
    closingUid: TEXT,
    qrCodeUid: TEXT,
    amount: StoredAmount,
    status: z.enum(['REGISTERED', 'FAILED']),
    changedAt: z.int(),
    fiscal: z.optional(
      z.object({
        ...{ fn: TEXT, fd: TEXT, fpd: TEXT, registration: TEXT, shift: TEXT, number: TEXT, url: TEXT },
        dateTime: z.optional(z.int()),
      }),
    ),
    error: z.optional(z.object({ reason: z.enum(FAILURE_REASONS), text: TEXT, canRetry: z.boolean() })),
  }),
  z.object({
    type: z.literal('SETTLEMENT'),
    ...EventSettlement.shape,
    status: z.enum(SETTLEMENT_CHANGES),
    changedAt: z.int(),
  }),
])
export type NotificationContent = z.infer<typeof NotificationContent>
