// The state of a QR code, a payment, a notification or a token, as the console names it; money that was returned counts.
import type { Amount } from '../contract/amount.ts'
import type { Notification } from '../contract/notifications/log.ts'
import type { Payment } from '../contract/payment.ts'
import { isReusable, type QrCode, refundedOf } from '../contract/qr-code.ts'
import type { Sale } from '../contract/sale.ts'

/** @param refunded minor units */
const returned = ({ minorUnits }: Amount, refunded: number): 'REFUNDED' | 'PARTLY' | undefined => {
  if (refunded === 0) return undefined
  return refunded >= minorUnits ? 'REFUNDED' : 'PARTLY'
}

/** A name of STATES. */
export function codeState({ type, status, payment, refunds, token }: QrCode): string {
  if (status === 'ACCEPTED' && token?.ended) return 'ENDED'
  if (status === 'CREATED' && isReusable({ type })) return 'OPEN'
  return saleState({ status, payment, refunded: refundedOf(refunds) })
}

/** A name of STATES. */
export const saleState = ({
  status,
  payment,
  refunded,
}: { status: string } & Pick<Sale, 'payment' | 'refunded'>): string =>
  (status === 'PAYED' && payment && returned(payment.amount, refunded)) || status

/** A name of STATES. */
export function paymentState({ amount, refunded, status, applied, decision }: Payment): string {
  if (status !== 'COMPLETED') return status
  const isReturned = returned(amount, refunded)
  if (applied) return isReturned ?? 'COMPLETED'
  if (decision) return isReturned ?? 'HANDED_OVER'
  return isReturned === 'REFUNDED' ? isReturned : 'NOT_APPLIED'
}

/** Whether it is money that no QR code took, for which nothing was delivered, and that was not returned: the merchant has to decide. */
export const needsDecision = (payment: Payment): boolean => paymentState(payment) === 'NOT_APPLIED'

/** A name of STATES. */
export const notificationState = ({ status, attempts }: Pick<Notification, 'status' | 'attempts'>): string =>
  status === 'PENDING' && attempts.length > 0 ? 'RETRIED' : status

/** A name of STATES: what a CREATED code waits for, a CREATED token has; one that was deleted has ended for people. */
export const tokenState = (status: string): string =>
  status === 'CREATED' ? 'ACCEPTED' : status === 'DELETED' ? 'ENDED' : status
