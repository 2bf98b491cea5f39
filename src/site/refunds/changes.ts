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
  write: WriteRefund,
): void {
  const overRefunded = payment.accepted_refunds + added > payment.minor_units
  const event = record(context, { type: 'refund.completed', refund, payment, overRefunded }, write)
  documentRefund(context, payment, refund.refundUid, event)
}

/** @param named the same number, where the row is to have it in `completed_event`, if it has it nowhere else */
type WriteRefund = (event: number, named: number | null) => void

interface RefundChange extends RefundOfPayment {
  type: EventType
  /** The row of the QR code that took the payment, where it was read for this write. */
  qrCode?: QrCodeRow | undefined
}

/**
 * Records the event of a change. The QR code that took the payment shows its refunds, and the sale those that are completed:
 * it has another version.
 * @param write writes the refund's row, if that is not written afterwards
 */
export function record(
  context: Context,
  { type, qrCode: found, ...refund }: RefundChange,
  write: WriteRefund = () => {},
): number {
  const { sql } = context
  const { number, qr_code, sale, applied } = refund.payment
  const qrCode = found ? recordQrCodeEnd(context, found) : qrCodeForWrite(context, { number: qr_code })
  const isOfSale = sale !== null && applied === 1 && type === 'refund.completed'
  if (isOfSale) sql.exec('UPDATE sales SET version = version + 1 WHERE number = ?', sale)
  const isShown = qrCode?.payment === number && !isReusable(qrCode)
  if (qrCode && (isOfSale || isShown)) touchQrCode(context, qrCode)
  const isNamed = isShown && type !== 'refund.declined'
  // Where retention deleted the QR code, the payment still has its number.
  const event = { type, qrCode: qr_code ?? undefined, status: qrCode?.status, refund, isNamed }
  return recordEvent(context, event, (number) => write(number, isNamed ? number : null))
}
