// Records the event of a payment attempt, and what it changes at QR codes, in the same transaction.
import { qrCodeForWrite, recordQrCodeEnd } from '../clock.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import type { RecordedPayment } from '../events/rows.ts'
import { changeStatus, touchQrCode } from '../qr-codes/changes.ts'
import type { QrCodeRow } from '../qr-codes/rows.ts'
import { INDEXED_PAYMENTS } from '../rows/named.ts'
import { bindingAction } from '../tokens/bindings.ts'
import type { TokenRow } from '../tokens/rows.ts'
import type { Effect } from './report-rule.ts'
import type { PaymentRow } from './rows.ts'

/** A payment attempt, the token of the binding that its report carries, and what happens to the status of its QR code. */
interface Change {
  payment: RecordedPayment
  token?: TokenRow | undefined
  action: Effect['action']
}

/**
 * Records the event of an attempt, and changes its QR code.
 * @returns the number of the event
 */
export function record(
  context: Context,
  row: QrCodeRow | undefined,
  { payment, token, action }: Change,
): number {
  const type = payment.status === 'COMPLETED' ? 'payment.completed' : 'payment.declined'
  const change = row && (action ?? (token && bindingAction(row, token)))
  if (change) {
    const { status, event } = changeStatus(context, row, { action: change, type, payment, token })
    // A charge can outlast the ttl.
    recordQrCodeEnd(context, { ...row, status }, context.now)
    return event
  }
  const isTaken = row && payment.applied === 1
  if (isTaken)
    context.sql.exec('UPDATE qr_codes SET payment = ? WHERE number = ?', payment.number, row.number)
  if (row && (token || isTaken)) touchQrCode(context, row)
  // Where retention deleted the QR code, the payment still has its number.
  const number = payment.qr_code ?? undefined
  return recordEvent(context, { type, qrCode: number, status: row?.status, payment, token })
}

/** What a payment shows has changed: the QR code and the sale that show it have another version. */
export function touchShowing({ sql }: Context, { number, qr_code, sale }: PaymentRow): void {
  sql.exec('UPDATE qr_codes SET version = version + 1 WHERE number = ? AND payment = ?', qr_code, number)
  sql.exec('UPDATE sales SET version = version + 1 WHERE number = ? AND payment = ?', sale, number)
}

/**
 * If a payment was declined on a QR code and is then completed but not applied to it, the QR code shows its previous
 * applied attempt again. If the payment is now another QR code's, this one gets the event of an attempt that is not
 * applied: a completed payment has one event `payment.completed`, so that a sum of these is what was paid.
 * @param row of the QR code of the completed payment
 */
export function showPreviousPayment(
  context: Context,
  row: QrCodeRow | undefined,
  { declined, completed }: { declined: PaymentRow; completed: PaymentRow },
): void {
  const { sql } = context
  const left = row?.number === declined.qr_code ? row : qrCodeForWrite(context, { number: declined.qr_code })
  if (left?.payment !== declined.number) return
  // A payment that is `named` is never replaced: a code that shows a declined one has none.
  sql.exec(
    `UPDATE qr_codes SET payment = (SELECT max(number) FROM payments WHERE ${INDEXED_PAYMENTS} ? AND applied = 1)
     WHERE number = ?`,
    ...[left.number, left.number],
  )
  touchQrCode(context, left)
  if (left.number === completed.qr_code) return
  const payment = { ...declined, applied: 0 }
  recordEvent(context, { type: 'payment.declined', qrCode: left.number, status: left.status, payment })
}
