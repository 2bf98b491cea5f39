// What npm run settlement prints of random files: sums to the kopeck, by kind and by day of payout.
import * as fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { reportOf } from '../../../bin/settlement/report.ts'
import { AMOUNTS, Sums } from '../../../bin/settlement/sums.ts'
import type { Entry } from '../../../src/settlement/formats/entry.ts'
import { encode, outcomeOf, streamOf } from '../../support/settlement/files.ts'
import { KITS, type Kit, type Operation } from '../../support/settlement/kits.ts'
import { operations } from '../../support/settlement/operations.ts'

/** The rows of the table whose first column is `name`, by their first cells. */
function tableOf(text: string, name: string): Record<string, Record<string, string>> {
  const block = text.split('\n\n').find((each) => each.startsWith(`${name} `)) ?? ''
  const [names = [], ...rows] = block
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [line.split(/ {2,}/)]))
  return Object.fromEntries(
    rows.map(([first = '', ...cells]) => [
      first,
      Object.fromEntries(cells.map((cell, i) => [names[i + 1], cell])),
    ]),
  )
}

/** Kopecks as a person adds them, of the entries that state the amount. */
function sumOf(entries: readonly Partial<Entry>[], name: (typeof AMOUNTS)[number]): string {
  const stated = entries.flatMap((entry) => (entry[name] === undefined ? [] : [BigInt(entry[name])]))
  if (stated.length === 0) return 'not stated'
  const all = stated.reduce((sum, each) => sum + each, 0n)
  const [sign, kopecks] = all < 0n ? ['-', -all] : ['', all]
  const text = `${sign}${kopecks / 100n}.${String(kopecks % 100n).padStart(2, '0')}`
  return stated.length === entries.length ? text : `${text} (${stated.length} of ${entries.length})`
}

const rowOf = (entries: readonly Partial<Entry>[]) => ({
  count: `${entries.length}`,
  ...Object.fromEntries(AMOUNTS.map((name) => [name, sumOf(entries, name)])),
})

function rowsBy(entries: readonly Partial<Entry>[], keyOf: (entry: Partial<Entry>) => string | undefined) {
  const groups = Map.groupBy(entries, (entry) => keyOf(entry) ?? 'not stated')
  return Object.fromEntries([...groups].map(([key, group]) => [key, rowOf(group)]))
}

async function textOf(kit: Kit, month: readonly Operation[]): Promise<string> {
  const rows = month.map((each, index) => ({ operation: each, number: index + 1, cells: {} }))
  const outcome = await outcomeOf(kit.parse, streamOf(encode(kit.text(rows, 0), kit.encoding)))
  if (!('entries' in outcome)) throw new Error(JSON.stringify(outcome))
  const sums = new Sums()
  for (const entry of outcome.entries) sums.add(entry)
  return reportOf(sums, outcome.summary)
}

describe.each(KITS)('of a file of $name', (kit) => {
  it('counts and sums are those of its operations, and what the bank does not state is not stated', () =>
    fc.assert(
      fc.asyncProperty(operations(0), async (all) => {
        const month = all.map((each) => ({ ...each, isOther: each.isOther && kit.name !== 'Tochka' }))
        const text = await textOf(kit, month)
        const ours = month.filter(({ isOther }) => !isOther).map((each) => kit.entry(each, 1))
        expect(tableOf(text, 'kind')).toEqual(rowsBy(ours, ({ kind }) => kind))

        const others = month.filter(({ isOther }) => isOther).map((each) => kit.entry(each, 1))
        const net = kit.name === 'T-Bank' ? sumOf(others, 'net') : 'not stated'
        expect(text).toContain(`operations: ${month.length}\n`)
        expect(text).toContain(`skipped: ${others.length}${others.length > 0 ? `, net ${net}` : ''}\n`)

        const skippedNet = others.length === 0 ? '0.00' : net
        const days = rowsBy(ours, ({ paidOn }) => paidOn)
        if (net !== 'not stated') days['2026-11-21'] ??= rowOf([])
        expect(tableOf(text, 'paidOn')).toEqual(
          Object.fromEntries(
            Object.entries(days).map(([day, row]) => [day, { ...row, skippedNet, payout: 'not stated' }]),
          ),
        )
      }),
      { numRuns: Math.ceil(inject('baskets') / 10) },
    ))
})

const entry = (own: Partial<Entry>): Entry => ({
  ...{ kind: 'payment', type: 'Debit', line: 1, identity: '1', currency: 'RUB', operatedAt: 0 },
  ...{ hasTime: true, bankIds: {}, ...own },
})
const reported = (entries: readonly Entry[], skippedNet: Record<string, number> = {}) => {
  const sums = new Sums()
  for (const each of entries) sums.add(each)
  const skipped = Object.keys(skippedNet).length
  const counts = { lines: entries.length + skipped, entries: entries.length, skipped }
  return reportOf(sums, { ...counts, skippedNet })
}

it('sums are exact above 2^53 kopecks', () => {
  const text = reported(Array.from({ length: 11 }, () => entry({ gross: 999_999_999_999_999, paidOn: 'a' })))
  expect(tableOf(text, 'kind').payment?.gross).toBe('109999999999999.89')
})

it('a sum that some of the entries state says of how many', () => {
  const text = reported([entry({ gross: 100, fee: -1 }), entry({ fee: -2 })])
  expect(tableOf(text, 'kind').payment).toMatchObject({ gross: '1.00 (1 of 2)', fee: '-0.03' })
})

it('a payout is not an operation of its day, and days are in order, without a day the last', () => {
  const text = reported(
    [
      entry({ gross: 50 }),
      entry({ kind: 'payout', gross: 9_930, paidOn: '2026-11-22' }),
      entry({ gross: 10_000, fee: -70, net: 9_930, paidOn: '2026-11-21' }),
    ],
    { '2026-11-20': -1 },
  )
  const days = Object.entries(tableOf(text, 'paidOn')).map(([day, { count, gross, skippedNet, payout }]) => [
    ...[day, count, gross, skippedNet, payout],
  ])
  expect(days).toEqual([
    ['2026-11-20', '0', 'not stated', '-0.01', 'not stated'],
    ['2026-11-21', '1', '100.00', '0.00', 'not stated'],
    ['2026-11-22', '0', 'not stated', '0.00', '99.30'],
    ['not stated', '1', '0.50', '0.00', 'not stated'],
  ])
})
