// Days of the deployment's offset from UTC, as the days since 1 January 1970.
import { secondsOfOffset } from './date-time.ts'

export const SECONDS_A_DAY = 86_400

/** The days as Unix seconds: from the first one up to, not including, the second. @param offset matches UTC_OFFSET */
export function timesOf(
  { from, to }: { from: number; to: number },
  offset: string,
): { since: number; until: number } {
  const shift = secondsOfOffset(offset)
  return { since: from * SECONDS_A_DAY - shift, until: (to + 1) * SECONDS_A_DAY - shift }
}

/** The day of a moment. @param seconds Unix time */
export const dayOf = (seconds: number, offset: string): number =>
  Math.floor((seconds + secondsOfOffset(offset)) / SECONDS_A_DAY)

/** A day as a text: `2026-11-30`. */
export const dayText = (day: number): string =>
  new Date(day * SECONDS_A_DAY * 1000).toISOString().slice(0, 10)
