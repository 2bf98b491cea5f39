// Which refunds a person confirms by passkey (contract, section 12).
import type { Refusal } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { PaymentRow } from '../payments/rows.ts'
import { useConfirmation } from '../people/confirmation.ts'
import { settingsRow } from '../settings/rows.ts'

/** Refuses a refund that a person has not confirmed. All refunds of the payment count together: a split evades nothing. */
export function refuseUnconfirmed(
  context: Context,
  { accepted_refunds, currency }: PaymentRow,
  minorUnits: number,
): Refusal | undefined {
  if (!context.by.person) return undefined
  const { confirmRefundsAbove: limit } = settingsRow(context.sql).settings
  if (!limit) return undefined
  const isWithin = limit.currency === currency && accepted_refunds + minorUnits <= limit.minorUnits
  return isWithin ? undefined : useConfirmation(context)
}
