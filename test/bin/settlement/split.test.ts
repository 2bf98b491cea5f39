// A registry is split over sites: each part is a file of its bank, and says of its operations what the whole file says.
import * as fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { Numbers, ownersOf } from '../../../bin/settlement/split/owners.ts'
import { contentsOf, partsOf } from '../../../bin/settlement/split/parts.ts'
import type { BankNumbers } from '../../../src/contract/bank-numbers.ts'
import type { Entry } from '../../../src/settlement/formats/entry.ts'
import { parserOf } from '../../../src/settlement/formats/formats.ts'
import type { SettlementBank } from '../../../src/settlement/sources.ts'
import { encode } from '../../support/settlement/files.ts'
import { KITS } from '../../support/settlement/kits.ts'
import { operations } from '../../support/settlement/operations.ts'
import { raiffeisenLine, raiffeisenText } from '../../support/settlement/raiffeisen.ts'
import { tbankCard, tbankLine, tbankText } from '../../support/settlement/tbank.ts'

const REGISTRIES: [bank: SettlementBank, kit: string][] = [
  ['tbank', 'T-Bank'],
  ['raiffeisen', 'Raiffeisenbank'],
  ['tochka-pay', 'Pay Gateway'],
  ['tochka', 'Tochka'],
]

const parserFor = (bank: SettlementBank) => parserOf(bank, 'registry', { payoutAccounts: [] })
const withoutLines = (entries: readonly Entry[]) => entries.map(({ line: _, ...entry }) => entry)
const NO_TERMINALS = new Map<string, string>()

/** The entries of a file, and its parts where `siteOf` says whose each entry is. */
async function split(
  bank: SettlementBank,
  bytes: Uint8Array,
  siteOf: (entry: Entry, index: number) => string | undefined,
) {
  const parse = parserFor(bank)
  const { entries, summary } = await contentsOf(parse, bytes)
  const owners = new Map(
    entries.flatMap((entry, index): [Entry, string][] => {
      const site = siteOf(entry, index)
      return site === undefined ? [] : [[entry, site]]
    }),
  )
  const owned = { entries, siteOf: owners, siteOfTerminal: NO_TERMINALS }
  return { entries, summary, owners, parse, ...(await partsOf(bytes, { bank, parse }, owned)) }
}

describe.each(REGISTRIES)('of %s', (bank, name) => {
  const kit = KITS.find((each) => each.name === name)
  if (!kit) throw new Error(`there is no kit ${name}`)

  it('the parts have the entries of the file, each once, as the file states them, and the same bytes each time', async () => {
    await fc.assert(
      fc.asyncProperty(
        operations(1),
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 12, maxLength: 12 }),
        async (all, sites) => {
          const rows = all.map((operation, index) => ({ operation, number: index + 1, cells: {} }))
          const bytes = encode(kit.text(rows, 0), kit.encoding)
          const siteOf = (_: Entry, index: number) => sites[index]
          const once = await split(bank, bytes, siteOf)
          const read = await Promise.all(
            [...once.files].map(async ([site, file]) => ({ site, ...(await contentsOf(once.parse, file)) })),
          )
          for (const { site, entries } of read) {
            const own = once.entries.filter((entry) => once.owners.get(entry) === site)
            expect(withoutLines(entries)).toEqual(withoutLines(own))
          }
          expect(read.flatMap(({ entries }) => entries)).toHaveLength(once.entries.length)
          const lines = read.reduce((sum, { summary }) => sum + summary.lines, 0)
          expect(lines + once.leftOut).toBe(once.summary.lines)
          expect((await split(bank, bytes, siteOf)).files).toEqual(once.files)
        },
      ),
      { seed: inject('seed'), numRuns: 60 },
    )
  })
})

