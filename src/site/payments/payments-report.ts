// Pages of the report of payments: completed payments and refunds by the time of their events (contract, section 16).
import { PAYMENT_METHODS } from '../../contract/payment.ts'
import type { ReportCursor, ReportRow } from '../../contract/payments-report.ts'
import type { Context } from '../context.ts'
import { inSeconds, int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import { LATEST_OF_REFUND, latestReceipt, latestReceiptIn } from '../rows/latest-receipt.ts'
import { LONG_PAGE } from '../rows/page.ts'
import { ofQrCodeOrDeleted } from '../rows/sql.ts'
import { seconds } from '../time.ts'
import { PURPOSE_OF_PAYMENT } from './rows.ts'

/** Which events: from a time up to, not including, another, in Unix seconds; `after` is the last one of the page before. */
export interface ReportQuery {
  since: number
  until: number
  after?: ReportCursor | undefined
}

export interface ReportPage {
  rows: ReportRow[]
  /** Absent at the end. */
  next?: ReportCursor | undefined
}

const readRows = rowsWith({
  number: int,
  at: inSeconds,
  is_refund: int,
  bank_at: orNull(inSeconds),
  minor_units: int,
  currency: text,
  payment_uid: text,
  refund_uid: orNull(text),
  qr_code_uid: orNull(text),
  sale_uid: orNull(text),
  applied: int,
  payer_bank: orNull(text),
  network_uid: orNull(text),
  payment_purpose: orNull(text),
  status: oneOf(['COMPLETED'] as const),
  receipt: orNull(text),
  method: orNull(oneOf(PAYMENT_METHODS)),
})

/**
 * The index is named, because SQLite would rather read the events by their numbers. A payment that was reported before its QR
 * code was created has a second event, when the QR code took it. The report counts the first event of a payment alone.
 */
const REPORT = `SELECT events.number, events.at, events.type = 'refund.completed' AS is_refund,
    iif(events.refund IS NULL, payments.changed_at, NULL) AS bank_at,
    coalesce(events.refund ->> '$.amount.minorUnits', events.payment ->> '$.amount.minorUnits') AS minor_units,
    coalesce(events.refund ->> '$.amount.currency', events.payment ->> '$.amount.currency') AS currency,
    payments.payment_uid, events.refund ->> 'refundUid' AS refund_uid,
    ${ofQrCodeOrDeleted('payments.qr_code', 'qr_code_uid')} AS qr_code_uid,
    (SELECT sale_uid FROM sales WHERE sales.number = payments.sale) AS sale_uid, payments.applied, payer_bank,
    network_uid, method, ${PURPOSE_OF_PAYMENT} AS payment_purpose,
    coalesce(events.refund ->> 'status', events.payment ->> 'status') AS status,
    iif(events.refund IS NULL, ${latestReceipt('payments.receipt')}, iif(payments.receipt IS NULL, NULL,
      (SELECT ${LATEST_OF_REFUND} FROM refunds WHERE refunds.payment = payments.number
        AND refund_uid = events.refund ->> 'refundUid'))) AS receipt
  FROM events INDEXED BY events_of_money
    JOIN payments ON payment_uid = coalesce(events.refund ->> 'paymentUid', events.payment ->> 'paymentUid')
  WHERE events.type IN ('payment.completed', 'refund.completed') AND (events.at, events.number) > (?, ?) AND events.at < ?
    AND events.payment ->> 'isRepeated' IS NULL
  ORDER BY events.at, events.number LIMIT ?`

/** A page of the report, oldest first. @param limit rows of a page */
export function reportPage({ sql }: Context, query: ReportQuery, limit = LONG_PAGE): ReportPage {
  const { since, until, after = { at: since, number: 0 } } = query
  const read = readRows(sql, REPORT, after.at, after.number, until, limit)
  const last = read.at(-1)
  return {
    rows: read.map((row) => ({
      type: row.is_refund === 1 ? 'REFUND' : 'PAYMENT',
      at: seconds(row.at),
      bankAt: row.bank_at ?? undefined,
      amount: { minorUnits: row.minor_units, currency: row.currency },
      paymentUid: row.payment_uid,
      refundUid: row.refund_uid ?? undefined,
      qrCodeUid: row.qr_code_uid ?? undefined,
      saleUid: row.sale_uid ?? undefined,
      applied: row.applied === 1,
      payerBank: row.payer_bank ?? undefined,
      networkUid: row.network_uid ?? undefined,
      paymentPurpose: row.payment_purpose ?? undefined,
      receipt: latestReceiptIn(row.receipt),
      method: row.method ?? undefined,
    })),
    next: read.length === limit && last ? { at: last.at, number: last.number } : undefined,
  }
}
