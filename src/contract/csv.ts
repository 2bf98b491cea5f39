// Writes lines of CSV (RFC 4180), in which a spreadsheet runs no cell as a formula, whichever separator it expects.

/** A line of cells. @param separator RFC 4180 has the comma */
export const csvLine = (cells: readonly string[], separator = ','): string =>
  `${cells.map(quoted).join(separator)}\r\n`

/** Where a spreadsheet can see a cell begin: a text is cut at separators and line breaks by one that expects other ones. */
const FORMULAS = /^(?=[\t\r\n])|(?<=^|[,;\t\r\n])(?=["\s]*[=+\-@＝＋－＠])/g

/**
 * The text of a merchant, a payer or a bank as a spreadsheet must not run it: where a formula begins, at the beginning or
 * behind a separator, it gets an apostrophe, with which the cell is a text.
 */
export const escapeFormula = (text = ''): string => text.replace(FORMULAS, "'")

/** A cell (RFC 4180, section 2). What another spreadsheet takes for a separator is quoted too. */
const quoted = (text: string): string => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
