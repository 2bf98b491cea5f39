// Reports of payments: a completed one is a fact, and is kept whether or not the QR code takes it (contract, section 7).
import type { Caller } from '../contract/caller.ts'
import type { EventPayment } from '../contract/event.ts'
import type { Payment, PaymentReport } from '../contract/payment.ts'
import type { QrCode } from '../contract/qr-code.ts'
import { type Action, isPayable, transition } from '../contract/status.ts'
import type { Outcome } from '../errors.ts'
import { awaitBinding, bindingAction, type NewBinding, recordBinding, takeBinding } from './bindings.ts'
import { supersede } from './charges.ts'
import { recordEvent } from './events.ts'
import { endInstruction } from './outbox.ts'
import { contradicts, ok, unequalFields } from './outcomes.ts'
import {
  detach,
  findPayment,
  hasTooManyDeclined,
  type ReportOrigin,
  type ReportTarget,
  TOO_MANY_DECLINED,
  type Verdict,
  writePayment,
} from './payments.ts'
import type { QrCodeKey } from './qr-codes.ts'
import { type PaymentRow, paymentOf } from './rows/payments.ts'
import { type QrCodeRow, qrCodeByNumber, qrCodeOf } from './rows/qr-codes.ts'
import type { TokenRow } from './rows/tokens.ts'
import { type Change, changeStatus, expiryAt, recordExpiry, touchQrCode } from './transitions.ts'

/** The report of a payment attempt, with what its token is made of. */
export type NewReport = PaymentReport & { binding?: NewBinding | undefined }

/** A payment after its report, and its QR code where the site has it. */
export interface Reported {
  qrCode?: QrCode | undefined
  payment: Payment
  isReplayed: boolean
}

/**
 * How a report identifies the QR code. The network knows the id of the link: if it is authentic, its payment is kept
 * even if the site has no such QR code.
 */
export type ReportKey = QrCodeKey | { linkId: string; isAuthentic: boolean }

/**
 * Records the report of a payment attempt; the same report again changes nothing. An attempt that was reported DECLINED
 * can still be reported COMPLETED.
 * @param reported the QR code's row, where the site has the QR code of the link
 * @param now Unix seconds
 * @returns payin.resource.already.exists where the paymentUid was reported with other fields; http.too.many.requests
 * where the sandbox, and not the network, reports too often
 */
export function reportPayment(
  sql: SqlStorage,
  reported: ReportTarget,
  report: NewReport,
  origin: ReportOrigin & { caller: Caller },
  now: number,
): Outcome<Reported> {
  const known = findPayment(sql, report.paymentUid)
  const target = (known && chargeTarget(sql, known)) ?? reported
  const row = target.row && recordExpiry(sql, target.row, now)
  const { caller } = origin
  if (row && caller.actor !== 'network' && hasTooManyDeclined(sql, row.number, now)) return TOO_MANY_DECLINED
  if (known) {
    const fields = differences(known, target, report)
    if (fields.length === 0) {
      const bound = report.binding && takeBinding(sql, { ...target, row }, report.binding, origin, now)
      if (bound) recordBinding(sql, row, bound, caller, now)
      return ok(reportedOf(sql, row, report, now, !bound))
    }
    if (isRefused(known, report)) return conflict(report, fields)
    if (known.event !== null) endInstruction(sql, known.event)
  }

  const verdict = verdictOn(row, report, origin)
  const number = writePayment(sql, { ...target, row }, report, verdict, origin, now)
  if (known && !(verdict.applied && known.qr_code === row?.number)) detach(sql, known)
  const token = report.binding && takeBinding(sql, { ...target, row }, report.binding, origin, now)
  const isPaid = verdict.applied && report.status === 'COMPLETED'
  if (row && isPaid && row.create_token === 1) awaitBinding(sql, row, origin, now)
  const payment = { number: verdict.applied ? number : undefined, details: eventPayment(report, verdict) }
  record(sql, row, { payment, token, at: now, by: caller })
  if (row && isPaid) supersede(sql, row, caller, now)
  return ok(reportedOf(sql, row, report, now, false))
}

