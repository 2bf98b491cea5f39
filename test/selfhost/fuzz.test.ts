// Inputs that are wrong in one place, of everything that is read from outside: `npm run fuzz` has more of them.
import { expect, it } from 'vitest'
import { table } from '../../bench/table.ts'
import { fuzz, type Report } from '../fuzz/fuzz.ts'

const SEED = Number(process.env.SEED ?? 1)
const { DURATION } = process.env
const SECONDS = DURATION === undefined ? undefined : Number(DURATION)
const INPUTS = Number(process.env.INPUTS ?? (SECONDS === undefined ? 20_000 : Number.POSITIVE_INFINITY))
const WORKERS = Number(process.env.WORKERS ?? 1)
const MIB = 2 ** 20
const MAX_BYTES = 1_024 * MIB

it(`hostile inputs get the contract’s answers and change nothing that they are refused`, {
  timeout: 12 * 3_600_000,
}, async () => {
  const reports = await Promise.all(
    Array.from({ length: WORKERS }, (_, i) =>
      fuzz({
        ...{ seed: SEED + i, inputs: Math.ceil(INPUTS / WORKERS) },
        ...(SECONDS !== undefined && { seconds: SECONDS }),
      }),
    ),
  )
  const findings = reports.flatMap((each) => each.findings)
  const inputs = reports.reduce((sum, each) => sum + each.inputs, 0)
  const seconds = Math.max(...reports.map((each) => each.seconds))
  const memory = reports.flatMap((each) => Object.entries(each.memory))
  console.log(
    table(
      `${inputs} inputs, seed ${SEED} with ${WORKERS} workers, ${seconds.toFixed(0)} s, ${findings.length} findings`,
      ['', '', ''],
      Array.from(kindsOf(reports), ([kind, answers]) => [
        kind,
        String(Array.from(answers.values()).reduce((sum, count) => sum + count, 0)),
        Array.from(answers, ([answer, count]) => `${answer}: ${count}`)
          .toSorted()
          .join(', '),
      ]),
    ),
    table(
      'MiB of memory, once in 20,000 inputs',
      ['', ''],
      memory.map(([name, bytes]) => [name, bytes.map((each) => Math.round(each / MIB)).join(' ')]),
    ),
  )
  expect(findings.slice(0, 10).join('\n\n'), `${findings.length} findings, SEED=${SEED}`).toBe('')
  for (const [name, bytes] of memory) expect([name, Math.max(...bytes) < MAX_BYTES]).toEqual([name, true])
})

/** What was answered, in all reports. */
function kindsOf(reports: readonly Report[]): Report['kinds'] {
  const sums: Report['kinds'] = new Map()
  for (const [kind, answers] of reports.flatMap(({ kinds }) => [...kinds])) {
    const sum = sums.get(kind) ?? new Map<string, number>()
    sums.set(kind, sum)
    for (const [answer, count] of answers) sum.set(answer, (sum.get(answer) ?? 0) + count)
  }
  return sums
}
