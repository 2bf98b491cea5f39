// Reads rows. After going back to this version the disk can have values that only the later one knows: columns are text.
import type * as z from 'zod'

/** Reads one row. @throws Error where it has a value that this version does not know: nothing is decided without it */
export function rowOf<T>(schema: z.ZodType<T>, row: unknown): T {
  const { success, data, error } = schema.safeParse(row)
  if (success) return data
  const names = error.issues.map(({ path }) => path.join('.'))
  throw new Error(`a row of a later version of the connector: its ${names.join(', ')} is not known`)
}

/** The condition of a list, which leaves out what this version cannot read and shows the rest. @param values constants */
export const isOneOf = (column: string, values: readonly string[]): string =>
  `${column} IN (${values.map((value) => `'${value}'`).join(', ')})`

/**
 * Refunds and charges without a result. Repeated in each statement about few of many rows: it is the condition of their partial
 * indexes.
 */
export const OPEN = `state NOT IN ('COMPLETED', 'DECLINED')`
