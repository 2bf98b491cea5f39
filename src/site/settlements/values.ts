// Reads a column of integers, and rows that are bound as JSON.
import { int } from '../rows/columns.ts'
import type { Binding, Sql } from '../rows/sql.ts'

/** The first column of all rows. @throws Error where a value is no integer */
export function integers(sql: Sql, query: string, ...bindings: Binding[]): number[] {
  return [...sql.exec(query, ...bindings).raw()].map(([value]) => {
    if (!int(value)) throw new Error('SQLite returned a value that is no integer')
    return value
  })
}

/** The names of columns, in their order. */
export const namesOf = <C extends object>(columns: C): (keyof C & string)[] =>
  Object.keys(columns).filter((name): name is keyof C & string => name in columns)

/** The columns of rows that `json_each` gives as arrays, in their order. */
export const fieldsOf = (columns: readonly string[]): string =>
  columns.map((_, index) => `value ->> ${index}`).join(', ')
