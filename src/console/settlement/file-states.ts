// How a file of a bank matches: its entries by state, and its payouts, whose states the days of payout have.
import { html } from 'hono/html'
import type { Settlement, SettlementEntry } from '../../contract/settlement.ts'
import { entryCursorOf } from '../../contract/settlements/entries.ts'
import type { Html } from '../../web/layout.ts'
import { dayText } from '../formats.ts'
import { badge, stateName } from '../parts.ts'
import { SETTLEMENT_TEXTS } from '../texts-settlement.ts'
import type { Visit } from '../visit.ts'
import { foundEntries } from './entries.ts'
import { besideMonth, type Clock, presentMonth } from './month-of.ts'

/** In the order in which they are shown. */
export const COUNTED = ['MATCHED', 'MISMATCHED', 'UNKNOWN'] as const

/** Entries of a file by state, payouts included. */
export type FileCounts = Record<(typeof COUNTED)[number], number>

/** The counts of files, by settlementUid. A payout counts for the file that is shown with it. */
export async function countsOfFiles(
  files: readonly Settlement[],
  visit: Visit,
): Promise<Map<string, FileCounts>> {
  const counts = new Map(files.map((file) => [file.settlementUid, countsIn(file)]))
  const months = new Set(
    files.filter(({ format }) => format === 'statement').flatMap((file) => monthsOf(file, visit)),
  )
  const payouts = await Promise.all([...months].map((month) => payoutsIn(month, visit)))
  for (const { settlementUid = '', state } of payouts.flat()) {
    const file = counts.get(settlementUid)
    if (file && (state === 'MATCHED' || state === 'MISMATCHED')) file[state]++
  }
  return counts
}

const countsIn = ({ matched, mismatched, unknown }: Settlement): FileCounts => ({
  MATCHED: matched,
  MISMATCHED: mismatched,
  UNKNOWN: unknown,
})

/**
 * The months of the days of a file, of the deployment's offset from UTC: banks tell days by the time of Moscow. A statement can be
 * asked for up to a day that is far off.
 */
export function monthsOf({ from, to }: Pick<Settlement, 'from' | 'to'>, visit: Clock): string[] {
  if (from === undefined || to === undefined) return []
  const monthAt = (time: string) => dayText(Date.parse(`${time}+03:00`) / 1000, visit).slice(0, 7)
  const months: string[] = []
  const [last = ''] = [monthAt(`${to}T23:59:59`), presentMonth(visit)].toSorted()
  let month: string | undefined = monthAt(`${from}T00:00:00`)
  for (; month !== undefined && month <= last; month = besideMonth(month, 1)) months.push(month)
  return months
}

async function payoutsIn(month: string, visit: Visit): Promise<SettlementEntry[]> {
  const payouts: SettlementEntry[] = []
  let cursor = ''
  do {
    const { entries, next } = await foundEntries(visit, month, { kind: 'payout' }, { cursor })
    payouts.push(...entries)
    cursor = next ? entryCursorOf(next) : ''
  } while (cursor)
  return payouts
}

/** Whether all of a file matches, else how many entries do not; nothing is said of a file with nothing to compare. */
export function fileState(counts: FileCounts | undefined, visit: Visit): Html | '' {
  if (!counts || COUNTED.every((state) => counts[state] === 0)) return ''
  const open = COUNTED.filter((state) => state !== 'MATCHED' && counts[state] > 0)
  if (open.length === 0) return badge('SETTLEMENT_MATCHED', visit)
  return html`${open.map(
    (state) =>
      html`<span class="badge bad">${stateName(`SETTLEMENT_${state}`, visit)}: ${counts[state]}</span> `,
  )}`
}

/** The same in words, with how many match. */
export const fileCounts = (counts: FileCounts | undefined, visit: Visit): string =>
  COUNTED.flatMap((state) =>
    counts?.[state] ? [`${stateName(`SETTLEMENT_${state}`, visit)}: ${counts[state]}`] : [],
  ).join(', ') || SETTLEMENT_TEXTS[visit.language].nothingCompared
