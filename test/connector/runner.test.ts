// How many rows of how many lanes run at once.
import { expect, it, onTestFinished } from 'vitest'
import type { Core } from '../../connector/core.ts'
import type { Place } from '../../connector/work/queue.ts'
import { QueueRunner } from '../../connector/work/runner.ts'
import { start, surroundings } from './harness.ts'

const LANES = Array.from({ length: 10 }, (_, i) => `lane-${i}`)

interface Row extends Place {
  id: string
}

/** Each lane has a hundred rows, which end when the test does. */
const QUEUE = {
  lanes: () => LANES,
  keyOf: ({ id }: { id?: unknown }) => String(id),
  due: (lane: string, _: number, limit: number): Row[] =>
    Array.from({ length: limit }, (_, i) => ({
      id: `${lane}/${i}`,
      place: i,
      wakes: 0,
      attempts: 0,
      rests: false,
    })),
}

class Hanging extends QueueRunner<Row> {
  readonly running: string[] = []
  readonly end = Promise.withResolvers<void>()
  constructor(core: Core, limit: number | undefined) {
    super(core, QUEUE, limit === undefined ? {} : { inAll: limit })
  }
  protected run({ id }: Row): Promise<void> {
    this.running.push(id)
    return this.end.promise
  }
}

it.each([
  ['without a limit, each lane has its sixteen, however many rows of others run', undefined, 160],
  ['from the limit on, the next lane waits', 64, 64],
])('%s', async (_, limit, expected) => {
  const { core } = await start(await surroundings())
  const runner = new Hanging(core, limit)
  onTestFinished(() => runner.end.resolve())
  for (let turns = 0; turns < 2; turns++) runner.tick()
  expect([runner.running.length, new Set(runner.running).size]).toEqual([expected, expected])
})
