// The life of a QR code (contract, section 7): its states, and what may happen in each of them.

export const STATUSES = [
  'CREATED',
  'PAYED',
  'DECLINED',
  'EXPIRED',
  'CANCELLED',
  'INIT_PAYMENT_BY_TOKEN',
] as const
export type QrCodeStatus = (typeof STATUSES)[number]

/** What happens to a QR code: a payment is completed or declined, the merchant cancels, its time is over. */
export type Action = 'complete' | 'decline' | 'cancel' | 'expire'

const PAYABLE = { complete: 'PAYED', decline: 'DECLINED', cancel: 'CANCELLED', expire: 'EXPIRED' } as const

/** A payment that the network completed is a fact: it counts even where the QR code was no longer payable. */
const LIFE: Record<QrCodeStatus, Partial<Record<Action, QrCodeStatus>>> = {
  CREATED: PAYABLE,
  DECLINED: PAYABLE,
  EXPIRED: { complete: 'PAYED' },
  CANCELLED: { complete: 'PAYED' },
  PAYED: {},
  INIT_PAYMENT_BY_TOKEN: {},
}

/** The state that an action leads to, or undefined where the state does not allow it. */
export const next = (status: QrCodeStatus, action: Action): QrCodeStatus | undefined => LIFE[status][action]

/** Whether a customer can still pay. */
export const isPayable = (status: QrCodeStatus): boolean => next(status, 'decline') !== undefined
