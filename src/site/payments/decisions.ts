// What a merchant decides about completed payments that no QR code took (contract, section 8).
import type { Payment } from '../../contract/payment.ts'
import type { DecisionBody } from '../../contract/payment-decision.ts'
import type { Outcome } from '../../errors.ts'
import { qrCodeForWrite } from '../clock.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import { notAllowed, ok } from '../outcomes.ts'
import { ofPayment } from './payments.ts'
import { type PaymentRow, paymentOf } from './rows.ts'

/** A payment after a decision, and whether it had that decision before. */
export interface Decided {
  payment: Payment
  isReplayed: boolean
}

/**
 * Marks a payment as delivered, or undoes that; the same decision again changes nothing.
 * @returns payin.resource.not.found; payin.incorrect-method-invocation where the payment is not completed, or is applied
 */
export const decidePayment = (
  context: Context,
  paymentUid: string,
  decision: DecisionBody,
): Outcome<Decided> =>
  ofPayment(context.sql, paymentUid, (row) => {
    if (row.status !== 'COMPLETED')
      return notAllowed(`the payment is ${row.status}, must be COMPLETED to be decided about`)
    if (row.applied === 1)
      return notAllowed('the payment is applied, must be not applied to be decided about')
    return ok(decide(context, row, decision))
  })

function decide(context: Context, row: PaymentRow, decision: DecisionBody): Decided {
  const { sql, now } = context
  const isDelivered = decision.value === 'DELIVERED'
  const columns = isDelivered
    ? { decision: 'DELIVERED' as const, decision_note: decision.note ?? null, decided_at: now }
    : { decision: null, decision_note: null, decided_at: null }
  const isEqual = columns.decision === row.decision && columns.decision_note === row.decision_note
  if (isEqual) return { payment: paymentOf(row), isReplayed: true }
  sql.exec(
    'UPDATE payments SET decision = ?, decision_note = ?, decided_at = ? WHERE number = ?',
    ...[...Object.values(columns), row.number],
  )
  const qrCode = qrCodeForWrite(context, { number: row.qr_code })
  recordEvent(context, {
    type: 'payment.decided',
    qrCode: row.qr_code ?? undefined,
    status: qrCode?.status,
    payment: { ...row, decided: decision },
  })
  return { payment: paymentOf({ ...row, ...columns }), isReplayed: false }
}
