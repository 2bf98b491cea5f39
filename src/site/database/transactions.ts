// Runs the writes of a flush in one transaction.
import type { Outcome } from '../../errors.ts'
import type { Memory } from '../context.ts'
import { recoverOutbox } from '../outbox/recovery.ts'
import { type Milliseconds, milliseconds } from '../time.ts'
import type { Tables } from './tables.ts'
import { writeCounts } from './write-counts.ts'

/** A clock that is adjusted goes back by less. */
const MAX_STEP_BACK = milliseconds(2000)

export class Transactions {
  readonly #sql: SqlStorage
  readonly #tables: Tables
  readonly #memory: Memory
  readonly #rolledBack: () => void
  /** Whether the object has written since its start. */
  #hasWritten = false
  /** The latest time of a write. */
  #latest = milliseconds(0)

  /** @param rolledBack reads again what operations changed in memory */
  constructor(sql: SqlStorage, tables: Tables, memory: Memory, rolledBack: () => void) {
    this.#sql = sql
    this.#tables = tables
    this.#memory = memory
    this.#rolledBack = rolledBack
  }

  /** Runs operations in one transaction. Refusals alone make no tables. @throws what an operation throws */
  run(operations: readonly (() => Outcome<unknown>)[], now: Milliseconds): void {
    const isBack = now <= this.#latest - MAX_STEP_BACK
    try {
      this.#tables.write(
        () => {
          // The first write of an object, or of a clock that went back, repairs the outbox before.
          if (!this.#hasWritten || isBack) {
            recoverOutbox(this.#sql, now, !this.#hasWritten)
            this.#memory.forgetWake()
          }
          return operations.map((run) => run())
        },
        (outcomes) => outcomes.some(({ ok }) => ok),
      )
    } catch (error) {
      this.#rolledBack()
      throw error
    }
    writeCounts.commits++
    this.#hasWritten = true
    this.#latest = isBack || now > this.#latest ? now : this.#latest
  }
}
