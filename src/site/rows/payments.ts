// Rows of payment attempts.
import type { Network, NotAppliedReason, Payment, PaymentStatus } from '../../contract/payment.ts'

/** A payment attempt with the identifier of its QR code. */
export type PaymentRow = {
  number: number
  payment_uid: string
  qr_code: number | null
  qr_code_uid: string | null
  link_id: string
  status: PaymentStatus
  minor_units: number
  currency: string
  created_at: number
  changed_at: number
  applied: number
  not_applied_reason: NotAppliedReason | null
  reason: string | null
  network: Network
  payer_bank: string | null
  payer_phone: string | null
  /** The customer's identifier in the merchant's system. */
  tokenization_account: string | null
  /** The token that was charged, and the number of the instruction. */
  token: number | null
  event: number | null
  refunded: number
  accepted_refunds: number
}

const sumOfRefunds = (statuses: string) =>
  `(SELECT ifnull(sum(minor_units), 0) FROM refunds WHERE payment = payments.number AND status IN (${statuses}))`

const PAYMENTS = `SELECT payments.*, qr_code_uid, tokenization_account,
    ${sumOfRefunds("'COMPLETED'")} AS refunded, ${sumOfRefunds("'COMPLETED', 'WAITING'")} AS accepted_refunds
  FROM payments LEFT JOIN qr_codes ON qr_codes.number = payments.qr_code`

/** The payments that the clauses after FROM select. */
export const paymentRows = (sql: SqlStorage, clauses: string, ...bindings: SqlStorageValue[]): PaymentRow[] =>
  sql.exec<PaymentRow>(`${PAYMENTS} ${clauses}`, ...bindings).toArray()

export const paymentOf = (row: PaymentRow): Payment => ({
  paymentUid: row.payment_uid,
  qrCodeUid: row.qr_code_uid ?? undefined,
  createdAt: row.created_at,
  amount: { minorUnits: row.minor_units, currency: row.currency },
  status: row.status,
  changedAt: row.changed_at,
  reason: row.reason ?? undefined,
  applied: row.applied === 1,
  notAppliedReason: row.not_applied_reason ?? undefined,
  refunded: row.refunded,
  acceptedRefunds: row.accepted_refunds,
  byToken: row.token !== null,
})
