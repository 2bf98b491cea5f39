// Formats and parses times in Moscow time (UTC+3), as banks write them.

const shifted = (time: number): string => new Date(time + 3 * 3_600_000).toISOString()

/** `2023-07-22T09:14:38+03:00` @param time Unix milliseconds */
export const moscowTime = (time: number): string => `${shifted(time).slice(0, 19)}+03:00`

/** The day, `2023-07-22`. @param time Unix milliseconds */
export const moscowDay = (time: number): string => shifted(time).slice(0, 10)
