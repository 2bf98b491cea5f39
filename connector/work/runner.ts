// Runs what is due in a queue: a limited number of rows of each lane at once, and the rows of one key one after another.
import type { Core } from '../core.ts'
import { JobsByName } from './jobs.ts'
import type { Place, Queue } from './queue.ts'

/** How many rows run at once. */
interface Limits {
  /** In one lane. */
  perLane?: number
  /** In all lanes: from so many on the next lane waits. */
  inAll?: number
}

/** What a runner needs of its queue. */
export type Runnable<Row extends Place> = Pick<Queue<Row>, 'lanes' | 'due' | 'keyOf'>

export abstract class QueueRunner<Row extends Place> {
  protected readonly core: Core
  readonly #queue: Runnable<Row>
  readonly #jobs: JobsByName
  readonly #perLane: number
  readonly #inAll: number

  constructor(
    core: Core,
    queue: Runnable<Row>,
    { perLane = 16, inAll = Number.POSITIVE_INFINITY }: Limits = {},
  ) {
    this.core = core
    this.#queue = queue
    this.#jobs = new JobsByName(perLane, core.log)
    this.#perLane = perLane
    this.#inAll = inAll
  }

  protected abstract run(row: Row): Promise<void>

  /** Starts what is due. */
  tick(): void {
    const now = this.core.platform.now()
    for (const lane of this.#queue.lanes(now)) {
      if (this.#jobs.size >= this.#inAll) return
      const jobs = this.#jobs.of(lane)
      // What runs is due, too: behind it there are as many as can start.
      for (const row of this.#queue.due(lane, now, 2 * this.#perLane))
        jobs.start(this.#queue.keyOf(row), () => this.run(row))
    }
  }

  /** Resolves when what runs now has ended. */
  settled(): Promise<void> {
    return this.#jobs.settled()
  }
}
