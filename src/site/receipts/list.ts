// Lists of documents (contract, section 18).
import {
  DOCUMENT_KINDS,
  DOCUMENT_STATES,
  type DocumentKind,
  type DocumentState,
  type ReceiptDocument,
} from '../../contract/receipts/document.ts'
import type { ReceiptInstruction } from '../../contract/receipts/instruction.ts'
import type { Item } from '../../contract/receipts/item.ts'
import { hasPrepayment, isPrepaid } from '../../contract/receipts/requested-items.ts'
import { remainsOf } from '../../contract/receipts/shares.ts'
import type { Outcome } from '../../errors.ts'
import type { Context } from '../context.ts'
import { ok, PAYMENT_NOT_FOUND, RECEIPT_NOT_FOUND, SITE_RESTORED } from '../outcomes.ts'
import { findPayment } from '../payments/rows.ts'
import { IS_LATEST } from '../rows/latest-receipt.ts'
import { pageOf } from '../rows/page.ts'
import { itemsIn, plainItems } from '../rows/receipts.ts'
import { isRestored } from '../rows/site.ts'
import { integer } from '../rows/sql.ts'
import { takingsOf } from './remains.ts'
import { documentOf, findReceipt, type ReceiptRow, receiptRows } from './rows.ts'
import { receiptInstructionOf } from './sent.ts'

/** Which documents are listed; times are Unix seconds of the creation, inclusive. */
export interface ReceiptsQuery {
  state?: readonly DocumentState[] | undefined
  kind?: readonly DocumentKind[] | undefined
  /** Only the attempts that count. */
  latest?: true | undefined
  /** Oldest first. */
  order?: 'asc' | undefined
  from?: number | undefined
  to?: number | undefined
  limit: number
  /** The number of the last document of the page before. */
  cursor?: number | undefined
}

const createdAt = (sql: SqlStorage, number: number): number | undefined =>
  integer(sql, 'SELECT created_at FROM receipts WHERE number = ?', number)

export interface ReceiptPage {
  documents: ReceiptDocument[]
  /** The number of the page's last document, where there are more. */
  next?: number | undefined
}

/** A page of documents by their creation, and by their numbers where that is equal. Each state is a range of an index. */
export function listReceipts({ sql }: Context, query: ReceiptsQuery): ReceiptPage {
  const { state = DOCUMENT_STATES, kind = DOCUMENT_KINDS, from = 0, to, latest, order, limit, cursor } = query
  const isAscending = order === 'asc'
  const end = to ?? Number.MAX_SAFE_INTEGER
  const last = cursor === undefined ? undefined : createdAt(sql, cursor)
  const [beyond, direction] = isAscending ? ['>', 'ASC'] : ['<', 'DESC']
  const range = isAscending ? [Math.max(from, last ?? from), end] : [from, Math.min(end, last ?? end)]
  // Most documents are of sales: an index of its own has the others.
  const others = kind.includes('sale') ? '' : "AND kind <> 'sale'"
  const read = state.flatMap((each) =>
    receiptRows(
      sql,
      `WHERE state = ? AND created_at BETWEEN ? AND ? AND (? IS NULL OR (created_at, receipts.number) ${beyond} (?, ?))
         AND kind IN (SELECT value FROM json_each(?)) ${others} ${latest ? `AND ${IS_LATEST}` : ''}
         ORDER BY created_at ${direction}, receipts.number ${direction} LIMIT ?`,
      ...[each, ...range, last ?? null, last ?? null, cursor ?? 0, JSON.stringify(kind), limit + 1],
    ),
  )
  const sign = isAscending ? 1 : -1
  read.sort((a, b) => sign * (a.created_at - b.created_at || a.number - b.number))
  const { shown, next } = pageOf(read, limit, documentOf)
  return { documents: shown, next }
}

/** The documents of a payment. */
export interface PaymentReceipts {
  /** Oldest first. */
  documents: ReceiptDocument[]
  /** The prepaid items that no closing and no refund has taken: a closing can state each of them. */
  prepayment: Item[]
}

/** The documents of a payment, and what remains of its prepayment. @returns payin.resource.not.found */
export function receiptsOfPayment({ sql }: Context, paymentUid: string): Outcome<PaymentReceipts> {
  const payment = findPayment(sql, paymentUid)
  if (!payment) return PAYMENT_NOT_FOUND
  const rows = receiptRows(sql, 'WHERE payment = ? ORDER BY receipts.number', payment.number)
  const sale = rows.find(({ number }) => number === payment.receipt)
  return ok({ documents: rows.map(documentOf), prepayment: sale ? prepaymentOf(sql, sale) : [] })
}

function prepaymentOf(sql: SqlStorage, { items, payment }: ReceiptRow): Item[] {
  const sold = itemsIn(items)
  if (!hasPrepayment(sold)) return []
  return plainItems(remainsOf(sold, takingsOf(sql, payment)).filter(isPrepaid))
}

/** A document. @returns payin.resource.not.found */
export function readReceipt({ sql }: Context, receiptUid: string): Outcome<ReceiptDocument> {
  const row = findReceipt(sql, receiptUid)
  return row ? ok(documentOf(row)) : RECEIPT_NOT_FOUND
}

/** Which documents a connector asks for: those that are to be sent now, or that were sent. */
export interface NetworkReceiptsQuery {
  state: 'WAITING' | 'SENT'
  limit: number
  /** The number of the last document of the page before. */
  cursor?: number | undefined
}

export interface NetworkReceiptsPage {
  receipts: ReceiptInstruction[]
  /** The number of the page's last document, where there are more. */
  next?: number | undefined
}

/** A page of what the connector is to register, oldest first. @returns site.restored before `resume` */
export function networkReceipts(
  { sql }: Context,
  { state, limit, cursor }: NetworkReceiptsQuery,
): Outcome<NetworkReceiptsPage> {
  // An empty list would say that every document has its result.
  if (isRestored(sql)) return SITE_RESTORED
  const after = cursor === undefined ? 0 : (createdAt(sql, cursor) ?? 0)
  const read = receiptRows(
    sql,
    `WHERE state = ? AND created_at >= ? AND (created_at > ? OR receipts.number > ?) AND waits_for IS NULL
       ORDER BY created_at, receipts.number LIMIT ?`,
    ...[state, after, after, cursor ?? 0, limit + 1],
  )
  const { shown, next } = pageOf(read, limit, (row) => receiptInstructionOf(sql, row))
  return ok({ receipts: shown, next })
}
