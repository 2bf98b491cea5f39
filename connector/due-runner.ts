// Runs what is due on disk: each row once at a time, and a limited number of rows of each queue at once.
import type { Core } from './core.ts'
import { JobsByName } from './jobs.ts'

const BATCH = 100
const AT_ONCE = 16
/** Of a runner whose rows are all in one. */
const ONE_QUEUE = ['']

export abstract class DueRunner<Row> {
  protected readonly core: Core
  readonly #jobs: JobsByName
  readonly #limit: number

  /** @param limit from how many rows of all queues on the next queue waits */
  constructor(core: Core, limit = Number.POSITIVE_INFINITY) {
    this.core = core
    this.#jobs = new JobsByName(AT_ONCE, core.log)
    this.#limit = limit
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
    for (const queue of this.queues(now)) {
      if (this.#jobs.size >= this.#limit) return
      const jobs = this.#jobs.of(queue)
      for (const row of this.due(now, BATCH, queue)) jobs.start(this.idOf(row), () => this.run(row))
    }
  }

  /** Resolves when what runs now has ended. */
  settled(): Promise<void> {
    return this.#jobs.settled()
  }
}
