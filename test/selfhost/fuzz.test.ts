// Inputs that are wrong in one place, of everything that is read from outside: `npm run fuzz` has more of them.
import { expect, it } from 'vitest'
import { table } from '../../bench/table.ts'
import { type BankReport, hostileBanks } from '../fuzz/banks.ts'
import { fuzz, type Report } from '../fuzz/fuzz.ts'
import { type FileReport, hostileFiles } from '../fuzz/settlement.ts'
import { hasClock } from '../support/clock.ts'

const SEED = Number(process.env.SEED ?? 1)
const { DURATION } = process.env
const SECONDS = DURATION === undefined ? undefined : Number(DURATION)
const INPUTS = Number(process.env.INPUTS ?? (SECONDS === undefined ? 20_000 : Number.POSITIVE_INFINITY))
const WORKERS = Number(process.env.WORKERS ?? 1)
const MIB = 2 ** 20
const MAX_BYTES = 1_024 * MIB
/** So many sites with banks that answer wrongly come for so many inputs, or for so long a part of the seconds. */
const SITES = 14
const INPUTS_OF_SITES = 20_000
const PART = 0.2
/** So many files come for so many inputs, or for that part of the seconds. */
const FILES = 2_000
const PART_OF_FILES = 0.1
const DAY_MS = 86_400_000

it(`hostile inputs get the contract’s answers and change nothing that they are refused`, {
  timeout: 12 * 3_600_000,
}, async () => {
  const reports = await Promise.all(
    Array.from({ length: WORKERS }, (_, i) =>
      fuzz({
        ...{ seed: SEED + i, inputs: Math.ceil(INPUTS / WORKERS) },
        ...(SECONDS !== undefined && { seconds: SECONDS * (1 - PART) }),
      }),
    ),
  )
  const findings = reports.flatMap((each) => each.findings)
  const inputs = reports.reduce((sum, each) => sum + each.inputs, 0)
  const seconds = Math.max(...reports.map((each) => each.seconds))
  const memory = reports.flatMap((each) => Object.entries(each.memory))
  console.log(
    tableOf(
      `${inputs} inputs, seed ${SEED} with ${WORKERS} workers, ${seconds.toFixed(0)} s, ${findings.length} findings`,
      kindsOf(reports),
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

it.runIf(hasClock)(
  'banks that answer wrongly whatever they are asked move no money twice, and merchants are told what happened',
  { timeout: DAY_MS },
  async () => {
    const begun = Date.now()
    const isOver = (batch: number) =>
      SECONDS === undefined ? batch * INPUTS_OF_SITES >= INPUTS : Date.now() - begun >= SECONDS * 1_000 * PART
    const reports: BankReport[] = []
    for (let batch = 0; !isOver(batch); batch++)
      reports.push(await hostileBanks(SEED * 1_000 + batch * SITES, SITES))
    const findings = reports.flatMap((each) => each.findings)
    const settled = reports.reduce((sum, each) => sum + each.settled, 0)
    const kinds = kindsOf(reports)
    const seconds = Math.round((Date.now() - begun) / 1_000)
    console.log(
      tableOf(
        `${reports.length * SITES} sites, seed ${SEED}, ${seconds} s, ${settled} held and decided, ${findings.length} findings`,
        kinds,
      ),
    )
    expect(findings.slice(0, 10).join('\n\n'), `${findings.length} findings, SEED=${SEED}`).toBe('')
    // A run that meets no fault proves nothing.
    const banks = new Set(Array.from(kinds.keys(), (kind) => kind.split(' ')[0]))
    expect(banks).toEqual(new Set(['tochka', 'tbank', 'raiffeisen', 'tochka-pay']))
  },
)

it('settlement files of which some bytes are others are refused, or give entries that hold together', {
  timeout: DAY_MS,
}, async () => {
  const begun = Date.now()
  const isOver = (batch: number) =>
    SECONDS === undefined
      ? batch * INPUTS_OF_SITES >= INPUTS
      : Date.now() - begun >= SECONDS * 1_000 * PART_OF_FILES
  const reports: FileReport[] = []
  for (let batch = 0; !isOver(batch); batch++) reports.push(await hostileFiles(SEED * 1_000 + batch, FILES))
  const findings = reports.flatMap((each) => each.findings)
  const kinds = kindsOf(reports)
  console.log(tableOf(`${reports.length} batches of files, seed ${SEED}, ${findings.length} findings`, kinds))
  expect(findings.slice(0, 10).join('\n\n'), `${findings.length} findings, SEED=${SEED}`).toBe('')
  // Of each format some are read, and some refused.
  for (const [name, outcomes] of kinds)
    expect([name, [...outcomes.keys()].toSorted()]).toEqual([
      name,
      expect.arrayContaining(['entries', 'faults']),
    ])
})

function tableOf(title: string, kinds: Report['kinds']): string {
  const rows = Array.from(kinds, ([kind, answers]) => [
    kind,
    String(Array.from(answers.values()).reduce((sum, count) => sum + count, 0)),
    Array.from(answers, ([answer, count]) => `${answer}: ${count}`)
      .toSorted()
      .join(', '),
  ])
  return table(title, ['', '', ''], rows)
}

/** What was answered, in all reports. */
function kindsOf(reports: readonly Pick<Report, 'kinds'>[]): Report['kinds'] {
  const sums: Report['kinds'] = new Map()
  for (const [kind, answers] of reports.flatMap(({ kinds }) => [...kinds])) {
    const sum = sums.get(kind) ?? new Map<string, number>()
    sums.set(kind, sum)
    for (const [answer, count] of answers) sum.set(answer, (sum.get(answer) ?? 0) + count)
  }
  return sums
}
