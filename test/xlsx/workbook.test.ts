// The spreadsheet: what each cell is, texts that no reader runs, and that it is made as it is read.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Cell } from '../../src/contract/cell.ts'
import { workbook } from '../../src/xlsx/workbook.ts'
import { filesOf, rowsOf } from '../support/xlsx.ts'

const COLUMNS = [{ name: 'A & B', width: 12 }]

async function* pagesOf(...pages: readonly (readonly (readonly Cell[])[])[]) {
  yield* pages
}

async function bytesOf(...pages: readonly (readonly (readonly Cell[])[])[]): Promise<Uint8Array> {
  const parts = await Array.fromAsync(
    workbook({ name: 'Выплаты', columns: COLUMNS, rows: pagesOf(...pages), offset: 3 * 3600 }),
  )
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

const cellOf = async (cell: Cell) => rowsOf(await bytesOf([[cell]]))[1]?.[0]

it.each([
  [{ text: '=1+1' }, { type: 'inlineStr', format: 49, value: '=1+1' }],
  [{ text: ' 0042 ' }, { type: 'inlineStr', format: 49, value: ' 0042 ' }],
  [{ minorUnits: 123_450 }, { type: 'n', format: 4, value: '1234.50' }],
  [{ minorUnits: -7 }, { type: 'n', format: 4, value: '-0.07' }],
  [{ minorUnits: 0 }, { type: 'n', format: 4, value: '0.00' }],
  [{ minorUnits: Number.MAX_SAFE_INTEGER }, { type: 'n', format: 4, value: '90071992547409.91' }],
  [{ day: '1900-03-01' }, { type: 'n', format: 14, value: '61' }],
  [{ day: '2026-11-20' }, { type: 'n', format: 14, value: '46346' }],
  // 20 November 2026, noon in Moscow.
  [{ at: Date.parse('2026-11-20T09:00:00Z') / 1000 }, { type: 'n', format: 22, value: '46346.5' }],
  [{ whole: 17 }, { type: 'n', format: 0, value: '17' }],
  [undefined, { type: 'n', format: 0, value: '' }],
] as const)('%j is the cell %j', async (cell, stored) => expect(await cellOf(cell)).toEqual(stored))

it('a text is stored as it is, but for what XML cannot have', () =>
  fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it cannot have
      const kept = text.replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
      expect((await cellOf({ text }))?.value).toBe(kept)
    }),
  ))

it('what is escaped in a spreadsheet is itself, and half a character is replaced', async () => {
  expect((await cellOf({ text: '_x000D_ _x000d_ a\r\n<b>&amp;"\ud800' }))?.value).toBe(
    '_x000D_ _x000d_ a\r\n<b>&amp;"\ufffd',
  )
})

it('rows of all pages follow the names of the columns', async () => {
  const rows = rowsOf(await bytesOf([[{ whole: 1 }], [{ whole: 2 }]], [], [[{ whole: 3 }]]))
  expect(rows.map(([cell]) => cell?.value)).toEqual(['A & B', '1', '2', '3'])
})

it('without rows it has the names of the columns', async () => {
  expect(rowsOf(await bytesOf())).toEqual([[{ type: 'inlineStr', format: 49, value: 'A & B' }]])
})

it('the same rows make the same bytes', async () => {
  expect(await bytesOf([[{ whole: 1 }]])).toEqual(await bytesOf([[{ whole: 1 }]]))
})

it('it has the files that a spreadsheet needs', async () => {
  const files = filesOf(await bytesOf())
  expect([...files.keys()]).toEqual([
    ...['[Content_Types].xml', '_rels/.rels', 'xl/workbook.xml', 'xl/_rels/workbook.xml.rels'],
    ...['xl/styles.xml', 'xl/worksheets/sheet1.xml'],
  ])
  expect(files.get('xl/workbook.xml')).toContain('name="Выплаты"')
})

it('a page is asked for when what is before it was taken, and an end is passed on', async () => {
  let asked = 0
  let isEnded = false
  async function* rows() {
    try {
      for (;;) {
        asked++
        yield [[{ whole: asked }]]
      }
    } finally {
      isEnded = true
    }
  }
  const parts = workbook({ name: 'a', columns: COLUMNS, rows: rows(), offset: 0 })
  await parts.next()
  expect(asked).toBe(1)
  await parts.return()
  expect(isEnded).toBe(true)
})

it('a failure of the first page comes before the first byte', async () => {
  // biome-ignore lint/correctness/useYield: it fails before
  async function* rows(): AsyncGenerator<Cell[][]> {
    throw new Error('the site refuses')
  }
  const parts = workbook({ name: 'a', columns: COLUMNS, rows: rows(), offset: 0 })
  await expect(parts.next()).rejects.toThrow('the site refuses')
})

it('more rows than a sheet has are refused', async () => {
  const page = new Array<Cell[]>(1_048_576).fill([])
  await expect(bytesOf(page)).rejects.toThrow('a sheet has at most 1048576 rows')
})
