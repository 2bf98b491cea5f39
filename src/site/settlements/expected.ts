// Payments and refunds that are completed, and that no file has in time.
import type { SettlementEntry } from '../../contract/settlement.ts'
import { startOf } from '../../settlement/formats/dates.ts'
import type { Operation } from '../../settlement/operation.ts'
import { BANKS } from '../../settlement/sources.ts'
import { rowsWith, text } from '../rows/columns.ts'
import { ofQrCodeOrDeleted, requiredInteger, type Sql, textValue } from '../rows/sql.ts'
import { named } from './entries.ts'
import { entryUidOf } from './keys.ts'
import { amountOf, idsOf, type OperationRow, operationRows } from './operations.ts'
import { IN_GENERATION } from './state.ts'

/** For how many days a bank may take to state an operation, and today in Moscow. */
export interface Deadline {
  days: number
  today: string
}

/** From a time up to, not including, another; behind `after` of those at the same time. */
export interface Range {
  since: number
  until: number
  after?: number | undefined
}

const readFirsts = rowsWith({ bank: text, first: text })

/** Of other banks, a statement has payouts alone. */
const NAMES_OPERATIONS = "(format = 'registry' OR bank = 'raiffeisen')"

/** The first day of each bank that a file with operations is about. */
const firstDays = (sql: Sql, generation: number): Record<string, string> =>
  Object.fromEntries(
    readFirsts(
      sql,
      `SELECT bank, min(from_day) AS first FROM settlements 
       WHERE ${IN_GENERATION} AND ${NAMES_OPERATIONS} AND from_day IS NOT NULL GROUP BY bank`,
      ...[generation, generation],
    ).map(({ bank, first }) => [bank, first]),
  )

const DAY = 86_400

/** What of a month can be late: by the beginnings of the first days, and up to the last day that is old enough. */
function conditionOf(
  sql: Sql,
  kind: Operation['kind'],
  { generation, ...range }: Range & { generation: number },
  deadline: Deadline,
) {
  const table = kind === 'payment' ? 'payments' : 'refunds'
  const starts = Object.entries(firstDays(sql, generation)).map(([bank, day]) => [bank, startOf(day)])
  const until = Math.min(range.until, startOf(deadline.today) - (deadline.days - 1) * DAY)
  const refund = kind === 'payment' ? 'matches.refund IS NULL' : 'matches.refund = refunds.number'
  const payment = kind === 'payment' ? 'payments.number' : 'refunds.payment'
  const known = kind === 'payment' ? ' AND payments.bank IS NOT NULL' : ''
  return {
    clauses: `WHERE ${table}.status = 'COMPLETED'${known} AND (${table}.changed_at, ${table}.number) > (?2, ?3)
      AND ${table}.changed_at < ?4 AND ${table}.changed_at >= (SELECT value FROM json_each(?5) WHERE key = payments.bank)
      AND NOT EXISTS (SELECT 1 FROM settlement_matches AS matches WHERE matches.payment = ${payment} AND ${refund}
        AND matches.is_own = 1 AND matches.file IS NOT NULL AND matches.since <= ?1
        AND NOT EXISTS (SELECT 1 FROM settlement_matches AS newer WHERE newer.entry = matches.entry
          AND newer.since > matches.since AND newer.since <= ?1))`,
    order: `ORDER BY ${table}.changed_at, ${table}.number`,
    bindings: [
      ...[generation, range.since, range.after ?? -1, until],
      JSON.stringify(Object.fromEntries(starts)),
    ],
  }
}

/** The operations of a kind that are late, oldest first. */
export function expectedRows(
  sql: Sql,
  kind: Operation['kind'],
  { generation, limit, ...range }: Range & { generation: number; limit: number },
  deadline: Deadline,
): OperationRow[] {
  const { clauses, order, bindings } = conditionOf(sql, kind, { ...range, generation }, deadline)
  return operationRows(sql, kind, `${clauses} ${order} LIMIT ?6`, ...bindings, limit)
}

/** How many operations are late. */
export const countExpected = (sql: Sql, generation: number, range: Range, deadline: Deadline): number =>
  (['payment', 'refund'] as const).reduce((sum, kind) => {
    const { clauses, bindings } = conditionOf(sql, kind, { ...range, generation }, deadline)
    const from =
      kind === 'payment' ? 'payments' : 'refunds JOIN payments ON payments.number = refunds.payment'
    return sum + requiredInteger(sql, `SELECT count(*) FROM ${from} ${clauses}`, ...bindings)
  }, 0)

/** An operation that is late, as a list of entries shows it. */
export function expectedEntryOf(sql: Sql, siteId: string, row: OperationRow): SettlementEntry {
  const bank = BANKS.find((each) => each === row.bank)
  return {
    entryUid: entryUidOf(['expected', row.payment_uid, row.refund_uid ?? ''].join('\n')),
    kind: row.refund_uid === null ? 'payment' : 'refund',
    state: 'EXPECTED',
    ...{ gross: amountOf(row), currency: row.currency, operatedAt: row.at },
    bankIds: bank ? named(idsOf(row, bank, siteId)) : {},
    ...{ paymentUid: row.payment_uid, refundUid: row.refund_uid ?? undefined },
    qrCodeUid: textValue(
      sql,
      `SELECT ${ofQrCodeOrDeleted('payments.qr_code', 'qr_code_uid')} FROM payments WHERE number = ?`,
      row.payment,
    ),
    differences: [],
  }
}