/**
 * The QR code of a charge. It is part of the paymentUid, so the link of the report does not count: a charge that is
 * repeated after a restore can be reported under the link that was lost.
 */
function chargeTarget(sql: SqlStorage, { event, qr_code, link_id }: PaymentRow): ReportTarget | undefined {
  if (event === null) return undefined
  return { row: qrCodeByNumber(sql, qr_code), linkId: link_id }
}

/**
 * Whether a report contradicts what is known: what was completed is final, and so is what was declined unless it is
 * reported completed.
 */
const isRefused = (known: PaymentRow, { status }: PaymentReport): boolean =>
  known.status === 'COMPLETED' || (known.status === 'DECLINED' && status === 'DECLINED')

function verdictOn(
  row: QrCodeRow | undefined,
  { paymentUid, status, amount }: PaymentReport,
  { currencies }: ReportOrigin,
): Verdict {
  if (!row) return { applied: false, notAppliedReason: 'UNKNOWN_QR_CODE' }
  if (status === 'DECLINED') {
    return { applied: row.type === 'DYNAMIC' && (isPayable(row.status) || isCharge(row, paymentUid)) }
  }
  if (row.type !== 'DYNAMIC') return { applied: false, notAppliedReason: 'NOT_PAYABLE' }
  if (!transition(row.status, 'complete')) return { applied: false, notAppliedReason: 'ALREADY_PAYED' }
  const fits =
    row.minor_units === null
      ? currencies.includes(amount.currency)
      : row.minor_units === amount.minorUnits && row.currency === amount.currency
  return fits ? { applied: true } : { applied: false, notAppliedReason: 'AMOUNT_MISMATCH' }
}

/** Whether the payment is the charge for which the QR code waits. */
const isCharge = ({ status, payment_uid }: QrCodeRow, paymentUid: string): boolean =>
  status === 'INIT_PAYMENT_BY_TOKEN' && payment_uid === paymentUid

/** Records the event, and changes the QR code's status where it takes the attempt, or where its charge is over. */
function record(
  sql: SqlStorage,
  row: QrCodeRow | undefined,
  change: Pick<Change, 'at' | 'by' | 'token'> & { payment: NonNullable<Change['payment']> },
): void {
  const { payment, token, at, by } = change
  const type = payment.details.status === 'COMPLETED' ? 'payment.completed' : 'payment.declined'
  const action = row && actionOf(row, change)
  if (action) {
    const { status } = changeStatus(sql, row, { ...change, action, type })
    // A charge can outlast the ttl.
    if (status === 'DECLINED' && at >= row.expires_at) changeStatus(sql, { ...row, status }, expiryAt(at))
  } else {
    const qrCode = token && row ? touchQrCode(sql, row, at) : row
    const details = { qrCode: qrCode?.number, status: qrCode?.status, payment: payment.details, token }
    recordEvent(sql, { type, at, by, ...details })
  }
}

function actionOf(
  row: QrCodeRow,
  { payment: { details }, token }: { payment: NonNullable<Change['payment']>; token?: TokenRow | undefined },
): Action | undefined {
  if (details.applied) return details.status === 'COMPLETED' ? 'complete' : 'decline'
  // The charge was completed, but with another amount: the QR code waits for it no longer.
  if (isCharge(row, details.paymentUid)) return 'decline'
  return token && bindingAction(row, token)
}

function reportedOf(
  sql: SqlStorage,
  row: QrCodeRow | undefined,
  { paymentUid }: PaymentReport,
  now: number,
  isReplayed: boolean,
): Reported {
  const payment = findPayment(sql, paymentUid)
  if (!payment) throw new Error('a payment that was reported is missing')
  const current = row && qrCodeByNumber(sql, row.number)
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
  return unequalFields({
    qrcId: known.link_id === linkId,
    status: known.status === status,
    'amount.value': known.minor_units === amount.minorUnits,
    'amount.currency': known.currency === amount.currency,
  })
}

const conflict = ({ paymentUid }: PaymentReport, fields: readonly string[]): Outcome<never> =>
  contradicts(
    `paymentUid ${JSON.stringify(paymentUid)} was reported with other fields, must repeat the first report`,
    fields,
    'the first report of this paymentUid',
  )
