// Rows of refunds.
import type { PaymentStatus } from '../../contract/payment.ts'
import type { Refund } from '../../contract/refund.ts'
import type { PaymentRow } from './payments.ts'

/** A refund with the identifier and the currency of its payment. */
export type RefundRow = {
  number: number
  payment: number
  refund_uid: string
  minor_units: number
  comment: string | null
  status: PaymentStatus
  created_at: number
  changed_at: number
  reason: string | null
  /** The number of the event that requested it, and of the instruction in the outbox. */
  event: number
  payment_uid: string
  currency: string
}

const REFUNDS = `SELECT refunds.*, payment_uid, currency
  FROM refunds JOIN payments ON payments.number = refunds.payment`

/** The refunds that the clauses after FROM select. */
export const refundRows = (sql: SqlStorage, clauses: string, ...bindings: SqlStorageValue[]): RefundRow[] =>
  sql.exec<RefundRow>(`${REFUNDS} ${clauses}`, ...bindings).toArray()

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
})
