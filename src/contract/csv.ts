// Lines of CSV (RFC 4180), which a spreadsheet shows and does not run.

/** A line of cells. @param separator RFC 4180 has the comma */
export const csvLine = (cells: readonly string[], separator = ','): string =>
  `${cells.map((text) => quoted(text, separator)).join(separator)}\r\n`

/**
 * The text of a merchant, a payer or a bank as a spreadsheet must not run it: a text that begins as a formula gets an
 * apostrophe before it, with which the cell is a text.
 */
export const harmless = (text = ''): string => (/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text)

/** A cell (RFC 4180, section 2). */
const quoted = (text: string, separator: string): string =>
  text.includes(separator) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
