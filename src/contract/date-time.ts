// Dates as answers show them: ISO 8601, whole seconds, the deployment's offset from UTC.

/** An offset from UTC, in quarters of an hour, by which the figures of a day are kept: `+03:00`, `-09:30`. */
export const UTC_OFFSET = /^[+-](?:0\d|1[0-4]):(?:00|15|30|45)$/

/** The seconds by which the local time is ahead of UTC. @param offset matches UTC_OFFSET */
export function secondsOfOffset(offset: string): number {
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4))
  return (offset.startsWith('-') ? -60 : 60) * minutes
}

/**
 * The date and time of a moment.
 * @param seconds Unix time
 * @param offset matches UTC_OFFSET
 * @returns such as `2026-11-20T20:10:32+03:00`
 */
export function formatDateTime(seconds: number, offset: string): string {
  const local = seconds + secondsOfOffset(offset)
  return new Date(local * 1000).toISOString().slice(0, 19) + offset
}
