// The entries of the generation that have one value and one amount.
import { beginOf, type Cell, Cells, type DayLines } from '../../settlement/cells.ts'
import { dayNumber } from '../../settlement/formats/dates.ts'
import { CROWD } from '../../settlement/matching.ts'
import { inSeconds, int, rowsWith } from '../rows/columns.ts'
import { shownOf } from './files.ts'
import { othersOf, type Scope, type Unit } from './scope.ts'
import { integers } from './values.ts'

const readTimes = rowsWith({ entry: int, file: int, operated_at: inSeconds, has_time: int })

interface Line {
  entry: number
  at: number
  hasTime: boolean
  isOfChanging: boolean
}

const OF = 'FROM settlement_ids WHERE key = ? AND amount = ?'

export class EqualLines {
  readonly #scope: Scope
  readonly #of: [number, number]
  readonly #files: string
  readonly #days = new Map<number, Line[]>()
  readonly #around = new Map<string, Cell[]>()
  /** Undefined where they are no crowd. */
  readonly cells: Cells | undefined

  constructor(scope: Scope, { key, amount }: Pick<Unit, 'key' | 'amount'>) {
    this.#scope = scope
    this.#of = [key, amount]
    // Numbers of rows; nothing else is in them.
    this.#files = [...scope.files.keys()].join()
    this.cells = this.#first(CROWD + 1).length > CROWD ? new Cells(this.#linesOf) : undefined
  }

  #first(most: number, more = ''): number[] {
    return integers(
      this.#scope.sql,
      `SELECT DISTINCT entry ${OF} AND file IN (${this.#files}) ${more} LIMIT ${most}`,
      ...this.#of,
    )
  }

  /** The days that entries have, as they are in settlement_ids. */
  get days(): number[] {
    return integers(this.#scope.sql, `SELECT DISTINCT day ${OF} AND file IN (${this.#files})`, ...this.#of)
  }

  /**
   * All entries, if they are no crowd. Of one that an import makes: those that were none before, where no entry of the file is on
   * their day, which would have them in its cells.
   */
  get withoutCells(): number[] {
    if (!this.cells) return this.#first(CROWD)
    const { sql, changing } = this.#scope
    const others = othersOf(this.#scope)
    if (!changing || others.length === 0) return []
    const before = `SELECT DISTINCT entry ${OF} AND file IN (${others}) LIMIT ${CROWD + 1}`
    const entries = integers(sql, before, ...this.#of)
    if (entries.length > CROWD) return []
    const isOnDay = 'own.key = ids.key AND own.amount = ids.amount AND own.day = ids.day AND own.file = ?4'
    return integers(
      sql,
      `SELECT DISTINCT entry FROM settlement_ids AS ids WHERE key = ?1 AND amount = ?2
         AND entry IN (SELECT value FROM json_each(?3)) AND NOT EXISTS (SELECT 1 FROM settlement_ids AS own WHERE ${isOnDay})`,
      ...[...this.#of, JSON.stringify(entries), changing.number],
    )
  }

  /**
   * The cell of a unit. An entry of the file that changes can have moved the cuts beside it: so, too, the cells that touch its day,
   * unless they have such an entry, with which they come.
   */
  cellsAround({ at, isUntimed, isOfChanging }: Unit): Cell[] {
    const { cells } = this
    if (!cells) return []
    const own = cells.at(at)
    if (!isOfChanging) return [own]
    const [day, more] = [dayNumber(at), isUntimed ? 1 : 0]
    // Thousands of lines of one day ask the same.
    const name = `${own.from} ${day} ${more}`
    const known = this.#around.get(name)
    if (known) return known
    const touched: Cell[] = []
    this.#around.set(name, touched)
    let cell = cells.at(beginOf(day - more))
    for (; cell.from < beginOf(day + more + 1); cell = cells.at(cell.until))
      if (cell.from === own.from || !this.#linesIn(cell).some((line) => line.isOfChanging)) touched.push(cell)
    return touched
  }

  entriesIn(cell: Cell): number[] {
    return this.#linesIn(cell).map(({ entry }) => entry)
  }

  #linesIn({ from, until }: Cell): Line[] {
    const lines: Line[] = []
    for (let day = dayNumber(from); day <= dayNumber(until - 1); day++)
      lines.push(...this.#linesOn(day).filter(({ at }) => at >= from && at < until))
    return lines
  }

  #linesOf = (day: number): DayLines => {
    const all = this.#linesOn(day)
    const timed = all.filter(({ hasTime }) => hasTime)
    return { times: timed.map(({ at }) => at), hasUntimed: timed.length < all.length }
  }

  #linesOn(day: number): Line[] {
    const known = this.#days.get(day)
    if (known) return known
    const { sql, files, changing } = this.#scope
    const rows = readTimes(
      sql,
      `SELECT entry, file, operated_at, has_time FROM settlement_lines
       WHERE entry IN (SELECT entry ${OF} AND day IN (?, ?) AND file IN (${this.#files}))`,
      ...[...this.#of, day, -day],
    )
    const lines = [...Map.groupBy(rows, ({ entry }) => entry).values()].flatMap((ofEntry): Line[] => {
      const shown = shownOf(ofEntry, files)
      if (!shown || dayNumber(shown.operated_at) !== day) return []
      const { entry, operated_at: at, has_time } = shown
      const isOfChanging = ofEntry.some(({ file }) => file === changing?.number)
      return [{ entry, at, hasTime: has_time === 1, isOfChanging }]
    })
    this.#days.set(day, lines)
    return lines
  }
}
