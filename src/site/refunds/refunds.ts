// Refunds of a site: what it accepts never exceeds the payment, what the network reports is a fact (contract, section 8).

import { isReusable, type QrCode } from '../../contract/qr-code.ts'
import type { PaymentKey, Refund, RefundReport, RefundSpec } from '../../contract/refund.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import { qrCodeForWrite } from '../clock.ts'
import type { Context } from '../context.ts'
import { refuseRefund } from '../operator/limits.ts'
import { type Connection, refuseInstruction } from '../outbox/connection.ts'
import { endInstruction, enqueueInstruction } from '../outbox/outbox.ts'
import { ok, PAYMENT_NOT_FOUND, REFUND_NOT_FOUND } from '../outcomes.ts'
import { findPayment, type PaymentRow } from '../payments/rows.ts'
import { touchQrCode } from '../qr-codes/changes.ts'
import { qrCodeOf } from '../qr-codes/qr-code.ts'
import { type QrCodeRow, qrCodeByNumber } from '../qr-codes/rows.ts'
import { keepContactOfRefund, refuseContactOfRefund } from '../receipts/refund-contact.ts'
import { plannedItems, planRefund } from '../receipts/remains.ts'
import { refusedFields } from '../receipts/terms.ts'
import { planText } from '../rows/receipts.ts'
import { requiredInteger } from '../rows/sql.ts'
import { toMilliseconds } from '../time.ts'
import { learnNumber, networkUidOf } from './bank-number.ts'
import { record, recordCompleted } from './changes.ts'
import { refuseUnconfirmed } from './confirmation.ts'
import { refundTarget } from './lookups.ts'
import { findRefund, type RefundRow, refundOf } from './rows.ts'
import {
  alreadyCompleted,
  refuseAmount,
  refuseContradiction,
  refuseReportedAmount,
  refuseReportedCurrency,
  refuseRequest,
  refuseUnpaid,
} from './rules.ts'

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

const countRefunds = (sql: SqlStorage, { number }: PaymentRow): number =>
  requiredInteger(sql, 'SELECT count(*) FROM refunds WHERE payment = ?', number)

/** Where refunds go, and which days they are counted in. */
export interface RefundConditions extends Connection {
  /** The deployment's offset from UTC. */
  utcOffset: string
}

/** Accepts a refund of a payment, or of the payment that a QR code took; see requestRefund. */
export function acceptRefund(
  context: Context,
  key: PaymentKey,
  spec: RefundSpec,
  conditions: RefundConditions,
): Outcome<RefundResult> {
  const { sql, now } = context
  const target = refundTarget(sql, key)
  if (!target.ok) return target
  const { payment, qrCode } = target.value
  const accepted = requestRefund(context, { payment, qrCode, spec, conditions })
  if (!accepted.ok || !qrCode) return accepted
  // The answer shows all refunds, which SQLite composes.
  const row = accepted.value.isReplayed ? qrCode : qrCodeByNumber(sql, qrCode.number)
  return ok({ ...accepted.value, qrCode: row && qrCodeOf(row, now) })
}

interface RefundRequest {
  payment: PaymentRow
  /** The row of the QR code that took it, where the request names that. */
  qrCode: QrCodeRow | undefined
  spec: RefundSpec
  conditions: RefundConditions
}

/**
 * Accepts a refund, and queues the instruction to the network; the same request again changes nothing.
 * @returns payin.resource.already.exists where the refundUid was used with other fields;
 * payin.incorrect-method-invocation, site.restored, network.changed or network.not.connected where the payment cannot
 * be refunded; validation.error where the amount exceeds what is left; site.limit.exceeded; confirmation.required
 */
function requestRefund(
  context: Context,
  { payment, qrCode, spec, conditions }: RefundRequest,
): Outcome<RefundResult> {
  const { sql, now } = context
  const { refundUid, amount, comment } = spec
  const known = findRefund(sql, payment, refundUid)
  if (known) return refuseContradiction(known, spec) ?? ok({ refund: refundOf(known), isReplayed: true })
  const refusal =
    refuseRequest(payment, countRefunds(sql, payment)) ??
    refuseInstruction(sql, payment.network, conditions) ??
    refuseAmount(payment, amount)
  if (refusal) return refusal
  const details = {
    refundUid,
    paymentUid: payment.payment_uid,
    amount: { minorUnits: amount.minorUnits, currency: payment.currency },
  }
  const aboveLimit = refuseRefund(context, details.amount, conditions.utcOffset)
  if (aboveLimit) return aboveLimit
  const { plan, fields } = planRefund(sql, payment, amount.minorUnits, spec.receipt)
  if (fields) return refusedFields(fields)
  const contact = spec.receipt?.contact
  const contactless = plan && refuseContactOfRefund(sql, payment, plan, contact)
  if (contactless) return contactless
  const unconfirmed = refuseUnconfirmed(context, payment, amount.minorUnits)
  if (unconfirmed) return unconfirmed

  const refund = { ...details, comment, status: 'WAITING', createdAt: now, changedAt: now } as const
  const event = record(context, { type: 'refund.waiting', refund, payment, qrCode })
  sql.exec(
    `INSERT INTO refunds (payment, refund_uid, minor_units, comment, status, created_at, changed_at, event, items)
     VALUES (?, ?, ?, ?, 'WAITING', ?, ?, ?, ?)`,
    ...[payment.number, refundUid, amount.minorUnits, comment ?? null, now, now, event],
    plan ? planText({ ...plan, place: event }) : null,
  )
  if (plan) keepContactOfRefund(context, payment, contact)
  const instruction = {
    type: 'refund.create',
    linkId: payment.link_id,
    reference: payment.any_reference ?? undefined,
    networkUid: payment.network_uid ?? undefined,
    ...details,
  } as const
  const row = { event, qrCode: payment.qr_code ?? undefined, now: toMilliseconds(now) }
  enqueueInstruction(sql, row, payment.network, instruction)
  return ok({ refund, isReplayed: false })
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
  sql.exec(
    'UPDATE refunds SET status = ?, changed_at = ?, reason = ?, items = ?, bank_number = ? WHERE number = ?',
    ...[status, now, reason ?? null, items, networkUidOf(row, report), row.number],
  )
  endInstruction(sql, row.event)
  const refund = { ...refundOf(row), status, changedAt: now, reason }
  if (status === 'DECLINED') record(context, { type: 'refund.declined', refund, payment })
  // A waiting refund is accepted already; a declined one had freed its amount.
  else recordCompleted(context, { payment, refund, added: row.status === 'DECLINED' ? row.minor_units : 0 })
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
      ...[
        payment.number,
        refundUid,
        amount.minorUnits,
        now,
        now,
        reason ?? null,
        event,
        items,
        networkUid ?? null,
      ],
    )
  recordCompleted(context, { payment, refund, added: amount.minorUnits }, insert)
  return ok({ refund: withReceipt(sql, payment, refund), isReplayed: false })
}

/** The refund with its document, which its completion has made. */
function withReceipt(sql: SqlStorage, payment: PaymentRow, refund: Refund): Refund {
  const row = payment.receipt === null ? undefined : findRefund(sql, payment, refund.refundUid)
  return row ? refundOf(row) : refund
}
