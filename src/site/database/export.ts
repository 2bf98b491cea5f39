// Pages of the export of a whole site, each kind of row by its numbers (contract, section 16).

import {
  EXPORT_KINDS,
  type ExportCursor,
  type ExportKind,
  type ExportPage,
  type ExportRow,
} from '../../contract/export.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import type { Context } from '../context.ts'
import { eventOf, exportedEventRows } from '../events/rows.ts'
import { CURSOR_GONE, ok } from '../outcomes.ts'
import { exportedPaymentRows, paymentOf } from '../payments/rows.ts'
import { exportedPersonRows } from '../people/rows.ts'
import { qrCodeOf } from '../qr-codes/qr-code.ts'
import { exportedQrCodeRows } from '../qr-codes/rows.ts'
import { documentOf, exportedReceiptRows } from '../receipts/rows.ts'
import { exportedRefundRows, refundOf } from '../refunds/rows.ts'
import type { Numbered } from '../rows/columns.ts'
import { LONG_PAGE } from '../rows/page.ts'
import { epochOf } from '../rows/site.ts'
import { tillsIn } from '../rows/tills.ts'
import { exportedSaleRows } from '../sales/rows.ts'
import { saleOf } from '../sales/sale.ts'
import { BY_MATCH, entryRows, settlementEntryOf } from '../settlements/entries.ts'
import { fileRows, settlementOf } from '../settlements/files.ts'
import { payoutStates } from '../settlements/lists.ts'
import { IN_GENERATION, stateIn } from '../settlements/state.ts'
import { exportedTokenRows } from '../tokens/rows.ts'
import { listedTokenOf } from '../tokens/token.ts'

/** Rows of a kind: the number of the last one that was read, what they show, and how many this version cannot read. */
interface Read {
  rows: ExportRow[]
  unreadable: number
  last: number | undefined
  isFull: boolean
}

const readOf = <Row>(read: readonly Numbered<Row>[], show: (row: Row) => ExportRow[]): Read => {
  const shown = read.flatMap(({ row }) => (row === undefined ? [] : shownBy(show, row)))
  return {
    rows: shown.flat(),
    unreadable: read.length - shown.length,
    last: read.at(-1)?.number,
    isFull: read.length === LONG_PAGE,
  }
}

const NONE: Read = { rows: [], unreadable: 0, last: undefined, isFull: false }

/** What a row shows; nothing where a column of JSON has an unknown value. */
function shownBy<Row>(show: (row: Row) => ExportRow[], row: Row): ExportRow[][] {
  try {
    return [show(row)]
  } catch (error) {
    // By name: the class `z.core.$ZodError` would bundle all of zod, 70 KB by gzip.
    if (error instanceof Error && error.name === '$ZodError') return []
    throw error
  }
}

