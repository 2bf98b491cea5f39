// How the lines of a registry stand in its file: which are operations, and of which terminal; what each part of it has besides.
import { cellsOf, columnsOf } from '../../../src/settlement/formats/csv.ts'
import { kopecksIn, roubles } from '../../../src/settlement/formats/money.ts'
import { WITH_FISCAL_FEE, WITHOUT_FISCAL_FEE } from '../../../src/settlement/formats/tbank-columns.ts'
import type { SettlementBank } from '../../../src/settlement/sources.ts'

/** The lines of a file that was read without a fault, as text without line breaks, by what they are. Numbers are from 0. */
export interface Layout {
  /** The lines before the operations, which each part has. */
  head: number
  /** The line behind the last operation: a total stands there, if there is one. */
  end: number
  /** The terminal of an operation, as `terminalOf` of its entry. */
  terminalOf: (line: string) => string
  /** The total of some operations; undefined where a part needs none. */
  totalOf?: (lines: readonly string[]) => string
}

type LineBank = Exclude<SettlementBank, 'tochka'>

export const ENCODINGS: Record<LineBank, 'windows-1251' | 'utf-8'> = {
  tbank: 'windows-1251',
  raiffeisen: 'windows-1251',
  'tochka-pay': 'utf-8',
}

export const LAYOUTS: Record<LineBank, (lines: readonly string[]) => Layout> = {
  tbank: tbankLayout,
  raiffeisen: raiffeisenLayout,
  'tochka-pay': tochkaPayLayout,
}

/** The total, which the bank does not describe, is left out: a part has the lines as they are, with gaps in their numbers. */
function tbankLayout(lines: readonly string[]): Layout {
  const width = cellsOf(lines[0] ?? '').length
  const columns = columnsOf(width === WITH_FISCAL_FEE.length ? WITH_FISCAL_FEE : WITHOUT_FISCAL_FEE)
  const hasHeader = !/^\d/.test(cellsOf(lines[0] ?? '')[0] ?? '')
  const total = lines.findIndex((line) => /^итого/i.test(cellsOf(line)[0] ?? ''))
  return {
    head: hasHeader && total !== 0 ? 1 : 0,
    end: total === -1 ? operationsEnd(lines) : total,
    terminalOf: (line) => cellsOf(line)[columns.get('terminal') ?? -1] ?? '',
  }
}

/** The title, an empty line and the header; the total must be that of the lines. */
function raiffeisenLayout(lines: readonly string[]): Layout {
  const header = cellsOf(lines[2] ?? '')
  const [merchant, amount, fee] = ['Мерчант', 'Сумма', 'Комиссия'].map((name) => header.indexOf(name))
  const sumOf = (operations: readonly string[], column = -1) =>
    operations.reduce((sum, line) => sum + (kopecksIn(cellsOf(line)[column] ?? '', 'point or whole') ?? 0), 0)
  return {
    head: 3,
    end: lines.findIndex((line, at) => at > 2 && cellsOf(line)[merchant ?? -1] === 'ИТОГО'),
    terminalOf: (line) => cellsOf(line)[merchant ?? -1] ?? '',
    totalOf: (operations) =>
      header
        .map((_, column) => {
          if (column === merchant) return 'ИТОГО'
          return column === amount || column === fee ? roubles(sumOf(operations, column)) : ''
        })
        .join(';'),
  }
}

function tochkaPayLayout(lines: readonly string[]): Layout {
  const first = cellsOf(lines[0] ?? '')
  const isHeader = first.includes('TRANS_DATE') || first.includes('SUM')
  // Without a header the columns have the documented order.
  const terminal = isHeader ? first.indexOf('MERCH_SITE') : 7
  return {
    head: isHeader ? 1 : 0,
    end: operationsEnd(lines),
    terminalOf: (line) => cellsOf(line)[terminal] ?? '',
  }
}

/** Empty lines at the end of a file are no operations. */
const operationsEnd = (lines: readonly string[]): number => lines.findLastIndex((line) => line !== '') + 1
