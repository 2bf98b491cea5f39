// A month's file that is changed in one to five lines: each change is found, by its kind and value, and nothing else is.
import * as fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import type { Difference } from '../../src/settlement/differences.ts'
import { moscowDay } from '../../src/settlement/formats/dates.ts'
import type { Entry } from '../../src/settlement/formats/entry.ts'
import { type Match, match } from '../../src/settlement/matching.ts'
import type { Operation as Ours } from '../../src/settlement/operation.ts'
import { encode, outcomeOf, streamOf } from '../support/settlement/files.ts'
import { GOLDEN_MONTH } from '../support/settlement/golden-month.ts'
import { KITS, type Kit, type Operation, type Row } from '../support/settlement/kits.ts'

const CHANGES = [
  ...['amount', 'fee', 'day', 'id', 'type', 'lost', 'added', 'twice', 'swapped', 'quoted', 'broken'],
] as const
const change = fc.record({
  what: fc.constantFrom(...CHANGES),
  at: fc.nat(),
  by: fc.integer({ min: 1, max: 1_000 }),
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** A line, and the operation of ours that it was made of. */
interface Line extends Row {
  from: Operation
  /** The column that breaks its rule. */
  broken?: string | undefined
}

const DAY = 86_400

const APPLY: Record<string, (line: Line, by: number, kit: Kit) => Line[]> = {
  amount: (line, by) => [changed(line, { gross: line.operation.gross + by })],
  fee: (line, by) => [
    line.operation.kind === 'refund' ? line : changed(line, { fee: (line.operation.fee + by) % 1_000 }),
  ],
  day: (line, by) => [changed(line, { at: (line.operation.at + (by % 30) * DAY) % (30 * DAY) })],
  // Of the number alone, or of the order, too.
  id: (line, by) => [
    by % 2 === 0 ? renamed(line, by) : changed(line, { id: line.operation.id + by * 1_000 }),
  ],
  type(line) {
    const kind = line.operation.kind === 'payment' ? 'refund' : 'payment'
    return [changed(line, { kind, fee: 0 })]
  },
  lost: () => [],
  added: (line, by) => [line, renamed(line, by + 2_000)],
  twice: (line) => [line, { ...line }],
  quoted: (line, _, kit) => [{ ...line, cells: { ...line.cells, ...kit.quoted?.(line.operation) } }],
  broken(line, by, kit) {
    const cells = Object.entries(kit.broken).flatMap(([column, each]) =>
      each.map((cell) => ({ column, cell })),
    )
    const { column, cell } = cells[by % cells.length] ?? { column: '', cell: '' }
    return [{ ...line, cells: { ...line.cells, [column]: cell }, broken: column }]
  },
}

const changed = (line: Line, fields: Partial<Operation>): Line => ({
  ...line,
  operation: { ...line.operation, ...fields },
})

/** Of numbers that no other line has. */
function renamed(line: Line, by: number): Line {
  const id = line.operation.id + by * 1_000
  return changed(line, { id, order: `tea-${id}` })
}

function linesOf(kit: Kit, changes: readonly Change[]): Line[] {
  let lines = monthOf(kit).map((operation): Line => ({ operation, from: operation, number: 0, cells: {} }))
  // Quotes are put around what a cell has in the end.
  const isLast = ({ what }: Change) => Number(what === 'quoted')
  for (const { what, at, by } of changes.toSorted((a, b) => isLast(a) - isLast(b))) {
    const index = at % Math.max(lines.length, 1)
    const [line, next] = lines.slice(index)
    if (!line) continue
    // A line that breaks a rule stays as it is: its fault is known.
    if (what === 'swapped') lines = next ? lines.toSpliced(index, 2, next, line) : lines
    else if (!line.broken) lines = lines.toSpliced(index, 1, ...(APPLY[what]?.(line, by, kit) ?? [line]))
  }
  return lines.map((line, index) => ({ ...line, number: index + 1 }))
}

/** Tochka's groups are of one kind of payment: this file has no card. */
const monthOf = (kit: Kit): Operation[] =>
  GOLDEN_MONTH.filter(({ isOther }) => !isOther || kit.name !== 'Tochka')

/** By which column the bank names an operation: a second line of one is a fault. */
const NAMED: Record<string, Partial<Record<Operation['kind'], string>>> = {
  'T-Bank': { payment: 'paymentId' },
  Raiffeisenbank: { refund: 'id возврата' },
  'Pay Gateway': { payment: 'TRANSACTION_ID', refund: 'TRANSACTION_ID' },
  Tochka: { payment: 'operationId' },
}

function faultsOf(kit: Kit, lines: readonly Line[]): string[] {
  const seen = new Set<string>()
  return lines.flatMap(({ operation: { kind, id, isOther }, broken }, index) => {
    if (broken !== undefined) return [kit.place(lines, index, broken)]
    const column = isOther ? undefined : NAMED[kit.name]?.[kind]
    const isTwice = column !== undefined && seen.has(`${kind} ${id}`)
    seen.add(`${kind} ${id}`)
    return isTwice ? [kit.place(lines, index, column)] : []
  })
}

/** The operation of ours that a line still names: a payment at Raiffeisenbank by its order, which is all that it has. */
function ownOf({ name }: Kit, { from, operation }: Line): Operation | undefined {
  const { kind } = operation
  const isByOrder = name === 'Raiffeisenbank' && kind === 'payment'
  const isSame = isByOrder ? operation.order === from.order : operation.id === from.id
  return isSame && kind === from.kind ? from : undefined
}

const signed = ({ kind, gross }: Operation): number => (kind === 'payment' ? gross : 0 - gross)

/** What the site has: that which the golden file says, by the numbers that a connector learns. */
function oursOf(kit: Kit): Ours[] {
  return monthOf(kit).flatMap((operation): Ours[] => {
    if (operation.isOther) return []
    const { bankIds = {}, operatedAt = 0 } = kit.entry(operation, 0)
    const { operationId: _, ...ids } = bankIds
    return [
      {
        ...{ kind: operation.kind, uid: `${operation.id}`, amount: signed(operation), currency: 'RUB' },
        ...{ status: 'COMPLETED', at: operatedAt, ids },
      },
    ]
  })
}

/** A match by what it says: of which operation, in which state, what differs. */
const said = ({ entry, operation, state, differences }: Omit<Match, 'entry'> & { entry: Partial<Entry> }) =>
  JSON.stringify([entry.kind, entry.gross, entry.fee, operation?.uid ?? null, state, differences])

function expected(kit: Kit, lines: readonly Line[]): string[] {
  const ours = new Map(oursOf(kit).map((each) => [each.uid, each]))
  const counts = Map.groupBy(lines, (line) => ownOf(kit, line))
  const matched = new Set<Operation>()
  return lines.flatMap((line, index) => {
    if (line.operation.isOther) return []
    const entry = kit.entry(line.operation, kit.line(index))
    const own = ownOf(kit, line)
    const operation = own && ours.get(`${own.id}`)
    if (!own || !operation) return [said({ entry, state: 'UNKNOWN', differences: [] })]
    const differences = differencesOf(entry, operation)
    // Of two lines of one operation, one that is equal to it is its own.
    const isAlone = counts.get(own)?.length === 1
    const isEqual = differences.length === 0 && !isFarFrom(entry, operation)
    const isMatched = isAlone || (isEqual && !matched.has(own))
    if (!isMatched) return [said({ entry, state: 'UNKNOWN', differences: [] })]
    matched.add(own)
    const state = differences.length === 0 ? 'MATCHED' : 'MISMATCHED'
    return [said({ entry, operation, state, differences })]
  })
}

const isFarFrom = ({ operatedAt = 0, hasTime }: Partial<Entry>, { at }: Ours): boolean =>
  hasTime === true && Math.abs(Math.floor((operatedAt + 10_800) / DAY) - Math.floor((at + 10_800) / DAY)) > 1

/** A refund has no day to compare. */
function differencesOf(entry: Partial<Entry>, operation: Ours): Difference[] {
  const { gross = 0, operatedAt = 0 } = entry
  const { kind, amount, at } = operation
  const isFar = kind === 'payment' && isFarFrom(entry, operation)
  return [
    ...(gross === amount ? [] : [{ field: 'amount' as const, ours: amount, theirs: gross }]),
    ...(isFar ? [{ field: 'day' as const, ours: moscowDay(at), theirs: moscowDay(operatedAt) }] : []),
  ]
}

/** A statement names the code alone, and no time: among the operations of one code an entry is that of its amount. */
function expectedByAmount(kit: Kit, lines: readonly Line[]): string[] {
  const left = oursOf(kit)
  return lines.flatMap((line, index) => {
    if (line.operation.isOther) return []
    const { kind, gross } = kit.entry(line.operation, kit.line(index))
    const at = left.findIndex((each) => each.kind === kind && each.amount === gross)
    const [operation] = at < 0 ? [] : left.splice(at, 1)
    return [JSON.stringify([kind, gross, operation ? 'MATCHED' : 'UNKNOWN', []])]
  })
}

const saidByAmount = ({ entry: { kind, gross }, state, differences }: Match) =>
  JSON.stringify([kind, gross, state, differences])

const ORACLES = KITS.map((kit) => {
  const byNumber = { says: said, expects: expected }
  const byAmount = { says: saidByAmount, expects: expectedByAmount }
  return [kit.name, kit, kit.name === '1C' ? byAmount : byNumber] as const
})

describe.each(ORACLES)('a month of %s', (_, kit, { says, expects }) => {
  it('as it is, is matched whole', async () => {
    const result = await outcomeOf(kit.parse, streamOf(encode(kit.text(linesOf(kit, []), 0), kit.encoding)))
    if (!('entries' in result)) throw new Error(JSON.stringify(result))
    expect(match(result.entries, oursOf(kit)).map(({ state }) => state)).toEqual(Array(12).fill('MATCHED'))
  })

  it('that is changed in one to five lines, says exactly what was changed, in any order', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 5 }),
        fc.infiniteStream(fc.nat()),
        async (changes, shuffling) => {
          const lines = linesOf(kit, changes)
          const result = await outcomeOf(kit.parse, streamOf(encode(kit.text(lines, 0), kit.encoding)))
          const faults = faultsOf(kit, lines)
          if (faults.length > 0) {
            expect('faults' in result ? Object.keys(result.faults).sort() : result).toEqual(faults.sort())
            return
          }
          if (!('entries' in result)) throw new Error(JSON.stringify(result))
          const found = match(result.entries, oursOf(kit)).map(says).sort()
          expect(found).toEqual(expects(kit, lines).sort())
          const shuffled = <Each>(all: readonly Each[]): Each[] =>
            all
              .map((each) => ({ each, key: shuffling.next().value }))
              .sort((a, b) => a.key - b.key)
              .map(({ each }) => each)
          expect(
            match(shuffled(result.entries), shuffled(oursOf(kit)))
              .map(says)
              .sort(),
          ).toEqual(found)
        },
      ),
      { numRuns: inject('baskets') },
    ))
})
