// A page of rows: one more row than its limit is read, which says whether there are more.

/** The rows of a page, and the number of the last one if there are more. @param read up to `limit` + 1 rows */
export function pageOf<Row extends { number: number }>(
  read: readonly Row[],
  limit: number,
): { rows: Row[]; next?: number | undefined } {
  const rows = read.slice(0, limit)
  return { rows, next: read.length > limit ? rows.at(-1)?.number : undefined }
}
