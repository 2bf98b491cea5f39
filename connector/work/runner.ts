// Runs what is due in a queue: each lane by itself, and the rows of one key one after another.
import type { Core } from '../core.ts'
import { DueRunner } from '../due-runner.ts'
import type { Place, Queue } from './queue.ts'

export abstract class QueueRunner<Row extends Place> extends DueRunner<Row> {
  readonly #queue: Queue<Row>

  constructor(core: Core, queue: Queue<Row>) {
    super(core)
    this.#queue = queue
  }

  protected override queues(now: number): string[] {
    return this.#queue.lanes(now)
  }

  protected due(now: number, limit: number, lane: string): Row[] {
    return this.#queue.due(lane, now, limit)
  }
}
