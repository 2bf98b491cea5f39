// The limits that the operator sets for a site (contract, section 16).
import * as z from 'zod/mini'
import { type Amount, AmountAnswer, amountAnswer, amountRequest, amountText } from './amount.ts'
import type { ActDetails } from './audit.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import type { CashRegister } from './receipts/cash-register.ts'
import { CashRegisterAnswer, cashRegisterAnswer } from './receipts/register-request.ts'

/** Each limits the amounts of its own currency. */
export interface Limits {
  /** The largest amount of a QR code or a sale. */
  maxPayment?: Amount | undefined
  /** The largest sum of the accepted refunds of a day. */
  maxRefundsPerDay?: Amount | undefined
}

const PAYMENT =
  'The largest amount of a QR code or a sale that the merchant creates; without it there is no limit'
const REFUNDS =
  'The largest sum of the refunds of a day, of the deployment’s offset from UTC; without it there is no limit'

/** The body that replaces both limits. @param currencies of the deployment */
export function limitsBody(currencies: readonly string[]) {
  const amount = amountRequest(currencies)
  return strictObject({
    maxPayment: z.optional(amount).apply(meta, { description: PAYMENT }),
    maxRefundsPerDay: z.optional(amount).apply(meta, { description: REFUNDS }),
  }).apply(meta, { id: 'LimitsRequest' })
}

export const LimitsAnswer = z
  .object({
    maxPayment: z.optional(AmountAnswer).apply(meta, { description: PAYMENT }),
    maxRefundsPerDay: z.optional(AmountAnswer).apply(meta, { description: REFUNDS }),
    cashRegister: z.optional(CashRegisterAnswer).apply(meta, {
      description: 'What the receipts of the site are checked against; without one there are no receipts',
    }),
  })
  .apply(meta, {
    id: 'Limits',
    description: 'What the operator sets; absent where it limits nothing, and the site has no cash register',
  })

/** The answer that shows limits and the cash register; undefined where there are none. */
export function limitsAnswer(
  { maxPayment, maxRefundsPerDay }: Limits,
  cashRegister: CashRegister | undefined,
): z.infer<typeof LimitsAnswer> | undefined {
  if (!maxPayment && !maxRefundsPerDay && !cashRegister) return undefined
  return {
    ...(maxPayment && { maxPayment: amountAnswer(maxPayment) }),
    ...(maxRefundsPerDay && { maxRefundsPerDay: amountAnswer(maxRefundsPerDay) }),
    ...(cashRegister && { cashRegister: cashRegisterAnswer(cashRegister) }),
  }
}

/** What the audit has of them. */
export const limitsDetails = ({ maxPayment, maxRefundsPerDay }: Limits): ActDetails => ({
  ...(maxPayment && { maxPayment: amountText(maxPayment) }),
  ...(maxRefundsPerDay && { maxRefundsPerDay: amountText(maxRefundsPerDay) }),
})

export const LIMITS_EXAMPLES = {
  both: {
    summary: 'A payment of 15,000 RUB at most, refunds of 30,000 RUB a day',
    value: { maxPayment: { value: '15000.00' }, maxRefundsPerDay: { value: '30000.00' } },
  },
  none: { summary: 'No limits', value: {} },
} satisfies Record<string, Example>
