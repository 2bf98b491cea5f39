// The month that the tests of changed files begin with: every kit writes it in its bank's format.
import type { Operation } from './kits.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const operation = (
  day: number,
  seconds: number,
  [id, gross, fee]: readonly [id: number, gross: number, fee?: number],
): Operation => ({
  ...{
    kind: fee === undefined ? 'refund' : 'payment',
    gross,
    fee: fee ?? 0,
    at: (day - 1) * DAY + seconds,
    id,
  },
  ...{ order: `tea-${id}`, isOther: false },
})

/** November: amounts and fees are kopecks; what has no fee is a refund. */
export const GOLDEN_MONTH: readonly Operation[] = [
  operation(1, 9 * HOUR, [1, 10_000, 70]),
  operation(1, 10 * HOUR, [2, 25_050, 175]),
  // Two equal payments in one minute.
  operation(2, 12 * HOUR, [3, 30_000, 210]),
  operation(2, 12 * HOUR + 20, [4, 30_000, 210]),
  { ...operation(2, 13 * HOUR, [5, 99_900, 1_998]), isOther: true },
  // Two partial refunds of one payment.
  operation(4, 9 * HOUR, [6, 120_000, 840]),
  operation(5, 9 * HOUR, [7, 20_000]),
  operation(5, 10 * HOUR, [8, 35_000]),
  // A day on which the bank takes back more than it pays.
  operation(9, 11 * HOUR, [9, 5_000, 35]),
  operation(9, 12 * HOUR, [10, 15_000]),
  // Then days without any.
  operation(20, 23 * HOUR + 59 * MINUTE, [11, 1_000, 7]),
  operation(21, 0, [12, 1_100, 8]),
  operation(30, 18 * HOUR, [13, 700_000, 4_900]),
]
