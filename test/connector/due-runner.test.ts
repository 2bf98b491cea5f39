// How many rows of how many queues run at once.
import { expect, it, onTestFinished } from 'vitest'
import { DueRunner } from '../../connector/due-runner.ts'
import { start, surroundings } from './harness.ts'

const QUEUES = Array.from({ length: 10 }, (_, i) => `queue-${i}`)

/** Each queue has a hundred rows, which end when the test does. */
class Hanging extends DueRunner<string> {
  readonly running: string[] = []
  readonly end = Promise.withResolvers<void>()
  protected override queues = () => QUEUES
  protected due = (_: number, limit: number, queue: string) =>
    Array.from({ length: limit }, (_, i) => `${queue}/${i}`)
  protected idOf = (row: string) => row
  protected run(row: string): Promise<void> {
    this.running.push(row)
    return this.end.promise
  }
}

it.each([
  ['without a limit, each queue has its sixteen, however many rows of others run', undefined, 160],
  ['from the limit on, the next queue waits', 64, 64],
])('%s', async (_, limit, expected) => {
  const { core } = await start(await surroundings())
  const runner = new Hanging(core, limit)
  onTestFinished(() => runner.end.resolve())
  for (let turns = 0; turns < 2; turns++) runner.tick()
  expect([runner.running.length, new Set(runner.running).size]).toEqual([expected, expected])
})
