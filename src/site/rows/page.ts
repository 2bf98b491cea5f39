// Pages of rows. Of a list, one more row than its limit is read, which says whether there are more.

/**
 * Rows of a long answer, the export or the report of payments, that one call reads: with more, several answers at once take more
 * memory; with fewer, more CPU time (docs/scale.md).
 */
export const LONG_PAGE = 250

/**
 * What the rows of a page show, and the number of the last one if there are more.
 * @param read up to `limit` + 1 rows
 */
export function pageOf<Row extends { number: number }, T>(
  read: readonly Row[],
  limit: number,
  show: (row: Row) => T,
): { shown: T[]; next?: number | undefined } {
  const { rows, last } = firstRows(read, limit)
  return { shown: rows.map(show), next: last?.number }
}

/** The rows of a page, and the last one of them if there are more. @param read up to `limit` + 1 rows */
export function firstRows<Row>(read: readonly Row[], limit: number): { rows: Row[]; last: Row | undefined } {
  const rows = read.slice(0, limit)
  return { rows, last: read.length > limit ? rows.at(-1) : undefined }
}
