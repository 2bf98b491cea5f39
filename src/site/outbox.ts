// The outbox: notifications as rows, written in the transaction of the change that they tell (contract, section 11).

import { PROBING_FROM } from '../contract/backoff.ts'
import type { Attempt, Delivered, NotificationContent } from '../contract/delivery.ts'
import { integer, type OutboxRow, outboxRows } from './rows.ts'

/** The merchant's endpoint and the network's connector have a queue each, so that neither delays the other. */
export type Queue = 'merchant' | 'network'

/** Deliveries that a queue has in flight at once. */
const MAX_IN_FLIGHT = 50
/** A delivery without a result for these milliseconds is lost with the object that waited for it. */
const LEASE_MS = 30_000
/** Milliseconds for which ended notifications are kept. */
const RETENTION_MS = { DELIVERED: 30 * 86_400_000, FAILED: 90 * 86_400_000 }
/** Rows that one write deletes. */
const MAX_DELETED = 500

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
    `INSERT INTO outbox (number, queue, qr_code, content, status, attempts, used, created_at, due_at)
     VALUES (?, ?, ?, ?, 'PENDING', '[]', 0, ?, ?)`,
    ...[event, queue, qrCode ?? null, JSON.stringify(content), now, now],
  )
}

/** A row that is not in flight, and none of its QR code is, so that its notifications stay in order. */
const SENDABLE = `queue = ? AND status = 'PENDING' AND leased_until IS NULL AND NOT EXISTS (
  SELECT 1 FROM outbox AS other WHERE other.leased_until IS NOT NULL AND other.qr_code = outbox.qr_code)`

/**
 * Leases the notifications that are to be sent now, oldest first.
 * @param now Unix milliseconds
 */
export function leaseDue(sql: SqlStorage, queue: Queue, now: number): OutboxRow[] {
  // The result of a lost delivery is unknown: it is repeated, and the receiver deduplicates by webhook-id.
  sql.exec('UPDATE outbox SET leased_until = NULL WHERE queue = ? AND leased_until <= ?', queue, now)
  const { isProbing, probeAt } = endpointOf(sql, queue)
  const room = (isProbing ? 1 : MAX_IN_FLIGHT) - inFlight(sql, queue)
  if (room <= 0 || (isProbing && now < probeAt)) return []
  // A probe is the oldest notification, whatever its own time.
  const before = isProbing ? Number.MAX_SAFE_INTEGER : now
  const rows = outboxRows(
    sql,
    `WHERE ${SENDABLE} AND due_at <= ? ORDER BY number LIMIT ?`,
    queue,
    before,
    room,
  )
  const leased = rows.filter(
    ({ qrCode }, i) => !qrCode || rows.findIndex((row) => row.qrCode === qrCode) === i,
  )
  for (const { number } of leased) {
    sql.exec('UPDATE outbox SET leased_until = ? WHERE number = ?', now + LEASE_MS, number)
  }
  return leased
}

/** When leaseDue has something to do next, in Unix milliseconds. */
export function nextDelivery(sql: SqlStorage, queue: Queue): number | undefined {
  const lost = integer(sql, 'SELECT min(leased_until) FROM outbox WHERE queue = ?', queue)
  const { isProbing, probeAt } = endpointOf(sql, queue)
  if (inFlight(sql, queue) >= (isProbing ? 1 : MAX_IN_FLIGHT)) return lost
  const due = integer(sql, `SELECT due_at FROM outbox WHERE ${SENDABLE} ORDER BY due_at LIMIT 1`, queue)
  const next = due !== undefined && isProbing ? probeAt : due
  return earliest(next, lost)
}

export const earliest = (...times: (number | undefined)[]): number | undefined =>
  times.reduce((a, b) => (a === undefined || (b !== undefined && b < a) ? b : a), undefined)

const inFlight = (sql: SqlStorage, queue: Queue): number =>
  integer(sql, 'SELECT count(*) FROM outbox WHERE queue = ? AND leased_until IS NOT NULL', queue) ?? 0

