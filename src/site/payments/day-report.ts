// The figures of a period, from what the tables add up already: no row of a QR code or of an event is read (contract, section 16).
import { addedUp } from '../../contract/amount.ts'
import type { DayFigures, DayQuery, FiguresQuery, PeriodFigures } from '../../contract/day-report.ts'
import { lastCreatedBy } from '../qr-codes/list.ts'
import { int, rowsWith } from '../rows/columns.ts'
import { requiredInteger } from '../rows/sql.ts'

const readTurnover = rowsWith({ at: int, payments: int, paid: int, refunds: int, refunded: int })

/** The figures of a period, and of the one before. */
export const dayFigures = (sql: SqlStorage, { times, before, currency }: DayQuery): DayFigures => ({
  ...figuresOf(sql, { times, currency }),
  before: figuresOf(sql, { times: before, currency }),
})

/** The figures between each two of the times. QR codes are counted by their numbers, which follow the times. */
function figuresOf(sql: SqlStorage, { times, currency }: FiguresQuery): PeriodFigures {
  const [since = 0, until = 0] = [times[0], times.at(-1)]
  const quarters = readTurnover(
    sql,
    `SELECT at, payments, min(paid, ${Number.MAX_SAFE_INTEGER}) AS paid, refunds,
       min(refunded, ${Number.MAX_SAFE_INTEGER}) AS refunded FROM turnover WHERE at >= ? AND at < ? AND currency = ?`,
    ...[since, until, currency],
  )
  const numbers: number[] = []
  for (const time of times) numbers.push(lastCreatedBy(sql, time - 1, numbers.at(-1)))
  const parts = times.slice(1).map((end, index) => {
    const from = times[index] ?? 0
    const part = {
      created: (numbers[index + 1] ?? 0) - (numbers[index] ?? 0),
      payments: 0,
      paid: 0,
      refunds: 0,
      refunded: 0,
    }
    for (const { at, payments, paid, refunds, refunded } of quarters) {
      if (at < from || at >= end) continue
      part.payments += payments
      part.paid = addedUp(part.paid, paid)
      part.refunds += refunds
      part.refunded = addedUp(part.refunded, refunded)
    }
    return part
  })
  const codes = (column: 'paid' | 'other') =>
    requiredInteger(
      sql,
      `SELECT ifnull(sum(${column}), 0) FROM created_codes WHERE at >= ? AND at < ?`,
      ...[since, until],
    )
  const created = (numbers.at(-1) ?? 0) - (numbers[0] ?? 0)
  return { parts, createdDynamic: created - codes('other'), createdAndPaid: codes('paid') }
}
