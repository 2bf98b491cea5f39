// The report of settlement as a file: an operation of a month a line (contract, section 19).
import { signedDecimal } from './amount.ts'
import type { Cell } from './cell.ts'
import { csvLine, escapeFormula } from './csv.ts'
import { formatDateTime } from './date-time.ts'
import type { SettlementEntry, SettlementReportRow } from './settlement.ts'

/** The columns, with their widths in a spreadsheet, in characters. */
const WIDTHS = {
  ...{ kind: 12, state: 14, operatedAt: 18, paidOn: 12 },
  ...{ gross: 14, fee: 12, feeVat: 12, feeVatSeparate: 12, net: 14, currency: 8 },
  ...{ documentNumber: 24, purpose: 40, differences: 36 },
  ...{ paymentUid: 36, refundUid: 24, qrCodeUid: 24 },
  ...{ bank: 12, format: 12, paymentId: 24, refundId: 24, operationId: 34, qrcId: 34, order: 24 },
  ...{ settlementUid: 24, line: 8 },
} as const
export type ReportColumn = keyof typeof WIDTHS

export const REPORT_COLUMNS = Object.keys(WIDTHS).filter((name): name is ReportColumn => name in WIDTHS)

/** The columns of a spreadsheet. @param names of columns; by default those of the API */
export const sheetColumns = (
  names?: Readonly<Record<ReportColumn, string>>,
): { name: string; width: number }[] =>
  REPORT_COLUMNS.map((name) => ({ name: names?.[name] ?? name, width: WIDTHS[name] }))

/** The words of a file; the API has its own. */
export interface ReportWords {
  kind(kind: SettlementEntry['kind']): string
  state(state: NonNullable<SettlementEntry['state']>): string
  bank(bank: SettlementReportRow['bank']): string
  format(format: SettlementReportRow['format']): string
  differences(differences: SettlementEntry['differences']): string
}

const itself = (text: string): string => text

export const API_WORDS: ReportWords = {
  ...{ kind: itself, state: itself, bank: itself, format: itself },
  differences: (differences) =>
    differences
      .map(({ field, ours, theirs }) => {
        const shown = (value: string | number) => (typeof value === 'number' ? signedDecimal(value) : value)
        return `${field}: ours ${shown(ours)}, theirs ${shown(theirs)}`
      })
      .join('; '),
}

/** The cells of a row, in the order of the columns. A text that begins as a formula has an apostrophe before it. */
export function reportCells(row: SettlementReportRow, words: ReportWords): Cell[] {
  const { kind, state, operatedAt, paidOn, currency, bank, format, line, differences } = row
  const { paymentId, refundId, operationId, qrcId, order } = row.bankIds
  const cells: Record<ReportColumn, Cell> = {
    kind: text(words.kind(kind)),
    state: text(state && words.state(state)),
    operatedAt: { at: operatedAt },
    paidOn: paidOn === undefined ? undefined : { day: paidOn },
    gross: amount(row.gross),
    fee: amount(row.fee),
    feeVat: amount(row.feeVat),
    feeVatSeparate: amount(row.feeVatSeparate),
    net: amount(row.net),
    currency: text(currency),
    documentNumber: text(row.documentNumber),
    purpose: text(row.purpose),
    differences: text(words.differences(differences)),
    paymentUid: text(row.paymentUid),
    refundUid: text(row.refundUid),
    qrCodeUid: text(row.qrCodeUid),
    bank: text(words.bank(bank)),
    format: text(words.format(format)),
    paymentId: text(paymentId),
    refundId: text(refundId),
    operationId: text(operationId),
    qrcId: text(qrcId),
    order: text(order),
    settlementUid: text(row.settlementUid),
    line: line === undefined ? undefined : { whole: line },
  }
  return REPORT_COLUMNS.map((name) => cells[name])
}

const text = (value: string | undefined): Cell => (value ? { text: escapeFormula(value) } : undefined)
const amount = (minorUnits: number | undefined): Cell =>
  minorUnits === undefined ? undefined : { minorUnits }

/** The first line of CSV (RFC 4180). */
export const settlementHead = (): string => csvLine(REPORT_COLUMNS)

/** The line of a row. @param offset matches UTC_OFFSET */
export const settlementLine = (row: SettlementReportRow, offset: string): string =>
  csvLine(reportCells(row, API_WORDS).map((cell) => cellText(cell, offset)))

function cellText(cell: Cell, offset: string): string {
  if (cell === undefined) return ''
  if ('text' in cell) return cell.text
  if ('minorUnits' in cell) return signedDecimal(cell.minorUnits)
  if ('day' in cell) return cell.day
  return 'at' in cell ? formatDateTime(cell.at, offset) : `${cell.whole}`
}
