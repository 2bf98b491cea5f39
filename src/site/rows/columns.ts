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

/** A row with its number; undefined where this version cannot read it. */
export interface Numbered<Row> {
  number: number
  row: Row | undefined
}

/** A row with these columns. */
export type RowOf<C extends Columns> = { [Name in keyof C]: C[Name] extends Check<infer T> ? T : never }

/**
 * Makes the function that runs a query, and returns its rows; other columns than these are not checked.
 * @throws Error, from that function, that names the columns whose values are of another type, or unknown: nothing is decided without them
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
        throw new Error(`a row has values of other types than its columns: ${wrong}`)
      })
  /** The same for the export, which no row fails. */
  const numbered = (sql: Sql, query: string, ...bindings: Binding[]): Numbered<RowOf<C>>[] =>
    sql
      .exec(query, ...bindings)
      .toArray()
      .map((row) => ({ number: Number(row.number), row: isRow(row) ? row : undefined }))
  return Object.assign(read, { numbered })
}
