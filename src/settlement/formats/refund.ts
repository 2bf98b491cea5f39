// The sums of a payment or a refund where the bank states an amount and a fee, but not what is to be paid.
import type { Row } from './csv.ts'
import type { Ways } from './ways.ts'

interface Stated {
  /** Kopecks, as the line has them. */
  amount: number
  stated: number
  isRefund: boolean
}

/**
 * The sign of a refund is not said: it is one in a file.
 * @returns kopecks, negative for what the merchant loses; a fault of the row where they can be understood in two ways
 */
export function refundOf<Name extends string>(
  row: Row<Name>,
  names: { amount: Name; fee: Name },
  { amount, stated, isRefund }: Stated,
  ways: Ways,
): { gross: number; fee: number } {
  if (amount === 0) row.fault(names.amount, 'must not be 0')
  if (!isRefund) {
    if (amount < 0) row.fault(names.amount, 'must not be negative, because it is a payment')
    if (stated < 0) row.fault(names.fee, 'must not be negative, because it is a payment')
    return { gross: amount, fee: 0 - stated }
  }
  ways.agree(row, names.amount, 'the sign of a refund', amount < 0)
  // Without signs a fee can be what the refund costs, or what is given back of the payment's.
  if (stated !== 0 && amount > 0)
    row.fault(names.fee, 'must be 0: of a refund without a sign it is not said who gets the fee')
  return { gross: 0 - Math.abs(amount), fee: 0 - stated }
}
