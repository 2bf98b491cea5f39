// The outbox: notifications and instructions as rows, written in the transaction of their change (contract, sections 10 and 11).
import type { Instruction } from '../../contract/instruction.ts'
import type { NotificationContent } from '../../contract/notifications/content.ts'
import type { Network } from '../../contract/payment.ts'
import { int, orNull, rowsWith } from '../rows/columns.ts'
import { isRestored } from '../rows/site.ts'
import { type Binding, integer, type Sql } from '../rows/sql.ts'
import { earliest, type Milliseconds, milliseconds, plus } from '../time.ts'
import { endpointOf } from './endpoints.ts'
import { releaseCharges, waitsForEnd } from './held-charges.ts'
import {
  type CallbackQueue,
  instructionQueue,
  isCallbackQueue,
  kindOf,
  kindOfInstruction,
  OF_KEY,
  type OutboxKey,
  type OutboxRow,
  outboxRows,
  type Queue,
} from './rows.ts'

/** Deliveries that a queue has in flight at once. */
const MAX_IN_FLIGHT = 30
/** A delivery without a result for this long is lost. */
export const LEASE = milliseconds(30_000)
/** Rows that one write deletes. */
const MAX_DELETED = 500
/** Rows that one write marks as behind another. */
const MAX_BEHIND = 500
/** An instruction without a report for this long is overdue. */
export const OVERDUE = milliseconds(3_600_000)

/** A row to queue, due at once. */
interface NewRow {
  /** The number of its event. */
  event: number
  /** Where the event has another one: see OutboxKey. */
  isSecond?: boolean | undefined
  /** The number of the QR code's row: notifications of one QR code are sent in order. */
  qrCode: number | undefined
  now: Milliseconds
}

/** Queues a notification to an address of the merchant. */
export function enqueueNotification(
  sql: SqlStorage,
  row: NewRow,
  queue: CallbackQueue,
  content: NotificationContent,
): void {
  const kind = kindOf(row.isSecond ? 'token' : 'notification', queue)
  enqueue(sql, row, { kind, queue, content, overdueAt: null })
}

/** Queues an instruction to a payment network. It stays until the network's report is recorded; see endInstruction. */
export const enqueueInstruction = (
  sql: SqlStorage,
  row: NewRow,
  network: Network,
  content: Instruction,
): void =>
  enqueue(sql, row, {
    kind: kindOfInstruction(content),
    queue: instructionQueue(network, content),
    content,
    // A cash register can be closed for a day, which is no fault of the connector: receipts have figures of their own.
    overdueAt: content.type === 'receipt.register' ? null : plus(row.now, OVERDUE),
  })

function enqueue(
  sql: SqlStorage,
  { event, qrCode, now }: NewRow,
  queued: Pick<OutboxKey, 'kind'> & {
    queue: Queue
    content: NotificationContent | Instruction
    overdueAt: Milliseconds | null
  },
): void {
  const { kind, queue, content, overdueAt } = queued
  sql.exec(
    `INSERT INTO outbox
       (event, kind, queue, qr_code, content, status, attempts, used, created_at, due_at, send_at, set_at, overdue_at)
     VALUES (?, ?, ?, ?, ?, 'PENDING', '[]', 0, ?, ?, ?, ?, ?)`,
    ...[event, kind, queue, qrCode ?? null, JSON.stringify(content), now, now, now, now, overdueAt],
  )
}

/** Ends an instruction, because its result was reported. @param event the number of its event @param kind receipt: of a document */
export const endInstruction = (sql: SqlStorage, event: number, kind?: 'receipt'): void =>
  void deleteInstruction(sql, '', event, kind)

/** Withdraws an instruction that was never attempted, even with an unknown result. @returns false where it was */
export const withdrawInstruction = (sql: SqlStorage, event: number): boolean =>
  deleteInstruction(sql, 'AND attempted = 0', event)

function deleteInstruction(
  sql: SqlStorage,
  condition: string,
  event: number,
  kind: 'instruction' | 'receipt' = 'instruction',
): boolean {
  const [row] = outboxRows(sql, `WHERE ${OF_KEY} ${condition}`, event, kind)
  if (row) deleteRow(sql, row)
  return row !== undefined
}

