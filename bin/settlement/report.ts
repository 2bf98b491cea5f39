// What a settlement file says, as text: its period, what it skips, its operations by kind and by day of payout.
import type { EntryKind, Summary } from '../../src/settlement/formats/entry.ts'
import { roubles } from '../../src/settlement/formats/money.ts'
import { AMOUNTS, type Amount, emptyGroup, type Group, type Sums } from './sums.ts'

const KINDS: readonly EntryKind[] = ['payment', 'refund', 'correction', 'fee', 'payout']
const NOT_STATED = 'not stated'

/** The text, with a line break at its end. It has sums alone, and nothing of a single operation. */
export function reportOf(sums: Sums, summary: Summary): string {
  const { lines, skipped, from, to } = summary
  const head = [
    `period: ${from === undefined || to === undefined ? NOT_STATED : `${from} to ${to}`}`,
    `operations: ${lines}`,
    `skipped: ${skipped}${skipped === 0 ? '' : `, net ${skippedNetOf(summary, Object.keys(summary.skippedNet))}`}`,
  ]
  const tables = [kindsOf(sums), daysOf(sums, summary)].filter((rows) => rows.length > 1).map(aligned)
  return [head, ...tables].map((block) => `${block.join('\n')}\n`).join('\n')
}

/** The net sum of what is skipped, paid out on the days. Where anything is skipped, the bank states all of them or none. */
function skippedNetOf({ skipped, skippedNet }: Summary, days: readonly string[]): string {
  if (skipped > 0 && Object.keys(skippedNet).length === 0) return NOT_STATED
  return roubles(days.reduce((sum, day) => sum + BigInt(skippedNet[day] ?? 0), 0n))
}

function kindsOf(sums: Sums): string[][] {
  const rows = KINDS.flatMap((kind) => {
    const group = sums.kinds.get(kind)
    return group ? [[kind, ...cellsOf(group)]] : []
  })
  return [['kind', 'count', ...AMOUNTS], ...rows]
}

/** The days in order; operations without a day are the last. */
function daysOf({ days, payouts }: Sums, summary: Summary): string[][] {
  const all = new Set([...days.keys(), ...payouts.keys(), ...Object.keys(summary.skippedNet)])
  const rows = [...all]
    .toSorted()
    .map((day) => [
      ...[day ?? NOT_STATED, ...cellsOf(days.get(day) ?? emptyGroup())],
      skippedNetOf(summary, day === undefined ? [] : [day]),
      sumOf(payouts.get(day) ?? emptyGroup(), 'gross'),
    ])
  return [['paidOn', 'count', ...AMOUNTS, 'skippedNet', 'payout'], ...rows]
}

const cellsOf = (group: Group): string[] => [`${group.count}`, ...AMOUNTS.map((name) => sumOf(group, name))]

function sumOf({ count, amounts }: Group, name: Amount): string {
  const { kopecks, stated } = amounts[name]
  if (stated === 0) return NOT_STATED
  return stated === count ? roubles(kopecks) : `${roubles(kopecks)} (${stated} of ${count})`
}

/** The rows of a table: its first column begins at the left, the others end at the right. */
export function aligned(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)))
  return rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  )
}
