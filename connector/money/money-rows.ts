// What the tables of refunds and charges have alike: rows without a result, those that are held, and what a restore holds.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf } from '../disk/database.ts'
import { WOKEN } from '../work/queue.ts'

/**
 * Refunds and charges without a result. Repeated in each statement about few of many rows: it is the condition of their partial
 * indexes.
 */
export const OPEN = `state NOT IN ('COMPLETED', 'DECLINED')`

/** Whether it has a result: the opposite of OPEN. */
export const hasEnded = ({ state }: { state: string }): boolean =>
  state === 'COMPLETED' || state === 'DECLINED'

const Open = z.object({ oldest: z.int().nullable(), count: z.int() })

interface MoneyTable<Row> {
  table: 'refunds' | 'charges'
  /** Without its condition. */
  select: string
  schema: z.ZodType<Row>
}

const statementsOf = (database: DatabaseSync, { table, select }: MoneyTable<unknown>) => ({
  held: database.prepare(`${select} WHERE ${OPEN} AND state = 'HELD' ORDER BY given_at`),
  heldCount: database.prepare(`SELECT count(*) AS count FROM ${table} WHERE ${OPEN} AND state = 'HELD'`),
  oldest: database.prepare(`SELECT min(created_at) AS oldest, count(*) AS count FROM ${table} WHERE ${OPEN}`),
  holdAll: database.prepare(
    `UPDATE ${table} SET state = 'HELD', reason = :reason, ${WOKEN} WHERE ${OPEN} AND state IN ('QUEUED', 'SENDING')`,
  ),
})

export abstract class MoneyRows<Row> {
  readonly #schema: z.ZodType<Row>
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync, table: MoneyTable<Row>) {
    this.#schema = table.schema
    this.#sql = statementsOf(database, table)
  }

  protected rowsOf(rows: unknown[]): Row[] {
    return rows.map((row) => this.#schema.parse(row))
  }

  /** Those that wait for the operator's word, or whose result is not known. */
  held(): Row[] {
    return this.rowsOf(this.#sql.held.all())
  }

  countHeld(): number {
    return countOf(this.#sql.heldCount)
  }

  /** How many rows have no result, and when the oldest of them came. */
  open(): { oldest: number | null; count: number } {
    return Open.parse(this.#sql.oldest.get())
  }

  /** After a restore: the backup does not know what was sent after it. */
  holdUnsent(now: number): void {
    this.#sql.holdAll.run({ reason: 'it may have been sent after the backup', now })
  }
}
