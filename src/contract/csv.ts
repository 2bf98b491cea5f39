// Writes lines of CSV (RFC 4180), in which a spreadsheet runs no cell as a formula, whichever separator it expects.

/** A line of cells. @param separator RFC 4180 has the comma */
export const csvLine = (cells: readonly string[], separator = ','): string =>
  `${cells.map(quoted).join(separator)}\r\n`

/** What a reader can take for the end of a cell: separators and line breaks, of Unicode too. */
const END = String.raw`,;\t-\r\x85\u2028\u2029`

/**
 * What a reader can pass over before it looks for a formula: quotes, white space, and characters that show nothing, such as the
 * zero-width space, the byte order mark and variation selectors.
 */
const UNSEEN = String.raw`"\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800`

/** With the forms of the same signs that NFKC makes equal to them. */
const SIGN = String.raw`=+\-@＝＋－＠﹦﹢﹣﹫`

/** Where a spreadsheet can see a cell begin: a text is cut at separators and line breaks by one that expects other ones. */
const FORMULAS = new RegExp(String.raw`^(?=[\t\r\n])|(?<=^|[${END}])(?=[${UNSEEN}]*[${SIGN}])`, 'gu')
const NEEDS_QUOTES = new RegExp(`["${END}]`)

/**
 * The text of a merchant, a payer or a bank as a spreadsheet must not run it: where a formula begins, at the beginning or
 * behind a separator, it gets an apostrophe, with which the cell is a text.
 */
export const escapeFormula = (text = ''): string => text.replace(FORMULAS, "'")

/** A cell (RFC 4180, section 2). What another spreadsheet takes for a separator is quoted too. */
const quoted = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
