// Pages of the export of a whole site, each kind of row by its numbers (contract, section 16).
import {
  EXPORT_KINDS,
  type ExportCursor,
  type ExportKind,
  type ExportPage,
  type ExportRow,
} from '../contract/export.ts'
import type { Outcome, Refusal } from '../errors.ts'
import type { Context } from './context.ts'
import { CURSOR_GONE, ok } from './outcomes.ts'
import { eventsWhere } from './rows/events.ts'
import { paymentOf, paymentRows } from './rows/payments.ts'
import { qrCodeOf, qrCodeRows } from './rows/qr-codes.ts'
import { refundOf, refundRows } from './rows/refunds.ts'
import { saleOf, saleRows } from './rows/sales.ts'
import { epochOf } from './rows/site.ts'
import { listedTokenOf, tokenRows } from './rows/tokens.ts'

/** Rows that one call reads: with 5,000 the memory of the server grows seven times as much, and no CPU time is saved. */
const PAGE = 1000

type Numbered = ExportRow & { number: number }

/** The rows of a kind behind a number, at most a page of them. */
const READ: Record<ExportKind, (context: Context, after: number) => Numbered[]> = {
  qrCode: ({ sql, now }, after) =>
    qrCodeRows(sql, 'WHERE qr_codes.number > ? ORDER BY qr_codes.number LIMIT ?', after, PAGE).map((row) => ({
      kind: 'qrCode',
      number: row.number,
      qrCode: qrCodeOf(row, now),
    })),
  sale: ({ sql, now }, after) =>
    saleRows(
      sql,
      "WHERE sales.number > ? AND sales.status <> 'WAITING' ORDER BY sales.number LIMIT ?",
      ...[after, PAGE],
    ).flatMap((row) => {
      const sale = saleOf(row, now)
      return sale ? { kind: 'sale', number: row.number, sale: { ...sale, qrCodeUid: row.qr_code_uid } } : []
    }),
  payment: ({ sql }, after) =>
    paymentRows(sql, 'WHERE payments.number > ? ORDER BY payments.number LIMIT ?', after, PAGE).map(
      (row) => ({
        kind: 'payment',
        number: row.number,
        payment: {
          ...paymentOf(row),
          qrcId: row.link_id,
          networkUid: row.network_uid ?? undefined,
          payer: { bankMemberId: row.payer_bank ?? undefined, phone: row.payer_phone ?? undefined },
        },
      }),
    ),
  refund: ({ sql }, after) =>
    refundRows(sql, 'WHERE refunds.number > ? ORDER BY refunds.number LIMIT ?', after, PAGE).map((row) => ({
      kind: 'refund',
      number: row.number,
      refund: refundOf(row),
    })),
  token: ({ sql, now }, after) =>
    tokenRows(sql, 'WHERE tokens.number > ? ORDER BY tokens.number LIMIT ?', after, PAGE).map((row) => ({
      kind: 'token',
      number: row.number,
      token: {
        ...listedTokenOf(row, now),
        account: row.account,
        bindingUid: row.binding_uid ?? undefined,
        value: undefined,
      },
    })),
  event: ({ sql }, after) =>
    eventsWhere(sql, 'WHERE events.number > ? ORDER BY events.number LIMIT ?', after, PAGE).map((event) => ({
      kind: 'event',
      number: event.number,
      event,
    })),
}

/**
 * A page of the export: rows of one kind, as they stand now; the page behind the last row of a kind begins the next kind.
 * @returns events.cursor.gone for a cursor of another epoch: its numbers are those of another database
 */
export function exportPage(context: Context, cursor?: ExportCursor): Outcome<ExportPage> {
  const epoch = epochOf(context.sql)
  const { kind, number } = cursor ?? BEGINNING
  if (cursor && cursor.epoch !== epoch) return EXPORT_GONE
  const numbered = READ[kind](context, number)
  const rows = numbered.map(({ number: _, ...row }) => row)
  const last = numbered.at(-1)
  if (numbered.length === PAGE && last) return ok({ rows, next: { kind, number: last.number, epoch } })
  const following = EXPORT_KINDS[EXPORT_KINDS.indexOf(kind) + 1]
  return ok({ rows, ...(following && { next: { kind: following, number: 0, epoch } }) })
}

const BEGINNING = { kind: EXPORT_KINDS[0], number: 0 }

const EXPORT_GONE: Refusal = {
  ...CURSOR_GONE,
  description: 'the cursor is of the site before a restore, export the site from its beginning',
}
