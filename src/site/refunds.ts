// How a site keeps refunds: what it accepts never exceeds the payment, what the network reports is a fact (contract, section 8).
import type { Caller } from '../contract/caller.ts'
import type { EventRefund, EventType } from '../contract/event.ts'
import type { PaymentKey, Refund, RefundReport, RefundSpec } from '../contract/refund.ts'
import type { Outcome } from '../errors.ts'
import { type Connection, unconnected } from './connection.ts'
import { recordEvent } from './events.ts'
import { endInstruction, enqueueInstruction } from './outbox.ts'
import { notAllowed, ok, PAYMENT_NOT_FOUND, QR_CODE_NOT_FOUND, REFUND_NOT_FOUND } from './outcomes.ts'
import { findPayment } from './payments.ts'
import { findQrCode } from './qr-codes.ts'
import { alreadyCompleted, contradicted, excessive, unrefundable } from './refund-rules.ts'
import type { PaymentRow } from './rows/payments.ts'
import { qrCodeByNumber } from './rows/qr-codes.ts'
import { findRefund, refundOf, refundRows } from './rows/refunds.ts'
import { integer } from './rows/sql.ts'
import { recordExpiry, touchQrCode } from './transitions.ts'

/** A refund after a request or a report, and whether an earlier one had the effect. */
export interface Refunded {
  refund: Refund
  isReplayed: boolean
}

/** The payment that is refunded. */
export function refundTarget(sql: SqlStorage, key: PaymentKey): Outcome<PaymentRow> {
  const qrCode = 'qrCodeUid' in key ? findQrCode(sql, key) : undefined
  if ('qrCodeUid' in key && !qrCode) return QR_CODE_NOT_FOUND
  const paymentUid = 'paymentUid' in key ? key.paymentUid : qrCode?.payment_uid
  if (typeof paymentUid !== 'string') return notAllowed('the QR code has no payment')
  const payment = findPayment(sql, paymentUid)
  return payment ? ok(payment) : PAYMENT_NOT_FOUND
}

/** All refunds of a payment, oldest first. */
export const refundsOf = (sql: SqlStorage, payment: PaymentRow): Refund[] =>
  refundRows(sql, 'WHERE payment = ? ORDER BY refunds.number', payment.number).map(refundOf)

const countRefunds = (sql: SqlStorage, { number }: PaymentRow): number =>
  integer(sql, 'SELECT count(*) FROM refunds WHERE payment = ?', number) ?? 0

/**
 * Accepts a refund, and queues the instruction to the network; the same request again changes nothing.
 * @param now Unix seconds
 * @returns payin.resource.already.exists where the refundUid was used with other fields;
 * payin.incorrect-method-invocation, site.restored, network.changed or network.not.connected where the payment cannot
 * be refunded; validation.error where the amount exceeds what is left
 */
export function requestRefund(
  sql: SqlStorage,
  payment: PaymentRow,
  spec: RefundSpec,
  connection: Connection,
  caller: Caller,
  now: number,
): Outcome<Refunded> {
  const { refundUid, amount, comment } = spec
  const known = findRefund(sql, payment, refundUid)
  if (known) return contradicted(known, spec) ?? ok({ refund: refundOf(known), isReplayed: true })
  const refusal =
    unrefundable(payment, countRefunds(sql, payment)) ??
    unconnected(sql, payment.network, connection) ??
    excessive(payment, amount)
  if (refusal) return refusal

  const details = {
    refundUid,
    paymentUid: payment.payment_uid,
    amount: { minorUnits: amount.minorUnits, currency: payment.currency },
  }
  const event = record(sql, payment, 'refund.waiting', { ...details, status: 'WAITING' }, caller, now)
  sql.exec(
    `INSERT INTO refunds (payment, refund_uid, minor_units, comment, status, created_at, changed_at, event)
     VALUES (?, ?, ?, ?, 'WAITING', ?, ?, ?)`,
    ...[payment.number, refundUid, amount.minorUnits, comment ?? null, now, now, event],
  )
  const instruction = { type: 'refund.create', linkId: payment.link_id, ...details } as const
  const row = { event, qrCode: payment.qr_code ?? undefined, now: now * 1000 }
  enqueueInstruction(sql, row, payment.network, instruction)
  return refunded(sql, payment, refundUid)
}

/**
 * Records the network's report of a refund; the same report again changes nothing. A refund that was reported DECLINED
 * can still be reported COMPLETED: it is a fact, even if the refunds then exceed the payment.
 * @param now Unix seconds
 * @returns payin.resource.already.exists where the refund was reported COMPLETED before
 */
export function reportRefund(
  sql: SqlStorage,
  payment: PaymentRow,
  refundUid: string,
  { status, reason }: RefundReport,
  caller: Caller,
  now: number,
): Outcome<Refunded> {
  const row = findRefund(sql, payment, refundUid)
  if (!row) return REFUND_NOT_FOUND
  if (row.status === status) return ok({ refund: refundOf(row), isReplayed: true })
  if (row.status === 'COMPLETED') return alreadyCompleted(refundUid)

  sql.exec(
    'UPDATE refunds SET status = ?, changed_at = ?, reason = ? WHERE number = ?',
    ...[status, now, reason ?? null, row.number],
  )
  endInstruction(sql, row.event)
  const { amount, paymentUid } = refundOf(row)
  // A declined refund had freed its amount.
  const accepted = payment.accepted_refunds + (row.status === 'DECLINED' ? amount.minorUnits : 0)
  const overRefunded = status === 'COMPLETED' && accepted > payment.minor_units
  const type = status === 'COMPLETED' ? 'refund.completed' : 'refund.declined'
  const details = { refundUid, paymentUid, status, amount, ...(overRefunded && { overRefunded }) }
  record(sql, payment, type, details, caller, now)
  return refunded(sql, payment, refundUid)
}

/** Records the event of a change. The QR code that took the payment shows its refunds: it has another version. */
function record(
  sql: SqlStorage,
  { number, qr_code }: PaymentRow,
  type: EventType,
  refund: EventRefund,
  by: Caller,
  at: number,
): number {
  const found = qrCodeByNumber(sql, qr_code)
  const update = found?.payment === number ? touchQrCode : recordExpiry
  const qrCode = found && update(sql, found, at)
  return recordEvent(sql, { type, at, by, qrCode: qrCode?.number, status: qrCode?.status, refund })
}

function refunded(sql: SqlStorage, payment: PaymentRow, refundUid: string): Outcome<Refunded> {
  const row = findRefund(sql, payment, refundUid)
  if (!row) throw new Error('a refund that was written is missing')
  return ok({ refund: refundOf(row), isReplayed: false })
}
