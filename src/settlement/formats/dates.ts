// Days and times as banks write them, in Moscow's time.

const MOSCOW_SECONDS = 3 * 3600
const DAY_SECONDS = 86_400

/** `2026-11-20`; undefined where the calendar has no such day, or the year is none of a file: 0026, 9999. */
export function dayIn(year: string, month: string, date: string): string | undefined {
  if (!year.startsWith('2')) return undefined
  const day = `${year}-${month}-${date}`
  const time = Date.parse(day)
  // Date.parse takes 2026-02-30 for 2026-03-02.
  return Number.isNaN(time) || new Date(time).getUTCDate() !== Number(date) ? undefined : day
}

/** The day of `20.11.2026`. */
export function russianDay(text: string): string | undefined {
  const [, date, month, year] = /^(\d\d)\.(\d\d)\.(\d{4})$/.exec(text) ?? []
  return date && month && year ? dayIn(year, month, date) : undefined
}

/** The seconds since midnight of `9:05` or `09:05:30`. */
export function secondsIn(text: string): number | undefined {
  const [, hours, minutes, seconds = '0'] =
    /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d{1,9})?)?$/.exec(text) ?? []
  return hours && minutes ? Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) : undefined
}

/** Unix seconds of the beginning of a day in Moscow. */
export const startOf = (day: string): number => Date.parse(day) / 1000 - MOSCOW_SECONDS

/** Which day in Moscow Unix seconds are in: the next day has the next number. */
export const dayNumber = (time: number): number => Math.floor((time + MOSCOW_SECONDS) / DAY_SECONDS)

/** The day in Moscow of Unix seconds. */
export const moscowDay = (time: number): string =>
  new Date((time + MOSCOW_SECONDS) * 1000).toISOString().slice(0, 10)

/** A day, or a time of a day, as ISO 8601 writes it; without an offset it is Moscow's. */
export function isoTime(text: string): { operatedAt: number; hasTime: boolean } | undefined {
  const [, year, month, date, time, sign, hours, minutes] =
    /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:Z|([+-])([01]\d|2[0-3]):?([0-5]\d))?)?$/.exec(
      text,
    ) ?? []
  const day = year && month && date ? dayIn(year, month, date) : undefined
  if (day === undefined) return undefined
  if (time === undefined) return { operatedAt: startOf(day), hasTime: false }
  const seconds = secondsIn(time)
  if (seconds === undefined) return undefined
  const offset = sign ? (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60) : 0
  const isMoscow = !sign && !text.endsWith('Z')
  return {
    operatedAt: Date.parse(day) / 1000 + seconds - (isMoscow ? MOSCOW_SECONDS : offset),
    hasTime: true,
  }
}
