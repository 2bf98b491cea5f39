// A payment, as the network reports it (contract, section 7).
import * as z from 'zod'
import { type Amount, AnyAmount, amountSchema } from './amount.ts'

export const PAYMENT_STATUSES = ['COMPLETED', 'DECLINED'] as const
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

/** The result of one attempt to pay. */
export interface Payment {
  paymentUid: string
  status: PaymentStatus
  amount: Amount
}

const Status = z
  .enum(PAYMENT_STATUSES, `one of ${PAYMENT_STATUSES.join(', ')}`)
  .meta({ description: 'How the attempt ended' })

/**
 * The schema of the body of the network's report; the payment's uid is in the path. Any currency will do: what the
 * deployment lets merchants ask for may have changed since, and money that moved is a fact.
 */
export const PaymentReport = z.object({
  status: Status,
  amount: AnyAmount.meta({ description: 'What was paid; the QR code’s own amount where it has one' }),
})

/** The schema of a payment that the sandbox makes up: completed, of the QR code's own amount, unless it says otherwise. */
export const sandboxPayment = (currencies: readonly string[]) =>
  z.object({
    status: Status.default('COMPLETED'),
    amount: amountSchema(currencies)
      .optional()
      .meta({ description: 'Needed where the QR code has no amount of its own' }),
  })
