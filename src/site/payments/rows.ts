// Rows of the table `payments`, with checked types.

import type { LatestPayment } from '../../contract/latest-payment.ts'
import {
  NETWORKS,
  NOT_APPLIED_REASONS,
  PAYMENT_METHODS,
  PAYMENT_STATUSES,
  type Payment,
} from '../../contract/payment.ts'
import type { StandingDecision } from '../../contract/payment-decision.ts'
import { SETTLEMENT_BANKS } from '../../contract/settlement-bank.ts'
import { inSeconds, int, oneOf, orNull, type RowOf, rowsWith, text } from '../rows/columns.ts'
import { latestReceipt, latestReceiptIn } from '../rows/latest-receipt.ts'
import { type Binding, columnOf, ofQrCodeOrDeleted } from '../rows/sql.ts'

const readRows = rowsWith({
  number: int,
  payment_uid: text,
  qr_code: orNull(int),
  qr_code_uid: orNull(text),
  // The number of the sale that it is for, and its identifier.
  sale: orNull(int),
  sale_uid: orNull(text),
  payment_purpose: orNull(text),
  link_id: text,
  status: oneOf(PAYMENT_STATUSES),
  minor_units: int,
  currency: text,
  created_at: inSeconds,
  changed_at: inSeconds,
  applied: int,
  not_applied_reason: orNull(oneOf(NOT_APPLIED_REASONS)),
  decision: orNull(oneOf(['DELIVERED'] as const)),
  decision_note: orNull(text),
  decided_at: orNull(inSeconds),
  reason: orNull(text),
  network: oneOf(NETWORKS),
  network_uid: orNull(text),
  bank: orNull(oneOf(SETTLEMENT_BANKS)),
  bank_order: orNull(text),
  method: orNull(oneOf(PAYMENT_METHODS)),
  // The connector's own text of the payment, else of the QR code.
  any_reference: orNull(text),
  payer_bank: orNull(text),
  payer_phone: orNull(text),
  // The customer's identifier in the merchant's system.
  tokenization_account: orNull(text),
  // The token that was charged, and the number of the instruction.
  token: orNull(int),
  event: orNull(int),
  refunded: int,
  accepted_refunds: int,
  // The number of the latest document of the sale, and what an answer shows of it.
  receipt: orNull(int),
  latest_receipt: orNull(text),
})
/** A payment attempt with the identifier of its QR code. */
export type PaymentRow = ReturnType<typeof readRows>[number]

/** The columns of the payment that a QR code, or a sale, shows. */
export const LATEST_PAYMENT = {
  payment_uid: orNull(text),
  payment_status: orNull(oneOf(PAYMENT_STATUSES)),
  payment_minor_units: orNull(int),
  payment_currency: orNull(text),
  payment_at: orNull(inSeconds),
  payment_method: orNull(oneOf(PAYMENT_METHODS)),
  payment_receipt: orNull(text),
}

/** @param saleUid of the sale that it is for, where that is shown */
export function latestPaymentOf(
  row: RowOf<typeof LATEST_PAYMENT>,
  saleUid?: string | null,
): LatestPayment | undefined {
  const { payment_uid: paymentUid, payment_status: status, payment_at: at } = row
  const { payment_minor_units: minorUnits, payment_currency: currency } = row
  return paymentUid !== null && status !== null && at !== null && minorUnits !== null && currency !== null
    ? {
        ...{ paymentUid, status, amount: { minorUnits, currency }, at, saleUid: saleUid ?? undefined },
        ...{ method: row.payment_method ?? undefined, receipt: latestReceiptIn(row.payment_receipt) },
      }
    : undefined
}

/**
 * The sum of the refunds of a row of payments, as a subquery: at most what can be shown exactly. Nothing limits what a network
 * reports, and sum() fails where total() does not: above 2^63.
 */
export const sumOfRefunds = (statuses: string) =>
  `(SELECT min(total(minor_units), ${Number.MAX_SAFE_INTEGER}) FROM refunds WHERE payment = payments.number AND status IN (${statuses}))`

/** The purpose of a row of payments, as a subquery: of a sale its own, not that of its till. */
export const PURPOSE_OF_PAYMENT = `iif(payments.sale IS NULL, ${columnOf('qr_codes', 'payments.qr_code', 'payment_purpose')},
    ${columnOf('sales', 'payments.sale', 'payment_purpose')})`

const PAYMENTS = `SELECT payments.*, ${ofQrCodeOrDeleted('payments.qr_code', 'qr_code_uid')} AS qr_code_uid,
    ${columnOf('qr_codes', 'payments.qr_code', 'tokenization_account')} AS tokenization_account,
    ifnull(payments.reference, ${ofQrCodeOrDeleted('payments.qr_code', 'reference')}) AS any_reference,
    iif(sale IS NULL, NULL, (SELECT sale_uid FROM sales WHERE sales.number = sale)) AS sale_uid,
    ${PURPOSE_OF_PAYMENT} AS payment_purpose,
    ${sumOfRefunds("'COMPLETED'")} AS refunded, ${sumOfRefunds("'COMPLETED', 'WAITING'")} AS accepted_refunds,
    ${latestReceipt('payments.receipt')} AS latest_receipt
  FROM payments`

/** The payments that the clauses after FROM select. */
export const paymentRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]): PaymentRow[] =>
  readRows(sql, `${PAYMENTS} ${clauses}`, ...bindings)

/** The same for the export, which no row fails. */
export const exportedPaymentRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]) =>
  readRows.numbered(sql, `${PAYMENTS} ${clauses}`, ...bindings)

/** The row of a payment attempt. */
export const findPayment = (sql: SqlStorage, paymentUid: string): PaymentRow | undefined =>
  paymentRows(sql, 'WHERE payment_uid = ?', paymentUid)[0]

const decisionOf = ({
  decision,
  decision_note: note,
  decided_at: at,
}: PaymentRow): StandingDecision | undefined =>
  decision !== null && at !== null ? { value: decision, note: note ?? undefined, at } : undefined

export const paymentOf = (row: PaymentRow): Payment => ({
  paymentUid: row.payment_uid,
  qrCodeUid: row.qr_code_uid ?? undefined,
  saleUid: row.sale_uid ?? undefined,
  paymentPurpose: row.payment_purpose ?? undefined,
  createdAt: row.created_at,
  amount: { minorUnits: row.minor_units, currency: row.currency },
  method: row.method ?? undefined,
  status: row.status,
  changedAt: row.changed_at,
  reason: row.reason ?? undefined,
  applied: row.applied === 1,
  notAppliedReason: row.not_applied_reason ?? undefined,
  decision: decisionOf(row),
  refunded: row.refunded,
  acceptedRefunds: row.accepted_refunds,
  byToken: row.token !== null,
  receipt: latestReceiptIn(row.latest_receipt),
})
