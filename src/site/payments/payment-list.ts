// Pages of a site's payments, newest first (contract, section 8).

import { PAYMENT_STATUSES } from '../../contract/payment.ts'
import type { PaymentsQuery } from '../../contract/payment-list.ts'
import { numberOfQrCode } from '../qr-codes/rows.ts'
import { paymentsOfCode } from '../rows/named.ts'
import { pageOf } from '../rows/page.ts'
import { integer } from '../rows/sql.ts'
import type { PaymentPage } from './payments.ts'
import { paymentOf, paymentRows, sumOfRefunds } from './rows.ts'

/** Of a completed payment that is not applied: neither delivered nor returned in full. */
const UNDECIDED = `AND status = 'COMPLETED' AND decision IS NULL AND ${sumOfRefunds("'COMPLETED'")} < minor_units`

/**
 * A page of payments by their `createdDateTime`, and by their numbers where that is equal. Each status is a range of an index,
 * and each range gives no more than a page.
 */
export function listPayments(sql: SqlStorage, query: PaymentsQuery): PaymentPage {
  const {
    status = PAYMENT_STATUSES,
    applied,
    decision,
    // A bank can state a time before 1970.
    createdFrom = Number.MIN_SAFE_INTEGER,
    createdTo,
    qrCodeUid,
    boundBy,
    refundId,
    limit,
    cursor,
  } = query
  if (refundId !== undefined) return paymentsOfRefund(sql, refundId, limit)
  if (boundBy !== undefined) return latestPayments(sql, BOUND_BY, boundBy, query)
  if (qrCodeUid !== undefined) return latestPayments(sql, OF_QR_CODE, qrCodeUid, query)
  const last =
    cursor === undefined
      ? undefined
      : integer(sql, 'SELECT created_at FROM payments WHERE number = ?', cursor)
  const to = Math.min(createdTo ?? Number.MAX_SAFE_INTEGER, last ?? Number.MAX_SAFE_INTEGER)
  const read = status.flatMap((each) =>
    paymentRows(
      sql,
      `WHERE status = ? AND created_at BETWEEN ? AND ? AND (created_at < ? OR payments.number < ?)
         ${applied === false || decision ? 'AND applied = 0' : ''} ${decision ? UNDECIDED : ''}
       ORDER BY created_at DESC, payments.number DESC LIMIT ?`,
      ...[each, createdFrom, to, last ?? Number.MAX_SAFE_INTEGER, cursor ?? 0, limit + 1],
    ),
  )
  read.sort((a, b) => b.created_at - a.created_at || b.number - a.number)
  const { shown, next } = pageOf(read, limit, paymentOf)
  return { payments: shown, next }
}

/** The latest payments that have a refund with this identifier, which is unique within a payment alone. */
function paymentsOfRefund(sql: SqlStorage, refundUid: string, limit: number): PaymentPage {
  const rows = paymentRows(
    sql,
    `WHERE number IN (SELECT payment FROM refunds WHERE refund_uid = ? ORDER BY payment DESC LIMIT ?)
     ORDER BY number DESC`,
    ...[refundUid, limit],
  )
  return { payments: rows.map(paymentOf) }
}

/** What continues a range of payments below a number, newest first, up to a limit; they are to be bound as ?2 and ?3. */
const BELOW = 'AND number < ?2 ORDER BY number DESC LIMIT ?3'

/** The payments of a QR code, which is to be bound as ?1: a STATIC code can have any number of them. */
const OF_QR_CODE = `number IN (${paymentsOfCode('?1', BELOW)})`

/** The charges of the tokens that a QR code bound, which is to be bound as ?1. */
const BOUND_BY = 'payments.token IN (SELECT number FROM tokens WHERE qr_code = ?1)'

/** The payments of a range, the latest report first. @param range OF_QR_CODE or BOUND_BY */
function latestPayments(
  sql: SqlStorage,
  range: string,
  qrCodeUid: string,
  { limit, cursor }: PaymentsQuery,
): PaymentPage {
  const read = paymentRows(
    sql,
    `WHERE ${range} ${BELOW}`,
    ...[numberOfQrCode(sql, qrCodeUid) ?? null, cursor ?? Number.MAX_SAFE_INTEGER, limit + 1],
  )
  const { shown, next } = pageOf(read, limit, paymentOf)
  return { payments: shown, next }
}
