// Runs what is due on disk: each row once at a time, and a limited number of rows at once.
import type { Core } from './core.ts'
import { Jobs } from './jobs.ts'

const BATCH = 100
const AT_ONCE = 16

export abstract class DueRunner<Row> {
  protected readonly core: Core
  readonly #jobs: Jobs

  constructor(core: Core) {
    this.core = core
    this.#jobs = new Jobs(AT_ONCE, core.log)
  }

  /** The rows whose time has come. @param now Unix milliseconds */
  protected abstract due(now: number, limit: number): readonly Row[]
  /** Rows with one id run one after another. */
  protected abstract idOf(row: Row): string
  protected abstract run(row: Row): Promise<void>

  /** Starts what is due. */
  tick(): void {
    for (const row of this.due(this.core.platform.now(), BATCH)) {
      this.#jobs.start(this.idOf(row), () => this.run(row))
    }
  }

  /** Resolves when what runs now has ended. */
  settled(): Promise<void> {
    return this.#jobs.settled()
  }
}
