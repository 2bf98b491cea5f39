// Files that are changed in one to five lines: the parser sees exactly that, or says exactly where it is.
import * as fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { encode, outcomeOf, streamOf } from '../support/settlement/files.ts'
import { KITS, type Kit, type Operation, type Row } from '../support/settlement/kits.ts'
import { operations } from '../support/settlement/operations.ts'

interface Changed extends Row {
  /** Columns that break their rule. */
  broken: string[]
}

const CHANGES = [
  'amount',
  'fee',
  'day',
  'id',
  'order',
  'lost',
  'added',
  'quoted',
  'broken',
  'twice',
  'swapped',
  'total',
] as const
type Change = (typeof CHANGES)[number]
const change = fc.record({
  what: fc.constantFrom<Change>(...CHANGES),
  at: fc.nat(),
  by: fc.integer({ min: 1, max: 1_000 }),
})

/** What is read as another file, and what is not: in the order of the changes. */
function changed(
  kit: Kit,
  from: readonly Operation[],
  changes: readonly { what: Change; at: number; by: number }[],
) {
  let rows = from.map(
    (each): Changed => ({
      operation: { ...each, isOther: each.isOther && kit.name !== 'Tochka' },
      number: 0,
      cells: {},
      broken: [],
    }),
  )
  const change = (kind: Change, apply: (row: Changed, at: number, by: number) => void) => {
    for (const { what, at, by } of changes) {
      const row = rows[at % rows.length]
      if (what === kind && row) apply(row, at % rows.length, by)
    }
  }
  change('amount', ({ operation }, _, by) => {
    operation.gross += by
  })
  change('fee', ({ operation }, _, by) => {
    if (operation.kind === 'payment') operation.fee = (operation.fee + by) % 1_000
  })
  change('day', ({ operation }, _, by) => {
    operation.at = (operation.at + by * 86_400) % (30 * 86_400)
  })
  change('id', ({ operation }, _, by) => {
    operation.id += by * 1_000_000
  })
  change('order', ({ operation }) => {
    operation.order = '=HYPERLINK("x")'.replaceAll('"', '')
  })
  change('lost', (_, at) => {
    rows = rows.toSpliced(at, 1)
  })
  change('added', (row, at, by) => {
    const operation = { ...row.operation, id: by * 1_000_000 + 7 + at }
    rows = rows.toSpliced(at, 0, { operation, number: 0, cells: {}, broken: [] })
  })
  change('quoted', (row) => {
    row.cells = { ...row.cells, ...kit.quoted?.(row.operation) }
  })
  change('broken', (row, _, by) => {
    const cells = Object.entries(kit.broken).flatMap(([column, each]) =>
      each.map((cell) => ({ column, cell })),
    )
    const { column, cell } = cells[by % cells.length] ?? { column: '', cell: '' }
    if (row.broken.length > 0) return
    row.cells = { ...row.cells, [column]: cell }
    row.broken = [column]
  })
  for (const [index, row] of rows.entries()) row.number = index + 1
  change('twice', (row, at) => {
    rows = rows.toSpliced(at, 0, row)
  })
  change('swapped', (row, at) => {
    const next = rows[at + 1]
    if (next) rows = rows.toSpliced(at, 2, next, row)
  })
  const more = rows.length > 0 && changes.some(({ what }) => what === 'total') ? 1 : 0
  return { rows, more }
}

/** The places of the faults that a parser must find. */
function faultsOf(kit: Kit, rows: readonly Changed[], more: number): string[] {
  const seen = new Set<string>()
  let last = -1
  const faults = rows.flatMap((row, index) => {
    const columns = [...row.broken]
    if (kit.isNumbered && row.number <= last) columns.push('number')
    last = Math.max(last, row.number)
    const once = kit.once(row)
    const key = `${row.operation.kind} ${row.operation.id}`
    if (columns.length === 0 && once !== undefined) {
      if (seen.has(key)) columns.push(once)
      seen.add(key)
    }
    return columns.map((column) => kit.place(rows, index, column))
  })
  const total = kit.total?.(rows)
  return faults.length === 0 && more !== 0 && total !== undefined ? [total] : faults
}

const RUNS = inject('baskets')

describe.each(KITS.map((kit) => [kit.name, kit] as const))('%s', (_, kit) => {
  it('gives the changed entries, or names exactly the lines and columns', () =>
    fc.assert(
      fc.asyncProperty(
        operations(1),
        fc.array(change, { minLength: 0, maxLength: 5 }),
        async (from, changes) => {
          const { rows, more } = changed(kit, from, changes)
          const result = await outcomeOf(kit.parse, streamOf(encode(kit.text(rows, more), kit.encoding)))
          const faults = faultsOf(kit, rows, more)
          if (faults.length > 0) {
            const found = 'faults' in result ? Object.keys(result.faults).toSorted() : result
            if (faults.length <= 10) expect(found).toEqual(faults.toSorted())
            else expect(faults).toEqual(expect.arrayContaining(Array.isArray(found) ? found : ['none']))
            return
          }
          const ours = rows.flatMap(({ operation }, index) =>
            operation.isOther ? [] : [kit.entry(operation, kit.line(index))],
          )
          if (!('entries' in result)) throw new Error(JSON.stringify(result))
          expect(result.entries.map(({ identity, currency, ...entry }) => entry)).toEqual(ours)
          expect(new Set(result.entries.map(({ identity }) => identity)).size).toBe(ours.length)
          expect(result.summary).toMatchObject({ lines: rows.length, skipped: rows.length - ours.length })
        },
      ),
      { numRuns: RUNS },
    ))

  it('is read the same in whatever pieces it comes, cut off or whole', () =>
    fc.assert(
      fc.asyncProperty(
        operations(0),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 4 }),
        fc.nat(),
        async (from, sizes, cut) => {
          const { rows } = changed(kit, from, [])
          const whole = encode(kit.text(rows, 0), kit.encoding)
          for (const bytes of [whole, whole.subarray(0, cut % (whole.length + 1))])
            expect(await outcomeOf(kit.parse, streamOf(bytes, sizes))).toEqual(
              await outcomeOf(kit.parse, streamOf(bytes)),
            )
        },
      ),
    ))

  it('gives each entry the same identity in each file that has it', () =>
    fc.assert(
      fc.asyncProperty(operations(2), fc.nat(), async (from, at) => {
        const identities = async (some: readonly Operation[]) => {
          const { rows } = changed(kit, some, [])
          const result = await outcomeOf(kit.parse, streamOf(encode(kit.text(rows, 0), kit.encoding)))
          return 'entries' in result ? result.entries.map(({ identity }) => identity) : []
        }
        const all = await identities(from)
        const fewer = await identities(from.toSpliced(at % from.length, 1))
        expect(all).toEqual(expect.arrayContaining(fewer))
      }),
      { numRuns: 50 },
    ))
})
