// Amounts and times as the console shows them: times have the deployment's offset, with the relative time beside.
import { html } from 'hono/html'
import { type Amount, formatMinorUnits } from '../contract/amount.ts'
import { formatDateTime, secondsOfOffset } from '../contract/date-time.ts'
import type { Language } from '../http/negotiation.ts'
import type { Html } from '../web/layout.ts'
import { money } from '../web/payer/formats.ts'
import { typedAmount } from '../web/typed-amount.ts'
import type { Visit } from './visit.ts'

/** `1 500,50 ₽`; what was returned in full is struck out. */
export const moneyOrStruck = (amount: Amount, isReturned: boolean, language: Language): Html =>
  isReturned ? html`<s class="struck">${money(amount, language)}</s>` : html`${money(amount, language)}`

/** What was typed, as the value of an amount of the API; a text that is no amount as it is, for the API to refuse. */
export function typedValue(text: string, min?: number): string {
  const amount = typedAmount(text, '', min)
  return amount ? formatMinorUnits(amount.minorUnits) : text
}

/** Hundredths as a person types them: `250` or `250,50`. */
export const typed = (units: number, language: Language): string =>
  (units / 100).toFixed(units % 100 ? 2 : 0).replace('.', language === 'ru' ? ',' : '.')

/** A currency as people write it: `₽`. */
export const currencySign = (currency: string, language: Language): string =>
  new Intl.NumberFormat(language, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? currency

/** Makes each formatter once: one takes 50 µs to make, and a page shows a hundred times. */
function once<Key extends unknown[], Made>(make: (...key: Key) => Made): (...key: Key) => Made {
  const made = new Map<string, Made>()
  return (...key) => {
    const name = JSON.stringify(key)
    const value = made.get(name) ?? make(...key)
    made.set(name, value)
    return value
  }
}

const dateFormat = once(
  (language: Language, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { ...options, timeZone: 'UTC' }),
)

const relativeFormat = once(
  (language: Language, numeric: 'auto' | 'always') =>
    new Intl.RelativeTimeFormat(language, { numeric, style: 'short' }),
)

/** The runtime need not know the offset as a time zone: the local time is formatted as if it were UTC. */
const local = (at: number, { config, language }: Visit, options: Intl.DateTimeFormatOptions): string =>
  dateFormat(language, options).format((at + secondsOfOffset(config.utcOffset)) * 1000)

/** A day of the deployment's offset: `2026-11-22`. @param at Unix seconds */
export const dayText = (at: number, { config }: { config: Pick<Visit['config'], 'utcOffset'> }): string =>
  formatDateTime(at, config.utcOffset).slice(0, 10)

/** A day as a person names it: `22 ноября`. @param text `2026-11-22` */
export const dayName = (text: string, language: Language): string =>
  dateFormat(language, { day: 'numeric', month: 'long' }).format(Date.parse(text))

/** A day of a chart or a table: `22 нояб.`, of a week with its name: `вс, 22 нояб.`. @param text `2026-11-22` */
export const shortDay = (text: string, language: Language, isNamed: boolean): string =>
  dateFormat(language, {
    day: 'numeric',
    month: 'short',
    ...(isNamed && { weekday: 'short' }),
  }).format(Date.parse(text))

/** A day of the week: `вс`. @param text `2026-11-22` */
export const weekday = (text: string, language: Language): string =>
  dateFormat(language, { weekday: 'short' }).format(Date.parse(text))

/** Days as a person names them: `16–22 ноября`. @param from,to `2026-11-22` */
export const daysName = (from: string, to: string, language: Language): string =>
  dateFormat(language, { day: 'numeric', month: 'long' }).formatRange(Date.parse(from), Date.parse(to))

/** A month with its year: `Ноябрь 2026 г.`. @param text a day of it: `2026-11-22` */
export const monthName = (text: string, language: Language): string => {
  const name = dateFormat(language, { month: 'long', year: 'numeric' }).format(Date.parse(text))
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

const shortMoneyFormat = once(
  (currency: string, language: Language) =>
    new Intl.NumberFormat(language, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
      notation: 'compact',
      maximumFractionDigits: 1,
    }),
)

/** A round amount at a line of a chart: `12 тыс. ₽`. */
export const shortMoney = ({ minorUnits, currency }: Amount, language: Language): string =>
  shortMoneyFormat(currency, language).format(minorUnits / 100)

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
  return relativeFormat(language, numeric).format(Math.trunc(seconds / length), unit)
}

/** Unix milliseconds in seconds. */
export const seconds = (milliseconds: number | undefined): number | undefined =>
  milliseconds === undefined ? undefined : Math.floor(milliseconds / 1000)

/** A time to the second, of any day: `23 нояб. 2026 г.` and `12:00:01`, which can be two lines. @param at Unix seconds */
export function exactly(at: number, visit: Visit): Html {
  const day = local(at, visit, { dateStyle: 'medium' })
  const time = local(at, visit, { timeStyle: 'medium' })
  const datetime = formatDateTime(at, visit.config.utcOffset)
  return html`<time datetime="${datetime}"><span>${day}</span> <span>${time}</span></time>`
}

const TIME = { hour: '2-digit', minute: '2-digit' } as const

/** Today's without its day, of another year with it: `22 нояб., 04:00`. */
function shortly(at: number, visit: Visit): string {
  const [day, today] = [dayText(at, visit), dayText(visit.now, visit)]
  return local(at, visit, {
    ...TIME,
    ...(day !== today && { day: 'numeric', month: 'short' }),
    ...(day.slice(0, 4) !== today.slice(0, 4) && { year: 'numeric' }),
  })
}

/** The hour in which something was, where its minute is not known: `04:00–05:00`. @param at its beginning, in Unix seconds */
export const hourOf = (at: number, visit: Visit): Html =>
  html`<time datetime="${formatDateTime(at, visit.config.utcOffset)}">${shortly(at, visit)}–${local(at + 3600, visit, TIME)}</time>`

/** A time, and the relative time. @param at Unix seconds */
export function when(at: number | undefined, visit: Visit): Html | '' {
  if (at === undefined) return ''
  const full = local(at, visit, { dateStyle: 'long', timeStyle: 'medium' })
  const dateTime = formatDateTime(at, visit.config.utcOffset)
  const ago = relative(at - visit.now, visit.language)
  return html`<time datetime="${dateTime}" title="${full}" data-at="${at}">${shortly(at, visit)} <small>${ago}</small></time>`
}
