// Periods that a restored disk lacks: from the time of its backup until the start on it.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import * as z from 'zod'

const LastEnd = z.object({ until: z.int() })

export class HeldPeriods {
  readonly #add: StatementSync
  readonly #last: StatementSync

  constructor(database: DatabaseSync) {
    this.#add = database.prepare('INSERT OR REPLACE INTO held_periods (until, since) VALUES (?, ?)')
    this.#last = database.prepare('SELECT coalesce(max(until), 0) AS until FROM held_periods')
  }

  /** Unix milliseconds. */
  add(since: number, until: number): void {
    this.#add.run(until, since)
  }

  /** When the disk was restored for the last time; 0: never. */
  lastEnd(): number {
    return LastEnd.parse(this.#last.get()).until
  }
}
