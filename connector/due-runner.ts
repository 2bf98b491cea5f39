// Runs what is due on disk: each row once at a time, and a limited number of rows of each queue at once.
import type { Core } from './core.ts'
import { Jobs } from './jobs.ts'

const BATCH = 100
const AT_ONCE = 16
/** Of all queues: the banks are few, but sites can be many, and all of their reports go to one service. */
const AT_ONCE_IN_ALL = 64
/** Of a runner whose rows are all in one. */
const ONE_QUEUE = ['']

export abstract class DueRunner<Row> {
  protected readonly core: Core
  readonly #jobs = new Map<string, Jobs>()

  constructor(core: Core) {
    this.core = core
  }

  /** The queues that have something due, the most urgent first: none delays another. @param now Unix milliseconds */
  protected queues(_now: number): readonly string[] {
    return ONE_QUEUE
  }
  /** The rows whose time has come. @param now Unix milliseconds */
  protected abstract due(now: number, limit: number, queue: string): readonly Row[]
  /** Rows with one id run one after another. */
  protected abstract idOf(row: Row): string
  protected abstract run(row: Row): Promise<void>

  /** Starts what is due. */
  tick(): void {
    const now = this.core.platform.now()
    let running = this.#jobs.values().reduce((sum, { size }) => sum + size, 0)
    for (const queue of this.queues(now)) {
      if (running >= AT_ONCE_IN_ALL) return
      const jobs = this.#jobsOf(queue)
      const before = jobs.size
      for (const row of this.due(now, BATCH, queue)) jobs.start(this.idOf(row), () => this.run(row))
      running += jobs.size - before
    }
  }

  /** Resolves when what runs now has ended. */
  async settled(): Promise<void> {
    await Promise.all(Array.from(this.#jobs.values(), (jobs) => jobs.settled()))
  }

  #jobsOf(queue: string): Jobs {
    const jobs = this.#jobs.get(queue) ?? new Jobs(AT_ONCE, this.core.log)
    this.#jobs.set(queue, jobs)
    return jobs
  }
}
