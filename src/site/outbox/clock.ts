// Corrects times that were written by a clock that was ahead: without that, nothing would be sent until they are reached.
import type { Sql } from '../rows/sql.ts'
import { type Milliseconds, plus } from '../time.ts'
import { MAX_DELAY, MAX_INSTRUCTION_DELAY, MAX_PROBE_DELAY } from './backoff.ts'
import { endLeases, LEASE, OVERDUE } from './outbox.ts'

/**
 * Runs before the first write of the object, and after the clock went back. The deliveries of an object that ended have
 * no result, and times that were written by a clock that was ahead would never come.
 */
export function putRight(sql: Sql, now: Milliseconds, isStart: boolean): void {
  if (isStart) endLeases(sql)
  bringBack(sql, now)
}

/**
 * Corrects the times of the outbox that are further ahead than their delays. Each time is computed from a moment: an
 * attempt, a failure, a creation. If that moment is later than now, the clock was ahead by the difference. A fact that was
 * in a response or a notification does not change, such as the end of a ttl.
 */
export function bringBack(sql: Sql, now: Milliseconds): void {
  sql.exec(
    `UPDATE outbox SET due_at = due_at - (coalesce(set_at, created_at) - ?1),
       send_at = min(send_at, due_at - (coalesce(set_at, created_at) - ?1)), set_at = ?1
     WHERE status = 'PENDING' AND coalesce(set_at, created_at) > ?1`,
    now,
  )
  // A row of an earlier version has no set_at: no delay is longer than this.
  sql.exec(
    `UPDATE outbox SET due_at = min(due_at, latest), send_at = min(send_at, latest)
     FROM (SELECT number AS old, iif(queue <> 'merchant' AND taken_at IS NULL, ?1, ?2) AS latest FROM outbox
       WHERE status = 'PENDING' AND set_at IS NULL)
     WHERE number = old AND send_at > latest`,
    ...[plus(now, MAX_INSTRUCTION_DELAY), plus(now, MAX_DELAY)],
  )
  sql.exec(
    `UPDATE endpoints SET probe_at = CASE WHEN set_at IS NULL THEN ?1 ELSE probe_at - (set_at - ?1) END, set_at = ?1
     WHERE set_at > ?1 OR (set_at IS NULL AND probe_at > ?2)`,
    ...[now, plus(now, MAX_PROBE_DELAY)],
  )
  // A delivery that is lost: its result can still come.
  sql.exec('UPDATE outbox SET leased_until = NULL WHERE leased_until > ?', plus(now, LEASE))
  sql.exec('UPDATE outbox SET overdue_at = ?1 WHERE overdue_at > ?1', plus(now, OVERDUE))
}
