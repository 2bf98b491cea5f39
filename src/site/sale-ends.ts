// How the sales of a COUNTER code begin and end, each change with its event in the same transaction.
import type { SaleStatus } from '../contract/sale.ts'
import { atTime, type Context } from './context.ts'
import { recordEvent } from './events.ts'
import { type QrCodeRow, qrCodeByNumber } from './rows/qr-codes.ts'
import { isSaleDue, openSale, type SaleRow, saleRows } from './rows/sales.ts'

/** The link of a code at its bank, and the connector's own text. */
export interface SaleAtBank {
  qrcId: string
  reference: string | undefined
}

export const saleAtBank = (code: QrCodeRow, sale: SaleRow): SaleAtBank => ({
  qrcId: code.link_id,
  reference: sale.reference ?? code.reference ?? undefined,
})

/** The sale of a code that has not ended now; one that waits for the bank too. */
export function standingSale(context: Context, { number }: QrCodeRow): SaleRow | undefined {
  const open = openSale(context.sql, number)
  const row = open && recordSaleEnd(context, open)
  return row?.ended_at === null ? row : undefined
}

/**
 * A sale took a payment. A payment of one that waits for the bank says that the bank armed it.
 * @param payment the number of the payment's row
 */
export function paySale(context: Context, sale: SaleRow, payment: number): void {
  const { sql, now } = context
  if (sale.status === 'WAITING') recordSale(context, sale, 'sale.created')
  const row = sale.status === 'WAITING' ? sale : recordSaleEnd(context, sale)
  sql.exec(
    `UPDATE sales SET status = 'PAYED', version = version + 1, payment = ?, ended_at = ifnull(ended_at, ?)
     WHERE number = ?`,
    ...[payment, now, row.number],
  )
}

/** The sales of the site that end by the clock, as the beginning of a FROM clause that an AND can follow. */
export const OPEN_SALES = 'sales INDEXED BY sales_by_due_at WHERE ended_at IS NULL'

/** Records the ends of sales that are due, oldest first, at most `limit`. */
export function recordSaleEnds(context: Context, limit: number): void {
  const due = saleRows(
    context.sql,
    `WHERE sales.number IN (SELECT number FROM ${OPEN_SALES} AND due_at <= ? ORDER BY due_at LIMIT ?) ORDER BY due_at`,
    ...[context.now, limit],
  )
  for (const row of due) recordSaleEnd(context, row)
}

/** Records the end of a sale if its time is over; a reservation leaves nothing behind. @returns its row after that */
export function recordSaleEnd(context: Context, row: SaleRow): SaleRow {
  if (!isSaleDue(row, context.now)) return row
  if (row.status === 'WAITING') {
    context.sql.exec('DELETE FROM sales WHERE number = ?', row.number)
    return { ...row, ended_at: row.due_at }
  }
  return endSale(atTime(context, row.due_at), row, 'EXPIRED')
}

export function endSale(context: Context, row: SaleRow, status: 'EXPIRED' | 'CANCELLED'): SaleRow {
  context.sql.exec(
    'UPDATE sales SET status = ?, version = version + 1, ended_at = ? WHERE number = ?',
    ...[status, context.now, row.number],
  )
  const ended = { ...row, status, version: row.version + 1, ended_at: context.now }
  recordSale(context, ended, status === 'EXPIRED' ? 'sale.expired' : 'sale.cancelled')
  return ended
}

/** Records the event of a change. The page of the code shows its sale: the code has another version. */
export function recordSale(
  context: Context,
  row: SaleRow,
  type: 'sale.created' | 'sale.cancelled' | 'sale.expired',
): void {
  const { sql } = context
  sql.exec('UPDATE qr_codes SET version = version + 1 WHERE number = ?', row.qr_code)
  const sale = {
    saleUid: row.sale_uid,
    status: statusOf(row),
    amount: { minorUnits: row.minor_units, currency: row.currency },
  }
  recordEvent(context, { type, qrCode: row.qr_code, status: qrCodeByNumber(sql, row.qr_code)?.status, sale })
}

const statusOf = ({ status }: SaleRow): SaleStatus => (status === 'WAITING' ? 'ACTIVE' : status)
