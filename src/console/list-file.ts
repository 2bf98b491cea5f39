// A list of the console as a file that a spreadsheet opens: what the filters ask for.
import { BYTE_ORDER_MARK, spreadsheetLine } from './csv.ts'
import { dayText } from './formats.ts'
import { asked, pageCursor } from './parts.ts'
import type { Visit } from './visit.ts'

/** Rows that one call of the API reads. */
const LIMIT = '100'

interface ListFile<Row> {
  /** The name of the file begins with it. */
  name: string
  columns: readonly string[]
  page(page: { cursor: string | undefined; limit: string }): Promise<{
    rows: readonly Row[]
    next?: number | undefined
  }>
  /** The line of a row, with its end. */
  line(row: Row): string
}

/** All pages of the list, in its order. If one fails, the download fails: a part is never taken for the whole file. */
export function listFile<Row>(visit: Visit, { name, columns, page, line }: ListFile<Row>): Promise<Response> {
  async function* pages(): AsyncGenerator<string, void> {
    let head = BYTE_ORDER_MARK + spreadsheetLine(columns, visit.language)
    let cursor: string | undefined
    do {
      const { rows, next } = await page({ cursor, limit: LIMIT })
      yield head + rows.map(line).join('')
      head = ''
      cursor = pageCursor(next)
    } while (cursor)
  }
  return visit.stream(pages(), csvHeaders([name, visit.siteId, ...daysOf(visit)].join('-')))
}

/** The days that the file has: those of the filter, else those up to today. */
const daysOf = (visit: Visit): string[] =>
  [asked(visit, 'from'), asked(visit, 'to') || dayText(visit.now, visit)].filter((day) => day !== '')

/** Of a file in UTF-8 with a line of titles. @param name without its extension */
export const csvHeaders = (name: string) => ({
  'Content-Type': 'text/csv; charset=utf-8; header=present',
  'Content-Disposition': `attachment; filename="${name}.csv"`,
})
