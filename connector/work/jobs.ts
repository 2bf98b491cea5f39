// Runs jobs in the background: one at a time for each id, and a limited number of them at once.
import { type Log, messageOf } from '../log.ts'

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

  /** How many run. */
  get size(): number {
    return this.#running.size
  }

  /** Resolves when those that run now have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values())
  }
}

/** Jobs by a name, such as that of a bank: one that is down does not delay the others. Names appear and go while the connector runs. */
export class JobsByName {
  readonly #limit: number
  readonly #log: Log
  readonly #jobs = new Map<string, Jobs>()

  /** @param limit of each name */
  constructor(limit: number, log: Log) {
    this.#limit = limit
    this.#log = log
  }

  of(name: string): Jobs {
    const jobs = this.#jobs.get(name) ?? new Jobs(this.#limit, this.#log)
    this.#jobs.set(name, jobs)
    return jobs
  }

  /** How many run. */
  get size(): number {
    return this.#jobs.values().reduce((sum, { size }) => sum + size, 0)
  }

  async settled(): Promise<void> {
    await Promise.all(Array.from(this.#jobs.values(), (jobs) => jobs.settled()))
  }
}
