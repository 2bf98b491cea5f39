// Periods that a restored disk lacks: from the time of its backup until the start on it.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'

const LastEnd = z.object({ until: z.int() })

const statementsOf = (database: DatabaseSync) => ({
  add: database.prepare('INSERT OR REPLACE INTO held_periods (until, since) VALUES (?, ?)'),
  last: database.prepare('SELECT coalesce(max(until), 0) AS until FROM held_periods'),
})

export class HeldPeriods {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database)
  }

  /** Unix milliseconds. */
  add(since: number, until: number): void {
    this.#sql.add.run(until, since)
  }

  /** When the disk was restored for the last time; 0: never. */
  lastEnd(): number {
    return LastEnd.parse(this.#sql.last.get()).until
  }
}
