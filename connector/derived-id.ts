// Derives an identifier from others: the same on any disk.
import { createHash } from 'node:crypto'

/** @returns the first `length` hexadecimal digits of the SHA-256 of the parts, which are written as JSON */
export const derivedId = (parts: readonly string[], length: number): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, length)
