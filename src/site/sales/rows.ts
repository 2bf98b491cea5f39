// Rows of the table `sales`, with checked types.
import { SALE_STATUSES } from '../../contract/sale-status.ts'
import { LATEST_PAYMENT, sumOfRefunds } from '../payments/rows.ts'
import { inSeconds, int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import { latestReceipt } from '../rows/latest-receipt.ts'
import type { Binding } from '../rows/sql.ts'

/** WAITING: the code is reserved while the bank is asked to arm it. */
const SALE_ROW_STATUSES = ['WAITING', ...SALE_STATUSES] as const

const readRows = rowsWith({
  number: int,
  qr_code: int,
  qr_code_uid: text,
  sale_uid: text,
  minor_units: int,
  currency: text,
  payment_purpose: orNull(text),
  ttl: int,
  status: oneOf(SALE_ROW_STATUSES),
  version: int,
  created_at: inSeconds,
  due_at: inSeconds,
  ended_at: orNull(inSeconds),
  payment: orNull(int),
  reference: orNull(text),
  caller: orNull(int),
  receipt: orNull(text),
  receipt_terms: orNull(int),
  ...LATEST_PAYMENT,
  refunded: int,
})
/** A sale, with the payment that it took. */
export type SaleRow = ReturnType<typeof readRows>[number]

const SALES = `SELECT sales.*, payment_uid, payments.status AS payment_status, payments.minor_units AS payment_minor_units,
    payments.currency AS payment_currency, changed_at AS payment_at, payments.method AS payment_method, ${sumOfRefunds("'COMPLETED'")} AS refunded,
    iif(sales.receipt_terms IS NULL, NULL, ${latestReceipt('payments.receipt')}) AS payment_receipt,
    (SELECT qr_code_uid FROM qr_codes WHERE number = sales.qr_code) AS qr_code_uid
  FROM sales LEFT JOIN payments ON payments.number = payment`

/** The sales that the clauses after FROM select. */
export const saleRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]): SaleRow[] =>
  readRows(sql, `${SALES} ${clauses}`, ...bindings)

/** The same for the export, which no row fails. */
export const exportedSaleRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]) =>
  readRows.numbered(sql, `${SALES} ${clauses}`, ...bindings)

/** A sale of a code; @param qrCode the number of the code's row */
export const findSale = (sql: SqlStorage, qrCode: number, saleUid: string): SaleRow | undefined =>
  saleRows(sql, 'WHERE sales.qr_code = ? AND sale_uid = ?', qrCode, saleUid)[0]

export const saleByNumber = (sql: SqlStorage, number: number): SaleRow | undefined =>
  saleRows(sql, 'WHERE sales.number = ?', number)[0]

/** The sale of a code whose end is not recorded, which is its latest; one that waits for the bank too. */
export const openSale = (sql: SqlStorage, qrCode: number): SaleRow | undefined =>
  saleRows(
    sql,
    'WHERE sales.number = (SELECT max(number) FROM sales WHERE qr_code = ?) AND ended_at IS NULL',
    qrCode,
  )[0]
