// How the times at which rows are due are corrected after the clock was ahead.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { WOKEN } from '../work/queue.ts'

/**
 * A code that rests, and was asked about last at a time later than now, was ended by a clock that was ahead: the bank is asked again.
 * A code that was also created later than now stays ended: then the clock is probably behind now, and the end was right.
 */
const askedAgain = (table: string, isOver: string): string =>
  `UPDATE ${table} SET state = iif(state = 'ENDED', 'OPEN', state), ${WOKEN}
   WHERE rests = 1 AND stepped_at > :now AND created_at <= :now AND ${isOver}
   AND site NOT IN (SELECT site FROM deleted_sites)`

const STATEMENTS = [
  askedAgain('codes', `state IN ('OPEN', 'CANCELLED', 'ENDED')`),
  askedAgain('sales', `state IN ('OPEN', 'CANCELLED', 'ENDED')`),
  askedAgain('bindings', `state IN ('WAITING', 'REJECTED')`),
]

export class DueTimes {
  readonly #statements: readonly StatementSync[]
  readonly #queues: readonly { correct(now: number): number }[]

  constructor(database: DatabaseSync, queues: readonly { correct(now: number): number }[]) {
    this.#queues = queues
    this.#statements = STATEMENTS.map((text) => database.prepare(text))
  }

  /**
   * Corrects what a clock has written that was ahead: what is due later than any delay makes it is due now. It reads the tables.
   * @returns how many rows it has changed
   */
  correct(now: number): number {
    const rows = this.#queues.reduce((sum, queue) => sum + queue.correct(now), 0)
    return this.#statements.reduce((sum, statement) => sum + Number(statement.run({ now }).changes), rows)
  }
}
