// What SQLite returns, as values.

/** The first column of the first row as an integer; undefined where there is no row, or NULL. */
export function integer(sql: SqlStorage, query: string, ...bindings: SqlStorageValue[]): number | undefined {
  const [value] =
    sql
      .exec(query, ...bindings)
      .raw()
      .next().value ?? []
  return typeof value === 'number' ? value : undefined
}

/**
 * Inserts one row, by INSERT OR IGNORE … VALUES. For RETURNING, or a SELECT instead of VALUES, SQLite would keep a journal
 * of the statement, which costs a fifth of a create.
 * @returns false where the row breaks a constraint, and is not inserted
 */
export const insertRow = (
  sql: SqlStorage,
  statement: `INSERT OR IGNORE ${string}`,
  ...bindings: SqlStorageValue[]
): boolean => sql.exec(statement, ...bindings).rowsWritten > 0

/** The number of the row that was inserted last; 0 before the first. */
export const lastRow = (sql: SqlStorage): number => integer(sql, 'SELECT last_insert_rowid()') ?? 0

/** The earliest of the times that there are. */
export const earliest = (...times: (number | undefined)[]): number | undefined =>
  times.reduce((a, b) => (a === undefined || (b !== undefined && b < a) ? b : a), undefined)
