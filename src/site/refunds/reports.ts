// Reports of refunds: what the network says is a fact (contract, section 8).
import { isReusable, type QrCode } from '../../contract/qr-code.ts'
import type { Refund, RefundReport } from '../../contract/refund.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import { qrCodeForWrite } from '../clock.ts'
import type { Context } from '../context.ts'
import { endInstruction } from '../outbox/outbox.ts'
import { ok, PAYMENT_NOT_FOUND, REFUND_NOT_FOUND } from '../outcomes.ts'
import { findPayment, type PaymentRow } from '../payments/rows.ts'
import { touchQrCode } from '../qr-codes/changes.ts'
import { plannedItems } from '../receipts/remains.ts'
import { learnNumber, networkUidOf } from './bank-number.ts'
import { record, recordCompleted } from './changes.ts'
import { findRefund, type RefundRow, refundOf } from './rows.ts'
import { alreadyCompleted, refuseReportedAmount, refuseReportedCurrency, refuseUnpaid } from './rules.ts'

/** A refund after a request or a report, and whether an earlier one had the effect. */
export interface RefundResult {
  refund: Refund
  isReplayed: boolean
  /** The QR code by which a request named the payment. */
  qrCode?: QrCode | undefined
}

const UNKNOWN_REFUND: Refusal = {
  ...REFUND_NOT_FOUND,
  description: 'there is no such refund; a report COMPLETED with amount records one that nobody requested',
}

/**
 * Records the network's report of a refund; the same report again changes nothing. What is reported COMPLETED is a fact,
 * even if the refunds then exceed the payment: a refund that was reported DECLINED before, and one that nobody requested.
 * @returns payin.resource.already.exists where the refund was reported COMPLETED before, or is of another amount;
 * payin.resource.not.found where there is no such payment, or no such refund and the report does not make it
 */
export function reportRefund(
  context: Context,
  paymentUid: string,
  refundUid: string,
  report: RefundReport,
): Outcome<RefundResult> {
  const { sql, now } = context
  const payment = findPayment(sql, paymentUid)
  if (!payment) return PAYMENT_NOT_FOUND
  const { status, reason } = report
  const row = findRefund(sql, payment, refundUid)
  if (!row) return recordUnrequested(context, payment, { ...report, refundUid })
  const refusal = refuseReportedAmount(row, report)
  if (refusal) return refusal
  if (status === 'WAITING') return recordWaiting(context, payment, { row, report })
  if (row.status === status) return repeated(context, row, report)
  if (row.status === 'COMPLETED') return alreadyCompleted(refundUid)

  // A declined refund had freed its items too: it takes others.
  const items = row.status === 'DECLINED' ? plannedItems(context, payment, row) : row.items
  const write = (_: number, namedEvent: number | null) =>
    sql.exec(
      `UPDATE refunds SET status = ?, changed_at = ?, reason = ?, items = ?, bank_number = ?, completed_event = ?
       WHERE number = ?`,
      ...[status, now, reason ?? null, items, networkUidOf(row, report), namedEvent, row.number],
    )
  endInstruction(sql, row.event)
  const refund = { ...refundOf(row), status, changedAt: now, reason }
  if (status === 'DECLINED') record(context, { type: 'refund.declined', refund, payment }, write)
  else {
    // A waiting refund is accepted already; a declined one had freed its amount.
    const added = row.status === 'DECLINED' ? row.minor_units : 0
    recordCompleted(context, { payment, refund, added }, write)
  }
  return ok({ refund: withReceipt(sql, payment, refund), isReplayed: false })
}

/** A report that says nothing new can still state the refund's identifier at the bank. */
function repeated(context: Context, row: RefundRow, report: RefundReport): Outcome<RefundResult> {
  learnNumber(context, row, report)
  return ok({ refund: refundOf(row), isReplayed: true })
}

/** Records what a refund waits for. It is no event, and its instruction stays. After a result, a late report changes nothing. */
function recordWaiting(
  context: Context,
  payment: PaymentRow,
  { row, report }: { row: RefundRow; report: RefundReport },
): Outcome<RefundResult> {
  const { reason = null } = report
  if (row.status !== 'WAITING') return ok({ refund: refundOf(row), isReplayed: true })
  if (row.reason === reason) return repeated(context, row, report)
  learnNumber(context, row, report)
  context.sql.exec('UPDATE refunds SET reason = ? WHERE number = ?', reason, row.number)
  const qrCode = qrCodeForWrite(context, { number: payment.qr_code })
  if (qrCode?.payment === payment.number && !isReusable(qrCode)) touchQrCode(context, qrCode)
  return ok({ refund: { ...refundOf(row), reason: reason ?? undefined }, isReplayed: false })
}

/**
 * Records a completed refund with no request in the database: the bank started it, or a restore lost the request.
 * @returns payin.resource.not.found unless it is COMPLETED and has an amount; payin.incorrect-method-invocation where the
 * payment is not COMPLETED; payin.resource.already.exists for another currency than the payment's
 */
function recordUnrequested(
  context: Context,
  payment: PaymentRow,
  { refundUid, status, reason, networkUid, amount: reported }: RefundReport & { refundUid: string },
): Outcome<RefundResult> {
  const { sql, now } = context
  if (status !== 'COMPLETED' || !reported) return UNKNOWN_REFUND
  const refusal = refuseUnpaid(payment) ?? refuseReportedCurrency(payment, reported)
  if (refusal) return refusal
  const amount = { minorUnits: reported.minorUnits, currency: payment.currency }
  const times = { createdAt: now, changedAt: now }
  const refund = { refundUid, paymentUid: payment.payment_uid, status, amount, reason, ...times }
  const items = plannedItems(context, payment, { minor_units: amount.minorUnits, items: null })
  const insert = (event: number) =>
    sql.exec(
      `INSERT INTO refunds (payment, refund_uid, minor_units, status, created_at, changed_at, reason, event, items, bank_number)
       VALUES (?, ?, ?, 'COMPLETED', ?, ?, ?, ?, ?, ?)`,
      ...[payment.number, refundUid, amount.minorUnits, now, now],
      ...[reason ?? null, event, items, networkUid ?? null],
    )
  recordCompleted(context, { payment, refund, added: amount.minorUnits }, insert)
  return ok({ refund: withReceipt(sql, payment, refund), isReplayed: false })
}

/** The refund with its document, which its completion has made. */
function withReceipt(sql: SqlStorage, payment: PaymentRow, refund: Refund): Refund {
  const row = payment.receipt === null ? undefined : findRefund(sql, payment, refund.refundUid)
  return row ? refundOf(row) : refund
}
