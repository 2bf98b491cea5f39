// Documents that wait for a contact: how long, and what becomes of them without one.
import { atTime, type Context } from '../context.ts'
import { integer, type Sql } from '../rows/sql.ts'
import { type Milliseconds, seconds, toMilliseconds } from '../time.ts'
import { fail } from './changes.ts'
import { receiptRows } from './rows.ts'

/** Documents that one write ends. */
const MAX_ENDED = 100

/** When the next wait for a contact ends. */
export function nextWaitEnd(sql: Sql): Milliseconds | undefined {
  const due = integer(sql, 'SELECT due_at FROM receipts WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1')
  return due === undefined ? undefined : toMilliseconds(seconds(due))
}

/** Ends the waits that are over. */
export function endWaits(context: Context): void {
  const { sql, now } = context
  const over = receiptRows(sql, 'WHERE due_at <= ? ORDER BY due_at LIMIT ?', now, MAX_ENDED)
  for (const row of over) {
    fail(atTime(context, row.due_at ?? now), row, { reason: 'noContact', canRetry: true })
  }
}
