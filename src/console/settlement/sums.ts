// Amounts and days of banks as the pages of settlement show them.
import { signedDecimal } from '../../contract/amount.ts'
import type { SettlementEntry } from '../../contract/settlement.ts'
import { money } from '../../web/payer/formats.ts'
import { spreadsheetAmount } from '../csv.ts'
import { shortDay } from '../formats.ts'
import { SETTLEMENT_TEXTS } from '../texts-settlement.ts'
import type { Visit } from '../visit.ts'

type Language = Visit['language']

const DAY_MS = 86_400_000

/** Files of banks have roubles alone; what comes back and what the bank keeps is negative. */
export const roubles = (kopecks: number, language: Language, currency = 'RUB'): string =>
  money({ minorUnits: kopecks, currency }, language)

/** A sum, or that the bank does not state it. */
export const statedSum = (kopecks: number | undefined, language: Language): string =>
  kopecks === undefined ? SETTLEMENT_TEXTS[language].notStated : roubles(kopecks, language)

/** A day so many days later. @param day `2026-11-20` */
export const daysLater = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

/**
 * The differences of an entry, a line each: both values.
 * @param currency of the amounts, for a page; without one amounts are numbers alone and days are of ISO 8601, as in a file
 */
export function differenceLines(
  differences: SettlementEntry['differences'],
  language: Language,
  currency?: string,
): string[] {
  const texts = SETTLEMENT_TEXTS[language]
  const statuses: Readonly<Record<string, string>> = texts.statuses
  return differences.map(({ field, ours, theirs }) => {
    const shown = (value: string | number) => {
      if (typeof value === 'number') return shownAmount(value, currency, language)
      if (field === 'day') return currency === undefined ? value : shortDay(value, language, false)
      return field === 'status' ? (statuses[value] ?? value) : value
    }
    return texts.difference(texts.fields[field], shown(ours), shown(theirs))
  })
}

const shownAmount = (kopecks: number, currency: string | undefined, language: Language): string =>
  currency === undefined
    ? spreadsheetAmount(signedDecimal(kopecks), language)
    : roubles(kopecks, language, currency)
