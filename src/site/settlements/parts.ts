// The part of all entries and operations that is matched together: whatever is outside of it changes nothing inside.
import { Crowds } from './crowds.ts'
import { sourceOf } from './files.ts'
import { keyOf, matchingOf, type Source, type Value } from './keys.ts'
import { type LineRow, lineRows, NAMES, valuesOf } from './lines.ts'
import {
  amountOf,
  canBeOf,
  conditionOf,
  idsOf,
  kindOf,
  type OperationRow,
  operationKey,
  operationRows,
} from './operations.ts'
import type { Part, Scope, Unit } from './scope.ts'
import { integers } from './values.ts'

/**
 * Everything that is connected to entries by values of ids, theirs included; or to the first of these entries: of crowds, one cell is
 * enough at once.
 * @returns how many of the entries it is
 */
export function partOfEntries(scope: Scope, entries: readonly number[]): { part: Part; count: number } {
  const expansion = new Expansion(scope)
  const count = expansion.addFirst(entries)
  return { part: expansion.run(), count }
}

/** Everything that is connected to operations. */
export function partOfOperations(scope: Scope, operations: readonly OperationRow[]): Part {
  const expansion = new Expansion(scope)
  expansion.addOperations(operations)
  return expansion.run()
}

/** What an operation can be matched to in one source changes nothing in another. */
const nameOf = ({ bank, format }: Source): string => `${bank} ${format}`

class Expansion {
  readonly #scope: Scope
  readonly #part: Part
  readonly #crowds: Crowds
  readonly #sources: readonly Source[]
  readonly #seen = new Set<string>()
  #units: Unit[] = []