/** Deletes a row, so that the next one of its QR code is sent. */
export function deleteRow(sql: SqlStorage, row: OutboxRow): void {
  sql.exec(`DELETE FROM outbox WHERE ${OF_KEY}`, row.event, row.kind)
  advance(sql, row)
  releaseCharges(sql, row)
}

/**
 * A row that is not in flight, nor behind another of its QR code: those of one QR code are sent one at a time, so that its
 * notifications stay in order. The mark is in an index, so that a query reads no rows that wait for others.
 */
const SENDABLE = `INDEXED BY outbox_sendable
  WHERE queue = ? AND status = 'PENDING' AND leased_until IS NULL AND blocked = 0`

/** Rows that were not taken, a range of the index: one of them probes a failing endpoint. */
const PROBEABLE = `${SENDABLE} AND (taken_at IS NULL) = 1`

/** Instructions that were taken, and are sent again unless the network reports: the other range of the index. */
const TAKEN = `${SENDABLE} AND (taken_at IS NULL) = 0`

/** The rows that are to be sent now, by their times, at most so many. Only instructions are taken. */
function dueRows(sql: SqlStorage, queue: Queue, now: Milliseconds, max: number): OutboxRow[] {
  const ranges = isCallbackQueue(queue) ? [PROBEABLE] : [PROBEABLE, TAKEN]
  const due = 'AND send_at <= ? ORDER BY send_at, event, kind LIMIT ?'
  const rows = ranges.flatMap((range) => outboxRows(sql, `${range} ${due}`, queue, now, max))
  const timeOf = ({ sendAt }: OutboxRow) => sendAt ?? now
  return rows.sort((a, b) => timeOf(a) - timeOf(b)).slice(0, max)
}

/**
 * The row that is the next probe. A row that was never sent comes first: an endpoint that fails for some rows alone gets all others,
 * and its next success sends the rest. A row that is not due is sent where none is.
 */
function nextProbe(sql: SqlStorage, queue: Queue, now: Milliseconds): OutboxRow[] {
  const first = 'ORDER BY send_at, event, kind LIMIT 1'
  const unsent = outboxRows(sql, `${PROBEABLE} AND attempted = 0 AND send_at <= ? ${first}`, queue, now)
  if (unsent.length > 0) return unsent
  const due = dueRows(sql, queue, now, 1)
  return due.length > 0 ? due : outboxRows(sql, `${PROBEABLE} ${first}`, queue)
}

/**
 * Leases the rows that are to be sent now, by their times: a row that keeps failing makes room for the others. Where many
 * are behind others of their QR codes, it marks a part of them, and is due again at once.
 * @param max rows to lease at most
 */
export function leaseDue(sql: SqlStorage, queue: Queue, now: Milliseconds, max = MAX_IN_FLIGHT): OutboxRow[] {
  if (isResting(sql, queue)) return []
  // The result of a lost delivery is unknown: it is repeated, and the receiver deduplicates by webhook-id.
  sql.exec('UPDATE outbox SET leased_until = NULL WHERE queue = ? AND leased_until <= ?', queue, now)
  const { isProbing, probeAt } = endpointOf(sql, queue)
  const others = inFlight(sql, queue)
  const room = Math.min((isProbing ? 1 : MAX_IN_FLIGHT) - others.length, max)
  if (room <= 0 || (isProbing && now < probeAt)) return []
  const busy = new Set(others.flatMap(({ qr_code }) => qr_code ?? []))
  const leased: OutboxRow[] = []
  let marked = 0
  while (leased.length < room && marked < MAX_BEHIND) {
    const rows = isProbing ? nextProbe(sql, queue, now) : dueRows(sql, queue, now, room - leased.length)
    if (rows.length === 0) break
    for (const row of rows) {
      if ((row.qrCode !== undefined && busy.has(row.qrCode)) || waitsForEnd(sql, row)) {
        sql.exec(`UPDATE outbox SET blocked = 1 WHERE ${OF_KEY}`, row.event, row.kind)
        marked++
      } else {
        if (row.qrCode !== undefined) busy.add(row.qrCode)
        leased.push(lease(sql, row, plus(now, LEASE)))
      }
    }
  }
  return leased
}

