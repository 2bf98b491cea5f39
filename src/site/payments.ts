// How a site keeps payment attempts (contract, sections 7 and 8).
import type { Network, NotAppliedReason, Payment, PaymentReport } from '../contract/payment.ts'
import type { PageQuery } from '../contract/query.ts'
import type { Refusal } from '../errors.ts'
import { pageOf } from './page.ts'
import { type PaymentRow, paymentOf, paymentRows } from './rows/payments.ts'
import type { QrCodeRow } from './rows/qr-codes.ts'
import { integer } from './rows/sql.ts'

/** The row of a payment attempt. */
export const findPayment = (sql: SqlStorage, paymentUid: string): PaymentRow | undefined =>
  paymentRows(sql, 'WHERE payment_uid = ?', paymentUid)[0]

export interface PaymentPage {
  payments: Payment[]
  /** After which number there are more; absent on the last page. */
  next?: number | undefined
}

/** A page of a QR code's payment attempts, oldest first. @param qrCode the number of its row */
export function paymentsOf(sql: SqlStorage, qrCode: number, { cursor = 0, limit }: PageQuery): PaymentPage {
  const read = paymentRows(
    sql,
    'WHERE qr_code = ? AND payments.number > ? ORDER BY payments.number LIMIT ?',
    qrCode,
    cursor,
    limit + 1,
  )
  const { rows, next } = pageOf(read, limit)
  return { payments: rows.map(paymentOf), next }
}

/** What a report is about: the QR code's row, where the site has the QR code of the link. */
export interface ReportTarget {
  row?: QrCodeRow | undefined
  linkId: string
}

/** Where a report comes from. */
export interface ReportOrigin {
  network: Network
  /** The deployment's currencies: those that a QR code without an amount takes. */
  currencies: readonly string[]
}

/** Whether the QR code takes a payment attempt, and why it does not take a completed payment. */
export interface Verdict {
  applied: boolean
  notAppliedReason?: NotAppliedReason
}

/** Writes the payment's row; returns its number. */
export function writePayment(
  sql: SqlStorage,
  { row, linkId }: ReportTarget,
  report: PaymentReport,
  { applied, notAppliedReason }: Verdict,
  { network }: ReportOrigin,
  now: number,
): number {
  const { paymentUid, status, amount, at = now, reason, networkUid, payer } = report
  const columns = {
    payment_uid: paymentUid,
    qr_code: row?.number ?? null,
    link_id: linkId,
    status,
    minor_units: amount.minorUnits,
    currency: amount.currency,
    created_at: at,
    changed_at: at,
    applied: applied ? 1 : 0,
    not_applied_reason: notAppliedReason ?? null,
    reason: reason ?? null,
    network,
    network_uid: networkUid ?? null,
    payer_bank: payer?.bankMemberId ?? null,
    payer_phone: payer?.phone ?? null,
  }
  const names = Object.keys(columns)
  const updates = names
    .filter((name) => name !== 'created_at')
    // The bank of a charge is known from its token.
    .map(
      (name) =>
        `${name} = ${name === 'payer_bank' ? `ifnull(excluded.${name}, ${name})` : `excluded.${name}`}`,
    )
  const number = integer(
    sql,
    `INSERT INTO payments (${names}) VALUES (${names.map(() => '?')})
     ON CONFLICT (payment_uid) DO UPDATE SET ${updates} RETURNING number`,
    ...Object.values(columns),
  )
  if (number === undefined) throw new Error('SQLite returned no row number')
  return number
}

/**
 * Where a completed payment is not applied to the QR code that took its declined attempt, the QR code shows the applied
 * attempt before it.
 */
export function detach(sql: SqlStorage, declined: PaymentRow): void {
  sql.exec(
    `UPDATE qr_codes SET version = version + 1,
       payment = (SELECT max(number) FROM payments WHERE qr_code = qr_codes.number AND applied = 1)
     WHERE number = ? AND payment = ?`,
    declined.qr_code,
    declined.number,
  )
}

/** Declined attempts that the sandbox makes up for one QR code within a minute. */
export const MAX_DECLINED = 20

/** Whether the QR code has that many declined attempts within the last minute. */
export function hasTooManyDeclined(sql: SqlStorage, qrCode: number, now: number): boolean {
  const earliest = integer(
    sql,
    "SELECT created_at FROM payments WHERE qr_code = ? AND status = 'DECLINED' ORDER BY number DESC LIMIT 1 OFFSET ?",
    qrCode,
    MAX_DECLINED - 1,
  )
  // A time to come is of a clock that was set back since.
  return earliest !== undefined && earliest > now - 60 && earliest <= now
}

/** The refusal of the sandbox's own attempts. */
export const TOO_MANY_DECLINED: Refusal = {
  ok: false,
  code: 'http.too.many.requests',
  description: `the QR code has ${MAX_DECLINED} declined attempts within a minute`,
  retryAfter: 60,
}