  constructor(scope: Scope) {
    this.#scope = scope
    this.#crowds = new Crowds(scope)
    this.#part = {
      ...{ lines: new Map(), operations: new Map(), shared: new Set() },
      cellsOf: (of) => this.#crowds.cellsOf(of),
    }
    const sources = new Map<string, Source>()
    for (const file of [...scope.files.values(), ...(scope.changing ? [scope.changing] : [])])
      sources.set(nameOf(sourceOf(file)), sourceOf(file))
    this.#sources = [...sources.values()]
  }

  /** Adds the first entries, up to those of a second cell. @returns how many */
  addFirst(entries: readonly number[]): number {
    const lines = this.#linesOf(entries)
    const units = new Map(entries.map((entry) => [entry, this.#unitsOf(lines.get(entry) ?? [])]))
    this.#crowds.divide([...units.values()].flat())
    const cells = new Set<string>()
    const second = entries.findIndex((entry) => {
      for (const unit of units.get(entry) ?? []) {
        const cell = this.#crowds.cellOf(unit)
        if (cell) cells.add(`${unit.of} ${unit.amount} ${cell.from}`)
      }
      return cells.size > 1
    })
    // An entry can have two values, each with a cell of its own.
    const count = second === -1 ? entries.length : Math.max(second, 1)
    this.#addEntries(entries.slice(0, count))
    return count
  }

  #linesOf(entries: readonly number[]): Map<number, LineRow[]> {
    const rows = lineRows(this.#scope.sql, 'WHERE entry IN (SELECT value FROM json_each(?))', json(entries))
    return Map.groupBy(rows, ({ entry }) => entry)
  }

  /** @param only the source of those that are to be added */
  #addEntries(numbers: readonly number[], only?: Source): void {
    const { lines } = this.#part
    const missing = [...new Set(numbers)].filter((number) => !lines.has(number))
    if (missing.length === 0) return
    const added = new Map<string, { source: Source; entries: number[] }>()
    for (const [entry, rows] of this.#linesOf(missing)) {
      const source = rows.map(({ file }) => this.#sourceOf(file)).find((each) => each !== undefined)
      if (!source || (only && nameOf(only) !== nameOf(source))) continue
      lines.set(entry, rows)
      for (const unit of this.#unitsOf(rows)) this.#add(unit)
      const ofSource = added.get(nameOf(source)) ?? { source, entries: [] }
      added.set(nameOf(source), ofSource)
      ofSource.entries.push(entry)
    }
    for (const { source, entries } of added.values()) this.#addMatchedTo(entries, source)
  }

  /** Of the lines of an entry. */
  #unitsOf(rows: readonly LineRow[]): Unit[] {
    const isOfChanging = rows.some(({ file }) => file === this.#scope.changing?.number)
    return rows.flatMap((row) => {
      const source = this.#sourceOf(row.file)
      if (!source) return []
      const isUntimed = row.has_time === 0
      const at = { amount: row.gross ?? 0, at: row.operated_at, isUntimed, isOfChanging }
      const values = valuesOf(row)
      const units = values.map((value) => unitOf({ ...source, ...value }, at))
      // A correction is about a refund of its payment.
      const paymentId = values.find(({ name }) => name === 'paymentId')?.value
      if (paymentId === undefined || matchingOf(row.kind) === 'payment') return units
      const others = (['refund', 'other'] as const).map((of) =>
        unitOf({ ...source, of, name: 'paymentId', value: paymentId }, at),
      )
      return [...units, ...others]
    })
  }

  /** The operations that entries are matched to until now: they can become free. */
  #addMatchedTo(entries: readonly number[], source: Source): void {
    const { sql } = this.#scope
    const matched = 'FROM settlement_matches WHERE entry IN (SELECT value FROM json_each(?1))'
    const payments = `WHERE number IN (SELECT payment ${matched} AND refund IS NULL)`
    const refunds = `WHERE refunds.number IN (SELECT refund ${matched})`
    this.addOperations(
      [
        ...operationRows(sql, 'payment', payments, json(entries)),
        ...operationRows(sql, 'refund', refunds, json(entries)),
      ],
      [source],
    )
  }

  /** @param sources in which they are looked for */
  addOperations(rows: readonly OperationRow[], sources = this.#sources): void {
    for (const source of sources) {
      const payments = new Set<number>()
      for (const row of rows) {
        const key = operationKey(row)
        const name = `${key} ${nameOf(source)}`
        if (this.#seen.has(name)) continue
        this.#seen.add(name)
        payments.add(row.payment)
        // Of a payment whose bank was not known, an entry of another bank can have been a pair.
        if (!canBeOf(row, source.bank)) continue
        this.#part.operations.set(key, row)
        this.#addValuesOf(row, source)
      }
      if (payments.size === 0) continue
      const matched = integers(
        this.#scope.sql,
        'SELECT DISTINCT entry FROM settlement_matches WHERE payment IN (SELECT value FROM json_each(?))',
        json([...payments]),
      )
      this.#addEntries(matched, source)
    }
  }

  #addValuesOf(row: OperationRow, source: Source): void {
    const of = kindOf(row)
    const ids = idsOf(row, source.bank, this.#scope.siteId)
    const at = { amount: amountOf(row), at: row.at, isUntimed: false, isOfChanging: false }
    for (const name of NAMES[of]) {
      const value = ids[name]
      if (value !== undefined) this.#add(unitOf({ ...source, of, name, value }, at))
    }
    // Fees and corrections name the payment.
    if (ids.paymentId !== undefined)
      this.#add(unitOf({ ...source, of: 'other', name: 'paymentId', value: ids.paymentId }, at))
  }

  #sourceOf(file: number): Source | undefined {
    const { files, changing } = this.#scope
    const row = files.get(file) ?? (changing?.number === file ? changing : undefined)
    return row && sourceOf(row)
  }

  #add(unit: Unit): void {
    const name = `${unit.key} ${unit.amount} ${unit.at} ${unit.isUntimed} ${unit.isOfChanging}`
    if (this.#seen.has(name)) return
    this.#seen.add(name)
    this.#units.push(unit)
  }

  run(): Part {
    while (this.#units.length > 0) {
      const units = this.#units
      this.#units = []
      const { few, many } = this.#crowds.divide(units)
      for (const unit of many) {
        this.#part.shared.add(unit.key)
        const { entries, operations } = this.#crowds.find(unit)
        this.#addEntries(entries)
        this.addOperations(operations, [unit])
      }
      this.#addEntries(this.#entriesOf(few))
      for (const ofSource of Map.groupBy(few, nameOf).values()) this.#addOperationsOf(ofSource)
    }
    return this.#part
  }

  /** Those that the generation has: of others, what was theirs becomes free by themselves. */
  #entriesOf(units: readonly Unit[]): number[] {
    if (units.length === 0) return []
    const keys = [...new Set(units.map(({ key }) => key))]
    return integers(
      this.#scope.sql,
      `SELECT DISTINCT entry FROM settlement_ids
       WHERE key IN (SELECT value FROM json_each(?)) AND file IN (${[...this.#scope.files.keys()]})`,
      json(keys),
    )
  }

  /**
   * Of the values that few operations have, all of them; of the others those that an entry of the value can be.
   * @param units of one source
   */
  #addOperationsOf(units: readonly Unit[]): void {
    const { sql } = this.#scope
    const source = units.slice(0, 1)
    for (const kind of ['payment', 'refund'] as const) {
      for (const name of NAMES.refund) {
        // What names a payment by its number is about the payment, and about its refunds.
        const isOf = ({ of }: Unit) => of === kind || (of === 'other' && kind === 'payment')
        const condition = conditionOf(kind, name)
        const values = [
          ...new Set(units.filter((unit) => unit.name === name && isOf(unit)).map(({ value }) => value)),
        ]
        if (condition === undefined || values.length === 0) continue
        const { few, many } = this.#crowds.divideValues(name, values)
        if (few.length > 0)
          this.addOperations(operationRows(sql, kind, `WHERE ${condition}`, json(few)), source)
        for (const value of many)
          this.addOperations(this.#crowds.candidatesOf(this.#part, { kind, name, value }), source)
      }
    }
  }
}

const unitOf = (value: Value, at: Pick<Unit, 'amount' | 'at' | 'isUntimed' | 'isOfChanging'>): Unit => ({
  ...{ ...value, ...at, key: keyOf(value) },
})

const json = (values: readonly (string | number)[]): string => JSON.stringify(values)
