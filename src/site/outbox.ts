// The outbox: notifications and instructions as rows, written in the transaction of their change (contract, sections 10 and 11).
import type { NotificationContent } from '../contract/delivery.ts'
import type { Instruction } from '../contract/instruction.ts'
import type { Network } from '../contract/payment.ts'
import { isRestored } from './connection.ts'
import { endpointOf } from './endpoints.ts'
import { type OutboxRow, outboxRows, type Queue } from './rows/outbox.ts'
import { earliest, integer } from './rows/sql.ts'

/** Deliveries that a queue has in flight at once. */
const MAX_IN_FLIGHT = 50
/** A delivery without a result for these milliseconds is lost. */
export const LEASE_MS = 30_000
/** Rows that one write deletes. */
const MAX_DELETED = 500
/** Instructions that one write finds overdue. */
const MAX_OVERDUE = 100
/** An instruction without a report for these milliseconds is overdue. */
const OVERDUE_MS = 3_600_000

/** A row to queue, due at once. */
interface NewRow {
  /** The number of the event behind it, which identifies it; negative of the second notification of an event. */
  event: number
  /** The number of the QR code's row: its rows of a queue stay in order. */
  qrCode: number | undefined
  /** Unix milliseconds. */
  now: number
}

/** Queues a notification of the merchant. */
export const enqueueNotification = (sql: SqlStorage, row: NewRow, content: NotificationContent): void =>
  enqueue(sql, row, 'merchant', content, null)

/** Queues an instruction to a payment network. It stays until the network's report is recorded; see endInstruction. */
export const enqueueInstruction = (
  sql: SqlStorage,
  row: NewRow,
  network: Network,
  content: Instruction,
): void => enqueue(sql, row, network, content, row.now + OVERDUE_MS)

function enqueue(
  sql: SqlStorage,
  { event, qrCode, now }: NewRow,
  queue: Queue,
  content: NotificationContent | Instruction,
  overdueAt: number | null,
): void {
  sql.exec(
    `INSERT INTO outbox
       (number, queue, qr_code, content, status, attempts, used, created_at, due_at, send_at, overdue_at)
     VALUES (?, ?, ?, ?, 'PENDING', '[]', 0, ?, ?, ?, ?)`,
    ...[event, queue, qrCode ?? null, JSON.stringify(content), now, now, now, overdueAt],
  )
}

/** Ends an instruction, because the network reported its result. @param event the number of its event */
export const endInstruction = (sql: SqlStorage, event: number): void =>
  void sql.exec("DELETE FROM outbox WHERE number = ? AND queue <> 'merchant'", event)

/** Withdraws an instruction that was never attempted, even with an unknown result. @returns false where it was */
export const withdrawInstruction = (sql: SqlStorage, event: number): boolean =>
  sql.exec("DELETE FROM outbox WHERE number = ? AND queue <> 'merchant' AND attempted = 0", event)
    .rowsWritten > 0

/** When the next instruction is overdue, in Unix milliseconds. */
export const nextOverdue = (sql: SqlStorage): number | undefined =>
  integer(sql, 'SELECT overdue_at FROM outbox WHERE overdue_at IS NOT NULL ORDER BY overdue_at LIMIT 1')

/** The instructions that have become overdue; each is returned once. @param now Unix milliseconds */
export function takeOverdue(sql: SqlStorage, now: number): OutboxRow[] {
  const overdue = outboxRows(sql, 'WHERE overdue_at <= ? ORDER BY overdue_at LIMIT ?', now, MAX_OVERDUE)
  for (const { number } of overdue) sql.exec('UPDATE outbox SET overdue_at = NULL WHERE number = ?', number)
  return overdue
}

/** A row that is not in flight, and none of its QR code is, so that its notifications stay in order. */
const SENDABLE = `queue = ? AND status = 'PENDING' AND leased_until IS NULL AND NOT EXISTS (
  SELECT 1 FROM outbox AS other
  WHERE other.queue = outbox.queue AND other.leased_until IS NOT NULL AND other.qr_code = outbox.qr_code)`

