// Identifiers that are a hash of the request they belong to: a repeat gets the same one, also after a restore from a backup.
import { hash } from 'node:crypto'
import type { QrCodeSpec } from '../contract/qr-code.ts'
import type { DocumentKind } from '../contract/receipts/document.ts'

const LENGTH = 32

/** The places that the picture had in the key of a registration: without one, a request keeps the key of earlier versions. */
const NO_PICTURE = [null, null, null]

/** The network's identifier of the payment that a charge of a token makes (contract, section 9). @returns 32 of `0-9 A-V` */
export const chargeUid = (siteId: string, qrCodeUid: string, bindingUid: string): string =>
  derived('charge', siteId, qrCodeUid, bindingUid)

/**
 * The key of a registration at a bank: the same for the same request, another for another meaning (contract, section 14).
 * @param receipt what the bank is told of it, where its cash register takes the receipt with the registration
 * @returns 32 of `0-9 A-V`
 */
export function registerKey(siteId: string, spec: QrCodeSpec, receipt?: object): string {
  const { qrCodeUid, type, ttl, amount, paymentPurpose, redirectUrl, createToken } = spec
  const { tokenizationPurpose, tokenizationAccount, callbackUrl } = spec
  const meaning = [
    ...[type, ttl, ...NO_PICTURE, amount?.minorUnits, amount?.currency],
    ...[paymentPurpose, redirectUrl, tokenizationPurpose, tokenizationAccount, createToken],
    // Without one, the key is that of version 0.3.0. A receipt is no text, so that it differs from a callbackUrl.
    ...(callbackUrl === undefined ? [] : [callbackUrl]),
    ...(receipt === undefined ? [] : [receipt]),
  ]
  return derived('register', siteId, qrCodeUid, JSON.stringify(meaning))
}

/** What a document of a cash register is of. */
interface ReceiptKey {
  siteId: string
  paymentUid: string
  kind: DocumentKind
  /** The refundUid, or the closingUid; empty of a sale. */
  of: string
  /** From 1 on. */
  attempt: number
}

/**
 * The key of a document at its cash register: the same after a restore, another for another attempt (contract, section 18).
 * @returns 32 of `0-9 A-V`
 */
export const receiptUidOf = ({ siteId, paymentUid, kind, of, attempt }: ReceiptKey): string =>
  derived('receipt', siteId, paymentUid, kind, of, String(attempt))

/** None of the parts can have a NUL. */
function derived(...parts: string[]): string {
  const digest = hash('sha256', parts.join('\0'), 'hex')
  // 32 digits of 5 bits.
  const number = BigInt(`0x${digest.slice(0, (LENGTH * 5) / 4)}`)
  return number.toString(32).toUpperCase().padStart(LENGTH, '0')
}
