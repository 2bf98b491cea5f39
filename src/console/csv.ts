// Writes CSV that a Russian spreadsheet opens by a double click: semicolons, decimal commas, days such as 22.11.2026.
import { csvLine, escapeFormula } from '../contract/csv.ts'
import type { Language } from '../http/negotiation.ts'

/** Without it Excel reads UTF-8 as the code page of the machine. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** A line of cells: in English as RFC 4180 has it, in Russian between semicolons. */
export const spreadsheetLine = (cells: readonly string[], language: Language): string =>
  csvLine(cells, language === 'ru' ? ';' : ',')

/** The value of an amount: in Russian with a comma. */
export const spreadsheetAmount = (value: string, language: Language): string =>
  language === 'ru' ? value.replace('.', ',') : value

/** A time of an answer, which has the deployment's offset: in Russian `22.11.2026 21:42:44`, otherwise as the API has it. */
export const spreadsheetTime = (dateTime: string, language: Language): string =>
  language === 'ru' ? dateTime.replace(/^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d).*/, '$3.$2.$1 $4') : dateTime

/**
 * Digits that are no number, such as those of a fiscal drive: in Russian as a formula whose value is that text, because a spreadsheet
 * drops zeros at the beginning and all but fifteen digits. Any other text is kept from being a formula.
 */
export const spreadsheetDigits = (text: string | undefined, language: Language): string =>
  language === 'ru' && text !== undefined && /^\d+$/.test(text) ? `="${text}"` : escapeFormula(text)
