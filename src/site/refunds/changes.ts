// Records the events of refunds, and what they change at codes and sales, in the same transaction.
import type { EventType } from '../../contract/event-type.ts'
import { isReusable } from '../../contract/qr-code.ts'
import type { Refund } from '../../contract/refund.ts'
import { qrCodeForWrite, recordQrCodeEnd } from '../clock.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import type { RefundOfPayment } from '../events/rows.ts'
import type { PaymentRow } from '../payments/rows.ts'
import { touchQrCode } from '../qr-codes/changes.ts'
import type { QrCodeRow } from '../qr-codes/rows.ts'
import { documentRefund } from '../receipts/documents.ts'

/** Records the event of a completed refund, whose document it makes. @param added what it adds to the accepted refunds of the payment, minor units */
export function recordCompleted(
  context: Context,
  { payment, refund, added }: { payment: PaymentRow; refund: Refund; added: number },
  insert?: (event: number) => void,
): void {
  const overRefunded = payment.accepted_refunds + added > payment.minor_units
  const event = record(context, { type: 'refund.completed', refund, payment, overRefunded }, insert)
  documentRefund(context, payment, refund.refundUid, event)
}

interface RefundChange extends RefundOfPayment {
  type: EventType
  /** The row of the QR code that took the payment, where it was read for this write. */
  qrCode?: QrCodeRow | undefined
}

/**
 * Records the event of a change. The QR code that took the payment shows its refunds, and the sale those that are completed:
 * it has another version.
 * @param insert writes the refund's row with the number of the event, if the change makes it
 */
export function record(
  context: Context,
  { type, qrCode: found, ...refund }: RefundChange,
  insert?: (event: number) => void,
): number {
  const { sql } = context
  const { number, qr_code, sale, applied } = refund.payment
  const qrCode = found ? recordQrCodeEnd(context, found) : qrCodeForWrite(context, { number: qr_code })
  const isOfSale = sale !== null && applied === 1 && type === 'refund.completed'
  if (isOfSale) sql.exec('UPDATE sales SET version = version + 1 WHERE number = ?', sale)
  if (qrCode && (isOfSale || (qrCode.payment === number && !isReusable(qrCode)))) touchQrCode(context, qrCode)
  // Where retention deleted the QR code, the payment still has its number.
  const event = { type, qrCode: qr_code ?? undefined, status: qrCode?.status, refund }
  return recordEvent(context, event, insert)
}