/** Leases a row, whatever its time is. The result must be recorded; see recordResult. */
export function lease<Row extends OutboxRow>(sql: SqlStorage, row: Row, leasedUntil: Milliseconds): Row {
  sql.exec(
    `UPDATE outbox SET leased_until = ?, attempted = 1, blocked = 0 WHERE ${OF_KEY}`,
    ...[leasedUntil, row.event, row.kind],
  )
  return { ...row, leasedUntil }
}

/** The next row of the QR code is sent, because this one has its result, or is deleted. */
export function advance(sql: SqlStorage, { queue, qrCode }: Pick<OutboxRow, 'queue' | 'qrCode'>): void {
  if (qrCode === undefined) return
  sql.exec(
    `UPDATE outbox SET blocked = 0 WHERE (event, kind) = (SELECT event, kind FROM outbox
       WHERE blocked = 1 AND queue = ? AND qr_code = ? ORDER BY send_at, event, kind LIMIT 1)`,
    ...[queue, qrCode],
  )
}

/** After a restore it is unknown which instructions the network got since the backup. */
const isResting = (sql: Sql, queue: Queue): boolean => !isCallbackQueue(queue) && isRestored(sql)

/** Whether anything waits to be sent, or to be reported. */
export const hasPending = (sql: Sql): boolean =>
  integer(sql, "SELECT 1 FROM outbox WHERE status = 'PENDING' LIMIT 1") !== undefined

/** When leaseDue has something to do next. */
export function nextDelivery(sql: Sql, queue: Queue): Milliseconds | undefined {
  if (isResting(sql, queue)) return undefined
  const lost = time(
    sql,
    'SELECT leased_until FROM outbox WHERE queue = ? AND leased_until IS NOT NULL ORDER BY leased_until LIMIT 1',
    queue,
  )
  const untaken = nextSendable(sql, queue, PROBEABLE)
  const due = earliest(untaken, nextSendable(sql, queue, TAKEN))
  if (due === undefined) return lost
  const { isProbing, probeAt } = endpointOf(sql, queue)
  if (lost !== undefined && inFlight(sql, queue).length >= (isProbing ? 1 : MAX_IN_FLIGHT)) return lost
  if (!isProbing) return earliest(due, lost)
  return earliest(untaken !== undefined || probeAt > due ? probeAt : due, lost)
}

const nextSendable = (sql: Sql, queue: Queue, rows: string): Milliseconds | undefined =>
  time(sql, `SELECT send_at FROM outbox ${rows} ORDER BY send_at LIMIT 1`, queue)

const readQrCodes = rowsWith({ qr_code: orNull(int) })
/** The QR codes of the rows in flight. */
const inFlight = (sql: Sql, queue: Queue) =>
  readQrCodes(sql, 'SELECT qr_code FROM outbox WHERE queue = ? AND leased_until IS NOT NULL', queue)

/** When the next ended notification is to be deleted. */
export const nextDeletion = (sql: Sql): Milliseconds | undefined =>
  time(sql, 'SELECT delete_at FROM outbox WHERE delete_at IS NOT NULL ORDER BY delete_at LIMIT 1')

/** Deletes notifications that ended long ago. */
export function deleteEnded(sql: SqlStorage, now: Milliseconds): void {
  sql.exec(
    `DELETE FROM outbox WHERE (event, kind) IN (
       SELECT event, kind FROM outbox WHERE delete_at <= ? ORDER BY delete_at LIMIT ?)`,
    ...[now, MAX_DELETED],
  )
}

/** The first column of the first row as a time; undefined if there is no row, or NULL. */
function time(sql: Sql, query: string, ...bindings: Binding[]): Milliseconds | undefined {
  const value = integer(sql, query, ...bindings)
  return value === undefined ? undefined : milliseconds(value)
}
