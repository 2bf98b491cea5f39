// The report of settlement as a file for the accountant: CSV, or a spreadsheet, whose module is loaded with the first one.
import { secondsOfOffset } from '../contract/date-time.ts'
import type { SettlementReportRow } from '../contract/settlement.ts'
import {
  API_WORDS,
  reportCells,
  settlementHead,
  settlementLine,
  sheetColumns,
} from '../contract/settlement-report.ts'
import type { ResponseContent } from '../http/operation.ts'
import { lazily } from '../lazily.ts'
import { XLSX_MEDIA_TYPE } from '../xlsx/media-type.ts'

const spreadsheet = lazily(() => import('../xlsx/workbook.ts'))

export const SETTLEMENT_FILE_TYPES = {
  'text/csv': 'csv',
  [XLSX_MEDIA_TYPE]: 'xlsx',
} as const
export type SettlementFileType = keyof typeof SETTLEMENT_FILE_TYPES

/** The rows of a month, as they are read. */
export type ReportRows = AsyncIterable<readonly SettlementReportRow[]>

/**
 * The file. @param name without its extension
 * @param offset matches UTC_OFFSET
 */
export async function settlementFile(
  rows: ReportRows,
  { mediaType, name, offset }: { mediaType: SettlementFileType; name: string; offset: string },
): Promise<ResponseContent<never>> {
  return {
    file: mediaType === 'text/csv' ? csv(rows, offset) : await xlsx(rows, offset),
    headers: {
      'Content-Type': mediaType === 'text/csv' ? 'text/csv; charset=utf-8; header=present' : mediaType,
      'Content-Disposition': `attachment; filename="${name}.${SETTLEMENT_FILE_TYPES[mediaType]}"`,
      Vary: 'Accept',
    },
  }
}

async function* csv(rows: ReportRows, offset: string): AsyncGenerator<string, void> {
  let head = settlementHead()
  for await (const page of rows) {
    yield head + page.map((row) => settlementLine(row, offset)).join('')
    head = ''
  }
  // A month without an operation has a head.
  yield head
}

async function xlsx(
  rows: ReportRows,
  offset: string,
): Promise<AsyncGenerator<Uint8Array<ArrayBuffer>, void>> {
  const { workbook } = await spreadsheet()
  return workbook({
    name: 'settlement',
    columns: sheetColumns(),
    rows: cellsOf(rows),
    offset: secondsOfOffset(offset),
  })
}

async function* cellsOf(rows: ReportRows) {
  for await (const page of rows) yield page.map((row) => reportCells(row, API_WORDS))
}
