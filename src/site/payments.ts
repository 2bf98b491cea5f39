// Reports of payments: a completed one is a fact, and is kept whether or not the QR code takes it (contract, section 7).
import type { Caller } from '../contract/caller.ts'
import type { EventPayment } from '../contract/event.ts'
import type { Network, NotAppliedReason, Payment, PaymentReport } from '../contract/payment.ts'
import type { QrCode } from '../contract/qr-code.ts'
import { isPayable, transition } from '../contract/status.ts'
import type { Outcome, Refusal } from '../errors.ts'
import { type PageQuery, recordEvent } from './events.ts'
import { ok } from './outcomes.ts'
import type { QrCodeKey } from './qr-codes.ts'
import {
  integer,
  type PaymentRow,
  paymentOf,
  paymentRows,
  type QrCodeRow,
  qrCodeOf,
  qrCodeRows,
} from './rows.ts'
import { changeStatus, recordExpiry } from './transitions.ts'

/** A payment after its report, and its QR code where the site has it. */
export interface Reported {
  qrCode?: QrCode | undefined
  payment: Payment
  isReplayed: boolean
}

/** What a report is about: the QR code's row, where the site has the QR code of the link. */
export interface ReportTarget {
  row?: QrCodeRow | undefined
  linkId: string
}

/**
 * How a report identifies the QR code. The network knows the id of the link: if it is authentic, its payment is kept
 * even if the site has no such QR code.
 */
export type ReportKey = QrCodeKey | { linkId: string; isAuthentic: boolean }

/** Where a report comes from. */
export interface ReportOrigin {
  network: Network
  /** The deployment's currencies: those that a QR code without an amount takes. */
  currencies: readonly string[]
}

/** Declined attempts that the sandbox makes up for one QR code within a minute. */
const MAX_DECLINED = 20

/**
 * Records the report of a payment attempt; the same report again changes nothing. An attempt that was reported DECLINED
 * can still be reported COMPLETED.
 * @param target the QR code's row, where the site has the QR code of the link
 * @param now Unix seconds
 * @returns payin.resource.already.exists where the paymentUid was reported with other fields; http.too.many.requests
 * where the sandbox, and not the network, reports too often
 */
export function reportPayment(
  sql: SqlStorage,
  target: ReportTarget,
  report: PaymentReport,
  origin: ReportOrigin & { caller: Caller },
  now: number,
): Outcome<Reported> {
  const row = target.row && recordExpiry(sql, target.row, now)
  const { caller } = origin
  if (row && caller.actor !== 'network' && hasTooManyDeclined(sql, row.number, now)) return TOO_MANY_DECLINED
  const known = findPayment(sql, report.paymentUid)
  if (known) {
    const fields = differences(known, target, report)
    if (fields.length === 0) return ok(reported(sql, row, report, now, true))
    if (known.status === 'COMPLETED' || report.status === 'DECLINED') return conflict(report, fields)
  }

  const verdict = verdictOn(row, report, origin)
  const number = upsert(sql, { ...target, row }, report, verdict, origin, now)
  if (known && !(verdict.applied && known.qr_code === row?.number)) detach(sql, known)
  record(sql, row, { number, details: eventPayment(report, verdict) }, caller, now)
  return ok(reported(sql, row, report, now, false))
}

/** Whether the QR code takes a payment attempt, and why it does not take a completed payment. */
interface Verdict {
  applied: boolean
  notAppliedReason?: NotAppliedReason
}

function verdictOn(
  row: QrCodeRow | undefined,
  { status, amount }: PaymentReport,
  { currencies }: ReportOrigin,
): Verdict {
  if (!row) return { applied: false, notAppliedReason: 'UNKNOWN_QR_CODE' }
  if (status === 'DECLINED') return { applied: row.type === 'DYNAMIC' && isPayable(row.status) }
  if (row.type !== 'DYNAMIC') return { applied: false, notAppliedReason: 'NOT_PAYABLE' }
  if (!transition(row.status, 'complete')) return { applied: false, notAppliedReason: 'ALREADY_PAYED' }
  const fits =
    row.minor_units === null
      ? currencies.includes(amount.currency)
      : row.minor_units === amount.minorUnits && row.currency === amount.currency
  return fits ? { applied: true } : { applied: false, notAppliedReason: 'AMOUNT_MISMATCH' }
}

