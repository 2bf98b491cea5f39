// What a payer's page is about: the kind of its QR code, and the state that it shows.
import { type QrCode, refundedOf } from '../../contract/qr-code.ts'
import { isPayable, type QrCodeStatus } from '../../contract/status.ts'

/** What a QR code is for, as its payer sees it: a payment, or only the binding of an account. */
export type Kind = 'DYNAMIC' | 'TOKEN'

export const kindOf = ({ type }: Pick<QrCode, 'type'>): Kind => (type === 'TOKEN' ? 'TOKEN' : 'DYNAMIC')

/**
 * What the page shows: the status, that the payment was returned in full, that a COUNTER code has no ACTIVE sale, or that the
 * link was cancelled for a charge, or that the account which it bound has ended.
 */
export type PayerState = QrCodeStatus | 'UNBOUND' | 'REFUNDED' | 'NOT_ARMED' | 'NO_LINK'

export function stateOf({ type, status, payload, payment, refunds, sale, token }: QrCode): PayerState {
  if (type === 'COUNTER' && status === 'CREATED' && !sale) return 'NOT_ARMED'
  if (isPayable(status) && payload === '') return 'NO_LINK'
  // The consent came after the end of the code.
  if (type === 'TOKEN' && token?.status === 'CREATED') return 'ACCEPTED'
  if (status === 'ACCEPTED' && token?.ended) return 'UNBOUND'
  const isReturned = payment !== undefined && refundedOf(refunds) >= payment.amount.minorUnits
  return status === 'PAYED' && isReturned ? 'REFUNDED' : status
}
