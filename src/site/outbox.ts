// The outbox: notifications as rows, written in the transaction of the change that they tell (contract, section 11).

import { honoured, PROBING_FROM } from '../contract/backoff.ts'
import type { Attempt, Delivered, NotificationContent } from '../contract/delivery.ts'
import { type EndpointRow, endpointRow, type OutboxRow, outboxRows } from './rows/outbox.ts'
import { integer } from './rows/sql.ts'

/** The merchant's endpoint and the network's connector have a queue each, so that neither delays the other. */
export type Queue = 'merchant' | 'network'

/** Deliveries that a queue has in flight at once. */
const MAX_IN_FLIGHT = 50
/** A delivery without a result for these milliseconds is lost. */
const LEASE_MS = 30_000
/** Milliseconds for which ended notifications are kept. */
const RETENTION_MS = { DELIVERED: 30 * 86_400_000, FAILED: 90 * 86_400_000 }
/** Rows that one write deletes. */
const MAX_DELETED = 500
/** The latest attempts are kept: an endpoint that fails for a day gets more than a thousand. */
const MAX_ATTEMPTS = 50

/**
 * Queues a notification, due at once.
 * @param event the number of the event that it tells: it identifies the notification too
 * @param qrCode the number of the QR code's row: its notifications stay in order
 * @param now Unix milliseconds
 */
export function enqueue(
  sql: SqlStorage,
  event: number,
  queue: Queue,
  content: NotificationContent,
  qrCode: number | undefined,
  now: number,
): void {
  sql.exec(
    `INSERT INTO outbox (number, queue, qr_code, content, status, attempts, used, created_at, due_at, send_at)
     VALUES (?, ?, ?, ?, 'PENDING', '[]', 0, ?, ?, ?)`,
    ...[event, queue, qrCode ?? null, JSON.stringify(content), now, now, now],
  )
}

/** A row that is not in flight, and none of its QR code is, so that its notifications stay in order. */
const SENDABLE = `queue = ? AND status = 'PENDING' AND leased_until IS NULL AND NOT EXISTS (
  SELECT 1 FROM outbox AS other
  WHERE other.queue = outbox.queue AND other.leased_until IS NOT NULL AND other.qr_code = outbox.qr_code)`

/**
 * Leases the notifications that are to be sent now, by their times: one that keeps failing makes room for the others.
 * @param now Unix milliseconds
 */
export function leaseDue(sql: SqlStorage, queue: Queue, now: number): OutboxRow[] {
  // The result of a lost delivery is unknown: it is repeated, and the receiver deduplicates by webhook-id.
  sql.exec('UPDATE outbox SET leased_until = NULL WHERE queue = ? AND leased_until <= ?', queue, now)
  const { isProbing, probeAt } = endpointOf(sql, queue)
  const room = (isProbing ? 1 : MAX_IN_FLIGHT) - inFlight(sql, queue)
  if (room <= 0 || (isProbing && now < probeAt)) return []
  const rows = outboxRows(
    sql,
    `WHERE ${SENDABLE} AND send_at <= ? ORDER BY send_at, number LIMIT ?`,
    // A probe is sent before its notification is due, where none is.
    ...[queue, isProbing ? Number.MAX_SAFE_INTEGER : now, room],
  )
  const seen = new Set<number>()
  return rows.flatMap((row) => {
    if (row.qrCode !== undefined && seen.has(row.qrCode)) return []
    if (row.qrCode !== undefined) seen.add(row.qrCode)
    const leasedUntil = now + LEASE_MS
    sql.exec('UPDATE outbox SET leased_until = ? WHERE number = ?', leasedUntil, row.number)
    return [{ ...row, leasedUntil }]
  })
}

/** When leaseDue has something to do next, in Unix milliseconds. */
export function nextDelivery(sql: SqlStorage, queue: Queue): number | undefined {
  const lost = integer(
    sql,
    'SELECT leased_until FROM outbox WHERE queue = ? AND leased_until IS NOT NULL ORDER BY leased_until LIMIT 1',
    queue,
  )
  const due = integer(sql, `SELECT send_at FROM outbox WHERE ${SENDABLE} ORDER BY send_at LIMIT 1`, queue)
  if (due === undefined) return lost
  const { isProbing, probeAt } = endpointOf(sql, queue)
  if (lost !== undefined && inFlight(sql, queue) >= (isProbing ? 1 : MAX_IN_FLIGHT)) return lost
  return earliest(isProbing ? probeAt : due, lost)
}

/** Ends all leases, for an object that starts: the calls that waited for those deliveries ended with the old one. */
export const endLeases = (sql: SqlStorage): void =>
  void sql.exec('UPDATE outbox SET leased_until = NULL WHERE leased_until IS NOT NULL')

export const earliest = (...times: (number | undefined)[]): number | undefined =>
  times.reduce((a, b) => (a === undefined || (b !== undefined && b < a) ? b : a), undefined)

const inFlight = (sql: SqlStorage, queue: Queue): number =>
  integer(sql, 'SELECT count(*) FROM outbox WHERE queue = ? AND leased_until IS NOT NULL', queue) ?? 0

/** An endpoint that fails gets one delivery at a time; `probeAt` is Unix milliseconds. */
function endpointOf(sql: SqlStorage, queue: Queue): EndpointRow & { isProbing: boolean } {
  const row = endpointRow(sql, queue) ?? { failures: 0, probeAt: 0 }
  return { ...row, isProbing: row.failures >= PROBING_FROM }
}

