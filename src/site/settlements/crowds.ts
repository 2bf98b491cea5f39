// Codes and orders that many entries or payments share, such as a printed code: of these, only what is of one amount is matched
// together, because nothing else of them can be a pair; and of a crowd of one amount, what is in one cell of time.
import { beginOf, type Cell, type Cells } from '../../settlement/cells.ts'
import type { BankIds } from '../../settlement/formats/entry.ts'
import type { Operation } from '../../settlement/operation.ts'
import { integer } from '../rows/sql.ts'
import { EqualLines } from './equal-lines.ts'
import { dayOf, type LineRow, valuesOf } from './lines.ts'
import { conditionOf, type OperationRow, operationRows } from './operations.ts'
import { othersOf, type Part, type Scope, type Unit } from './scope.ts'
import { integers } from './values.ts'

/** More entries, or operations, of a value are many. */
const FEW = 20

const isShared = (name: keyof BankIds): boolean => name === 'qrcId' || name === 'order'

interface OfValue {
  kind: Operation['kind']
  name: keyof BankIds
  value: string
}

/** What a unit is matched together with. */
interface Found {
  entries: number[]
  operations: OperationRow[]
}

export class Crowds {
  readonly #scope: Scope
  readonly #isMany = new Map<number, boolean>()
  readonly #equal = new Map<string, EqualLines>()
  /** What was found already: an amount of a value, or a cell of it. */
  readonly #found = new Set<string>()

  constructor(scope: Scope) {
    this.#scope = scope
  }

