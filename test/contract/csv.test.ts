// The CSV of the API and of the console, as spreadsheets with either separator read it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spreadsheetLine } from '../../src/console/csv.ts'
import { csvLine, escapeFormula } from '../../src/contract/csv.ts'
import { type ReportRow, reportHead, reportLine } from '../../src/contract/payments-report.ts'

/** The records of a file as a spreadsheet reads them: quotes count where a cell begins, and what is behind the second one is added. */
function recordsOf(file: string, separators: string): string[][] {
  const records: string[][] = []
  const ends = `${separators}\r\n`
  let record: string[] = []
  for (let at = 0; at < file.length; at++) {
    let cell = ''
    if (file[at] === '"') {
      for (at++; at < file.length && (file[at] !== '"' || file[at + 1] === '"'); at++) {
        if (file[at] === '"') at++
        cell += file[at]
      }
      at++
    }
    for (; at < file.length && !ends.includes(file.charAt(at)); at++) cell += file[at]
    record.push(cell)
    if (separators.includes(file.charAt(at)) && at < file.length) continue
    if (file.startsWith('\r\n', at)) at++
    records.push(record)
    record = []
  }
  return records
}

/** First and last of the code points that show nothing: a reader can pass over them before it looks for a formula. */
const UNSEEN: [first: number, last: number][] = [
  [0x0, 0x20],
  [0x7f, 0xa0],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0001, 0xe007f],
  [0xe0100, 0xe01ef],
]

/** Cells that a spreadsheet would run. The negative amount of a refund is a number. */
const formulasIn = (file: string, separators: string): string[] =>
  recordsOf(file, separators)
    .flat()
    .filter((cell) => FORMULA_SIGNS.includes(firstSeen(cell)) && !/^-\d+\.\d\d$/.test(cell))

const FORMULA_SIGNS = [...'=+-@＝＋－＠﹦﹢﹣﹫']

/** The first character of a cell that shows something; empty if none does. */
const firstSeen = (cell: string): string =>
  [...cell].find((each) => {
    const code = each.codePointAt(0) ?? 0
    return !UNSEEN.some(([first, last]) => first <= code && code <= last)
  }) ?? ''

const SEPARATORS = [',', ';', '\t', ',;\t']

const unseen = fc
  .constantFrom(...UNSEEN)
  .chain(([first, last]) => fc.integer({ min: first, max: last }))
  .map((code) => String.fromCodePoint(code))
const hostile = fc.string({
  unit: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...FORMULA_SIGNS, ...',;\t\r\n"\' aЯ1') },
    { weight: 1, arbitrary: unseen },
  ),
})
const uids = { paymentUid: hostile, refundUid: hostile, qrCodeUid: hostile, saleUid: hostile }
const rows = fc.array(
  fc.record({
    ...uids,
    type: fc.constantFrom<ReportRow['type']>('PAYMENT', 'REFUND'),
    at: fc.constant(1_800_000_000),
    amount: fc.constant({ minorUnits: 1050, currency: 'RUB' }),
    applied: fc.boolean(),
    payerBank: hostile,
    networkUid: hostile,
    paymentPurpose: hostile,
  }),
  { minLength: 1, maxLength: 3 },
)

describe.each(SEPARATORS)('a spreadsheet that separates by %j', (separators) => {
  it('finds no formula in the API’s report', () =>
    fc.assert(
      fc.property(rows, (all) => {
        const lines = all.map((row) => reportLine(row, 'text/csv', '+03:00'))
        expect(formulasIn(reportHead('text/csv') + lines.join(''), separators)).toEqual([])
      }),
      { numRuns: 1000 },
    ))

  it.each(['ru', 'en'] as const)('finds no formula in the console’s file in %s', (language) =>
    fc.assert(
      fc.property(fc.array(fc.array(hostile, { minLength: 1 }), { minLength: 1 }), (all) => {
        const lines = all.map((cells) => spreadsheetLine(cells.map(escapeFormula), language))
        expect(formulasIn(lines.join(''), separators)).toEqual([])
      }),
      { numRuns: 1000 },
    ),
  )
})

it.each([',', ';'])('a file that separates by %j has the cells that were written', (separator) =>
  fc.assert(
    fc.property(fc.array(fc.array(hostile, { minLength: 1 }), { minLength: 1 }), (all) => {
      const file = all.map((cells) => csvLine(cells, separator)).join('')
      expect(recordsOf(file, separator)).toEqual(all)
    }),
  ),
)

it.each([
  ["Tea;=cmd|'/C calc'!A0;", `"Tea;'=cmd|'/C calc'!A0;"`],
  ["Tea,=cmd|'/C calc'!A0", `"Tea,'=cmd|'/C calc'!A0"`],
  ['Tea; "=1"', `"Tea;' ""=1"""`],
  ['a\n@b', `"a\n'@b"`],
  ['5-6=7', '5-6=7'],
  ['\u200b=1', "'\u200b=1"],
  ['Tea;\ufeff\u00ad@a', '"Tea;\'\ufeff\u00ad@a"'],
  ['a\u2028+1', '"a\u2028\'+1"'],
  ['a\u0085=1', '"a\u0085\'=1"'],
  ['\u2060a=1', '\u2060a=1'],
  ['a\u200b=1', 'a\u200b=1'],
])('%j is the cell %s, whatever separates the cells', (text, cell) => {
  expect(csvLine([escapeFormula(text)])).toBe(`${cell}\r\n`)
  expect(csvLine([escapeFormula(text)], ';')).toBe(`${cell}\r\n`)
})