/** How delays are computed, in milliseconds; `retryAfter` is seconds. */
export interface Delays {
  /** Until the next attempt, after so many; undefined: the notification has FAILED. */
  retry(attempts: number, retryAfter: number | undefined): number | undefined
  /** Until the next probe of an endpoint, after so many failures in a row. */
  probe(failures: number, retryAfter: number | undefined): number
}

/** The result of an attempt; `at` is Unix milliseconds. */
type Result = Delivered & { at: number }

/** Records the result of an attempt that leaseDue gave. */
export function recordResult(
  sql: SqlStorage,
  leased: OutboxRow,
  { retryAfter, ...attempt }: Result,
  delays: Delays,
): void {
  const { leasedUntil = 0 } = leased
  // Read again: meanwhile a redelivery may have succeeded, or the lease has ended.
  const [row] = outboxRows(sql, 'WHERE number = ?', leased.number)
  if (!row) return
  if (row.leasedUntil !== leasedUntil) {
    recordRedelivery(sql, row, { retryAfter, ...attempt })
    return
  }
  const attempts = latest([...row.attempts, attempt])
  if (isSuccess(attempt)) {
    deliver(sql, row, attempts, attempt.at)
    return
  }
  const startedAt = leasedUntil - LEASE_MS
  countFailure(sql, row.queue, startedAt, (failures) => attempt.at + delays.probe(failures, retryAfter))
  const { dueAt = 0 } = row
  // An attempt before the notification's own time uses up none.
  const isEarly = startedAt < dueAt
  const used = isEarly ? row.used : row.used + 1
  const delay = isEarly ? Math.max(dueAt - attempt.at, honoured(retryAfter)) : delays.retry(used, retryAfter)
  if (delay === undefined || attempt.httpStatus === 410) end(sql, row, attempts, 'FAILED', attempt.at)
  else keep(sql, row, attempts, used, attempt.at + delay)
}

/** Records the result of a redelivery that the merchant asked for: it is beside the queue's attempts. */
export function recordRedelivery(
  sql: SqlStorage,
  row: OutboxRow,
  { retryAfter: _, ...attempt }: Result,
): void {
  const attempts = latest([...row.attempts, attempt])
  if (isSuccess(attempt)) deliver(sql, row, attempts, attempt.at)
  else sql.exec('UPDATE outbox SET attempts = ? WHERE number = ?', JSON.stringify(attempts), row.number)
}

const isSuccess = ({ httpStatus = 0 }: Attempt): boolean => httpStatus >= 200 && httpStatus < 300

const latest = (attempts: readonly Attempt[]): readonly Attempt[] => attempts.slice(-MAX_ATTEMPTS)

/** Counts a failure in a row. Deliveries that began before the probes did say nothing about them. */
function countFailure(
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

/** A notification is delivered: if the endpoint was failing, it works again. */
function deliver(sql: SqlStorage, row: OutboxRow, attempts: readonly Attempt[], at: number): void {
  end(sql, row, attempts, 'DELIVERED', at)
  const { failures, isProbing } = endpointOf(sql, row.queue)
  if (isProbing) sendAll(sql, row.queue, at)
  else if (failures > 0) sql.exec('DELETE FROM endpoints WHERE queue = ?', row.queue)
}

/**
 * Sends all notifications at once, because their endpoint works, or is another one. Each keeps its own time as well: if
 * it fails for itself alone, it uses up none of its attempts.
 * @param now Unix milliseconds
 */
export function sendAll(sql: SqlStorage, queue: Queue, now: number): void {
  sql.exec('DELETE FROM endpoints WHERE queue = ?', queue)
  sql.exec(
    "UPDATE outbox SET send_at = ? WHERE queue = ? AND status = 'PENDING' AND send_at > ?",
    ...[now, queue, now],
  )
}

function keep(
  sql: SqlStorage,
  { number }: OutboxRow,
  attempts: readonly Attempt[],
  used: number,
  dueAt: number,
): void {
  sql.exec(
    'UPDATE outbox SET attempts = ?, used = ?, due_at = ?, send_at = ?, leased_until = NULL WHERE number = ?',
    ...[JSON.stringify(attempts), used, dueAt, dueAt, number],
  )
}

function end(
  sql: SqlStorage,
  { number }: OutboxRow,
  attempts: readonly Attempt[],
  status: 'DELIVERED' | 'FAILED',
  at: number,
): void {
  sql.exec(
    `UPDATE outbox SET attempts = ?, status = ?, due_at = NULL, send_at = NULL, leased_until = NULL, delete_at = ?
     WHERE number = ?`,
    ...[JSON.stringify(attempts), status, at + RETENTION_MS[status], number],
  )
}

/** When the next ended notification is to be deleted, in Unix milliseconds. */
export const nextDeletion = (sql: SqlStorage): number | undefined =>
  integer(sql, 'SELECT delete_at FROM outbox WHERE delete_at IS NOT NULL ORDER BY delete_at LIMIT 1')

/** Deletes notifications that ended long ago. @param now Unix milliseconds */
export function deleteEnded(sql: SqlStorage, now: number): void {
  sql.exec(
    'DELETE FROM outbox WHERE number IN (SELECT number FROM outbox WHERE delete_at <= ? ORDER BY delete_at LIMIT ?)',
    now,
    MAX_DELETED,
  )
}
