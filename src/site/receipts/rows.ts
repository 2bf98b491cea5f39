// Rows of the table `receipts`, with checked types.
import * as z from 'zod/mini'
import { NETWORKS } from '../../contract/payment.ts'
import {
  DOCUMENT_KINDS,
  DOCUMENT_STATES,
  FAILURE_REASONS,
  type ReceiptDocument,
  WAITS_FOR,
} from '../../contract/receipts/document.ts'
import { TAXATIONS } from '../../contract/receipts/receipt.ts'
import { inSeconds, int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import { IS_LATEST } from '../rows/latest-receipt.ts'
import { fiscalIn, itemsIn, plainItems } from '../rows/receipts.ts'
import { type Binding, columnOf, ofQrCodeOrDeleted } from '../rows/sql.ts'
import { contactIn, contactOf } from './contacts.ts'

const readRows = rowsWith({
  number: int,
  receipt_uid: text,
  payment: int,
  kind: oneOf(DOCUMENT_KINDS),
  refund: orNull(int),
  closing_uid: orNull(text),
  attempt: int,
  state: oneOf(DOCUMENT_STATES),
  minor_units: int,
  terms: int,
  items: text,
  taxation: orNull(oneOf(TAXATIONS)),
  // What the merchant asked for, of a document that a request made.
  request: orNull(text),
  at: inSeconds,
  place: int,
  event: int,
  created_at: inSeconds,
  sent_at: orNull(inSeconds),
  registered_at: orNull(inSeconds),
  waits_for: orNull(oneOf(WAITS_FOR)),
  due_at: orNull(inSeconds),
  held: orNull(text),
  error: orNull(text),
  fiscal: orNull(text),
  payment_uid: text,
  network: oneOf(NETWORKS),
  qr_code: orNull(int),
  sale: orNull(int),
  qr_code_uid: orNull(text),
  is_replaced: int,
  refund_uid: orNull(text),
  contact: orNull(text),
})
/** A document with its payment, its refund and its contact. */
export type ReceiptRow = ReturnType<typeof readRows>[number]

const ofPayment = (column: string) => columnOf('payments', 'receipts.payment', column)

const RECEIPTS = `SELECT receipts.*, ${ofPayment('payment_uid')} AS payment_uid,
    ${ofPayment('network')} AS network, ${ofPayment('qr_code')} AS qr_code, ${ofPayment('sale')} AS sale,
    ${ofQrCodeOrDeleted(ofPayment('qr_code'), 'qr_code_uid')} AS qr_code_uid, NOT (${IS_LATEST}) AS is_replaced,
    ${columnOf('refunds', 'receipts.refund', 'refund_uid')} AS refund_uid, ${contactOf('receipts.payment')} AS contact
  FROM receipts`

/** The documents that the clauses after FROM select. */
export const receiptRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]): ReceiptRow[] =>
  readRows(sql, `${RECEIPTS} ${clauses}`, ...bindings)

/** The same for the export, which no row fails. */
export const exportedReceiptRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]) =>
  readRows.numbered(sql, `${RECEIPTS} ${clauses}`, ...bindings)

export const findReceipt = (sql: SqlStorage, receiptUid: string): ReceiptRow | undefined =>
  receiptRows(sql, 'WHERE receipt_uid = ?', receiptUid)[0]

export const receiptByNumber = (sql: SqlStorage, number: number): ReceiptRow | undefined =>
  receiptRows(sql, 'WHERE receipts.number = ?', number)[0]

/** The attempt that counts of the sale's document of a payment. */
export const saleDocument = (sql: SqlStorage, payment: number): ReceiptRow | undefined =>
  receiptRows(sql, 'WHERE receipts.number = (SELECT receipt FROM payments WHERE number = ?)', payment)[0]

const ErrorColumn = z.object({
  reason: z.enum(FAILURE_REASONS),
  text: z.optional(z.string()),
  canRetry: z.boolean(),
})
/** Why a document failed. */
export type Failure = z.infer<typeof ErrorColumn>

/** Why a document failed; undefined of one that did not. */
export const failureOf = ({ error }: Pick<ReceiptRow, 'error'>): Failure | undefined =>
  error === null ? undefined : ErrorColumn.parse(JSON.parse(error))

export const documentOf = (row: ReceiptRow): ReceiptDocument => ({
  receiptUid: row.receipt_uid,
  kind: row.kind,
  state: row.state,
  isReplaced: row.is_replaced === 1,
  paymentUid: row.payment_uid,
  qrCodeUid: row.qr_code_uid ?? undefined,
  refundUid: row.refund_uid ?? undefined,
  closingUid: row.closing_uid ?? undefined,
  amount: { minorUnits: row.minor_units, currency: 'RUB' },
  items: plainItems(itemsIn(row.items)),
  taxation: row.taxation ?? undefined,
  contact: row.contact === null ? undefined : contactIn(row.contact),
  createdAt: row.created_at,
  sentAt: row.sent_at ?? undefined,
  registeredAt: row.registered_at ?? undefined,
  waitsFor: row.waits_for ?? undefined,
  held: row.held ?? undefined,
  fiscal: row.fiscal === null ? undefined : fiscalIn(row.fiscal),
  error: failureOf(row),
})
