// The history of a QR code: every change of its state is one row more, in the same transaction.
import type { Actor, Event, EventPage } from '../contract/event.ts'
import { type Action, next, type QrCodeStatus } from '../contract/life.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import { isDue, type QrCodeRow } from './rows.ts'

/** The attempt to pay that a change came from. */
export interface Attempt {
  paymentUid: string
  status: PaymentStatus
}

/**
 * Does to a QR code what its state allows, and records it. An expiry that nobody wrote down yet comes first.
 * @param now Unix seconds
 * @returns the row as it is then
 * @throws RangeError where the state does not allow it: that is for the caller to have asked
 */
export function change(
  sql: SqlStorage,
  row: QrCodeRow,
  action: Action,
  by: Actor,
  now: number,
  attempt?: Attempt,
): QrCodeRow {
  const current = isDue(row, now) ? record(sql, row, 'EXPIRED', 'clock', row.expires_at) : row
  const status = next(current.status, action)
  if (!status) throw new RangeError(`${action} of a QR code that is ${current.status}`)
  const changed = record(sql, current, status, by, now, attempt)
  return { ...changed, payment_status: attempt?.status ?? row.payment_status }
}

/**
 * Records the expiry of QR codes whose time is over, oldest first, at most `limit` of them.
 * @returns the number of each row and its version after the expiry
 */
export function expire(sql: SqlStorage, now: number, limit: number): { number: number; version: number }[] {
  const due = sql
    .exec<DueRow>(
      `SELECT number, version, payment_uid, expires_at FROM qr_codes WHERE status IN ('CREATED', 'DECLINED') AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
      now,
      limit,
    )
    .toArray()
  return due.map((row) => record(sql, row, 'EXPIRED', 'clock', row.expires_at))
}

/** When the next QR code's time is over, in Unix seconds; undefined where none can be paid any more. */
export const nextExpiry = (sql: SqlStorage): number | undefined =>
  sql
    .exec<{ expires_at: number }>(
      `SELECT expires_at FROM qr_codes WHERE status IN ('CREATED', 'DECLINED') ORDER BY expires_at LIMIT 1`,
    )
    .toArray()[0]?.expires_at

/** What a change is made of. */
type Changed = Pick<QrCodeRow, 'number' | 'version' | 'payment_uid'>
type DueRow = Changed & { expires_at: number }

function record<Row extends Changed>(
  sql: SqlStorage,
  row: Row,
  status: QrCodeStatus,
  by: Actor,
  at: number,
  attempt?: Attempt,
): Row & { status: QrCodeStatus } {
  const changed = {
    ...row,
    status,
    version: row.version + 1,
    payment_uid: attempt?.paymentUid ?? row.payment_uid,
  }
  sql.exec(
    'UPDATE qr_codes SET status = ?, version = ?, payment_uid = ? WHERE number = ?',
    status,
    changed.version,
    changed.payment_uid,
    row.number,
  )
  sql.exec(
    'INSERT INTO events (qr_code, status, at, by, payment_uid) VALUES (?, ?, ?, ?, ?)',
    row.number,
    status,
    at,
    by,
    attempt?.paymentUid ?? null,
  )
  return changed
}

type EventRow = {
  number: number
  status: QrCodeStatus
  at: number
  by: Actor
  payment_uid: string | null
  kopecks: number | null
  currency: string | null
}

/** The creation has no row: its number is before that of any row. */
const CREATION = 0

/** Which events are listed: at most `limit`, after the one of a number. */
export interface EventQuery {
  limit: number
  after?: number | undefined
}

/** A page of what happened to a QR code: its creation, what is recorded, and an expiry that is not recorded yet. */
export function eventsOf(
  sql: SqlStorage,
  row: QrCodeRow,
  { limit, after }: EventQuery,
  now: number,
): EventPage {
  const events: Event[] = []
  let last = CREATION
  if (after === undefined) events.push({ status: 'CREATED', at: row.created_at, by: 'merchant' })
  const recorded = sql.exec<EventRow>(
    `SELECT number, events.status, at, by, payment_uid, kopecks, currency
     FROM events LEFT JOIN payments USING (payment_uid)
     WHERE events.qr_code = ? AND number > ? ORDER BY number LIMIT ?`,
    row.number,
    after ?? CREATION,
    limit + 1 - events.length,
  )
  for (const { number, payment_uid: paymentUid, kopecks, currency, ...event } of recorded) {
    if (events.length === limit) return { events, next: last }
    last = number
    const isPayment = paymentUid !== null && kopecks !== null && currency !== null
    events.push({ ...event, payment: isPayment ? { paymentUid, amount: { kopecks, currency } } : undefined })
  }
  if (!isDue(row, now)) return { events }
  if (events.length === limit) return { events, next: last }
  return { events: [...events, { status: 'EXPIRED', at: row.expires_at, by: 'clock' }] }
}
