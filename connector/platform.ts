// What the connector takes from its surroundings: the clock, randomness and the network.
import { randomBytes } from 'node:crypto'
import { fetchTrusting } from './tls/fetch.ts'
import { missingIssuer } from './tls/missing-issuer.ts'

export interface Platform {
  /** Unix milliseconds. */
  now: () => number
  /** Hexadecimal digits of that many random bytes. */
  random: (bytes: number) => string
  fetch: typeof fetch
  fetchTrusting: typeof fetchTrusting
  missingIssuer: typeof missingIssuer
}

export const PLATFORM: Platform = {
  now: () => Date.now(),
  random: (bytes) => randomBytes(bytes).toString('hex'),
  fetch: (input, init) => fetch(input, init),
  fetchTrusting,
  missingIssuer,
}
