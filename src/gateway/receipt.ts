// What a payer is shown of a payment of a code that is paid many times, and the marks by which the service knows whose it is.
import { createHmac } from 'node:crypto'
import type { Amount } from '../contract/amount.ts'
import type { PaymentMethod } from '../contract/payment.ts'
import type { PayerReceipt } from '../contract/receipts/payer-receipt.ts'
import { isMac } from './mac.ts'

/** Seconds after the payment for which it is shown: then the phone, or the tab, can be in another hand. */
export const SHOWN_FOR = 600

/** A payment as its payer sees it, never with the payer's bank. */
export interface Receipt {
  paymentUid: string
  amount: Amount
  paymentPurpose?: string | undefined
  /** Unix seconds. */
  paidAt: number
  method?: PaymentMethod | undefined
  /** Minor units of its completed refunds. */
  refunded: number
  /** Seconds for which it is still shown. */
  left: number
  /** The sale that it paid, where this browser followed one. */
  saleUid?: string | undefined
  /** The receipt (54-FZ) of that sale. */
  receipt?: PayerReceipt | undefined
}

type Of = readonly [kind: 'sale' | 'payment' | 'receipt', siteId: string, linkId: string, uid: string]

/** A mark in hexadecimal digits. It cannot be made up, as an identifier can: who did not get it learns nothing. */
export const markOf = ([secret]: readonly [string, ...string[]], ...of: Of): string =>
  macOf(secret, of).toString('hex')

export const isMarkOf = (mark: string, secrets: readonly string[], ...of: Of): boolean =>
  secrets.some((secret) => isMac(mark, macOf(secret, of)))

/** The first word keeps these messages apart from others that the same secret signs. */
const macOf = (secret: string, of: Of): Buffer =>
  createHmac('sha256', secret).update(of.join('\0')).digest().subarray(0, 12)
