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
