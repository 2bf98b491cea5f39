// Which refunds are accepted, and which requests and reports contradict earlier ones (contract, section 8).
import { formatMinorUnits } from '../contract/amount.ts'
import type { RefundSpec } from '../contract/refund.ts'
import type { Refusal } from '../errors.ts'
import { contradicts, notAllowed, unequalFields } from './outcomes.ts'
import type { PaymentRow } from './rows/payments.ts'
import type { RefundRow } from './rows/refunds.ts'

/** Refunds of one payment, declined ones included. */
export const MAX_REFUNDS = 100

/** The refusal of every refund of the payment. @param count how many it has */
export function unrefundable(payment: PaymentRow, count: number): Refusal | undefined {
  if (payment.status !== 'COMPLETED') return notAllowed(`the payment is ${payment.status}, must be COMPLETED`)
  return count < MAX_REFUNDS ? undefined : notAllowed(`the payment has ${count} refunds, can have no more`)
}

/** The refusal of an amount: it must be of the payment's currency, and at most what is left of it. */
export function excessive(
  { minor_units, currency, accepted_refunds }: PaymentRow,
  amount: RefundSpec['amount'],
): Refusal | undefined {
  if (amount.currency !== undefined && amount.currency !== currency) {
    return invalid('amount.currency', `is "${amount.currency}", must be ${currency}, as of the payment`)
  }
  const left = Math.max(minor_units - accepted_refunds, 0)
  if (amount.minorUnits <= left) return undefined
  const value = formatMinorUnits(amount.minorUnits)
  const limit = `must be at most ${formatMinorUnits(left)}, which is left of the payment`
  return invalid('amount.value', `is ${value}, ${left > 0 ? limit : 'but nothing is left of the payment'}`)
}

/** The refusal of a request whose refundUid was used with other fields. */
export function contradicted(
  known: RefundRow,
  { refundUid, amount, comment }: RefundSpec,
): Refusal | undefined {
  const fields = unequalFields({
    'amount.value': known.minor_units === amount.minorUnits,
    'amount.currency': known.currency === (amount.currency ?? known.currency),
    comment: known.comment === (comment ?? null),
  })
  if (fields.length === 0) return undefined
  const description = `refund ${JSON.stringify(refundUid)} was requested with other fields`
  return contradicts(description, fields, 'the first request of this refund')
}

/** The refusal of a report that a completed refund was declined. */
export const alreadyCompleted = (refundUid: string): Refusal =>
  contradicts(
    `refund ${JSON.stringify(refundUid)} was reported COMPLETED, which is final`,
    ['status'],
    'the first report of this refund',
  )

const invalid = (field: string, text: string): Refusal => ({
  ok: false,
  code: 'validation.error',
  description: `${field} ${text}`,
  fields: { [field]: [text] },
})