/** The rows of a kind behind a number, at most a page of them. */
const READ: Record<ExportKind, (context: Context, after: number) => Read> = {
  qrCode: ({ sql, now }, after) =>
    readOf(
      exportedQrCodeRows(sql, 'WHERE qr_codes.number > ? ORDER BY qr_codes.number LIMIT ?', after, LONG_PAGE),
      (row) => [{ kind: 'qrCode', qrCode: qrCodeOf(row, now) }],
    ),
  sale: ({ sql, now }, after) =>
    readOf(
      exportedSaleRows(
        sql,
        "WHERE sales.number > ? AND sales.status <> 'WAITING' ORDER BY sales.number LIMIT ?",
        ...[after, LONG_PAGE],
      ),
      (row) => {
        const sale = saleOf(row, now)
        return sale ? [{ kind: 'sale', sale: { ...sale, qrCodeUid: row.qr_code_uid } }] : []
      },
    ),
  payment: ({ sql }, after) =>
    readOf(
      exportedPaymentRows(
        sql,
        'WHERE payments.number > ? ORDER BY payments.number LIMIT ?',
        after,
        LONG_PAGE,
      ),
      (row) => [
        {
          kind: 'payment',
          payment: {
            ...paymentOf(row),
            qrcId: row.link_id,
            networkUid: row.network_uid ?? undefined,
            payer: { bankMemberId: row.payer_bank ?? undefined, phone: row.payer_phone ?? undefined },
          },
        },
      ],
    ),
  refund: ({ sql }, after) =>
    readOf(
      exportedRefundRows(sql, 'WHERE refunds.number > ? ORDER BY refunds.number LIMIT ?', after, LONG_PAGE),
      (row) => [{ kind: 'refund', refund: refundOf(row) }],
    ),
  receipt: ({ sql }, after) =>
    readOf(
      exportedReceiptRows(
        sql,
        'WHERE receipts.number > ? ORDER BY receipts.number LIMIT ?',
        after,
        LONG_PAGE,
      ),
      (row) => [{ kind: 'receipt', receipt: documentOf(row) }],
    ),
  token: ({ sql, now }, after) =>
    readOf(
      exportedTokenRows(sql, 'WHERE tokens.number > ? ORDER BY tokens.number LIMIT ?', after, LONG_PAGE),
      (row) => [
        {
          kind: 'token',
          token: {
            ...listedTokenOf(row, now),
            account: row.account,
            bindingUid: row.binding_uid ?? undefined,
            value: undefined,
          },
        },
      ],
    ),
  person: ({ sql }, after) =>
    readOf(exportedPersonRows(sql, 'WHERE number > ? ORDER BY number LIMIT ?', after, LONG_PAGE), (row) => [
      {
        kind: 'person',
        person: {
          ...{ id: row.id, name: row.name, role: row.role, tills: tillsIn(row) },
          ...{ createdAt: row.created_at, removedAt: row.removed_at ?? undefined },
        },
      },
    ]),
  settlement: ({ sql, memory }, after) => {
    if (!memory.hasSettlements) return NONE
    const { generation } = stateIn(sql)
    const files = fileRows(
      sql,
      `WHERE ${IN_GENERATION} AND number > ? ORDER BY number LIMIT ?`,
      ...[generation, generation, after, LONG_PAGE],
    )
    return readOf(
      files.map((row) => ({ number: row.number, row })),
      (row) => [{ kind: 'settlement', settlement: settlementOf(sql, row, generation) }],
    )
  },
  settlementEntry: ({ sql, memory }, after) => {
    if (!memory.hasSettlements) return NONE
    const { generation } = stateIn(sql)
    const rows = entryRows(
      sql,
      BY_MATCH,
      'matches.entry > ?2 ORDER BY matches.entry LIMIT ?3',
      ...[generation, after, LONG_PAGE],
    )
    const stateOf = payoutStates(sql, generation, rows)
    return readOf(
      rows.map((row) => ({ number: row.entry, row })),
      (row) => {
        const entry = settlementEntryOf(row)
        return [
          {
            kind: 'settlementEntry',
            entry: row.kind === 'payout' ? { ...entry, state: stateOf(row) } : entry,
          },
        ]
      },
    )
  },
  event: ({ sql }, after) =>
    readOf(
      exportedEventRows(sql, 'WHERE events.number > ? ORDER BY events.number LIMIT ?', after, LONG_PAGE),
      (row) => [{ kind: 'event', event: eventOf(row) }],
    ),
}

/**
 * A page of the export: rows of one kind, as they stand now; the page behind the last row of a kind begins the next kind.
 * @returns events.cursor.gone for a cursor of another epoch: its numbers are those of another database
 */
export function exportPage(context: Context, cursor?: ExportCursor): Outcome<ExportPage> {
  const epoch = epochOf(context.sql)
  const { kind, number } = cursor ?? BEGINNING
  if (cursor && cursor.epoch !== epoch) return EXPORT_GONE
  const { rows, unreadable, last, isFull } = READ[kind](context, number)
  if (unreadable > 0) rows.push({ kind: 'unreadable', of: kind, count: unreadable })
  if (isFull && last !== undefined) return ok({ rows, next: { kind, number: last, epoch } })
  const following = EXPORT_KINDS[EXPORT_KINDS.indexOf(kind) + 1]
  return ok({ rows, ...(following && { next: { kind: following, number: 0, epoch } }) })
}

const BEGINNING = { kind: EXPORT_KINDS[0], number: 0 }

const EXPORT_GONE: Refusal = {
  ...CURSOR_GONE,
  description: 'the cursor is of the site before a restore, export the site from its beginning',
}
