// Lists entries as the published generation has them, with how they match.
import * as z from 'zod/mini'
import type { EntryState, SettlementEntry, SettlementReportRow } from '../../contract/settlement.ts'
import type { Difference } from '../../settlement/differences.ts'
import type { EntryKind } from '../../settlement/formats/entry.ts'
import { BANKS, FORMATS } from '../../settlement/sources.ts'
import { PURPOSE_OF_PAYMENT } from '../payments/rows.ts'
import { oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import { type Binding, columnOf, ofQrCodeOrDeleted, type Sql } from '../rows/sql.ts'
import { entryUidOf } from './keys.ts'
import { bankIdsOf, LINE_COLUMNS } from './lines.ts'

const STATES = ['MATCHED', 'MISMATCHED', 'UNKNOWN'] as const satisfies readonly EntryState[]

const readEntries = rowsWith({
  ...LINE_COLUMNS,
  settlement_uid: text,
  bank: oneOf(BANKS),
  format: oneOf(FORMATS),
  state: orNull(oneOf(STATES)),
  differences: orNull(text),
  payment_uid: orNull(text),
  refund_uid: orNull(text),
  qr_code_uid: orNull(text),
  payment_purpose: orNull(text),
  sale_uid: orNull(text),
})
export type EntryRow = ReturnType<typeof readEntries>[number]

/** The condition of a match that a generation has, which is to be bound as ?1. */
export const CURRENT = `matches.file IS NOT NULL AND matches.since <= ?1 AND NOT EXISTS (SELECT 1 FROM settlement_matches AS newer
    WHERE newer.entry = matches.entry AND newer.since > matches.since AND newer.since <= ?1)`

const ofPayment = (column: string) => columnOf('payments', 'matches.payment', column)

const COLUMNS = `lines.*, matches.state, matches.differences,
    ${columnOf('settlements', 'lines.file', 'settlement_uid')} AS settlement_uid,
    ${columnOf('settlements', 'lines.file', 'bank')} AS bank, ${columnOf('settlements', 'lines.file', 'format')} AS format,
    ${ofPayment('payment_uid')} AS payment_uid, ${columnOf('refunds', 'matches.refund', 'refund_uid')} AS refund_uid,
    (SELECT ${ofQrCodeOrDeleted('payments.qr_code', 'qr_code_uid')} FROM payments WHERE number = matches.payment) AS qr_code_uid,
    (SELECT ${PURPOSE_OF_PAYMENT} FROM payments WHERE number = matches.payment) AS payment_purpose,
    (SELECT ${columnOf('sales', 'payments.sale', 'sale_uid')} FROM payments WHERE number = matches.payment) AS sale_uid`

/** The lines that are shown, by their kind and time. */
export const BY_KIND = `settlement_lines AS lines CROSS JOIN settlement_matches AS matches
    ON matches.entry = lines.entry AND matches.file = lines.file`

/** The matches of a state, of a payment or of an entry, with the lines that are shown. */
export const BY_MATCH = `settlement_matches AS matches CROSS JOIN settlement_lines AS lines
    ON lines.entry = matches.entry AND lines.file = matches.file`

/** The entries that a generation has, which is to be bound as ?1. @param clauses after WHERE */
export const entryRows = (
  sql: Sql,
  from: typeof BY_KIND | typeof BY_MATCH,
  clauses: string,
  ...bindings: Binding[]
): EntryRow[] =>
  readEntries(sql, `SELECT ${COLUMNS} FROM ${from} WHERE ${CURRENT} AND ${clauses}`, ...bindings)

const Differences = z.array(
  z.object({
    field: z.enum(['amount', 'currency', 'status', 'day']),
    ours: z.union([z.string(), z.number()]),
    theirs: z.union([z.string(), z.number()]),
  }),
)

const differencesOf = ({ differences }: EntryRow): Difference[] =>
  differences === null ? [] : Differences.parse(JSON.parse(differences))

export const settlementEntryOf = (row: EntryRow): SettlementEntry => ({
  entryUid: entryUidOf(row.identity),
  kind: row.kind satisfies EntryKind,
  state: row.state ?? undefined,
  gross: row.gross ?? undefined,
  fee: row.fee ?? undefined,
  feeVat: row.fee_vat ?? undefined,
  feeVatSeparate: row.fee_vat_separate ?? undefined,
  net: row.net ?? undefined,
  ...{ currency: 'RUB', operatedAt: row.operated_at, paidOn: row.paid_on ?? undefined },
  bankIds: named(bankIdsOf(row)),
  ...{ line: row.line, settlementUid: row.settlement_uid },
  paymentUid: row.payment_uid ?? undefined,
  refundUid: row.refund_uid ?? undefined,
  qrCodeUid: row.qr_code_uid ?? undefined,
  differences: differencesOf(row),
})

export const reportRowOf = (row: EntryRow): SettlementReportRow => ({
  ...settlementEntryOf(row),
  ...{ bank: row.bank, format: row.format, purpose: row.payment_purpose ?? undefined },
  documentNumber: row.sale_uid ?? row.qr_code_uid ?? undefined,
})

/** The ids that are stated. */
export const named = (ids: Readonly<Record<string, string | undefined>> | object): Record<string, string> =>
  Object.fromEntries(Object.entries(ids).filter(([, value]) => value !== undefined))
