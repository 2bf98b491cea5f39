// Compares signatures in a time that does not depend on where they differ.
import { timingSafeEqual } from 'node:crypto'

export function isSameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
