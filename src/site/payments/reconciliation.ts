// Lists the QR codes, sales and refunds that a connector asks its bank about: ranges of an index (contract, section 14).

import type { Network } from '../../contract/payment.ts'
import type { PageQuery } from '../../contract/query.ts'
import type {
  EndCursor,
  NetworkQrCode,
  NetworkQrCodesQuery,
  NetworkSale,
  WaitingRefund,
} from '../../contract/reconciliation.ts'
import { PAYABLE_ROWS } from '../clock.ts'
import type { Context } from '../context.ts'
import { qrCodeOf } from '../qr-codes/qr-code.ts'
import { AFTER_END, ENDED_ROWS, numbersOf, type QrCodeRow, qrCodeRows } from '../qr-codes/rows.ts'
import { waitingRefundRows } from '../refunds/rows.ts'
import { firstRows, pageOf } from '../rows/page.ts'
import { saleRows } from '../sales/rows.ts'
import { saleOf } from '../sales/sale.ts'
import type { Seconds } from '../time.ts'

const DAY = 86_400

export interface NetworkQrCodesPage {
  qrCodes: NetworkQrCode[]
  /** After which position there are more; absent on the last page. */
  next?: EndCursor | undefined
}

/**
 * A page of the QR codes that can be paid, and of those that ended without a payment, by their end: it stays the same when a
 * QR code ends, so that none is missed between two pages. One that was cancelled counts as ended then too, because a bank may
 * take money until then; one without an end is last, and ended when it was cancelled.
 */
export function networkQrCodes(
  { sql, now }: Context,
  { endedFrom = now - DAY, limit, cursor }: NetworkQrCodesQuery,
): NetworkQrCodesPage {
  const from = Math.min(endedFrom, now)
  const { expiresAt, number } = cursor ?? { expiresAt: from - 1, number: Number.MAX_SAFE_INTEGER }
  const ending = expiresAt === null ? [] : endingRows(sql, [expiresAt, number, limit + 1])
  const left = limit + 1 - ending.length
  const endless = left > 0 ? endlessRows(sql, expiresAt === null ? number : 0, from, left) : []
  const { rows, last } = firstRows([...ending, ...endless], limit)
  return {
    qrCodes: rows.map((row) => ({
      ...networkQrCodeOf(row, qrCodeOf(row, now)),
      ...(row.type === 'COUNTER' && { sales: salesToAsk(sql, row.number, endedFrom, now) }),
    })),
    next: last && { expiresAt: last.end_at, number: last.number },
  }
}

/** The rows with an end behind a position: its end, its number and a limit. */
function endingRows(sql: SqlStorage, position: [end: number, number: number, limit: number]) {
  return qrCodeRows(
    sql,
    `WHERE qr_codes.number IN (${numbersOf([PAYABLE_ROWS, ...ENDED_ROWS], AFTER_END)})
     ORDER BY end_at, qr_codes.number LIMIT ?3`,
    ...position,
  )
}

/** The rows without an end behind a number, at most `limit`: those that can be paid, and those that were cancelled since a time. */
function endlessRows(sql: SqlStorage, number: number, cancelledFrom: number, limit: number) {
  const after =
    'AND end_at IS NULL AND number > ?1 AND ifnull(early_end_at >= ?2, TRUE) ORDER BY number LIMIT ?3'
  return qrCodeRows(
    sql,
    `WHERE qr_codes.number IN (${numbersOf([PAYABLE_ROWS, ...ENDED_ROWS], after)}) ORDER BY qr_codes.number LIMIT ?3`,
    ...[number, cancelledFrom, limit],
  )
}

const networkQrCodeOf = (
  { link_id: qrcId, reference }: QrCodeRow,
  { type, amount, createdAt, expiresAt, status }: Omit<NetworkQrCode, 'qrcId'>,
): NetworkQrCode => ({ qrcId, reference: reference ?? undefined, type, amount, createdAt, expiresAt, status })

/** The sales of a code that a bank can take money for, or could since a time, and has not. */
const salesToAsk = (sql: SqlStorage, qrCode: number, endedFrom: number, now: Seconds): NetworkSale[] =>
  saleRows(
    sql,
    `WHERE sales.number IN (SELECT number FROM sales INDEXED BY sales_unpaid WHERE qr_code = ? AND payment IS NULL
       AND due_at >= ? ORDER BY due_at DESC LIMIT ?) ORDER BY sales.number`,
    ...[qrCode, Math.min(endedFrom, now), MAX_SALES],
  ).flatMap((row) => {
    // A bank can have armed a sale that waits for it: the answer can be lost.
    const sale = saleOf({ ...row, status: row.status === 'WAITING' ? 'ACTIVE' : row.status }, now)
    return sale ? [{ ...sale, reference: row.reference ?? undefined }] : []
  })

/** The sales that are listed of one code, the latest ones: a code has at most one at a time. */
const MAX_SALES = 500

export interface WaitingRefundsPage {
  refunds: WaitingRefund[]
  /** After which number there are more; absent on the last page. */
  next?: number | undefined
}

/** A page of the refunds that a network has not reported, oldest first. */
export function waitingRefunds(
  { sql }: Context,
  network: Network,
  { cursor = 0, limit }: PageQuery,
): WaitingRefundsPage {
  const read = waitingRefundRows(sql, network, cursor, limit + 1)
  const { shown, next } = pageOf(read, limit, (row) => ({
    refundUid: row.refund_uid,
    paymentUid: row.payment_uid,
    qrcId: row.link_id,
    reference: row.any_reference ?? undefined,
    networkUid: row.network_uid ?? undefined,
    amount: { minorUnits: row.minor_units, currency: row.currency },
    createdAt: row.created_at,
  }))
  return { refunds: shown, next }
}
