// The lists of files and of entries.

import type { PageQuery } from '../../contract/query.ts'
import type {
  EntriesQuery,
  EntryCursor,
  EntryPage,
  SettlementEntry,
  SettlementPage,
} from '../../contract/settlement.ts'
import type { Context } from '../context.ts'
import { findPayment } from '../payments/rows.ts'
import { firstRows } from '../rows/page.ts'
import type { Sql } from '../rows/sql.ts'
import { BY_KIND, BY_MATCH, type EntryRow, entryRows, settlementEntryOf } from './entries.ts'
import { expectedEntryOf, expectedRows } from './expected.ts'
import { fileRows, settlementOf } from './files.ts'
import { ENTRY_KINDS } from './lines.ts'
import { payoutsOf } from './payouts.ts'
import { IN_GENERATION, stateIn } from './state.ts'

/** A page of files, newest first. */
export function listSettlements({ sql, memory }: Context, { limit, cursor }: PageQuery): SettlementPage {
  if (!memory.hasSettlements) return { settlements: [] }
  const { generation } = stateIn(sql)
  const read = fileRows(
    sql,
    `WHERE ${IN_GENERATION} AND number < ? ORDER BY number DESC LIMIT ?`,
    ...[generation, generation, cursor ?? Number.MAX_SAFE_INTEGER, limit + 1],
  )
  const { rows, last } = firstRows(read, limit)
  return { settlements: rows.map((row) => settlementOf(sql, row, generation)), next: last?.number }
}

/** An entry in a list, and where it is in it. */
interface Listed {
  cursor: EntryCursor
  entry: SettlementEntry
}

const isBehind = (a: EntryCursor, b: EntryCursor): boolean =>
  a.at !== b.at ? a.at > b.at : a.source !== b.source ? a.source > b.source : a.number > b.number

/** A page of entries, and of what is EXPECTED, oldest first. */
export function listEntries(context: Context, query: EntriesQuery): EntryPage {
  if (!context.memory.hasSettlements) return { entries: [] }
  const after = query.cursor ?? { at: query.since, source: -1, number: -1 }
  const generation = stateIn(context.sql).generation
  const stated = statedEntries(context, generation, query, after)
  // Nothing that is EXPECTED behind a full page is looked for.
  const last = stated.length > query.limit ? stated.at(-1)?.cursor.at : undefined
  const until = last === undefined ? query.until : Math.min(last + 1, query.until)
  const expected = expectedEntries(context, generation, { ...query, until }, after)
  const all = [...stated, ...expected].toSorted((a, b) => (isBehind(a.cursor, b.cursor) ? 1 : -1))
  const { rows, last: next } = firstRows(all, query.limit)
  return { entries: rows.map(({ entry }) => entry), next: next?.cursor }
}

/** Entries of files behind a place, one more than a page has. */
function statedEntries(
  { sql }: Context,
  generation: number,
  { until, state, kind, limit }: EntriesQuery,
  after: EntryCursor,
): Listed[] {
  if (state === 'EXPECTED') return []
  const number = after.source === 0 ? after.number : after.source > 0 ? Number.MAX_SAFE_INTEGER : -1
  const kinds = ENTRY_KINDS.filter((each) => each !== 'payout' && (kind === undefined || each === kind))
  const bindings = [generation, after.at, number, until, limit + 1]
  const rows =
    state === undefined || state === 'MATCHED'
      ? kinds.flatMap((each) =>
          entryRows(
            sql,
            BY_KIND,
            `lines.kind = ?6 AND (lines.operated_at, lines.entry) > (?2, ?3) AND lines.operated_at < ?4
               AND (?7 IS NULL OR matches.state = ?7) ORDER BY lines.operated_at, lines.entry LIMIT ?5`,
            ...[...bindings, each, state ?? null],
          ),
        )
      : entryRows(
          sql,
          BY_MATCH,
          `matches.state = ?6 AND (matches.at, matches.entry) > (?2, ?3) AND matches.at < ?4
             AND lines.kind IN (SELECT value FROM json_each(?7)) ORDER BY matches.at, matches.entry LIMIT ?5`,
          ...[...bindings, state, JSON.stringify(kinds)],
        )
  const payouts =
    kind === undefined || kind === 'payout'
      ? payoutEntries(sql, generation, { after, number, until, state })
      : []
  return [...rows.map(listed), ...payouts]
    .toSorted((a, b) => (isBehind(a.cursor, b.cursor) ? 1 : -1))
    .slice(0, limit + 1)
}

const listed = (row: EntryRow): Listed => ({
  cursor: { at: row.operated_at, source: 0, number: row.entry },
  entry: settlementEntryOf(row),
})

/** The payouts of a time, which are a few: their states are computed. */
function payoutEntries(
  sql: SqlStorage,
  generation: number,
  {
    after,
    number,
    until,
    state,
  }: { after: EntryCursor; number: number; until: number; state: EntriesQuery['state'] },
): Listed[] {
  const rows = entryRows(
    sql,
    BY_KIND,
    `lines.kind = 'payout' AND (lines.operated_at, lines.entry) > (?2, ?3) AND lines.operated_at < ?4
       ORDER BY lines.operated_at, lines.entry`,
    ...[generation, after.at, number, until],
  )
  const stateOf = payoutStates(sql, generation, rows)
  return rows
    .map((row) => ({ ...listed(row), entry: { ...settlementEntryOf(row), state: stateOf(row) } }))
    .filter(({ entry }) => state === undefined || entry.state === state)
}

/** The states of the payouts of some entries, which are those of their days. */
export function payoutStates(sql: Sql, generation: number, rows: readonly EntryRow[]) {
  const days = rows.flatMap(({ kind, paid_on }) => (kind === 'payout' && paid_on !== null ? [paid_on] : []))
  const [from, to] = [days.toSorted()[0], days.toSorted().at(-1)]
  const states = new Map(
    from === undefined || to === undefined
      ? []
      : payoutsOf(sql, generation, from, to).map(({ bank, paidOn, state }) => [`${bank} ${paidOn}`, state]),
  )
  return ({ bank, paid_on }: EntryRow) => states.get(`${bank} ${paid_on}`)
}

/** What is EXPECTED behind a place, one more of each kind than a page has. */
function expectedEntries(
  { sql, siteId }: Context,
  generation: number,
  { until, state, kind, limit, days, today }: EntriesQuery,
  after: EntryCursor,
): Listed[] {
  if (state !== undefined && state !== 'EXPECTED') return []
  return (['payment', 'refund'] as const).flatMap((each, index) => {
    if (kind !== undefined && kind !== each) return []
    const source = index + 1
    const number =
      after.source === source ? after.number : after.source > source ? Number.MAX_SAFE_INTEGER : -1
    const range = { since: after.at, after: number, until, generation, limit: limit + 1 }
    return expectedRows(sql, each, range, { days, today }).map((row) => ({
      cursor: { at: row.at, source, number: row.number },
      entry: expectedEntryOf(sql, siteId, row),
    }))
  })
}

/** The entries of a payment and of its refunds, oldest first. */
export function entriesOfPayment({ sql, memory }: Context, paymentUid: string): SettlementEntry[] {
  const payment = memory.hasSettlements ? findPayment(sql, paymentUid) : undefined
  if (!payment) return []
  return entryRows(
    sql,
    BY_MATCH,
    'matches.payment = ?2 ORDER BY matches.at, matches.entry',
    ...[stateIn(sql).generation, payment.number],
  ).map(settlementEntryOf)
}
