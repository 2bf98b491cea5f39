// Periods that a restored disk lacks: from the time of its backup until the start on it.
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export class HeldPeriods {
  readonly #add: StatementSync
  readonly #including: StatementSync
  readonly #endedSince: StatementSync

  constructor(database: DatabaseSync) {
    this.#add = database.prepare('INSERT OR REPLACE INTO held_periods (until, since) VALUES (?, ?)')
    this.#including = database.prepare(
      'SELECT until FROM held_periods WHERE since <= ? AND until >= ? LIMIT 1',
    )
    this.#endedSince = database.prepare('SELECT until FROM held_periods WHERE until >= ? LIMIT 1')
  }

  /** Unix milliseconds, both included. */
  add(since: number, until: number): void {
    this.#add.run(until, since)
  }

  includes(time: number): boolean {
    return this.#including.get(time, time) !== undefined
  }

  /** Whether one ended at the time or later. */
  hasEndedSince(time: number): boolean {
    return this.#endedSince.get(time) !== undefined
  }
}
