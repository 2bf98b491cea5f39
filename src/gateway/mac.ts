// Compares a MAC as a request has it.
import { timingSafeEqual } from 'node:crypto'

/**
 * Whether a text is the MAC in lower-case hexadecimal digits. The texts are compared, because a decoder passes over what follows
 * the last pair of digits: a MAC has one spelling. The time does not depend on where they differ.
 */
export function isMac(given: string, expected: Uint8Array): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected.toHex())]
  return a.length === b.length && timingSafeEqual(a, b)
}
