// Finds refunds, and the payments that they are of.
import { isReusable } from '../../contract/qr-code.ts'
import type { PaymentKey, Refund } from '../../contract/refund.ts'
import type { Outcome } from '../../errors.ts'
import { notAllowed, ok, PAYMENT_NOT_FOUND, QR_CODE_NOT_FOUND, REFUND_NOT_FOUND } from '../outcomes.ts'
import { ofPayment } from '../payments/payments.ts'
import { findPayment, type PaymentRow } from '../payments/rows.ts'
import { findQrCode, type QrCodeRow } from '../qr-codes/rows.ts'
import { findRefund, refundOf, refundRows } from './rows.ts'

/** The payment that is refunded, and the QR code by which the request names it. */
interface RefundTarget {
  payment: PaymentRow
  qrCode: QrCodeRow | undefined
}

export function refundTarget(sql: SqlStorage, key: PaymentKey): Outcome<RefundTarget> {
  const qrCode = 'qrCodeUid' in key ? findQrCode(sql, key) : undefined
  if ('qrCodeUid' in key && !qrCode) return QR_CODE_NOT_FOUND
  if (qrCode && isReusable(qrCode)) return MANY_PAYMENTS
  const paymentUid = 'paymentUid' in key ? key.paymentUid : qrCode?.payment_uid
  if (typeof paymentUid !== 'string') return UNPAID
  const payment = findPayment(sql, paymentUid)
  return payment ? ok({ payment, qrCode }) : PAYMENT_NOT_FOUND
}

const MANY_PAYMENTS = notAllowed('the QR code takes many payments, the request must name the payment')
const UNPAID = notAllowed('the QR code has no payment')

/** All refunds of a payment, oldest first. @returns payin.resource.not.found */
export const refundsOf = (sql: SqlStorage, paymentUid: string): Outcome<Refund[]> =>
  ofPayment(sql, paymentUid, ({ number }) =>
    ok(refundRows(sql, 'WHERE payment = ? ORDER BY refunds.number', number).map(refundOf)),
  )

/** A refund of a payment, or of the payment that a QR code took. @returns payin.resource.not.found */
export function readRefund(sql: SqlStorage, key: PaymentKey, refundUid: string): Outcome<Refund> {
  const target = refundTarget(sql, key)
  if (!target.ok) return target === UNPAID ? REFUND_NOT_FOUND : target
  const row = findRefund(sql, target.value.payment, refundUid)
  return row ? ok(refundOf(row)) : REFUND_NOT_FOUND
}
