// The figures of a month of settlement (contract, section 19).
import * as z from 'zod/mini'
import { signedDecimal } from '../amount.ts'
import { timesOf } from '../days.ts'
import type { Example } from '../example.ts'
import { meta } from '../meta.ts'
import { strictObject } from '../object.ts'
import { parsed } from '../parsed.ts'
import type { SettlementMonth } from '../settlement.ts'

const DAY_MS = 86_400_000

const MONTH_RULE = 'a month from 1970-01 to 9998-12, such as 2026-11'

/** A month as its text. */
export const Month = parsed(z.string(MONTH_RULE), MONTH_RULE, (text) =>
  /^(?:19[7-9]\d|[2-8]\d{3}|9[0-8]\d\d|99[0-8]\d|999[0-8])-(?:0[1-9]|1[0-2])$/.test(text) ? text : undefined,
).apply(meta, {
  description: 'The month, of the deployment’s offset from UTC',
  examples: ['2026-11'],
})

export const MonthQuery = strictObject({ month: Month })
export type MonthQuery = z.output<typeof MonthQuery>

/** The month as Unix seconds: `until` is not of it. @param month of `Month` @param offset the deployment's */
export function timesOfMonth(month: string, offset: string): { since: number; until: number } {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const dayOfMonth = (months: number) => Date.UTC(year, number - 1 + months) / DAY_MS
  return timesOf({ from: dayOfMonth(0), to: dayOfMonth(1) - 1 }, offset)
}

/** A sum of entries, which can be negative. */
export const SignedDecimal = z
  .string()
  .check(z.regex(/^-?\d+\.\d{2}$/))
  .apply(meta, { examples: ['-10.50'] })

const signed = (description: string) => SignedDecimal.apply(meta, { description })
const count = (description: string) => z.int().apply(meta, { description })

const PAYOUT_STATES = ['MATCHED', 'MISMATCHED'] as const

export const SettlementMonthAnswer = z
  .object({
    month: z.string(),
    payments: count('Entries of payments, also those that are UNKNOWN'),
    gross: signed('Their sum'),
    refunds: count('Entries of refunds'),
    refunded: signed('Their sum, negative'),
    fee: signed('What the bank keeps, negative'),
    feeVat: signed('The part of it that is VAT, as far as the bank states it'),
    net: signed('What is left, as far as the bank states it'),
    withoutFee: count('Operations whose bank states no fee: above 0 `fee` is not complete'),
    withoutVat: count('Operations whose bank states no VAT: above 0 `feeVat` is not complete'),
    payouts: z.array(
      z.object({
        paidOn: z.iso.date(),
        stated: z
          .optional(SignedDecimal)
          .apply(meta, { description: 'What a statement has as paid out; absent without one' }),
        sum: z.optional(SignedDecimal).apply(meta, {
          description: 'The sum of `net` of the day, cards included; absent where an operation states none',
        }),
        state: z
          .optional(z.enum(PAYOUT_STATES))
          .apply(meta, { description: 'Absent unless both sums are known' }),
      }),
    ),
    matched: count('Entries by state'),
    mismatched: z.int(),
    unknown: z.int(),
    expected: count('Payments and refunds that no file has'),
  })
  .apply(meta, { id: 'SettlementMonth' })
export type SettlementMonthAnswer = z.infer<typeof SettlementMonthAnswer>

/** The figures of a month, without its days of payout. */
export const figuresAnswer = (figures: Omit<SettlementMonth, 'payouts'>) => ({
  payments: figures.payments,
  gross: signedDecimal(figures.gross),
  refunds: figures.refunds,
  refunded: signedDecimal(figures.refunded),
  fee: signedDecimal(figures.fee),
  feeVat: signedDecimal(figures.feeVat),
  net: signedDecimal(figures.net),
  withoutFee: figures.withoutFee,
  withoutVat: figures.withoutVat,
  matched: figures.matched,
  mismatched: figures.mismatched,
  unknown: figures.unknown,
  expected: figures.expected,
})

/** The answer that shows a month. */
export const settlementMonthAnswer = (
  month: string,
  { payouts, ...figures }: SettlementMonth,
): SettlementMonthAnswer => ({
  month,
  ...figuresAnswer(figures),
  payouts: payouts.map(({ paidOn, stated, sum, state }) => ({
    paidOn,
    ...(stated !== undefined && { stated: signedDecimal(stated) }),
    ...(sum !== undefined && { sum: signedDecimal(sum) }),
    ...(state !== undefined && { state }),
  })),
})

export const SETTLEMENT_MONTH_EXAMPLE: Example = {
  summary: 'T-Bank, which states no VAT',
  value: {
    month: '2026-11',
    payments: 100,
    gross: '10000.00',
    refunds: 1,
    refunded: '-100.00',
    fee: '-70.00',
    feeVat: '0.00',
    net: '9830.00',
    withoutFee: 0,
    withoutVat: 101,
    payouts: [{ paidOn: '2026-11-21', stated: '9830.00', sum: '9830.00', state: 'MATCHED' }],
    matched: 99,
    mismatched: 1,
    unknown: 1,
    expected: 0,
  },
}
