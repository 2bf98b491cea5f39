// Calls of Tochka Pay Gateway with the credentials of one site; payments and refunds are signed.
import { type KeyObject, sign } from 'node:crypto'
import type { Answers } from '../answers.ts'
import type { BankContext } from '../bank-kind.ts'
import type { BankRequest } from '../http.ts'
import type { Settings } from './credentials.ts'

export interface PayRequest extends Pick<BankRequest, 'operation' | 'method' | 'secrets' | 'signal'> {
  /** Below the address of the site. */
  path: string
  /** What becomes `Data`. */
  body?: unknown
  /** The document demands it of payments and refunds. */
  isSigned?: boolean
}

/**
 * A call of the site.
 * @throws Refused; NotKnown; Unavailable
 */
export type PayCall = <T>(answers: Answers<T>, request: PayRequest) => Promise<T>

export function payCall({ siteUid, jwt, privateKey }: Settings, { baseUrl, call }: BankContext): PayCall {
  const address = `${baseUrl}/pay/v1.0/sites/${siteUid}`
  return (answers, { path, body, isSigned = false, ...request }) => {
    // The signature is of these bytes: nothing writes the JSON again.
    const text = body === undefined ? undefined : JSON.stringify({ Data: body })
    const headers = {
      Authorization: `Bearer ${jwt}`,
      ...(isSigned && text !== undefined && { Signature: signatureOf(text, privateKey) }),
    }
    return call({ ...request, url: address + path, headers, ...(text !== undefined && { text }) }, answers)
  }
}

/** RSASSA-PKCS1-v1_5 with SHA-256 of the UTF-8 bytes, base64 in one line. */
export const signatureOf = (text: string, privateKey: KeyObject): string =>
  sign('sha256', Buffer.from(text), privateKey).toString('base64')
