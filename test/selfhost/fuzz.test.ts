// Inputs that are wrong in one place, of everything that is read from outside: `npm run fuzz` has more of them.
import { expect, it } from 'vitest'
import { table } from '../../bench/table.ts'
import { fuzz } from '../fuzz/fuzz.ts'

const SEED = Number(process.env.SEED ?? 1)
const { DURATION } = process.env
const SECONDS = DURATION === undefined ? undefined : Number(DURATION)
const INPUTS = Number(process.env.INPUTS ?? (SECONDS === undefined ? 20_000 : Number.POSITIVE_INFINITY))
const MIB = 2 ** 20
const MAX_BYTES = 1_024 * MIB

it(`hostile inputs get the contract’s answers and change nothing that they are refused`, {
  timeout: 12 * 3_600_000,
}, async () => {
  const { inputs, seconds, kinds, findings, memory } = await fuzz({
    ...{ seed: SEED, inputs: INPUTS },
    ...(SECONDS !== undefined && { seconds: SECONDS }),
  })
  console.log(
    table(
      `${inputs} inputs, seed ${SEED}, ${seconds.toFixed(0)} s, ${findings.length} findings`,
      ['', '', ''],
      Array.from(kinds, ([kind, answers]) => [
        kind,
        String(Array.from(answers.values()).reduce((sum, count) => sum + count, 0)),
        Array.from(answers, ([answer, count]) => `${answer}: ${count}`)
          .toSorted()
          .join(', '),
      ]),
    ),
    table(
      'Memory after the first batch and in the end',
      ['', ''],
      Object.entries(memory).map(([name, bytes]) => [
        name,
        bytes.map((each) => `${Math.round(each / MIB)} MiB`).join(' → '),
      ]),
    ),
  )
  expect(findings.slice(0, 10).join('\n\n'), `${findings.length} findings, SEED=${SEED}`).toBe('')
  for (const [name, [, last]] of Object.entries(memory))
    expect([name, last < MAX_BYTES]).toEqual([name, true])
})
