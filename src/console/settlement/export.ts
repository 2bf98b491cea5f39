// The report of a month for the accountant: CSV that a Russian spreadsheet opens, in either encoding, and a spreadsheet.

import { signedDecimal } from '../../contract/amount.ts'
import type { Cell } from '../../contract/cell.ts'
import { formatDateTime, secondsOfOffset } from '../../contract/date-time.ts'
import {
  REPORT_COLUMNS,
  type ReportWords,
  reportCells,
  sheetColumns,
} from '../../contract/settlement-report.ts'
import { entryCursorOf } from '../../contract/settlements/entries.ts'
import type { Language } from '../../http/negotiation.ts'
import { lazily } from '../../lazily.ts'
import { XLSX_MEDIA_TYPE } from '../../xlsx/media-type.ts'
import { inWindows1251 } from '../cp1251.ts'
import { BYTE_ORDER_MARK, spreadsheetAmount, spreadsheetLine, spreadsheetTime } from '../csv.ts'
import { asked, stateName } from '../parts.ts'
import { SETTLEMENT_TEXTS } from '../texts-settlement.ts'
import type { Visit } from '../visit.ts'
import { askedMonth } from './month-of.ts'
import { differenceLines } from './sums.ts'

const spreadsheet = lazily(() => import('../../xlsx/workbook.ts'))

const WINDOWS_1251 = 'windows-1251'

/** The rows of the month, a page at a time. If one fails, the download fails: a part is never taken for the whole file. */
async function* cellsOf(visit: Visit): AsyncGenerator<Cell[][], void> {
  const month = askedMonth(visit)
  const words = wordsOf(visit)
  let after: { after?: string; generation?: string } = {}
  do {
    const { rows, next } = await visit.call('listReportRows', { query: { month, ...after } })
    yield rows.map((row) => reportCells(row, words))
    after = next ? { after: entryCursorOf(next), generation: `${next.generation}` } : {}
  } while (after.after !== undefined)
}

/** The words of the pages. */
function wordsOf(visit: Visit): ReportWords {
  const texts = SETTLEMENT_TEXTS[visit.language]
  return {
    kind: (kind) => texts.kinds[kind],
    state: (state) => stateName(`SETTLEMENT_${state}`, visit),
    bank: (bank) => texts.banks[bank],
    format: (format) => texts.formats[format],
    differences: (differences) => differenceLines(differences, visit.language).join('; '),
  }
}

/** @param encoding of the query: windows-1251, or else UTF-8 with a byte order mark */
export function csv(visit: Visit): Promise<Response> {
  const is1251 = asked(visit, 'encoding') === WINDOWS_1251
  return visit.stream(is1251 ? encoded(linesOf(visit)) : marked(linesOf(visit)), {
    'Content-Type': `text/csv; charset=${is1251 ? WINDOWS_1251 : 'utf-8'}; header=present`,
    ...named(visit, 'csv'),
  })
}

async function* linesOf(visit: Visit): AsyncGenerator<string, void> {
  const { language, config } = visit
  const { columns } = SETTLEMENT_TEXTS[language]
  let head = spreadsheetLine(
    REPORT_COLUMNS.map((name) => columns[name]),
    language,
  )
  for await (const rows of cellsOf(visit)) {
    const lines = rows.map((cells) =>
      spreadsheetLine(
        cells.map((cell) => cellText(cell, language, config.utcOffset)),
        language,
      ),
    )
    yield head + lines.join('')
    head = ''
  }
}

function cellText(cell: Cell, language: Language, offset: string): string {
  if (cell === undefined) return ''
  if ('text' in cell) return cell.text
  if ('minorUnits' in cell) {
    return spreadsheetAmount(signedDecimal(cell.minorUnits), language)
  }
  if ('day' in cell) return language === 'ru' ? cell.day.split('-').toReversed().join('.') : cell.day
  return 'at' in cell ? spreadsheetTime(formatDateTime(cell.at, offset), language) : `${cell.whole}`
}

async function* marked(lines: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  let mark = BYTE_ORDER_MARK
  for await (const text of lines) {
    yield mark + text
    mark = ''
  }
}

async function* encoded(lines: AsyncGenerator<string, void>): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  for await (const text of lines) yield inWindows1251(text)
}

export async function xlsx(visit: Visit): Promise<Response> {
  const { workbook } = await spreadsheet()
  const { columns, title } = SETTLEMENT_TEXTS[visit.language]
  const parts = workbook({
    name: title,
    columns: sheetColumns(columns),
    rows: cellsOf(visit),
    offset: secondsOfOffset(visit.config.utcOffset),
  })
  return visit.stream(parts, { 'Content-Type': XLSX_MEDIA_TYPE, ...named(visit, 'xlsx') })
}

const named = (visit: Visit, extension: string) => ({
  'Content-Disposition': `attachment; filename="settlement-${visit.siteId}-${askedMonth(visit)}.${extension}"`,
})
