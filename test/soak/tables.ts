// The tables that a run prints.
import { percentile } from '../../bench/statistics.ts'
import { table } from '../../bench/table.ts'
import type { Answers } from './answers.ts'
import type { Resources } from './resources.ts'

interface Run {
  answers: Answers
  faults: { turns: { counts: ReadonlyMap<string, number> } }
  resources: Resources
  begun: number
  minutes: number
}

/** What went wrong on purpose, what was answered, in which time, and what the processes used. */
export const tablesOf = ({ answers, faults, resources, begun, minutes }: Run): string[] => [
  table('Faults', ['', ''], counted(faults.turns.counts)),
  table('Answers other than successes', ['', ''], counted(answers.failures)),
  table('Milliseconds to an answer', ['', 'p50', 'p99'], timesOf(answers, begun, minutes)),
  table(
    'The longest life of each process, in ten parts of it',
    ['', 'lives', 'memory, MiB', 'trend', 'descriptors', 'trend'],
    resources.table(),
  ),
]

export const counted = (counts: ReadonlyMap<string, number>): string[][] =>
  Array.from(counts, ([name, count]) => [name, `${count}`]).toSorted()

/** p50 and p99 of ten parts of the run. */
function timesOf({ all }: Answers, begun: number, minutes: number): string[][] {
  return Array.from({ length: 10 }, (_, i) => {
    const [from, to] = [begun + i * minutes * 6_000, begun + (i + 1) * minutes * 6_000]
    const ms = all.filter(({ time, isTimed }) => isTimed && time >= from && time < to).map(({ ms }) => ms)
    return [
      `from minute ${((i * minutes) / 10).toFixed(1)}`,
      ...[0.5, 0.99].map((share) => percentile(ms, share).toFixed(1)),
    ]
  })
}
