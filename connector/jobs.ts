// Runs jobs in the background: one at a time for each id, and a limited number of them at once.
import { type Log, messageOf } from './log.ts'

export class Jobs {
  readonly #limit: number
  readonly #running = new Map<string, Promise<void>>()

  readonly #log: Log

  constructor(limit: number, log: Log) {
    this.#limit = limit
    this.#log = log
  }

  /** Starts the job, unless it runs or there are too many. An error is logged; the job is due again. */
  start(id: string, run: () => Promise<void>): void {
    if (this.#running.has(id) || this.#running.size >= this.#limit) return
    const ended = run()
      .catch((error: unknown) => this.#log('warning', 'a job failed', { job: id, error: messageOf(error) }))
      .finally(() => this.#running.delete(id))
    this.#running.set(id, ended)
  }

  /** Resolves when those that run now have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values())
  }
}
