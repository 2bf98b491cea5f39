// Amounts and durations in the payer's language.
import type { Amount } from '../../contract/amount.ts'
import type { Language } from '../../http/negotiation.ts'

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

/** Whole days, or hours, minutes and seconds; public/pay.js counts down in the same form. */
export function duration(left: number, language: Language): string {
  const seconds = Math.max(0, left)
  const days = Math.floor(seconds / 86_400)
  if (days > 0) {
    const format = { style: 'unit', unit: 'day', unitDisplay: 'long' } as const
    return new Intl.NumberFormat(language, format).format(days)
  }
  const [hours, ...rest] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(Math.floor)
  return [...(hours ? [hours] : []), ...rest]
    .map((part, i) => (i ? String(part).padStart(2, '0') : part))
    .join(':')
}
