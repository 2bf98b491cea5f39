// CSV that a spreadsheet opens by a double click: a Russian one expects semicolons and decimal commas.
import type { Language } from '../http/negotiation.ts'

/** Without it Excel reads UTF-8 as the code page of the machine. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** A line of cells: in English as RFC 4180 has it, in Russian between semicolons. */
export function spreadsheetLine(cells: readonly string[], language: Language): string {
  const separator = language === 'ru' ? ';' : ','
  const quoted = (text: string) =>
    text.includes(separator) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  return `${cells.map(quoted).join(separator)}\r\n`
}
