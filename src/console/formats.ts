// Amounts and times as the console shows them: times have the deployment's offset, with the relative time beside.
import { html } from 'hono/html'
import { formatDateTime, secondsOfOffset } from '../contract/date-time.ts'
import type { Language } from '../http/negotiation.ts'
import type { Html } from '../web/layout.ts'
import { money } from '../web/payer/formats.ts'
import type { Visit } from './visit.ts'

/** An amount of an answer. */
export interface Shown {
  value: string
  currency: string
}

/** In hundredths of the currency. An answer's amount has two fraction digits. */
export const minorUnits = ({ value }: Pick<Shown, 'value'>): number => Number(value.replace('.', ''))

/** `1 500,50 ₽`. */
export const sum = (amount: Shown, language: Language): string =>
  money({ minorUnits: minorUnits(amount), currency: amount.currency }, language)

/** Hundredths as a person types them: `250` or `250,50`. */
export const typed = (units: number, language: Language): string =>
  (units / 100).toFixed(units % 100 ? 2 : 0).replace('.', language === 'ru' ? ',' : '.')

/** The runtime need not know the offset as a time zone: the local time is formatted as if it were UTC. */
function local(at: number, { config, language }: Visit, options: Intl.DateTimeFormatOptions): string {
  const tag = language === 'en' ? 'en-GB' : language
  return new Intl.DateTimeFormat(tag, { ...options, timeZone: 'UTC' }).format(
    (at + secondsOfOffset(config.utcOffset)) * 1000,
  )
}

/** A day of the deployment's offset: `2026-11-22`. @param at Unix seconds */
export const dayText = (at: number, { config }: Pick<Visit, 'config'>): string =>
  formatDateTime(at, config.utcOffset).slice(0, 10)

/** A day as a person names it: `22 ноября`. @param text `2026-11-22` */
export const dayName = (text: string, language: Language): string =>
  new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  }).format(Date.parse(text))

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** `5 мин назад`; public/console.js moves it on. */
function relative(seconds: number, language: Language): string {
  const [unit, length] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 60]
  // A day is 24 hours here, which `yesterday` and `tomorrow` are not.
  const numeric = unit === 'second' ? 'auto' : 'always'
  const words = new Intl.RelativeTimeFormat(language, { numeric, style: 'short' })
  return words.format(Math.trunc(seconds / length), unit)
}

/** A time of an answer: today without its day, of another year with it, and the relative time. */
export function when(dateTime: string | undefined, visit: Visit): Html | '' {
  if (dateTime === undefined) return ''
  const at = Math.floor(Date.parse(dateTime) / 1000)
  const [day, today] = [dayText(at, visit), dayText(visit.now, visit)]
  const shown = local(at, visit, {
    hour: '2-digit',
    minute: '2-digit',
    ...(day !== today && { day: 'numeric', month: 'short' }),
    ...(day.slice(0, 4) !== today.slice(0, 4) && { year: 'numeric' }),
  })
  const full = local(at, visit, { dateStyle: 'long', timeStyle: 'medium' })
  return html`<time datetime="${dateTime}" title="${full}" data-at="${at}">${shown} <small>${relative(at - visit.now, visit.language)}</small></time>`
}
