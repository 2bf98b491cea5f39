// Rows of the table `refunds`, with checked types.

import { type Network, PAYMENT_STATUSES } from '../../contract/payment.ts'
import { NO_RECEIPT } from '../../contract/receipts/latest-receipt.ts'
import type { Refund } from '../../contract/refund.ts'
import type { PaymentRow } from '../payments/rows.ts'
import { inSeconds, int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import { LATEST_OF_REFUND, latestReceiptIn } from '../rows/latest-receipt.ts'
import { type Binding, columnOf, ofQrCodeOrDeleted } from '../rows/sql.ts'

const readRows = rowsWith({
  number: int,
  payment: int,
  refund_uid: text,
  minor_units: int,
  comment: orNull(text),
  status: oneOf(PAYMENT_STATUSES),
  created_at: inSeconds,
  changed_at: inSeconds,
  reason: orNull(text),
  // The number of the event that requested it, and of the instruction in the outbox; or of the report that made it.
  event: int,
  // What its receipt is to be; see RefundPlan.
  items: orNull(text),
  // The refund's number at the bank, as its settlement files name it.
  bank_number: orNull(text),
  latest_receipt: orNull(text),
  // 1 of a completed refund whose payment has no document, at a site that makes some.
  lacks_receipt: orNull(int),
  // 1 of a refund that nobody requested: the network's report made it, by the event; NULL before that event.
  is_reported: orNull(int),
  payment_uid: text,
  currency: text,
})
/** A refund with the identifier and the currency of its payment. */
export type RefundRow = ReturnType<typeof readRows>[number]

const ofPayment = (column: string) => columnOf('payments', 'refunds.payment', column)

const REFUNDS = `SELECT refunds.*, ${ofPayment('payment_uid')} AS payment_uid, ${ofPayment('currency')} AS currency,
    ${columnOf('events', 'refunds.event', "type = 'refund.completed'")} AS is_reported,
    ${LATEST_OF_REFUND} AS latest_receipt,
    iif(refunds.items IS NULL AND refunds.status = 'COMPLETED', (SELECT 1 FROM receipt_terms), NULL) AS lacks_receipt
  FROM refunds`

/** The refunds that the clauses after FROM select. */
export const refundRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]): RefundRow[] =>
  readRows(sql, `${REFUNDS} ${clauses}`, ...bindings)

/** The same for the export, which no row fails. */
export const exportedRefundRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]) =>
  readRows.numbered(sql, `${REFUNDS} ${clauses}`, ...bindings)

const readWaiting = rowsWith({
  number: int,
  refund_uid: text,
  payment_uid: text,
  link_id: text,
  any_reference: orNull(text),
  network_uid: orNull(text),
  minor_units: int,
  currency: text,
  created_at: inSeconds,
})

/** The refunds of a network that wait for its report, after a number, oldest first. */
export const waitingRefundRows = (sql: SqlStorage, network: Network, after: number, limit: number) =>
  readWaiting(
    sql,
    `SELECT refunds.number, refund_uid, payment_uid, payments.link_id, network_uid, refunds.minor_units,
       payments.currency, refunds.created_at,
       ifnull(payments.reference, ${ofQrCodeOrDeleted('payments.qr_code', 'reference')}) AS any_reference
     FROM refunds INDEXED BY refunds_waiting JOIN payments ON payments.number = refunds.payment
     WHERE refunds.status = 'WAITING' AND refunds.number > ? AND network = ? ORDER BY refunds.number LIMIT ?`,
    ...[after, network, limit],
  )

/** The row of a refund. */
export const findRefund = (sql: SqlStorage, payment: PaymentRow, refundUid: string): RefundRow | undefined =>
  refundRows(sql, 'WHERE payment = ? AND refund_uid = ?', payment.number, refundUid)[0]

export const refundOf = (row: RefundRow): Refund => ({
  refundUid: row.refund_uid,
  paymentUid: row.payment_uid,
  createdAt: row.created_at,
  amount: { minorUnits: row.minor_units, currency: row.currency },
  comment: row.comment ?? undefined,
  status: row.status,
  changedAt: row.changed_at,
  reason: row.reason ?? undefined,
  receipt: row.lacks_receipt === 1 ? NO_RECEIPT : latestReceiptIn(row.latest_receipt),
})
