// What the requests of Tochka Pay Gateway have in common: amounts, and the path of a payment.
import { roublesOf } from '../../amounts.ts'

/** @param kopecks */
export const amountOf = (kopecks: number) => ({ amount: roublesOf(kopecks), currency: 'RUB' })

/** The path of a payment, below which its refunds are. */
export const paymentPathOf = (paymentUid: string): string => `/payments/${encodeURIComponent(paymentUid)}`
