// Overdue instructions: when the next one is, each once, and its line in the log.
import { logLine } from '../../contract/log-line.ts'
import { integer, type Sql } from '../rows/sql.ts'
import { type Milliseconds, milliseconds } from '../time.ts'
import { notificationId, OF_KEY, type OutboxRow, outboxRows } from './rows.ts'

/** Instructions that one write finds overdue. */
const MAX_OVERDUE = 100

/** When the next instruction is overdue. */
export function nextOverdue(sql: Sql): Milliseconds | undefined {
  const next = integer(
    sql,
    'SELECT overdue_at FROM outbox WHERE overdue_at IS NOT NULL ORDER BY overdue_at LIMIT 1',
  )
  return next === undefined ? undefined : milliseconds(next)
}

/** The instructions that have become overdue; each is returned once. */
export function takeOverdue(sql: SqlStorage, now: Milliseconds): OutboxRow[] {
  const query = 'WHERE overdue_at <= ? ORDER BY overdue_at LIMIT ?'
  const overdue = outboxRows(sql, query, now, MAX_OVERDUE)
  for (const { event, kind } of overdue)
    sql.exec(`UPDATE outbox SET overdue_at = NULL WHERE ${OF_KEY}`, event, kind)
  return overdue
}

export function overdueLine(
  sql: SqlStorage,
  row: OutboxRow,
  { siteId, now }: { siteId: string; now: Milliseconds },
): string {
  return logLine(now, 'warning', 'an instruction is overdue', {
    site: siteId,
    id: notificationId(sql, row),
    type: row.content.type,
    since: new Date(row.createdAt).toISOString(),
    attempts: row.attempts.length,
  })
}
