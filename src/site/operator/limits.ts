// The limits that the operator sets for a site: which amounts they refuse (contract, section 16).
import * as z from 'zod/mini'
import { type Amount, amountText, formatMinorUnits, StoredAmount } from '../../contract/amount.ts'
import { dayOf, timesOf } from '../../contract/days.ts'
import type { Limits } from '../../contract/limits.ts'
import type { CashRegister } from '../../contract/receipts/cash-register.ts'
import type { Refusal } from '../../errors.ts'
import type { Context, Memory } from '../context.ts'
import { StoredRegister } from '../receipts/terms.ts'
import { orNull, rowsWith, text } from '../rows/columns.ts'
import { requiredInteger, type Sql } from '../rows/sql.ts'

export const StoredLimits = z.object({
  maxPayment: z.optional(StoredAmount),
  maxRefundsPerDay: z.optional(StoredAmount),
})

const readSite = rowsWith({ limits: orNull(text), cash_register: orNull(text) })

/** What the operator set of the site. */
export interface OperatorSettings {
  limits: Limits
  cashRegister: CashRegister | undefined
}

export function operatorSettingsIn(sql: Sql): OperatorSettings {
  const [row] = readSite(sql, 'SELECT limits, cash_register FROM site')
  const { limits = null, cash_register: cashRegister = null } = row ?? {}
  return {
    limits: limits === null ? {} : StoredLimits.parse(JSON.parse(limits)),
    cashRegister: cashRegister === null ? undefined : StoredRegister.parse(JSON.parse(cashRegister)),
  }
}

/** Refuses the amount of a new QR code or sale. @returns site.limit.exceeded */
export function refusePayment(
  { limits: { maxPayment } }: Pick<Memory, 'limits'>,
  amount: Amount | undefined,
): Refusal | undefined {
  if (!maxPayment || !amount || amount.currency !== maxPayment.currency) return undefined
  if (amount.minorUnits <= maxPayment.minorUnits) return undefined
  return exceeded(
    { name: 'maxPayment', limit: maxPayment },
    amount,
    `must be at most ${formatMinorUnits(maxPayment.minorUnits)}, the operator's limit of a payment`,
  )
}

/** Refuses a refund by those of the day that are accepted. @param offset matches UTC_OFFSET @returns site.limit.exceeded */
export function refuseRefund(
  { sql, memory, now }: Context,
  amount: Amount,
  offset: string,
): Refusal | undefined {
  const { maxRefundsPerDay } = memory.limits
  if (!maxRefundsPerDay || amount.currency !== maxRefundsPerDay.currency) return undefined
  const left = maxRefundsPerDay.minorUnits - acceptedOfDay(sql, now, offset, amount.currency)
  if (amount.minorUnits <= left) return undefined
  const limit = `the operator's limit of ${formatMinorUnits(maxRefundsPerDay.minorUnits)} for refunds a day`
  return exceeded(
    { name: 'maxRefundsPerDay', limit: maxRefundsPerDay },
    amount,
    left > 0
      ? `must be at most ${formatMinorUnits(left)}, which is left today of ${limit}`
      : `but nothing is left today of ${limit}`,
  )
}

/** The sum of the refunds of a day that were not declined, by the time at which they were requested or first reported. */
function acceptedOfDay(sql: Sql, now: number, offset: string, currency: string): number {
  const day = dayOf(now, offset)
  const { since, until } = timesOf({ from: day, to: day }, offset)
  return requiredInteger(
    sql,
    // Nothing limits what a network reports: sum() fails above 2^63.
    'SELECT total(accepted) FROM turnover WHERE at >= ? AND at < ? AND currency = ?',
    ...[since, until, currency],
  )
}

/** @param name by which programs know which limit is exceeded */
function exceeded(
  { name, limit }: { name: keyof Limits; limit: Amount },
  { minorUnits }: Amount,
  rule: string,
): Refusal {
  const text = `is ${formatMinorUnits(minorUnits)}, ${rule}`
  return {
    ok: false,
    code: 'site.limit.exceeded',
    description: `amount.value ${text}`,
    fields: { 'amount.value': [text], [name]: [`is ${amountText(limit)}`] },
  }
}
