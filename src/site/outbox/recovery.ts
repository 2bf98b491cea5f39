// Repairs the outbox after an object starts or its clock goes back: ends leases, and corrects times that are too late.
import type { Sql } from '../rows/sql.ts'
import { type Milliseconds, plus } from '../time.ts'
import { LEASE, OVERDUE } from './outbox.ts'

/**
 * Runs before the first write of the object, and after the clock went back. The deliveries of an object that ended have
 * no result, and times that were written by a clock that was ahead would never come.
 */
export function recoverOutbox(sql: Sql, now: Milliseconds, isStart: boolean): void {
  if (isStart) endLeases(sql)
  correctTimes(sql, now)
}

/**
 * Corrects the times of the outbox that are further ahead than their delays. Each time is computed from a moment: an
 * attempt, a failure, a creation. If that moment is later than now, the clock was ahead by the difference. A fact that was
 * in a response or a notification does not change, such as the end of a ttl.
 */
export function correctTimes(sql: Sql, now: Milliseconds): void {
  sql.exec(
    `UPDATE outbox SET due_at = due_at - (set_at - ?1), send_at = min(send_at, due_at - (set_at - ?1)), set_at = ?1
     WHERE status = 'PENDING' AND set_at > ?1`,
    now,
  )
  sql.exec('UPDATE endpoints SET probe_at = probe_at - (set_at - ?1), set_at = ?1 WHERE set_at > ?1', now)
  sql.exec('UPDATE endpoints SET since = ?1 WHERE since > ?1', now)
  // A delivery that is lost: its result can still come.
  sql.exec('UPDATE outbox SET leased_until = NULL WHERE leased_until > ?', plus(now, LEASE))
  sql.exec('UPDATE outbox SET overdue_at = ?1 WHERE overdue_at > ?1', plus(now, OVERDUE))
}

/**
 * Ends all leases, for an object that starts: the calls that waited for those deliveries ended with the old one. Rows that
 * are behind another are marked again: version 0.3.0 also marks a row that it cannot read, and nothing else unmarks that.
 */
export function endLeases(sql: Sql): void {
  sql.exec('UPDATE outbox SET leased_until = NULL WHERE leased_until IS NOT NULL')
  sql.exec('UPDATE outbox SET blocked = 0 WHERE blocked = 1')
}
