// Cells of a line of CSV (RFC 4180), and the columns that a header names.
import { type Encoding, wrongCharacters } from './characters.ts'
import { ID_RULE, MAX_ID } from './entry.ts'
import { type Faults, shown } from './faults.ts'
import { kopecksIn, type MoneyForm, moneyRule } from './money.ts'

/** The cells of a line, separated by `;`. What begins with a quote and is not quoted to its end stands for itself. */
export function cellsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(';')
  const cells: string[] = []
  for (let at = 0; at <= line.length; ) {
    const [quoted, inside] = matchAt(QUOTED, line, at) ?? []
    const [plain = ''] = quoted === undefined ? (matchAt(PLAIN, line, at) ?? []) : []
    cells.push(inside === undefined ? plain : inside.replaceAll('""', '"'))
    at += (quoted ?? plain).length + 1
  }
  return cells
}

const QUOTED = /"((?:[^"]|"")*)"(?=;|$)/y
const PLAIN = /[^;]*/y

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Where the columns are in the cells of a line. */
export type Columns<Name extends string> = ReadonlyMap<Name, number>

export const columnsOf = <Name extends string>(names: readonly Name[]): Columns<Name> =>
  new Map(names.map((name, index) => [name, index]))

/**
 * The columns that a header names, in any order. Each must be there once; cells without a name at its end are not read.
 * @throws Unreadable where one is missing, unknown or twice
 */
export function columnsIn<Name extends string>(
  header: readonly string[],
  { names, line, faults }: { names: readonly Name[]; line: number; faults: Faults },
): Columns<Name> {
  const columns = new Map<Name, number>()
  for (const [index, cell] of header.slice(0, header.findLastIndex((each) => each !== '') + 1).entries()) {
    const name = names.find((each) => each === cell)
    const place = `lines[${line}].${shown(cell)}`
    if (name === undefined) faults.add(place, 'is not a column of this file, must be absent')
    else if (columns.has(name)) faults.add(place, 'is there twice, must be there once')
    else columns.set(name, index)
  }
  for (const name of names)
    if (!columns.has(name)) faults.add(`lines[${line}].${name}`, 'is missing, must be a column')
  faults.end()
  return columns
}

/** A line of cells, and what is wrong with them. Of a cell that breaks its rule the value is '' or 0. */
export class Row<Name extends string> {
  readonly line: number
  readonly #cells: readonly string[]
  readonly #columns: Columns<Name>
  readonly #faults: Faults
  faultCount = 0

  constructor(line: number, cells: readonly string[], columns: Columns<Name>, faults: Faults) {
    this.line = line
    this.#cells = cells
    this.#columns = columns
    this.#faults = faults
  }

  get isFaulty(): boolean {
    return this.faultCount > 0
  }

  place(name: Name): string {
    return `lines[${this.line}].${name}`
  }

  cell(name: Name): string {
    return this.#cells[this.#columns.get(name) ?? -1] ?? ''
  }

  /** @param rule what the cell must be, such as `must have two digits` */
  fault(name: Name, rule: string): void {
    this.faultCount++
    this.#faults.add(this.place(name), `is ${shown(this.cell(name))}, ${rule}`)
  }

  /** A cell by its pattern. */
  text(name: Name, pattern: RegExp, rule: string): string {
    const cell = this.cell(name)
    if (pattern.test(cell)) return cell
    this.fault(name, rule)
    return ''
  }

  /** What can be empty, and is not long. */
  short(name: Name): string {
    const cell = this.cell(name)
    if (cell.length > MAX_ID) this.fault(name, ID_RULE)
    return cell
  }

  /** What a function makes of a cell; undefined where it makes nothing. */
  parsed<Value>(name: Name, parse: (cell: string) => Value | undefined, rule: string): Value | undefined {
    const value = parse(this.cell(name))
    if (value === undefined) this.fault(name, rule)
    return value
  }

  kopecks(name: Name, form: MoneyForm): number {
    return this.parsed(name, (cell) => kopecksIn(cell, form), moneyRule(form)) ?? 0
  }

  /** The characters of every cell. */
  checkCharacters(encoding: Encoding): void {
    for (const [name, index] of this.#columns) {
      const wrong = wrongCharacters(this.#cells[index] ?? '', encoding)
      if (wrong === undefined) continue
      this.faultCount++
      this.#faults.add(this.place(name), wrong)
    }
  }
}
