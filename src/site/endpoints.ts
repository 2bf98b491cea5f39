// Endpoints that fail: after some failures in a row one gets a single delivery at a time, a probe (contract, section 11).
import { PROBING_FROM } from '../contract/backoff.ts'
import { type EndpointRow, endpointRow, type Queue } from './rows/outbox.ts'

/** An endpoint that fails gets one delivery at a time; `probeAt` is Unix milliseconds. */
export function endpointOf(sql: SqlStorage, queue: Queue): EndpointRow & { isProbing: boolean } {
  const row = endpointRow(sql, queue) ?? { failures: 0, probeAt: 0 }
  return { ...row, isProbing: row.failures >= PROBING_FROM }
}

/** Counts a failure in a row. Deliveries that began before the probes did say nothing about them. */
export function countFailure(
  sql: SqlStorage,
  queue: Queue,
  startedAt: number,
  probeAt: (failures: number) => number,
): void {
  const { failures, isProbing, probeAt: current } = endpointOf(sql, queue)
  if (isProbing && startedAt < current) return
  sql.exec(
    'INSERT OR REPLACE INTO endpoints (queue, failures, probe_at) VALUES (?, ?, ?)',
    ...[queue, failures + 1, probeAt(failures + 1)],
  )
}

/** A delivery succeeded: if the endpoint was failing, it works again. */
export function recordWorking(sql: SqlStorage, queue: Queue, at: number): void {
  const { failures, isProbing } = endpointOf(sql, queue)
  if (isProbing) sendAll(sql, queue, at)
  else if (failures > 0) sql.exec('DELETE FROM endpoints WHERE queue = ?', queue)
}

/**
 * Sends all that waits at once, because its endpoint works, or is another one. Each row keeps its own time as well: if
 * it fails for itself alone, it uses up none of its attempts.
 * @param now Unix milliseconds
 */
export function sendAll(sql: SqlStorage, queue: Queue, now: number): void {
  sql.exec('DELETE FROM endpoints WHERE queue = ?', queue)
  sql.exec(
    "UPDATE outbox SET send_at = ? WHERE queue = ? AND status = 'PENDING' AND send_at > ? AND taken_at IS NULL",
    ...[now, queue, now],
  )
}
