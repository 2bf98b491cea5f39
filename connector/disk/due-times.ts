// When rows are due, and how it is corrected after the clock was ahead.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { BINDING_IS_KNOWN } from './bindings.ts'
import { CODE_IS_KNOWN } from './codes.ts'
import { SALE_IS_KNOWN } from './sales.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

interface Queue {
  table: string
  /** The column that says when a row is due. */
  due: 'ask_at' | 'next_at'
  /** A time of the clock at a step of the row. */
  stepAt: string
  /** Which rows can be due, and are known to this version. */
  isOpen: string
  /** The longest ordinary delay. */
  longest: number
}

/** The conditions are those of the partial indexes, where the table has one. */
const QUEUES: readonly Queue[] = [
  { table: 'codes', due: 'ask_at', stepAt: 'asked_at', isOpen: CODE_IS_KNOWN, longest: HOUR_MS },
  { table: 'sales', due: 'ask_at', stepAt: 'asked_at', isOpen: SALE_IS_KNOWN, longest: HOUR_MS },
  {
    ...{ table: 'bindings', due: 'ask_at', stepAt: 'max(created_at, asked_at)' },
    ...{ isOpen: BINDING_IS_KNOWN, longest: DAY_MS },
  },
]

const broughtForward = ({ table, due, stepAt, isOpen, longest }: Queue): string =>
  `UPDATE ${table} SET ${due} = :now WHERE ${isOpen} AND ${due} > :now
   AND (${due} > :now + ${longest} OR ${stepAt} > :now)`

/**
 * What is not asked about any more, and was asked about last at a time later than now, was ended by a clock that was ahead. One that was also
 * created later than now stays ended: then the clock is probably behind now, and its end was right.
 */
const askedAgain = (table: string, isOver: string): string =>
  `UPDATE ${table} SET state = iif(state = 'ENDED', 'OPEN', state), ask_at = :now
   WHERE ask_at IS NULL AND asked_at > :now AND created_at <= :now AND ${isOver}
   AND site NOT IN (SELECT site FROM deleted_sites)`

const STATEMENTS = [
  ...QUEUES.map(broughtForward),
  askedAgain('codes', `${CODE_IS_KNOWN} AND state IN ('OPEN', 'CANCELLED', 'ENDED')`),
  askedAgain('sales', `state IN ('OPEN', 'CANCELLED', 'ENDED')`),
  askedAgain('bindings', `state IN ('WAITING', 'REJECTED')`),
]

export class DueTimes {
  readonly #statements: readonly StatementSync[]
  readonly #queues: readonly { correct(now: number): number }[]

  /** @param queues those whose tables have a place in a queue */
  constructor(database: DatabaseSync, queues: readonly { correct(now: number): number }[]) {
    this.#queues = queues
    this.#statements = STATEMENTS.map((text) => database.prepare(text))
  }

  /**
   * Corrects what a clock has written that was ahead: what is due later than any delay makes it is due now. It reads the tables.
   * @returns how many rows it has changed
   */
  correct(now: number): number {
    const rows = this.#statements.reduce((sum, statement) => sum + Number(statement.run({ now }).changes), 0)
    return this.#queues.reduce((sum, queue) => sum + queue.correct(now), rows)
  }
}
