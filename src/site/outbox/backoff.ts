// When a delivery that failed is tried again (contract, section 11).

import { RETRY_DELAYS } from '../../contract/delivery.ts'
import { type Milliseconds, milliseconds, seconds, toMilliseconds } from '../time.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const JITTER = 0.1
const MAX_RETRY_AFTER = 24 * HOUR

/** After this many consecutive failures an endpoint gets one delivery at a time. */
export const PROBING_FROM = 3
const PROBE_DELAY = 5 * SECOND
const MAX_PROBE_DELAY = milliseconds(MINUTE)

/**
 * How long a notification waits for its next attempt. `Retry-After` only makes it longer, up to 24 h.
 * @param countedAttempts how many attempts have failed, from 1
 * @param random from 0 to below 1
 * @param retryAfter seconds
 * @returns undefined if the last attempt has failed
 */
export function retryDelay(
  countedAttempts: number,
  random: number,
  retryAfter = 0,
): Milliseconds | undefined {
  const delay = RETRY_DELAYS[countedAttempts - 1]
  if (delay === undefined) return undefined
  const withJitter = Math.round(toMilliseconds(seconds(delay)) * (1 + JITTER * (2 * random - 1)))
  return milliseconds(Math.max(withJitter, honoured(retryAfter)))
}

/** The maximum delay of an instruction: it is sent until the connector accepts it. */
const MAX_INSTRUCTION_DELAY = milliseconds(HOUR)
/** After how long an instruction that was taken but is not reported is sent again. */
const REPEAT_DELAY = 24 * HOUR
/** The least of these delays: `Retry-After: 0` must not send an instruction without a pause. */
const MIN_REPEAT_DELAY = SECOND

/**
 * How long an instruction to the payment network waits after a failed attempt: as a notification, but an hour at most,
 * whatever `Retry-After` says, and without end.
 * @param countedAttempts how many attempts have failed, from 1
 * @param random from 0 to below 1
 * @param retryAfter seconds
 */
export const instructionDelay = (countedAttempts: number, random: number, retryAfter = 0): Milliseconds =>
  milliseconds(
    Math.min(retryDelay(countedAttempts, random, retryAfter) ?? MAX_INSTRUCTION_DELAY, MAX_INSTRUCTION_DELAY),
  )

/**
 * When an instruction that was taken is sent again, unless its result is reported before: after a day, or when
 * `Retry-After` says, 1 s to 24 h later.
 * @param retryAfter seconds
 */
export const repeatDelay = (retryAfter?: number): Milliseconds =>
  milliseconds(retryAfter === undefined ? REPEAT_DELAY : Math.max(honoured(retryAfter), MIN_REPEAT_DELAY))

/**
 * How long a failing endpoint gets no delivery: 5 s at first, then twice as long each time, up to 60 s, and at least
 * `Retry-After`, up to 24 h.
 * @param failures in a row
 * @param retryAfter seconds
 */
export const probeDelay = (failures: number, retryAfter = 0): Milliseconds =>
  milliseconds(
    Math.max(
      Math.min(PROBE_DELAY * 2 ** Math.max(failures - PROBING_FROM, 0), MAX_PROBE_DELAY),
      honoured(retryAfter),
    ),
  )

/** How long `Retry-After` is honoured. @param retryAfter seconds */
export const honoured = (retryAfter = 0): Milliseconds =>
  milliseconds(Math.min(toMilliseconds(seconds(retryAfter)), MAX_RETRY_AFTER))
