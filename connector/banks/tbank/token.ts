// `Token`, the signature of T-Bank: SHA-256 over the values of the sorted root fields and the password.
import { createHash } from 'node:crypto'
import { isSameText } from '../constant-time.ts'

/** JSON with its numbers as they are written: what is signed is text. */
export type Fields = Record<string, unknown>

/**
 * @param fields a request or a notification; objects, arrays, null and `Token` itself do not count
 * @returns lower-case hexadecimal digits
 */
export function tokenOf(fields: Fields, password: string): string {
  const signed = Object.entries({ ...fields, Password: password })
    .filter(([name, value]) => name !== 'Token' && ['string', 'number', 'boolean'].includes(typeof value))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => String(value))
  return createHash('sha256').update(signed.join('')).digest('hex')
}

/** Whether `Token` is that of the fields; in constant time. */
export function isSigned(fields: Fields, password: string): boolean {
  return typeof fields.Token === 'string' && isSameText(fields.Token.toLowerCase(), tokenOf(fields, password))
}
