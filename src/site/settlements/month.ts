// The sums of a month, and the operations that make them.
import type {
  SettlementMonth,
  SettlementPeriod,
  SettlementReportPage,
  SettlementReportQuery,
} from '../../contract/settlement.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import { moscowDay } from '../../settlement/formats/dates.ts'
import type { Context } from '../context.ts'
import { ok } from '../outcomes.ts'
import { int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import { LONG_PAGE } from '../rows/page.ts'
import { BY_KIND, CURRENT, entryRows, reportRowOf } from './entries.ts'
import { countExpected } from './expected.ts'
import { ENTRY_KINDS } from './lines.ts'
import { payoutsOf } from './payouts.ts'
import { stateIn } from './state.ts'

/** The format, and whether the file of the line is a registry of the bank that has the day of the operation. */
const IS_STATEMENT = "(SELECT format = 'statement' FROM settlements WHERE number = lines.file)"
const OPERATION_IN_REGISTRY = `EXISTS (SELECT 1 FROM settlement_matches AS other JOIN settlements ON settlements.number = other.file
    WHERE other.payment = matches.payment AND other.refund IS matches.refund AND other.is_own = 1 AND format = 'registry'
      AND other.since <= ?1 AND NOT EXISTS (SELECT 1 FROM settlement_matches AS newer
        WHERE newer.entry = other.entry AND newer.since > other.since AND newer.since <= ?1))`
const DAY_IN_REGISTRY = `EXISTS (SELECT 1 FROM settlements WHERE format = 'registry' AND since <= ?1 AND ifnull(until > ?1, TRUE)
    AND bank = (SELECT bank FROM settlements AS own WHERE own.number = lines.file)
    AND date(lines.operated_at + 10800, 'unixepoch') BETWEEN from_day AND to_day)`

/** What of a statement a registry of the day has too, though nothing of ours says so: what is not matched, and the fee of a day. */
const IS_OF_DAY =
  "(lines.kind IN ('payment', 'refund') AND matches.payment IS NULL OR lines.kind = 'fee' AND lines.type LIKE 'IPS FEE%')"

/**
 * The entries that figures count: an operation that a registry has too counts there, and so does the fee of a day. A payout is no
 * operation. The times are to be bound as ?2 and ?3.
 */
const COUNTED = `lines.kind <> 'payout' AND NOT (${IS_STATEMENT} AND (matches.is_own = 1 AND ${OPERATION_IN_REGISTRY}
    OR ${IS_OF_DAY} AND ${DAY_IN_REGISTRY}))`

const readSums = rowsWith({
  kind: oneOf(ENTRY_KINDS),
  count: int,
  gross: int,
  fee: int,
  fee_vat: int,
  net: int,
  without_fee: int,
  without_vat: int,
})
const readStates = rowsWith({ state: orNull(text), count: int })

const sum = (column: string) => `ifnull(sum(lines.${column}), 0) AS ${column}`
const IN_TIME = 'lines.operated_at >= ?2 AND lines.operated_at < ?3'
/** So that the index by kind is used. */
const ALL_KINDS = `lines.kind IN (${ENTRY_KINDS.map((kind) => `'${kind}'`)})`

const SUMS = `SELECT lines.kind, count(*) AS count, ${['gross', 'fee', 'fee_vat', 'net'].map(sum)},
    sum(lines.fee IS NULL) AS without_fee, sum(lines.fee_vat IS NULL) AS without_vat
  FROM ${BY_KIND} WHERE ${CURRENT} AND ${ALL_KINDS} AND ${IN_TIME} AND ${COUNTED} GROUP BY lines.kind`

const STATES = `SELECT matches.state, count(*) AS count
  FROM ${BY_KIND} WHERE ${CURRENT} AND ${ALL_KINDS} AND ${IN_TIME} GROUP BY matches.state`

/** The sums of a month. UNKNOWN entries are in them, and what is EXPECTED is not. */
export function settlementMonth({ sql, memory }: Context, period: SettlementPeriod): SettlementMonth {
  if (!memory.hasSettlements) return NOTHING
  const { since, until } = period
  const { generation } = stateIn(sql)
  const sums = readSums(sql, SUMS, generation, since, until)
  const total = (column: 'fee' | 'fee_vat' | 'net' | 'without_fee' | 'without_vat', only = sums) =>
    only.reduce((all, row) => all + row[column], 0)
  const of = (kind: string) => sums.find((row) => row.kind === kind)
  const operations = sums.filter(({ kind }) => kind === 'payment' || kind === 'refund')
  const payouts = payoutsOf(sql, generation, moscowDay(since), moscowDay(until - 1))
  const states = readStates(sql, STATES, generation, since, until)
  const count = (state: string) =>
    (states.find((row) => row.state === state)?.count ?? 0) +
    payouts.filter((payout) => payout.state === state).length
  return {
    ...{ payments: of('payment')?.count ?? 0, gross: of('payment')?.gross ?? 0 },
    ...{ refunds: of('refund')?.count ?? 0, refunded: of('refund')?.gross ?? 0 },
    ...{ fee: total('fee'), feeVat: total('fee_vat'), net: total('net') },
    withoutFee: total('without_fee', operations),
    withoutVat: total('without_vat', operations),
    payouts: payouts.map(({ bank, ...payout }) => payout),
    ...{ matched: count('MATCHED'), mismatched: count('MISMATCHED'), unknown: count('UNKNOWN') },
    expected: countExpected(sql, generation, { since, until }, period),
  }
}

const NOTHING: SettlementMonth = {
  ...{
    payments: 0,
    gross: 0,
    refunds: 0,
    refunded: 0,
    fee: 0,
    feeVat: 0,
    net: 0,
    withoutFee: 0,
    withoutVat: 0,
  },
  ...{ payouts: [], matched: 0, mismatched: 0, unknown: 0, expected: 0 },
}

/**
 * A page of the operations that make these sums, oldest first. All pages are of one generation: a report is never a half of one that
 * was imported meanwhile.
 * @param limit rows of a page
 */
export function settlementReport(
  { sql, memory }: Context,
  { since, until, after }: SettlementReportQuery,
  limit = LONG_PAGE,
): Outcome<SettlementReportPage> {
  if (!memory.hasSettlements) return ok({ rows: [] })
  const { generation } = stateIn(sql)
  if (after && after.generation !== generation) return HAS_CHANGED
  const { at, number } = after ?? { at: since, number: -1 }
  const read = ENTRY_KINDS.flatMap((kind) =>
    entryRows(
      sql,
      BY_KIND,
      `lines.kind = ?6 AND (lines.operated_at, lines.entry) > (?2, ?4) AND lines.operated_at < ?3 AND ${COUNTED}
         ORDER BY lines.operated_at, lines.entry LIMIT ?5`,
      ...[generation, at, until, number, limit, kind],
    ),
  )
  const rows = read.toSorted((a, b) => a.operated_at - b.operated_at || a.entry - b.entry).slice(0, limit)
  const last = rows.at(-1)
  return ok({
    rows: rows.map(reportRowOf),
    ...(rows.length === limit &&
      last && { next: { at: last.operated_at, source: 0, number: last.entry, generation } }),
  })
}

const HAS_CHANGED: Refusal = {
  ok: false,
  code: 'settlement.in.progress',
  description: 'a file was imported or deleted while the report was read: read it again',
}
