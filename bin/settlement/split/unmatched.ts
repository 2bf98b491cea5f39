// The entries of an import that do not match, as text: at most ten, and where the others are.
import type { EntryAnswer } from '../../../src/contract/settlements/entries.ts'
import type { Imported, SiteClient } from './service.ts'

const MAX_ENTRIES = 10
const STATES = ['MISMATCHED', 'UNKNOWN'] as const

/** A part that was imported. */
export interface Done {
  client: SiteClient
  settlementUid: string
  imported: Imported
}

/** A line for each entry, those that differ first, and for each site the page that has them all. @throws Error of the service */
export async function unmatchedLines(done: readonly Done[]): Promise<string[]> {
  const unmatched = done.filter(({ imported }) => imported.mismatched + imported.unknown > 0)
  if (unmatched.length === 0) return []
  const lines: string[] = []
  for (const state of STATES)
    for (const each of unmatched) {
      const entries = each.imported[COUNT_OF[state]] > 0 ? await entriesOf(each, state, MAX_ENTRIES) : []
      lines.push(...entries.map((entry) => `${each.client.siteId}: ${lineOf(entry)}`))
    }
  const all = unmatched.reduce((sum, { imported }) => sum + imported.mismatched + imported.unknown, 0)
  const shown = lines.slice(0, MAX_ENTRIES)
  return [
    ...shown,
    ...(all > shown.length ? [`and ${all - shown.length} more`] : []),
    ...unmatched.map(({ client, settlementUid }) => `${client.siteId}: see ${client.pageOf(settlementUid)}`),
  ]
}

const COUNT_OF = { MISMATCHED: 'mismatched', UNKNOWN: 'unknown' } as const

/** The first entries of a part in a state. */
async function entriesOf(
  { client, settlementUid, imported }: Done,
  state: (typeof STATES)[number],
  max: number,
): Promise<EntryAnswer[]> {
  const found: EntryAnswer[] = []
  for (const month of monthsOf(imported)) {
    let cursor: string | undefined
    do {
      const page = await client.entries({ month, state, ...(cursor !== undefined && { cursor }) })
      found.push(...page.entries.filter((entry) => entry.settlementUid === settlementUid))
      cursor = page.nextCursor
    } while (cursor !== undefined && found.length < max)
    if (found.length >= max) break
  }
  return found.slice(0, max)
}

const DAY_MS = 86_400_000

/** The months of a file's days; its first and last day can be of another month in the offset of the service. */
function monthsOf({ from, to }: Imported): string[] {
  if (from === undefined || to === undefined) return []
  const months = new Set<string>()
  for (let at = Date.parse(from) - DAY_MS; at <= Date.parse(to) + DAY_MS; at += DAY_MS)
    months.add(new Date(at).toISOString().slice(0, 7))
  return [...months]
}

function lineOf({ state, kind, gross, operatedAt, bankIds, differences = [] }: EntryAnswer): string {
  const ids = Object.entries(bankIds).map(([name, id]) => `, ${name} ${id}`)
  const differing = differences.map(({ field, ours, theirs }) => `${field} is ${ours}, at the bank ${theirs}`)
  return `${state} ${kind} ${gross ?? ''} of ${operatedAt}${ids.join('')}${
    differing.length > 0 ? `: ${differing.join(', ')}` : ''
  }`
}
