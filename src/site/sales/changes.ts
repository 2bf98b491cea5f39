// How the sales of a COUNTER code begin and end, each change with its event in the same transaction.
import type { SaleStatus } from '../../contract/sale-status.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import { type QrCodeRow, qrCodeByNumber } from '../qr-codes/rows.ts'
import type { SaleRow } from './rows.ts'

/** The link of a code at its bank, and the connector's own text. */
export interface SaleAtBank {
  qrcId: string
  reference: string | undefined
}

export const saleAtBank = (code: QrCodeRow, sale: SaleRow): SaleAtBank => ({
  qrcId: code.link_id,
  reference: sale.reference ?? code.reference ?? undefined,
})

/**
 * A sale took a payment. A payment of one that waits for the bank says that the bank armed it.
 * @param payment the number of the payment's row
 */
export function paySale(context: Context, sale: SaleRow, payment: number): void {
  const { sql, now } = context
  if (sale.status === 'WAITING') recordSale(context, sale, 'sale.created')
  sql.exec(
    `UPDATE sales SET status = 'PAYED', version = version + 1, payment = ?, ended_at = ifnull(ended_at, ?)
     WHERE number = ?`,
    ...[payment, now, sale.number],
  )
}

/** A reservation that is over, or that the bank refused, leaves its number alone: a payment that named it can have that. */
export function dropReservation({ sql }: Context, { number }: SaleRow): void {
  sql.exec('UPDATE site SET last_sale = max(last_sale, ?)', number)
  sql.exec("DELETE FROM sales WHERE number = ? AND status = 'WAITING'", number)
}

/** Ends a sale that is ACTIVE. @returns its row after that */
export function endSale(context: Context, row: SaleRow, status: 'EXPIRED' | 'CANCELLED'): SaleRow {
  const { sql, now } = context
  const ended = { ...row, status, version: row.version + 1, ended_at: now }
  recordSale(context, ended, status === 'EXPIRED' ? 'sale.expired' : 'sale.cancelled')
  sql.exec(
    'UPDATE sales SET status = ?, version = version + 1, ended_at = ? WHERE number = ?',
    ...[status, now, row.number],
  )
  return ended
}

/** Records the event of a change. The page of the code shows its sale: the code has another version. */
export function recordSale(
  context: Context,
  row: SaleRow,
  type: 'sale.created' | 'sale.cancelled' | 'sale.expired',
): void {
  const { sql } = context
  const ofQrCode = qrCodeByNumber(sql, row.qr_code)?.status
  sql.exec('UPDATE qr_codes SET version = version + 1 WHERE number = ?', row.qr_code)
  const sale = {
    saleUid: row.sale_uid,
    status: statusOf(row),
    amount: { minorUnits: row.minor_units, currency: row.currency },
  }
  recordEvent(context, { type, qrCode: row.qr_code, status: ofQrCode, sale })
}

const statusOf = ({ status }: SaleRow): SaleStatus => (status === 'WAITING' ? 'ACTIVE' : status)