/** An instruction that was taken is no probe. Only instructions are taken: their index does not have notifications. */
const probeable = (queue: Queue): string =>
  queue === 'merchant' ? SENDABLE : `${SENDABLE} AND queue <> 'merchant' AND taken_at IS NULL`

/**
 * Leases the rows that are to be sent now, by their times: one that keeps failing makes room for the others.
 * @param now Unix milliseconds
 */
export function leaseDue(sql: SqlStorage, queue: Queue, now: number): OutboxRow[] {
  if (isResting(sql, queue)) return []
  // The result of a lost delivery is unknown: it is repeated, and the receiver deduplicates by webhook-id.
  sql.exec('UPDATE outbox SET leased_until = NULL WHERE queue = ? AND leased_until <= ?', queue, now)
  const { isProbing, probeAt } = endpointOf(sql, queue)
  const room = (isProbing ? 1 : MAX_IN_FLIGHT) - inFlight(sql, queue)
  if (room <= 0 || (isProbing && now < probeAt)) return []
  const due = outboxRows(
    sql,
    `WHERE ${SENDABLE} AND send_at <= ? ORDER BY send_at, number LIMIT ?`,
    ...[queue, now, room],
  )
  // A probe is sent before its row is due, where none is.
  const rows =
    isProbing && due.length === 0
      ? outboxRows(sql, `WHERE ${probeable(queue)} ORDER BY send_at, number LIMIT 1`, queue)
      : due
  const seen = new Set<number>()
  return rows.flatMap((row) => {
    if (row.qrCode !== undefined && seen.has(row.qrCode)) return []
    if (row.qrCode !== undefined) seen.add(row.qrCode)
    const leasedUntil = now + LEASE_MS
    sql.exec('UPDATE outbox SET leased_until = ?, attempted = 1 WHERE number = ?', leasedUntil, row.number)
    return [{ ...row, leasedUntil }]
  })
}

/** After a restore nobody knows what the network was instructed since the backup. */
const isResting = (sql: SqlStorage, queue: Queue): boolean => queue !== 'merchant' && isRestored(sql)

/** Whether anything waits to be sent, or to be reported. */
export const hasPending = (sql: SqlStorage): boolean =>
  integer(sql, "SELECT 1 FROM outbox WHERE status = 'PENDING' LIMIT 1") !== undefined

/** When leaseDue has something to do next, in Unix milliseconds. */
export function nextDelivery(sql: SqlStorage, queue: Queue): number | undefined {
  if (isResting(sql, queue)) return undefined
  const lost = integer(
    sql,
    'SELECT leased_until FROM outbox WHERE queue = ? AND leased_until IS NOT NULL ORDER BY leased_until LIMIT 1',
    queue,
  )
  const due = nextSendable(sql, queue)
  if (due === undefined) return lost
  const { isProbing, probeAt } = endpointOf(sql, queue)
  if (lost !== undefined && inFlight(sql, queue) >= (isProbing ? 1 : MAX_IN_FLIGHT)) return lost
  if (!isProbing) return earliest(due, lost)
  const hasProbe = nextSendable(sql, queue, probeable(queue)) !== undefined
  return earliest(hasProbe ? probeAt : Math.max(due, probeAt), lost)
}

const nextSendable = (sql: SqlStorage, queue: Queue, condition = SENDABLE): number | undefined =>
  integer(sql, `SELECT send_at FROM outbox WHERE ${condition} ORDER BY send_at LIMIT 1`, queue)

/** Ends all leases, for an object that starts: the calls that waited for those deliveries ended with the old one. */
export const endLeases = (sql: SqlStorage): void =>
  void sql.exec('UPDATE outbox SET leased_until = NULL WHERE leased_until IS NOT NULL')

const inFlight = (sql: SqlStorage, queue: Queue): number =>
  integer(sql, 'SELECT count(*) FROM outbox WHERE queue = ? AND leased_until IS NOT NULL', queue) ?? 0

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
