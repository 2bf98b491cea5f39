// Checks the type of each column that SQLite returns. A schema of zod would cost more than reading the row.
import type { Milliseconds, Seconds } from '../time.ts'
import type { Binding, Sql } from './sql.ts'

/** Whether the value of a column has its type. */
type Check<T> = (value: unknown) => value is T

export const text = (value: unknown): value is string => typeof value === 'string'
export const int = (value: unknown): value is number => Number.isSafeInteger(value)
export const inSeconds = (value: unknown): value is Seconds => int(value)
export const inMilliseconds = (value: unknown): value is Milliseconds => int(value)

/** The column, or NULL. */
export const orNull =
  <T>(check: Check<T>) =>
  (value: unknown): value is T | null =>
    value === null || check(value)

/** A text that is one of these. */
export const oneOf =
  <T extends string>(values: readonly T[]) =>
  (value: unknown): value is T =>
    values.some((each) => each === value)

type Columns = Record<string, Check<unknown>>
type Values = Record<string, unknown>

/**
 * A row that this version cannot read, because a later one wrote it: an unknown type, an unknown status. A list leaves it out,
 * and its next page begins behind it all the same.
 */
export class UnreadableRow {
  readonly number: number
  readonly values: Values

  constructor(values: Values) {
    this.number = Number(values.number)
    this.values = values
  }
}

/** Such a row was asked for alone, or as a part of another one. */
export class UnreadableRowError extends Error {}

export const isReadable = <Row extends object>(row: Row | UnreadableRow): row is Row =>
  !(row instanceof UnreadableRow)

/** What the rows of a list show; one that cannot be read is left out. */
export const readable = <Row extends object, T>(
  rows: readonly (Row | UnreadableRow)[],
  show: (row: Row) => T,
): T[] =>
  rows.flatMap((row) => {
    if (row instanceof UnreadableRow) return []
    try {
      return [show(row)]
    } catch (error) {
      // A column of JSON has an unknown value. By name: the class `z.core.$ZodError` would bundle all of zod, 70 KB by gzip.
      if (error instanceof Error && error.name === '$ZodError') return []
      throw error
    }
  })

/** A row with these columns. */
export type RowOf<C extends Columns> = { [Name in keyof C]: C[Name] extends Check<infer T> ? T : never }

/**
 * Makes the function that runs a query, and returns its rows; other columns than these are not checked.
 * @throws UnreadableRowError, from that function, that names the columns whose values are of another type
 */
export function rowsWith<C extends Columns>(columns: C) {
  const checks = Object.entries(columns)
  const isRow = (row: Values): row is RowOf<C> => checks.every(([name, check]) => check(row[name]))
  const read = (sql: Sql, query: string, ...bindings: Binding[]): RowOf<C>[] =>
    sql
      .exec(query, ...bindings)
      .toArray()
      .map((row) => {
        if (isRow(row)) return row
        const wrong = checks.flatMap(([name, check]) => (check(row[name]) ? [] : [name]))
        throw new UnreadableRowError(`a row has values of other types than its columns: ${wrong}`)
      })
  /** The same for a list, which no row fails. */
  const list = (sql: Sql, query: string, ...bindings: Binding[]): (RowOf<C> | UnreadableRow)[] =>
    sql
      .exec(query, ...bindings)
      .toArray()
      .map((row) => (isRow(row) ? row : new UnreadableRow(row)))
  return Object.assign(read, { list })
}
