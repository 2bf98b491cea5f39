// The latest payment of a QR code, or the one of a sale, as an answer shows it (contract, sections 3 and 15).
import * as z from 'zod/mini'
import { type Amount, AmountAnswer, amountAnswer } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import { meta } from './meta.ts'
import { PaymentMethod, PaymentStatus } from './payment.ts'
import { type LatestReceipt, LatestReceiptAnswer, latestReceiptAnswer } from './receipts/latest-receipt.ts'

/** A payment as its QR code, or its sale, shows it; `at` is Unix seconds. */
export interface LatestPayment {
  paymentUid: string
  status: PaymentStatus
  amount: Amount
  at: number
  method?: PaymentMethod | undefined
  /** The sale that it is for. */
  saleUid?: string | undefined
  /** Absent where it has none, and where a cashier reads it. */
  receipt?: LatestReceipt | undefined
}

export const LatestPaymentAnswer = z
  .object({
    paymentUid: z.string(),
    paymentStatus: PaymentStatus,
    amount: AmountAnswer,
    dateTime: z.iso.datetime({ offset: true }),
    method: z.optional(PaymentMethod),
    refundedAmount: z.optional(AmountAnswer).apply(meta, {
      description: 'The sum of its completed refunds; absent before the first one, and in lastPayment',
    }),
    saleUid: z
      .optional(z.string())
      .apply(meta, { description: 'Of a COUNTER code: the sale that the payment is for' }),
    receipt: z.optional(LatestReceiptAnswer).apply(meta, { description: 'Absent where a till reads it' }),
  })
  .apply(meta, { id: 'LatestPayment' })

/** @param utcOffset of the deployment @param refunded minor units of its completed refunds */
export const latestPaymentAnswer = (
  { paymentUid, status, amount, at, method, saleUid, receipt }: LatestPayment,
  utcOffset: string,
  refunded = 0,
): z.infer<typeof LatestPaymentAnswer> => ({
  paymentUid,
  paymentStatus: status,
  amount: amountAnswer(amount),
  dateTime: formatDateTime(at, utcOffset),
  ...(method && { method }),
  ...(refunded > 0 && { refundedAmount: amountAnswer({ ...amount, minorUnits: refunded }) }),
  ...(saleUid !== undefined && { saleUid }),
  ...(receipt && { receipt: latestReceiptAnswer(receipt) }),
})
