// Amounts, dates and times in the payer's language; dates have the deployment's offset from UTC.
import type { Amount } from '../../contract/amount.ts'
import { formatDateTime } from '../../contract/date-time.ts'
import type { Language } from '../../http/negotiation.ts'
import { PAYER_TEXTS } from './texts.ts'

/** An amount with its currency: `1 500,50 ₽`, `₽1,500.50`. */
export const money = ({ minorUnits, currency }: Amount, language: Language): string =>
  formatOf(currency, language).format(minorUnits / 100)

/** The symbol of a currency: `₽`. */
export const currencySymbol = (currency: string, language: Language): string =>
  formatOf(currency, language)
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? currency

const formatOf = (currency: string, language: Language) =>
  new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    // Amounts are hundredths, whatever ISO 4217 says of the currency.
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  })

/** Minutes and seconds: `09:59`. public/page.js counts down in the same form. */
export const minutes = (seconds: number): string =>
  [seconds / 60, seconds % 60].map((part) => `${Math.floor(part)}`.padStart(2, '0')).join(':')

/** A moment as a payer names it: `14:30 МСК`, on another day than now `24 ноября, 14:30 МСК`. Unix seconds. */
export const moment = (at: number, now: number, offset: string, language: Language): string => {
  const isToday = dayOf(at, offset) === dayOf(now, offset)
  const day = isToday ? '' : `${part(at, offset, language, { day: 'numeric', month: 'long' })}, `
  return `${day}${part(at, offset, language, { timeStyle: 'short' })} ${zone(offset, language)}`
}

/** A day with its year: `21 ноября 2026 г.`. Unix seconds. */
export const dayWithYear = (at: number, offset: string, language: Language): string =>
  part(at, offset, language, { dateStyle: 'long' })

/** A moment to the minute: `21 ноября 2026 г., 14:30 МСК`. Unix seconds. */
export const minuteOf = (at: number, offset: string, language: Language): string =>
  `${dayWithYear(at, offset, language)}, ${part(at, offset, language, { timeStyle: 'short' })} ${zone(offset, language)}`

/** A moment as a receipt names it: `21 ноября 2026 г., 14:30:05 МСК`. */
export const receiptTime = (at: number, offset: string, language: Language): string =>
  `${dayWithYear(at, offset, language)}, ${part(at, offset, language, { timeStyle: 'medium' })} ${zone(offset, language)}`

/** Moscow's time has a name that every payer knows; others are `UTC+5`, `UTC-9:30`. */
const zone = (offset: string, language: Language) =>
  offset === '+03:00'
    ? PAYER_TEXTS[language].moscow
    : `UTC${offset.replace(/^([+-])0?(\d+):(?:00|(\d+))$/, (_, sign, hours, rest) => sign + hours + (rest ? `:${rest}` : ''))}`

const dayOf = (at: number, offset: string) => formatDateTime(at, offset).slice(0, 10)

/** The runtime need not know the offset as a time zone: the local time is formatted as if it were UTC. */
const part = (at: number, offset: string, language: Language, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { ...options, timeZone: 'UTC' }).format(
    new Date(`${formatDateTime(at, offset).slice(0, 19)}Z`),
  )
