// Rows of the tables that a run prints.
import { percentile } from '../../bench/statistics.ts'
import type { Answers } from './answers.ts'

export const counted = (counts: ReadonlyMap<string, number>): string[][] =>
  Array.from(counts, ([name, count]) => [name, `${count}`]).toSorted()

/** p50 and p99 of ten parts of the run. */
export function timesOf({ all }: Answers, begun: number, minutes: number): string[][] {
  return Array.from({ length: 10 }, (_, i) => {
    const [from, to] = [begun + i * minutes * 6_000, begun + (i + 1) * minutes * 6_000]
    const ms = all.filter(({ time, isTimed }) => isTimed && time >= from && time < to).map(({ ms }) => ms)
    return [
      `from minute ${((i * minutes) / 10).toFixed(1)}`,
      ...[0.5, 0.99].map((share) => percentile(ms, share).toFixed(1)),
    ]
  })
}
