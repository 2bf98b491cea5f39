// Settlement files of banks, of which some bytes are others: a parser gives entries that hold together, or refuses.
import { isDeepStrictEqual } from 'node:util'
import type { Entry } from '../../src/settlement/formats/entry.ts'
import { unzipped } from '../../src/settlement/formats/zip.ts'
import { type Random, randomOf } from '../support/random.ts'
import { encode, type Outcome, outcomeOf, streamOf } from '../support/settlement/files.ts'
import { KITS, type Kit, type Operation, type Row } from '../support/settlement/kits.ts'
import { zipOf } from '../support/settlement/zip.ts'

export interface FileReport {
  /** By format: how many were read, and refused. */
  kinds: Map<string, Map<string, number>>
  findings: string[]
}

const MAX_TEXT = 300

/** @param inputs how many files */
export async function hostileFiles(seed: number, inputs: number): Promise<FileReport> {
  const random = randomOf(seed)
  const report: FileReport = { kinds: new Map(), findings: [] }
  for (let number = 0; number < inputs; number++) {
    const kit = one(random, KITS)
    const isZip = random.chance(0.1)
    const file = encode(kit.text(rowsOf(random), random.chance(0.05) ? 1 : 0), kit.encoding)
    const changed = changedBytes(
      random,
      isZip ? zipOf([{ content: file, hasDescriptor: random.chance(0.5) }]) : file,
    )
    const read = (sizes?: number[]) =>
      outcomeOf((bytes) => kit.parse(isZip ? unzipped(bytes) : bytes), streamOf(changed, sizes))
    const name = isZip ? 'zip' : kit.name
    try {
      const outcome = await read()
      const [found] = Object.keys(outcome)
      const outcomes = report.kinds.get(name) ?? new Map<string, number>()
      report.kinds.set(name, outcomes)
      outcomes.set(found ?? '', (outcomes.get(found ?? '') ?? 0) + 1)
      const sizes = Array.from({ length: 3 }, () => 1 + random.below(Math.max(200, changed.length / 30)))
      const again = await read(sizes)
      // What is unpacked before a zip is known as damaged depends on its pieces.
      const isSame = isDeepStrictEqual(again, outcome) || (isZip && 'faults' in outcome && 'faults' in again)
      const problem = isSame ? problemOf(outcome) : `it is another one in pieces of ${sizes}`
      if (problem) report.findings.push(`file ${number} (${name}): ${problem}\n${shown(changed)}`)
    } catch (error) {
      report.findings.push(`file ${number} (${name}): ${error}\n${shown(changed)}`)
    }
  }
  return report
}

const shown = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1').slice(0, 1_500)
const one = <T>(random: Random, values: readonly T[]): T => {
  const value = values[random.below(values.length)]
  if (value === undefined) throw new Error('there is nothing to choose from')
  return value
}

/** Some operations. */
export const rowsOf = (random: Random): Row[] =>
  Array.from({ length: random.below(6) }, (_, i) => {
    const kind = one<Operation['kind']>(random, ['payment', 'payment', 'refund'])
    const operation = {
      ...{ kind, gross: 1_000 + random.below(1_000_000), fee: kind === 'payment' ? random.below(900) : 0 },
      ...{ at: random.below(30 * 86_400), id: i + 1, order: `order-${i}`, isOther: random.chance(0.2) },
    }
    return { operation, number: i + 1, cells: {} }
  })

/** What has a meaning in one of the formats. */
const TOKENS = [
  ...[
    ';',
    '"',
    '""',
    '\n',
    '\r\n',
    '\n\n',
    '=',
    '-',
    '.',
    ',',
    '0',
    '99',
    ' ',
    '\u00a0',
    '{',
    '}',
    '[',
    ']',
    ':',
  ],
  ...[
    'null',
    '1e9',
    '\\u0000',
    'ИТОГО',
    'КонецФайла',
    'КонецДокумента',
    'СекцияРасчСчет',
    'Сумма=1',
    '<html>',
  ],
  ...[
    '__proto__',
    'constructor',
    'Credit',
    'REFUND',
    'Payment',
    'CARD',
    'Data',
    'РасчСчет=',
    'PK\u0003\u0004',
    'x'.repeat(70_000),
  ],
]

/** The file with some bytes changed. */
export function changedBytes(random: Random, file: Uint8Array): Uint8Array {
  let bytes = [...file]
  const place = () => random.below(bytes.length + 1)
  for (let changes = random.below(5); changes >= 0; changes--) {
    const [from, length] = [place(), 1 + random.below(30)]
    switch (random.below(7)) {
      case 0:
        bytes[from] = random.below(256)
        break
      case 1:
        bytes.splice(from, 0, ...encode(one(random, TOKENS), one(random, ['windows-1251', 'utf-8'])))
        break
      case 2:
        bytes.splice(from, length)
        break
      case 3:
        bytes.splice(place(), 0, ...bytes.slice(from, from + length * 10))
        break
      case 4:
        if (random.chance(0.3)) bytes = bytes.slice(0, from)
        break
      case 5: {
        const digit = bytes.findIndex((byte, at) => at >= from && byte >= 0x30 && byte <= 0x39)
        if (digit !== -1) bytes[digit] = 0x30 + random.below(10)
        break
      }
      case 6:
        if (random.chance(0.1))
          bytes = [...encode(one<Kit>(random, KITS).text(rowsOf(random), 0), 'utf-8'), ...bytes]
    }
  }
  return Uint8Array.from(bytes.map((byte) => byte ?? 0))
}

/** What is wrong with what a parser gave. */
function problemOf(outcome: Outcome): string | undefined {
  if ('tooLarge' in outcome) return undefined
  if ('faults' in outcome) {
    const texts = Object.entries(outcome.faults).flatMap(([place, each]) =>
      each.map((text) => `${place} ${text}`),
    )
    if (texts.length === 0 || texts.length > 10) return `there are ${texts.length} faults`
    return texts.find((text) => text.length > MAX_TEXT)
  }
  const { entries, summary } = outcome
  if (new Set(entries.map(({ identity }) => identity)).size !== entries.length)
    return 'two entries have one identity'
  if (summary.entries !== entries.length || summary.lines !== entries.length + summary.skipped)
    return `it counts ${JSON.stringify(summary)} for ${entries.length} entries`
  const wrong = entries.find((entry) => !holds(entry))
  return wrong && `an entry does not hold: ${JSON.stringify(wrong)}`
}

/** Amounts are whole and have their signs; net is gross and fee. */
function holds({ kind, gross, fee, net, operatedAt }: Entry): boolean {
  const sums = [gross, fee, net, operatedAt].filter((each) => each !== undefined)
  if (!sums.every(Number.isSafeInteger)) return false
  if (kind === 'payment' && !((gross ?? 0) > 0 && (fee ?? 0) <= 0)) return false
  if (kind === 'refund' && !((gross ?? 0) < 0)) return false
  return net === undefined || net === (gross ?? 0) + (fee ?? 0)
}