describe('a part', () => {
  const text = (bytes: Uint8Array | undefined) => new TextDecoder('windows-1251').decode(bytes)

  it('has the lines of its site byte for byte, and the header; a total is left out', async () => {
    const lines = [
      tbankLine({}),
      tbankLine({ number: '2', paymentId: '700000002', description: 'чай' }),
      tbankLine({ number: '3', paymentId: '700000003' }),
    ]
    const cells = (first: string) =>
      [first, ...Array.from({ length: 20 }, (_, column) => `столбец ${column}`)].join(';')
    const total = `Итого${';'.repeat(20)}`
    const bytes = encode(tbankText(lines, { header: cells('номер'), total }), 'windows-1251')
    const { files } = await split('tbank', bytes, (_, index) => (index === 1 ? 'b' : 'a'))
    const raw = text(bytes).split('\r\n')
    expect(text(files.get('a')).split('\r\n')).toEqual([raw[0], raw[1], raw[3], ''])
    expect(text(files.get('b')).split('\r\n')).toEqual([raw[0], raw[2], ''])
  })

  it('has the total of its own lines at Raiffeisenbank', async () => {
    const lines = [
      raiffeisenLine({ Сумма: '3806.00', Комиссия: '15.22' }),
      raiffeisenLine({ Сумма: '100.00', Комиссия: '0.40', 'id заказа': 'tea-2' }),
      raiffeisenLine({ Сумма: '200.00', Комиссия: '0.80', 'id заказа': 'tea-3' }),
    ]
    const bytes = encode(raiffeisenText(lines, ['4 106.00', '16.42']), 'windows-1251')
    const { files } = await split('raiffeisen', bytes, (_, index) => (index === 1 ? 'b' : 'a'))
    const totalOf = (site: string) =>
      text(files.get(site))
        .trim()
        .split('\n')
        .at(-1)
        ?.split(';')
        .filter((cell) => cell !== '')
    expect(totalOf('a')).toEqual(['ИТОГО', '4006.00', '16.02'])
    expect(totalOf('b')).toEqual(['ИТОГО', '100.00', '0.40'])
  })

  it.each([
    ['of the only site at their terminal', ['a', 'a'], { a: 3 }, 0],
    ['in no part where two sites share it', ['a', 'b'], { a: 1, b: 1 }, 1],
  ])('lines of cards are %s', async (_, sites, expected, leftOut) => {
    const lines = [
      tbankLine({}),
      tbankCard({ number: '2' }),
      tbankLine({ number: '3', paymentId: '700000002' }),
    ]
    const bytes = encode(tbankText(lines), 'windows-1251')
    const parts = await split('tbank', bytes, (_entry, index) => sites[index])
    const counts = [...parts.files].map(async ([site, file]) => {
      const { summary } = await contentsOf(parts.parse, file)
      return [site, summary.lines]
    })
    expect(Object.fromEntries(await Promise.all(counts))).toEqual(expected)
    expect(parts.leftOut).toBe(leftOut)
  })

  it('is refused where equal lines are of two sites: one of them would have the number of the other', async () => {
    const refund = { type: 'Credit', fee: '0.00', operationId: '', amount: '-30.00', toBePaid: '-30.00' }
    const lines = [tbankLine(refund), tbankLine({ ...refund, number: '2' })]
    const bytes = encode(tbankText(lines), 'windows-1251')
    await expect(split('tbank', bytes, (_, index) => (index === 0 ? 'a' : 'b'))).rejects.toThrow(
      'the file cannot be split: the part of b does not say what the file says',
    )
  })
})

describe('an entry', () => {
  const entryOf = async (cells: Record<string, string>) => {
    const bytes = encode(tbankText([tbankLine(cells)]), 'windows-1251')
    const [entry] = (await contentsOf(parserFor('tbank'), bytes)).entries
    if (!entry) throw new Error('there is no entry')
    return entry
  }
  const paid = (numbers: Partial<BankNumbers>): BankNumbers => ({
    paymentUid: 'AD1',
    qrcId: 'AD1',
    ...numbers,
  })
  const REFUND = { type: 'Credit', fee: '0.00', operationId: '', amount: '-30.00', toBePaid: '-30.00' }
  const FEE = { type: 'ServiceFee', system: '', amount: '-99.00', fee: '0.00', toBePaid: '-99.00', order: '' }
  const NO_NUMBER = { ...FEE, paymentId: '', operationId: '' }
  const OPERATION = 'A63250605301234567890000011C0101'

  it.each<[claim: string, cells: Record<string, string>, a: BankNumbers[], b: BankNumbers[], site?: string]>([
    [
      'is of the site with its number',
      {},
      [paid({ networkUid: '1' })],
      [paid({ networkUid: '700000001' })],
      'b',
    ],
    ['is of the site with its operation', {}, [paid({ paymentUid: OPERATION })], [paid({})], 'a'],
    [
      'that is a refund is of the site with its payment',
      REFUND,
      [],
      [paid({ networkUid: '700000001' })],
      'b',
    ],
    [
      'that is a second payment of an order is of the site with the order',
      {},
      [paid({ order: 'tea-1' })],
      [],
      'a',
    ],
    [
      'is found by its number before its order',
      {},
      [paid({ order: 'tea-1' })],
      [paid({ networkUid: '700000001' })],
      'b',
    ],
    [
      'is found by its order where two sites have its number',
      {},
      [paid({ networkUid: '700000001', order: 'tea-1' })],
      [paid({ networkUid: '700000001' })],
      'a',
    ],
    [
      'is not found by an order that is another site’s number',
      { order: '5' },
      [paid({ networkUid: '5' })],
      [],
    ],
    [
      'is of no site where two have all its numbers',
      REFUND,
      [paid({ networkUid: '700000001' })],
      [paid({ networkUid: '700000001' })],
    ],
    ['that no site has is of none', {}, [paid({ networkUid: '1', order: 'x' })], []],
    ['that is a fee without a number is of none', NO_NUMBER, [paid({ networkUid: '700000001' })], []],
  ])('%s', async (_, cells, a, b, expected) => {
    const entry = await entryOf(cells)
    const numbers = new Numbers()
    for (const each of a) numbers.add('a', each)
    for (const each of b) numbers.add('b', each)
    const alone = ownersOf([entry], numbers, NO_TERMINALS)
    expect(alone.siteOf.get(entry)).toBe(expected)
    expect(alone.left).toEqual(expected === undefined ? [entry] : [])
    // The terminal decides only where no site has it.
    const named = ownersOf([entry], numbers, new Map([['25001234', 'c']]))
    expect(named.siteOf.get(entry)).toBe(expected ?? 'c')
    expect(named.left).toEqual([])
  })
})