/** Writes the payment's row; returns its number. */
function upsert(
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
  const updates = names.filter((name) => name !== 'created_at').map((name) => `${name} = excluded.${name}`)
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
function detach(sql: SqlStorage, declined: PaymentRow): void {
  sql.exec(
    `UPDATE qr_codes SET version = version + 1,
       payment = (SELECT max(number) FROM payments WHERE qr_code = qr_codes.number AND applied = 1)
     WHERE number = ? AND payment = ?`,
    declined.qr_code,
    declined.number,
  )
}

/** Records the event, and changes the QR code's status where it takes the attempt. */
function record(
  sql: SqlStorage,
  row: QrCodeRow | undefined,
  payment: { number: number; details: EventPayment },
  by: Caller,
  at: number,
): void {
  const isCompleted = payment.details.status === 'COMPLETED'
  if (row && payment.details.applied) {
    changeStatus(sql, row, { action: isCompleted ? 'complete' : 'decline', at, by, payment })
  } else {
    const type = isCompleted ? 'payment.completed' : 'payment.declined'
    recordEvent(sql, { type, at, by, qrCode: row?.number, status: row?.status, payment: payment.details })
  }
}

function reported(
  sql: SqlStorage,
  row: QrCodeRow | undefined,
  { paymentUid }: PaymentReport,
  now: number,
  isReplayed: boolean,
): Reported {
  const payment = findPayment(sql, paymentUid)
  if (!payment) throw new Error('a payment that was reported is missing')
  const current = row && qrCodeRows(sql, 'WHERE qr_codes.number = ?', row.number)[0]
  return { qrCode: current && qrCodeOf(current, now), payment: paymentOf(payment), isReplayed }
}

const eventPayment = ({ paymentUid, status, amount }: PaymentReport, { applied }: Verdict): EventPayment => ({
  paymentUid,
  status,
  amount,
  applied,
})

/** The fields of the first report that differ. */
function differences(
  known: PaymentRow,
  { linkId }: ReportTarget,
  { status, amount }: PaymentReport,
): string[] {
  const equal = {
    qrcId: known.link_id === linkId,
    status: known.status === status,
    'amount.value': known.minor_units === amount.minorUnits,
    'amount.currency': known.currency === amount.currency,
  }
  return Object.entries(equal).flatMap(([field, isEqual]) => (isEqual ? [] : [field]))
}

const conflict = ({ paymentUid }: PaymentReport, fields: readonly string[]): Outcome<never> => ({
  ok: false,
  code: 'payin.resource.already.exists',
  description: `paymentUid ${JSON.stringify(paymentUid)} was reported with other fields, must repeat the first report`,
  fields: Object.fromEntries(
    fields.map((field) => [field, ['differs from the first report of this paymentUid']]),
  ),
})

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
  const rows = paymentRows(
    sql,
    'WHERE qr_code = ? AND payments.number > ? ORDER BY payments.number LIMIT ?',
    qrCode,
    cursor,
    limit + 1,
  )
  const page = rows.slice(0, limit)
  return { payments: page.map(paymentOf), ...(rows.length > limit && { next: page.at(-1)?.number }) }
}

const TOO_MANY_DECLINED: Refusal = {
  ok: false,
  code: 'http.too.many.requests',
  description: `the QR code has ${MAX_DECLINED} declined attempts within a minute`,
  retryAfter: 60,
}

/** Whether the QR code has that many declined attempts within the last minute. */
function hasTooManyDeclined(sql: SqlStorage, qrCode: number, now: number): boolean {
  const earliest = integer(
    sql,
    "SELECT created_at FROM payments WHERE qr_code = ? AND status = 'DECLINED' ORDER BY number DESC LIMIT 1 OFFSET ?",
    qrCode,
    MAX_DECLINED - 1,
  )
  // A time to come is of a clock that was set back since.
  return earliest !== undefined && earliest > now - 60 && earliest <= now
}
