// Reads single values from SQLite, with their types checked.

export type Binding = string | number | null

/** What these functions need of a site's database: the commands of bin/ open it without an object. */
export interface Sql {
  exec(
    query: string,
    ...bindings: Binding[]
  ): { toArray(): Record<string, unknown>[]; raw(): Iterable<unknown[]> }
}

/** The first column of the first row as an integer; undefined if there is no row, or NULL. */
export function integer(sql: Sql, query: string, ...bindings: Binding[]): number | undefined {
  const value = first(sql, query, bindings)
  return typeof value === 'number' ? value : undefined
}

/** The first column of the first row as a text; undefined if there is no row, or NULL. */
export function textValue(sql: Sql, query: string, ...bindings: Binding[]): string | undefined {
  const value = first(sql, query, bindings)
  return typeof value === 'string' ? value : undefined
}

function first(sql: Sql, query: string, bindings: readonly Binding[]): unknown {
  // Read to its end: until then workerd prepares the same query anew.
  const [row] = [...sql.exec(query, ...bindings).raw()]
  return row?.[0]
}

/**
 * A column of the row to which a column with its number refers, as a subquery. In workerd, SQLite prepares a query with joins
 * anew whenever it runs, which costs more than to run it (decision 53).
 */
export const columnOf = (table: string, reference: string, column: string): string =>
  `(SELECT ${column} FROM ${table} WHERE ${table}.number = ${reference})`

/** A column of the QR code to which a column refers, which retention can have deleted: both tables have the column. */
export const ofQrCodeOrDeleted = (reference: string, column: 'qr_code_uid' | 'reference'): string =>
  `ifnull(${columnOf('qr_codes', reference, column)}, ${columnOf('deleted_qr_codes', reference, column)})`

/** An integer of a query that always has one. @throws Error where it has none */
export function requiredInteger(sql: Sql, query: string, ...bindings: Binding[]): number {
  const value = integer(sql, query, ...bindings)
  if (value === undefined) throw new Error('SQLite returned no integer')
  return value
}

/** A text of a query that always has one. @throws Error where it has none */
export function requiredText(sql: Sql, query: string, ...bindings: Binding[]): string {
  const value = textValue(sql, query, ...bindings)
  if (value === undefined) throw new Error('SQLite returned no text')
  return value
}

/**
 * Inserts one row, by INSERT OR IGNORE … VALUES. For RETURNING, or a SELECT instead of VALUES, SQLite would keep a journal
 * of the statement, which costs a fifth of a create.
 * @returns false where the row breaks a constraint, and is not inserted
 */
export const insertRow = (
  sql: SqlStorage,
  statement: `INSERT OR IGNORE ${string}`,
  ...bindings: Binding[]
): boolean => sql.exec(statement, ...bindings).rowsWritten > 0
