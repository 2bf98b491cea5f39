// Which refunds are accepted, and which requests and reports contradict earlier ones (contract, section 8).
import { formatMinorUnits } from '../../contract/amount.ts'
import type { ItemSpec } from '../../contract/receipts/item.ts'
import { MAX_REFUNDS, type RefundReport, type RefundSpec } from '../../contract/refund.ts'
import type { Refusal } from '../../errors.ts'
import { contradicts, notAllowed, unequalFields } from '../outcomes.ts'
import type { PaymentRow } from '../payments/rows.ts'
import { planIn, statedText } from '../rows/receipts.ts'
import type { RefundRow } from './rows.ts'

/** Refuses a request if the payment is not completed or has MAX_REFUNDS refunds. @param count how many it has */
export const refuseRequest = (payment: PaymentRow, count: number): Refusal | undefined =>
  refuseUnpaid(payment) ??
  (count < MAX_REFUNDS ? undefined : notAllowed(`the payment has ${count} refunds, can have no more`))

/** Refuses every refund of a payment that is not completed. */
export const refuseUnpaid = ({ status }: PaymentRow): Refusal | undefined =>
  status === 'COMPLETED' ? undefined : notAllowed(`the payment is ${status}, must be COMPLETED`)

/** Refuses an amount that is not of the payment's currency, or more than what is left of it. */
export function refuseAmount(
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

/** Refuses a request whose refundUid was used with other fields. */
export function refuseContradiction(
  known: RefundRow,
  { refundUid, amount, comment, receipt }: RefundSpec,
): Refusal | undefined {
  const fields = unequalFields({
    ...equality(known, amount),
    // The network reports no comment.
    comment: known.is_reported === 1 || known.comment === (comment ?? null),
    'receipt.items': known.is_reported === 1 || isSamePlan(known, receipt?.items),
  })
  if (fields.length === 0) return undefined
  const description = `refund ${JSON.stringify(refundUid)} was requested with other fields`
  return contradicts(description, fields, 'the first request of this refund')
}

/** Whether a request states the items that the first one stated. */
function isSamePlan({ items }: RefundRow, stated: readonly ItemSpec[] | undefined): boolean {
  const first = items === null ? undefined : planIn(items).request
  return statedText({ items: first }) === statedText({ items: stated })
}

/** Refuses a report of another amount than the refund has. */
export function refuseReportedAmount(
  known: RefundRow,
  { amount }: Pick<RefundReport, 'amount'>,
): Refusal | undefined {
  const fields = amount ? unequalFields(equality(known, amount)) : []
  if (fields.length === 0) return undefined
  const description = `refund ${JSON.stringify(known.refund_uid)} is of another amount`
  return contradicts(description, fields, 'the refund')
}

/** Refuses a report of a refund in another currency than the payment has. */
export const refuseReportedCurrency = (
  { currency }: PaymentRow,
  amount: RefundSpec['amount'],
): Refusal | undefined =>
  amount.currency === undefined || amount.currency === currency
    ? undefined
    : contradicts('the refund is of another currency than its payment', ['amount.currency'], 'the payment')

const equality = ({ minor_units, currency }: RefundRow, amount: RefundSpec['amount']) => ({
  'amount.value': minor_units === amount.minorUnits,
  'amount.currency': currency === (amount.currency ?? currency),
})

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
