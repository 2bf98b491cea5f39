// Changes of a QR code's status, each with its event in the same transaction.
import type { EventPayment, EventType } from '../contract/event.ts'
import { type Action, PAYABLE_STATUSES, type QrCodeStatus, transition } from '../contract/status.ts'
import { type Cause, CLOCK, recordEvent } from './events.ts'
import { isDue, type QrCodeRow, qrCodeRows } from './rows/qr-codes.ts'
import type { TokenRow } from './rows/tokens.ts'

/**
 * The QR codes that end with their ttl, as the beginning of a FROM clause that an AND can follow. The index is named,
 * because SQLite would rather sort all that can be paid than read the few that are due.
 */
export const PAYABLE_ROWS = `qr_codes INDEXED BY qr_codes_by_expires_at
  WHERE status IN (${PAYABLE_STATUSES.map((status) => `'${status}'`).join(', ')})`

const EVENT_OF: Record<Action, EventType> = {
  complete: 'payment.completed',
  decline: 'payment.declined',
  charge: 'payment.waiting',
  accept: 'token.created',
  reject: 'token.rejected',
  cancel: 'qrCode.cancelled',
  expire: 'qrCode.expired',
}

/** Why a status changes; `at` is Unix seconds. */
export interface Change {
  action: Action
  at: number
  by: Cause
  /** The event that is recorded, by default the action's own. */
  type?: EventType
  /** The payment attempt behind it, and the number of its row where the QR code takes it. */
  payment?: { number?: number | undefined; details: EventPayment } | undefined
  /** The token behind it. */
  token?: TokenRow | undefined
}

/**
 * Changes the status of a QR code and records the event.
 * @returns the new status, and the number of the event
 * @throws RangeError where the status does not allow the action: the caller must check that first
 */
export function changeStatus(
  sql: SqlStorage,
  row: Pick<QrCodeRow, 'number' | 'status'>,
  { action, type = EVENT_OF[action], at, by, payment, token }: Change,
): { status: QrCodeStatus; event: number } {
  const status = transition(row.status, action)
  if (!status) throw new RangeError(`${action} of a QR code that is ${row.status}`)
  sql.exec(
    'UPDATE qr_codes SET status = ?, version = version + 1, payment = ifnull(?, payment) WHERE number = ?',
    status,
    payment?.number ?? null,
    row.number,
  )
  const details = { qrCode: row.number, status, payment: payment?.details, token }
  return { status, event: recordEvent(sql, { type, at, by, ...details }) }
}

/** Records the expiry of a QR code if its ttl has ended, so that the next change starts from EXPIRED. */
export function recordExpiry(sql: SqlStorage, row: QrCodeRow, now: number): QrCodeRow {
  if (!isDue(row, now)) return row
  const { status } = changeStatus(sql, row, expiryAt(row.expires_at))
  return { ...row, status, version: row.version + 1 }
}

/** Records the expiry of the QR codes whose ttl has ended, oldest first, at most `limit`; returns their rows. */
export function recordExpiries(sql: SqlStorage, now: number, limit: number): QrCodeRow[] {
  const due = qrCodeRows(
    sql,
    `WHERE qr_codes.number IN (SELECT number FROM ${PAYABLE_ROWS} AND expires_at <= ? ORDER BY expires_at LIMIT ?)
     ORDER BY expires_at`,
    now,
    limit,
  )
  return due.map((row) => recordExpiry(sql, row, now))
}

/** Increases the version of a QR code, because something that it shows changes; returns its row after that. */
export function touchQrCode(sql: SqlStorage, row: QrCodeRow, now: number): QrCodeRow {
  sql.exec('UPDATE qr_codes SET version = version + 1 WHERE number = ?', row.number)
  return recordExpiry(sql, { ...row, version: row.version + 1 }, now)
}

/** The expiry of a QR code, recorded with a time in Unix seconds. */
export const expiryAt = (at: number): Change => ({ action: 'expire', at, by: CLOCK })