  /** Units by whether few entries of the generation have the value. */
  divide(units: readonly Unit[]): { few: Unit[]; many: Unit[] } {
    const few: Unit[] = []
    const many: Unit[] = []
    const shared = units.flatMap(({ name, key }) => (isShared(name) && !this.#isMany.has(key) ? [key] : []))
    const frequent = new Set(this.#frequent([...new Set(shared)]))
    for (const key of shared) this.#isMany.set(key, frequent.has(key) && this.#haveMany(key))
    for (const unit of units) {
      if (this.#isMany.get(unit.key)) many.push(unit)
      else few.push(unit)
    }
    return { few, many }
  }

  /** The keys with more rows, of which several can be of one entry. */
  #frequent(keys: readonly number[]): number[] {
    if (keys.length === 0) return []
    return integers(
      this.#scope.sql,
      'SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM settlement_ids WHERE key = value LIMIT 1 OFFSET ?)',
      ...[JSON.stringify(keys), FEW],
    )
  }

  #haveMany(key: number): boolean {
    const count = integer(
      this.#scope.sql,
      `SELECT count(*) FROM (SELECT DISTINCT entry FROM settlement_ids WHERE key = ? AND file IN (${this.#files}) LIMIT ?)`,
      ...[key, FEW + 1],
    )
    return count !== undefined && count > FEW
  }

  /** Numbers of rows; nothing else is in them. */
  get #files(): string {
    return [...this.#scope.files.keys()].join()
  }

  #equalTo({ key, amount }: Pick<Unit, 'key' | 'amount'>): EqualLines {
    const name = `${key} ${amount}`
    const known = this.#equal.get(name) ?? new EqualLines(this.#scope, { key, amount })
    this.#equal.set(name, known)
    return known
  }

  /** The cells of the entries of a key and an amount; undefined where they are no crowd. */
  cellsOf(of: Pick<Unit, 'key' | 'amount'>): Cells | undefined {
    return this.#isMany.get(of.key) ? this.#equalTo(of).cells : undefined
  }

  /** The cell that a unit of a crowd is in. */
  cellOf(unit: Unit): Cell | undefined {
    return this.cellsOf(unit)?.at(unit.at)
  }

  /** What is matched together with a unit of which many entries have the value, but for what was found before. */
  find(unit: Unit): Found {
    const equal = this.#equalTo(unit)
    const found: Found = { entries: [], operations: [] }
    if (this.#isNew(`${unit.key}`)) found.entries.push(...this.#aloneBefore(unit))
    if (this.#isNew(`${unit.key} ${unit.amount}`)) {
      found.entries.push(...equal.withoutCells)
      if (!equal.cells) found.operations.push(...this.#operationsNear(unit, equal.days))
    }
    for (const cell of equal.cellsAround(unit)) {
      if (!this.#isNew(`${unit.key} ${unit.amount} ${cell.from}`)) continue
      found.entries.push(...equal.entriesIn(cell))
      found.operations.push(...this.#ofUnit(unit, cell))
    }
    return found
  }

  #isNew(name: string): boolean {
    if (this.#found.has(name)) return false
    this.#found.add(name)
    return true
  }

  /** The entry that was alone with its value until now. */
  #aloneBefore({ key }: Unit): number[] {
    const others = othersOf(this.#scope)
    if (others.length === 0) return []
    const before = integers(
      this.#scope.sql,
      `SELECT DISTINCT entry FROM settlement_ids WHERE key = ? AND file IN (${others}) LIMIT 2`,
      key,
    )
    return before.length === 1 ? before : []
  }

  #operationsNear(unit: Unit, days: readonly number[]): OperationRow[] {
    const ranges: Cell[] = []
    for (const range of days.map(rangeOf).toSorted((a, b) => a.from - b.from)) {
      const last = ranges.at(-1)
      if (last && range.from <= last.until) last.until = Math.max(last.until, range.until)
      else ranges.push(range)
    }
    return ranges.flatMap((range) => this.#ofUnit(unit, range))
  }

  #ofUnit({ of, name, value, amount }: Unit, range: Cell): OperationRow[] {
    return of === 'other' ? [] : this.#ofAmount({ kind: of, name, value }, amount, range)
  }

  /** Values by whether few operations have them. */
  divideValues(name: keyof BankIds, values: readonly string[]): { few: string[]; many: string[] } {
    if (!isShared(name)) return { few: [...values], many: [] }
    const few: string[] = []
    const many: string[] = []
    // A refund is one of a payment of the value.
    const condition = conditionOf('payment', name)
    for (const value of values) {
      const count = integer(
        this.#scope.sql,
        `SELECT count(*) FROM (SELECT 1 FROM payments WHERE ${condition} LIMIT ${FEW + 1})`,
        JSON.stringify([value]),
      )
      if (count !== undefined && count > FEW) many.push(value)
      else few.push(value)
    }
    return { few, many }
  }

  /** Of the many operations of a value, those that its few entries can be. */
  candidatesOf(part: Part, of: OfValue): OperationRow[] {
    const lines = [...part.lines.values()].flat().filter((line) => hasValue(line, of))
    const found = lines.flatMap((line) => this.#ofAmount(of, line.gross ?? 0, rangeOf(dayOf(line))))
    const entries = new Set(lines.map(({ entry }) => entry))
    return entries.size === 1 ? [...found, ...this.#alone(of)] : found
  }

  /** What is alone with the value: one that is completed, or one that is not. */
  #alone({ kind, name, value }: OfValue): OperationRow[] {
    const table = kind === 'payment' ? 'payments' : 'refunds'
    return ['=', '<>'].flatMap((is) => {
      const found = operationRows(
        this.#scope.sql,
        kind,
        `WHERE ${conditionOf(kind, name)} AND ${table}.status ${is} 'COMPLETED' LIMIT 2`,
        JSON.stringify([value]),
      )
      return found.length === 1 ? found : []
    })
  }

  #ofAmount({ kind, name, value }: OfValue, amount: number, { from, until }: Cell): OperationRow[] {
    const table = kind === 'payment' ? 'payments' : 'refunds'
    return operationRows(
      this.#scope.sql,
      kind,
      `WHERE ${conditionOf(kind, name)} AND ${table}.minor_units = ?2 AND ${table}.changed_at >= ?3 AND ${table}.changed_at < ?4`,
      ...[JSON.stringify([value]), Math.abs(amount), from, until],
    )
  }
}

/** The time of the operations that an entry can be. @param day of dayOf */
const rangeOf = (day: number): Cell =>
  day < 0 ? { from: 0, until: Number.MAX_SAFE_INTEGER } : { from: beginOf(day - 1), until: beginOf(day + 2) }

const hasValue = (line: LineRow, { kind, name, value }: OfValue): boolean =>
  valuesOf(line).some((each) => each.of === kind && each.name === name && each.value === value)
