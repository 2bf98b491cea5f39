// Refunds that a merchant requests: what a site accepts never exceeds the payment (contract, section 8).

import type { PaymentKey, RefundSpec } from '../../contract/refund.ts'
import type { Outcome } from '../../errors.ts'
import type { Context } from '../context.ts'
import { refuseRefund } from '../operator/limits.ts'
import { type Connection, refuseInstruction } from '../outbox/connection.ts'
import { enqueueInstruction } from '../outbox/outbox.ts'
import { ok } from '../outcomes.ts'
import type { PaymentRow } from '../payments/rows.ts'
import { qrCodeOf } from '../qr-codes/qr-code.ts'
import { type QrCodeRow, qrCodeByNumber } from '../qr-codes/rows.ts'
import { keepContactOfRefund, refuseContactOfRefund } from '../receipts/refund-contact.ts'
import { planRefund } from '../receipts/remains.ts'
import { refusedFields } from '../receipts/terms.ts'
import { planText } from '../rows/receipts.ts'
import { requiredInteger } from '../rows/sql.ts'
import { toMilliseconds } from '../time.ts'
import { record } from './changes.ts'
import { refuseUnconfirmed } from './confirmation.ts'
import { refundTarget } from './lookups.ts'
import type { RefundResult } from './reports.ts'
import { findRefund, refundOf } from './rows.ts'
import { refuseAmount, refuseContradiction, refuseRequest } from './rules.ts'

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
