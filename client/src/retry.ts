// Which failed requests are sent again, and when.
import { ApiError, ConnectionError } from './errors.ts'

/** However often a request failed, it is sent again at least this often, unless Retry-After says otherwise. */
const MAX_DELAY_MS = 10_000
/** A wait is not lost to a wrong Retry-After, nor is a timer, which takes at most 2^31 ms. */
const MAX_RETRY_AFTER_MS = 3_600_000

/**
 * Milliseconds until the request is sent again; undefined if that is of no use. Twice as long after each attempt, and
 * random: clients that failed together do not return together.
 * @param attempt 1 after the first failure
 * @param random 0 to 1
 */
export function retryDelay(
  error: unknown,
  attempt: number,
  firstDelayMs: number,
  random: number,
): number | undefined {
  if (!isTransient(error)) return undefined
  const least = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0
  const most = Math.min(MAX_DELAY_MS, firstDelayMs * 2 ** (attempt - 1))
  return least + most * (0.5 + random / 2)
}

/** Every operation of the client can be repeated: it names its QR code or its refund, which exist once. */
function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof ApiError)) return false
  // A deployment without a connector to the network does not get one within minutes.
  return error.httpStatus === 429 || (error.httpStatus >= 500 && error.errorCode !== 'network.not.connected')
}

/** Retry-After in milliseconds, at most an hour: seconds or a date (RFC 9110, section 10.2.3); undefined if it is neither. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS)
}
