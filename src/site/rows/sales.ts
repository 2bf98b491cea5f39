// Rows of sales.
import { SALE_STATUSES, type Sale } from '../../contract/sale.ts'
import type { Seconds } from '../time.ts'
import { inSeconds, int, oneOf, orNull, rowsWith, text } from './columns.ts'
import { LATEST_PAYMENT, latestPaymentOf, sumOfRefunds } from './payments.ts'
import type { Binding } from './sql.ts'

/** WAITING: the code is reserved while the bank is asked to arm it. */
export const SALE_ROW_STATUSES = ['WAITING', ...SALE_STATUSES] as const

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
  ...LATEST_PAYMENT,
  refunded: int,
})
/** A sale, with the payment that it took. */
export type SaleRow = ReturnType<typeof readRows>[number]

const SALES = `SELECT sales.*, payment_uid, payments.status AS payment_status, payments.minor_units AS payment_minor_units,
    payments.currency AS payment_currency, changed_at AS payment_at, ${sumOfRefunds("'COMPLETED'")} AS refunded,
    (SELECT qr_code_uid FROM qr_codes WHERE number = sales.qr_code) AS qr_code_uid
  FROM sales LEFT JOIN payments ON payments.number = payment`

/** The sales that the clauses after FROM select. */
export const saleRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]): SaleRow[] =>
  readRows(sql, `${SALES} ${clauses}`, ...bindings)

/** A sale of a code; @param qrCode the number of the code's row */
export const findSale = (sql: SqlStorage, qrCode: number, saleUid: string): SaleRow | undefined =>
  saleRows(sql, 'WHERE sales.qr_code = ? AND sale_uid = ?', qrCode, saleUid)[0]

export const saleByNumber = (sql: SqlStorage, number: number): SaleRow | undefined =>
  saleRows(sql, 'WHERE sales.number = ?', number)[0]

/** The sale of a code that has not ended, recorded or not; one that waits for the bank too. */
export const openSale = (sql: SqlStorage, qrCode: number): SaleRow | undefined =>
  saleRows(sql, 'WHERE sales.qr_code = ? AND ended_at IS NULL', qrCode)[0]

/** The sale that was ACTIVE at a time: from its creation up to, not including, its end. */
export const saleAt = (sql: SqlStorage, qrCode: number, at: number): SaleRow | undefined =>
  saleRows(
    sql,
    `WHERE sales.number = (SELECT number FROM sales WHERE qr_code = ? AND created_at <= ? AND status <> 'WAITING'
       ORDER BY number DESC LIMIT 1) AND ifnull(ended_at, due_at) > ?`,
    ...[qrCode, at, at],
  )[0]

/** Whether its time is over, and that is not recorded yet. */
export const isSaleDue = ({ ended_at, due_at }: SaleRow, now: Seconds): boolean =>
  ended_at === null && now >= due_at

/** The sale of a row, as it stands at a time; undefined while it waits for the bank. */
export function saleOf(row: SaleRow, now: Seconds): Sale | undefined {
  if (row.status === 'WAITING') return undefined
  const isDue = isSaleDue(row, now)
  return {
    saleUid: row.sale_uid,
    amount: { minorUnits: row.minor_units, currency: row.currency },
    paymentPurpose: row.payment_purpose ?? undefined,
    ttl: row.ttl,
    status: isDue ? 'EXPIRED' : row.status,
    createdAt: row.created_at,
    expiresAt: row.due_at,
    version: row.version + (isDue ? 1 : 0),
    payment: latestPaymentOf(row),
    refunded: row.refunded,
  }
}
