// The status of a QR code and its transitions (contract, section 7).
import * as z from 'zod/mini'
import { meta } from './meta.ts'

export const STATUSES = [
  'CREATED',
  'PAYED',
  'DECLINED',
  'EXPIRED',
  'CANCELLED',
  'INIT_PAYMENT_BY_TOKEN',
  'ACCEPTED',
] as const
export type QrCodeStatus = (typeof STATUSES)[number]
export const QrCodeStatus = z.enum(STATUSES, `one of ${STATUSES.join(', ')}`).apply(meta, {
  id: 'QrCodeStatus',
  description:
    'CREATED: not paid yet; DECLINED: an attempt was declined, the customer can try again; INIT_PAYMENT_BY_TOKEN: a token is being charged; PAYED: paid; ACCEPTED: the customer bound an account; EXPIRED: the lifetime ended; CANCELLED: the merchant cancelled it. The last four are final, but a late report of a completed payment changes EXPIRED and CANCELLED into PAYED',
})

/**
 * What happens to a QR code: the merchant cancels, the ttl ends; to a DYNAMIC one: a payment completes or is declined, the
 * merchant charges a token; to a TOKEN one: the customer accepts or rejects the binding of an account.
 */
export type Action = 'complete' | 'decline' | 'charge' | 'accept' | 'reject' | 'cancel' | 'expire'

const PAYABLE = {
  complete: 'PAYED',
  decline: 'DECLINED',
  charge: 'INIT_PAYMENT_BY_TOKEN',
  accept: 'ACCEPTED',
  reject: 'DECLINED',
  cancel: 'CANCELLED',
  expire: 'EXPIRED',
} as const

const TRANSITIONS: Record<QrCodeStatus, Partial<Record<Action, QrCodeStatus>>> = {
  CREATED: PAYABLE,
  DECLINED: PAYABLE,
  // A payment that the network completed is a fact: it counts even if the QR code was no longer payable.
  EXPIRED: { complete: 'PAYED' },
  CANCELLED: { complete: 'PAYED' },
  PAYED: {},
  INIT_PAYMENT_BY_TOKEN: { complete: 'PAYED', decline: 'DECLINED' },
  ACCEPTED: {},
}

/** The status after an action, or undefined if the status does not allow the action. */
export const transition = (status: QrCodeStatus, action: Action): QrCodeStatus | undefined =>
  TRANSITIONS[status][action]

/** The statuses in which a customer can act, and which end with the ttl. */
export const PAYABLE_STATUSES: readonly QrCodeStatus[] = STATUSES.filter((status) =>
  transition(status, 'expire'),
)

/** Whether the status is final; only a late report of a completed payment can still change it. */
export const isFinal = (status: QrCodeStatus): boolean =>
  status === 'PAYED' || status === 'ACCEPTED' || status === 'CANCELLED' || status === 'EXPIRED'

/** Whether a customer can pay, or bind an account. */
export const isPayable = (status: QrCodeStatus): boolean => PAYABLE_STATUSES.includes(status)
