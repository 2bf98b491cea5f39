// Endpoints that fail: after some failures in a row one gets a single delivery at a time, a probe (contract, section 11).

import type { Sql } from '../rows/sql.ts'
import { type Milliseconds, milliseconds, plus } from '../time.ts'
import { PROBING_FROM } from './backoff.ts'
import { type EndpointRow, endpointRow, type Queue } from './rows.ts'

/** An endpoint that fails gets one delivery at a time. */
export function endpointOf(
  sql: Sql,
  queue: Queue,
): Omit<EndpointRow, 'since'> & { since?: Milliseconds; isProbing: boolean } {
  const row = endpointRow(sql, queue) ?? { failures: 0, probeAt: milliseconds(0) }
  return { ...row, isProbing: row.failures >= PROBING_FROM }
}

/**
 * Counts a failure in a row. Deliveries that began before the probes did say nothing about them.
 * @param delivery when it began and ended
 * @param delay until the next probe, after so many failures
 */
export function countFailure(
  sql: SqlStorage,
  queue: Queue,
  { startedAt, at }: { startedAt: Milliseconds; at: Milliseconds },
  delay: (failures: number) => Milliseconds,
): void {
  const { failures, isProbing, probeAt: current, since = at } = endpointOf(sql, queue)
  if (isProbing && startedAt < current) return
  sql.exec(
    'INSERT OR REPLACE INTO endpoints (queue, failures, probe_at, set_at, since) VALUES (?, ?, ?, ?, ?)',
    ...[queue, failures + 1, plus(at, delay(failures + 1)), at, since],
  )
}

/** A delivery succeeded: if the endpoint was failing, it works again. */
export function recordWorking(sql: SqlStorage, queue: Queue, at: Milliseconds): void {
  const { failures, isProbing } = endpointOf(sql, queue)
  if (isProbing) sendAll(sql, queue, at)
  else if (failures > 0) sql.exec('DELETE FROM endpoints WHERE queue = ?', queue)
}

/**
 * Sends all that waits at once, because its endpoint works, or is another one. Each row keeps its own time as well: if
 * it fails for itself alone, it uses up none of its attempts.
 */
export function sendAll(sql: Sql, queue: Queue, now: Milliseconds): void {
  sql.exec('DELETE FROM endpoints WHERE queue = ?', queue)
  sql.exec(
    "UPDATE outbox SET send_at = ? WHERE queue = ? AND status = 'PENDING' AND send_at > ? AND taken_at IS NULL",
    ...[now, queue, now],
  )
}