/** An endpoint that fails gets one delivery at a time; `probeAt` is Unix milliseconds. */
function endpointOf(sql: SqlStorage, queue: Queue) {
  const failures = integer(sql, 'SELECT failures FROM endpoints WHERE queue = ?', queue) ?? 0
  const probeAt = integer(sql, 'SELECT probe_at FROM endpoints WHERE queue = ?', queue) ?? 0
  return { failures, isProbing: failures >= PROBING_FROM, probeAt }
}

/** How delays are computed, in milliseconds. */
export interface Delays {
  /** Until the next attempt, after so many; undefined: the notification has FAILED. */
  retry(attempts: number, retryAfterSeconds: number | undefined): number | undefined
  /** Until the next probe of an endpoint, after so many failures in a row. */
  probe(failures: number): number
}

/** The result of an attempt; `at` is Unix milliseconds. */
type Result = Delivered & { at: number }

/** Records the result of an attempt that leaseDue gave. */
export function recordResult(
  sql: SqlStorage,
  row: OutboxRow,
  { retryAfter, ...attempt }: Result,
  delays: Delays,
): void {
  const attempts = [...row.attempts, attempt]
  if (isSuccess(attempt)) return deliver(sql, row, attempts, attempt.at)
  const { failures } = endpointOf(sql, row.queue)
  sql.exec(
    `INSERT INTO endpoints (queue, failures, probe_at) VALUES (?, ?, ?)
     ON CONFLICT (queue) DO UPDATE SET failures = excluded.failures, probe_at = excluded.probe_at`,
    ...[row.queue, failures + 1, attempt.at + delays.probe(failures + 1)],
  )
  // A probe before the notification's own time uses up no attempt.
  const { dueAt = attempt.at } = row
  if (attempt.at < dueAt) return keep(sql, row, attempts, row.used, dueAt)
  const used = row.used + 1
  const delay = attempt.httpStatus === 410 ? undefined : delays.retry(used, retryAfter)
  if (delay === undefined) end(sql, row, attempts, 'FAILED', attempt.at)
  else keep(sql, row, attempts, used, attempt.at + delay)
}

/** Records the result of a redelivery that the merchant asked for: it is beside the queue's attempts. */
export function recordRedelivery(
  sql: SqlStorage,
  row: OutboxRow,
  { retryAfter: _, ...attempt }: Result,
): void {
  const attempts = [...row.attempts, attempt]
  if (isSuccess(attempt)) deliver(sql, row, attempts, attempt.at)
  else sql.exec('UPDATE outbox SET attempts = ? WHERE number = ?', JSON.stringify(attempts), row.number)
}

const isSuccess = ({ httpStatus = 0 }: Attempt): boolean => httpStatus >= 200 && httpStatus < 300

/** The endpoint works: every notification that waits is sent at once. */
function deliver(sql: SqlStorage, row: OutboxRow, attempts: readonly Attempt[], at: number): void {
  end(sql, row, attempts, 'DELIVERED', at)
  if (endpointOf(sql, row.queue).failures === 0) return
  sql.exec('DELETE FROM endpoints WHERE queue = ?', row.queue)
  sql.exec(
    "UPDATE outbox SET due_at = ? WHERE queue = ? AND status = 'PENDING' AND due_at > ?",
    at,
    row.queue,
    at,
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
    'UPDATE outbox SET attempts = ?, used = ?, due_at = ?, leased_until = NULL WHERE number = ?',
    ...[JSON.stringify(attempts), used, dueAt, number],
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
    'UPDATE outbox SET attempts = ?, status = ?, due_at = NULL, leased_until = NULL, delete_at = ? WHERE number = ?',
    ...[JSON.stringify(attempts), status, at + RETENTION_MS[status], number],
  )
}

/** When the next ended notification is to be deleted, in Unix milliseconds. */
export const nextDeletion = (sql: SqlStorage): number | undefined =>
  integer(sql, 'SELECT min(delete_at) FROM outbox')

/** Deletes notifications that ended long ago. @param now Unix milliseconds */
export function deleteEnded(sql: SqlStorage, now: number): void {
  sql.exec(
    'DELETE FROM outbox WHERE number IN (SELECT number FROM outbox WHERE delete_at <= ? ORDER BY delete_at LIMIT ?)',
    now,
    MAX_DELETED,
  )
}
