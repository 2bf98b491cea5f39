// What the console calls the state of a QR code, of a payment, of a notification and of a token: also that its money was returned, wherever it is shown.
import type { NotificationAnswer } from '../contract/notifications/log.ts'
import type { PaymentAnswer } from '../contract/payment.ts'
import type { QrCodeAnswer } from '../contract/qr-code-answer.ts'
import type { SaleAnswer } from '../contract/sale.ts'
import { minorUnits, type Shown } from './formats.ts'

const returned = (amount: Shown, refunded: Shown | undefined): 'REFUNDED' | 'PARTLY' | undefined => {
  const units = refunded ? minorUnits(refunded) : 0
  if (units === 0) return undefined
  return units >= minorUnits(amount) ? 'REFUNDED' : 'PARTLY'
}

/** A name of STATES. */
export function codeState({
  qrCode: { type, status },
  payment,
}: Pick<QrCodeAnswer, 'qrCode' | 'payment'>): string {
  if (status === 'CREATED' && type !== 'DYNAMIC' && type !== 'TOKEN') return 'OPEN'
  return saleState({ status, payment })
}

/** A name of STATES. */
export const saleState = ({ status, payment }: { status: string } & Pick<SaleAnswer, 'payment'>): string =>
  (status === 'PAYED' && payment && returned(payment.amount, payment.refundedAmount)) || status

/** A name of STATES. */
export function paymentState({ amount, refundedAmount, status, applied }: PaymentAnswer): string {
  if (status.value !== 'COMPLETED') return status.value
  const isReturned = returned(amount, refundedAmount)
  return isReturned === 'REFUNDED' || applied ? (isReturned ?? 'COMPLETED') : 'NOT_APPLIED'
}

/** Whether it is money that no QR code took, and that was not returned: the merchant has to decide. */
export const needsDecision = (payment: PaymentAnswer): boolean => paymentState(payment) === 'NOT_APPLIED'

/** A name of STATES. */
export const notificationState = ({
  status,
  attempts,
}: Pick<NotificationAnswer, 'status' | 'attempts'>): string =>
  status === 'PENDING' && attempts.length > 0 ? 'RETRIED' : status

/** A name of STATES: what a CREATED code waits for, a CREATED token has. */
export const tokenState = (status: string): string => (status === 'CREATED' ? 'ACCEPTED' : status)
