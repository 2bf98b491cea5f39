// Changes of a QR code's status, each with its event in the same transaction.
import type { EventType } from '../contract/event.ts'
import { type Action, PAYABLE_STATUSES, type QrCodeStatus, transition } from '../contract/status.ts'
import { atTime, type Context } from './context.ts'
import { recordEvent } from './events.ts'
import type { PaymentRow } from './rows/payments.ts'
import { isDue, type QrCodeRow, qrCodeRows } from './rows/qr-codes.ts'
import type { TokenRow } from './rows/tokens.ts'

const PAYABLE = `status IN (${PAYABLE_STATUSES.map((status) => `'${status}'`).join(', ')})`

/**
 * The QR codes that end with their ttl, as the beginning of a FROM clause that an AND can follow. The index is named,
 * because SQLite would rather sort all that can be paid than read the few that are due.
 */
export const PAYABLE_ROWS = `qr_codes INDEXED BY qr_codes_by_expires_at WHERE ${PAYABLE}`

/** Those of them whose link ends before, because the bank said so. */
export const EARLY_ROWS = `qr_codes INDEXED BY qr_codes_by_ends_at WHERE ends_at IS NOT NULL AND ${PAYABLE}`

/** The numbers of those that have ended by a time, oldest first; twice the time and a limit are to be bound. */
export const DUE_NUMBERS = `SELECT number FROM (
    SELECT number FROM ${PAYABLE_ROWS} AND expires_at <= ? ORDER BY expires_at LIMIT ?)
  UNION SELECT number FROM (SELECT number FROM ${EARLY_ROWS} AND ends_at <= ? ORDER BY ends_at LIMIT ?)`

const EVENT_OF: Record<Action, EventType> = {
  complete: 'payment.completed',
  decline: 'payment.declined',
  charge: 'payment.waiting',
  accept: 'token.created',
  reject: 'token.rejected',
  cancel: 'qrCode.cancelled',
  expire: 'qrCode.expired',
}

/** Why a status changes. */
export interface Change {
  action: Action
  /** The event that is recorded, by default the action's own. */
  type?: EventType
  /** The payment attempt behind it. */
  payment?: PaymentRow | undefined
  /** The token behind it. */
  token?: TokenRow | undefined
}

/**
 * Changes the status of a QR code and records the event.
 * @returns the new status, and the number of the event
 * @throws RangeError where the status does not allow the action: the caller must check that first
 */
export function changeStatus(
  context: Context,
  row: Pick<QrCodeRow, 'number' | 'status'>,
  { action, type = EVENT_OF[action], payment, token }: Change,
): { status: QrCodeStatus; event: number } {
  const status = transition(row.status, action)
  if (!status) throw new RangeError(`${action} of a QR code that is ${row.status}`)
  context.sql.exec(
    'UPDATE qr_codes SET status = ?, version = version + 1, payment = ifnull(?, payment) WHERE number = ?',
    ...[status, payment?.applied === 1 ? payment.number : null, row.number],
  )
  return { status, event: recordEvent(context, { type, qrCode: row.number, status, payment, token }) }
}

/** Records the expiry of a QR code if its ttl has ended, so that the next change starts from EXPIRED. */
export function recordExpiry(context: Context, row: QrCodeRow): QrCodeRow {
  if (!isDue(row, context.now)) return row
  const { status } = changeStatus(atTime(context, row.end_at), row, { action: 'expire' })
  return { ...row, status, version: row.version + 1 }
}

/** Records the expiry of the QR codes whose ttl has ended, oldest first, at most `limit`; returns their rows. */
export function recordExpiries(context: Context, limit: number): QrCodeRow[] {
  const due = qrCodeRows(
    context.sql,
    `WHERE qr_codes.number IN (${DUE_NUMBERS}) ORDER BY end_at`,
    ...[context.now, limit, context.now, limit],
  )
  return due.map((row) => recordExpiry(context, row))
}

/** Increases the version of a QR code, because something that it shows changes; returns its row after that. */
export function touchQrCode(context: Context, row: QrCodeRow): QrCodeRow {
  context.sql.exec('UPDATE qr_codes SET version = version + 1 WHERE number = ?', row.number)
  return recordExpiry(context, { ...row, version: row.version + 1 })
}
