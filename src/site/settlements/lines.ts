// Rows of the table `settlement_lines`, with checked types: an entry, as a file has it.
import * as z from 'zod/mini'
import { dayNumber } from '../../settlement/formats/dates.ts'
import type { BankIds, Entry, EntryKind } from '../../settlement/formats/entry.ts'
import { inSeconds, int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import type { Binding, Sql } from '../rows/sql.ts'
import { identityOf, keyOf, type Matching, matchingOf, type Source } from './keys.ts'
import { fieldsOf, namesOf } from './values.ts'

export const ENTRY_KINDS = [
  'payment',
  'refund',
  'fee',
  'payout',
  'correction',
] as const satisfies readonly EntryKind[]

export const LINE_COLUMNS = {
  entry: int,
  file: int,
  line: int,
  identity: text,
  kind: oneOf(ENTRY_KINDS),
  type: text,
  gross: orNull(int),
  fee: orNull(int),
  fee_vat: orNull(int),
  fee_vat_separate: orNull(int),
  net: orNull(int),
  operated_at: inSeconds,
  has_time: int,
  paid_on: orNull(text),
  ids: text,
}
const readLines = rowsWith(LINE_COLUMNS)
export type LineRow = ReturnType<typeof readLines>[number]

const COLUMNS = namesOf(LINE_COLUMNS)

/** The lines that the clauses after FROM select. */
export const lineRows = (sql: Sql, clauses: string, ...bindings: Binding[]): LineRow[] =>
  readLines(sql, `SELECT ${COLUMNS} FROM settlement_lines ${clauses}`, ...bindings)

/** An entry as it comes from a parser, at a place of a file. */
export const lineOf = (entry: Entry, place: { entry: number; file: number }, source: Source): LineRow => ({
  ...place,
  ...{ line: entry.line, identity: identityOf(source, entry.identity), kind: entry.kind, type: entry.type },
  gross: entry.gross ?? null,
  fee: entry.fee ?? null,
  fee_vat: entry.feeVat ?? null,
  fee_vat_separate: entry.feeVatSeparate ?? null,
  net: entry.net ?? null,
  operated_at: inSecondsOf(entry.operatedAt),
  has_time: entry.hasTime ? 1 : 0,
  paid_on: entry.paidOn ?? null,
  ids: JSON.stringify(entry.bankIds),
})

function inSecondsOf(time: number): LineRow['operated_at'] {
  if (!inSeconds(time)) throw new Error('an entry has a time that is no integer')
  return time
}

/** Rows are bound as a JSON array of arrays: one statement for all of them. */
const INSERT = `INSERT INTO settlement_lines (${COLUMNS}) SELECT ${fieldsOf(COLUMNS)} FROM json_each(?)`
const ID_COLUMNS = ['key', 'amount', 'day', 'entry', 'file']
const INSERT_IDS = `INSERT OR IGNORE INTO settlement_ids (${ID_COLUMNS}) SELECT ${fieldsOf(ID_COLUMNS)} FROM json_each(?)`
const DELETE_ID =
  'DELETE FROM settlement_ids WHERE key = ? AND amount = ? AND day = ? AND entry = ? AND file = ?'

export function insertLines(sql: Sql, rows: readonly LineRow[], source: Source): void {
  const values = rows.map((row) => COLUMNS.map((name) => row[name]))
  sql.exec(INSERT, JSON.stringify(values))
  sql.exec(INSERT_IDS, JSON.stringify(rows.flatMap((row) => idRowsOf(row, source))))
}

export function deleteLine(sql: Sql, row: LineRow, source: Source): void {
  for (const values of idRowsOf(row, source)) sql.exec(DELETE_ID, ...values)
  sql.exec('DELETE FROM settlement_lines WHERE entry = ? AND file = ?', row.entry, row.file)
}

const idRowsOf = (row: LineRow, source: Source): number[][] =>
  valuesOf(row).map(({ of, name, value }) => [
    keyOf({ ...source, of, name, value }),
    ...[row.gross ?? 0, dayOf(row), row.entry, row.file],
  ])

/** In Moscow; negative where the bank states no time. */
export const dayOf = ({ has_time, operated_at }: LineRow): number =>
  has_time === 1 ? dayNumber(operated_at) : 0 - dayNumber(operated_at)

const Ids = z.object({
  paymentId: z.optional(z.string()),
  refundId: z.optional(z.string()),
  operationId: z.optional(z.string()),
  qrcId: z.optional(z.string()),
  order: z.optional(z.string()),
})
export const bankIdsOf = ({ ids }: Pick<LineRow, 'ids'>): BankIds => Ids.parse(JSON.parse(ids))

/** The ids by which an entry of a kind is matched. */
export const NAMES: Record<Matching, readonly (keyof BankIds)[]> = {
  payment: ['paymentId', 'operationId', 'order', 'qrcId'],
  refund: ['refundId', 'operationId', 'paymentId', 'order', 'qrcId'],
  other: ['paymentId'],
}

interface MatchedValue {
  of: Matching
  name: keyof BankIds
  value: string
}

/** The values by which an entry is matched. */
export const valuesOf = (row: LineRow): MatchedValue[] => valuesIn(row.kind, bankIdsOf(row))

/** The same, of an entry whose ids are read already. */
export function valuesIn(kind: EntryKind, ids: BankIds): MatchedValue[] {
  const of = matchingOf(kind)
  return NAMES[of].flatMap((name) => {
    const value = ids[name]
    return value === undefined ? [] : [{ of, name, value }]
  })
}

export const entryOf = (row: LineRow): Entry => ({
  ...{ kind: row.kind, type: row.type, line: row.line, identity: row.identity, currency: 'RUB' },
  gross: row.gross ?? undefined,
  fee: row.fee ?? undefined,
  feeVat: row.fee_vat ?? undefined,
  feeVatSeparate: row.fee_vat_separate ?? undefined,
  net: row.net ?? undefined,
  ...{ operatedAt: row.operated_at, hasTime: row.has_time === 1, paidOn: row.paid_on ?? undefined },
  bankIds: bankIdsOf(row),
})
