// Reports of payments: a completed one is a fact, and is recorded whether or not the QR code takes it (contract, section 7).
import type { Amount } from '../../contract/amount.ts'
import type { Network, Payment, PaymentReport } from '../../contract/payment.ts'
import { isReusable, type QrCode } from '../../contract/qr-code.ts'
import { type Action, isPayable, transition } from '../../contract/status.ts'
import type { Outcome } from '../../errors.ts'
import { qrCodeForWrite, recordQrCodeEnd, saleActiveAt, saleForWrite } from '../clock.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import type { RecordedPayment } from '../events/rows.ts'
import { cancelLink } from '../outbox/cancel-link.ts'
import { endInstruction } from '../outbox/outbox.ts'
import { contradicts, ok, unequalFields } from '../outcomes.ts'
import { changeStatus, forgetLink, touchQrCode } from '../qr-codes/changes.ts'
import { qrCodeOf } from '../qr-codes/qr-code.ts'
import { type ReportKey, type ReportTarget, reportTarget } from '../qr-codes/report-target.ts'
import { type QrCodeRow, qrCodeByNumber } from '../qr-codes/rows.ts'
import { paySale } from '../sales/changes.ts'
import { findSale, type SaleRow } from '../sales/rows.ts'
import {
  awaitBinding,
  bindingAction,
  type NewBinding,
  recordBinding,
  takeBinding,
} from '../tokens/bindings.ts'
import type { TokenRow } from '../tokens/rows.ts'
import { supersede } from './charges.ts'
import { learnToken, type Verdict, writePayment } from './payments.ts'
import { findPayment, type PaymentRow, paymentOf, QR_CODE_OF_PAYMENT } from './rows.ts'

/** The report of a payment attempt, with what its token is made of. */
export type NewReport = PaymentReport & { binding?: NewBinding | undefined }

/** Where a report of a payment comes from. */
export interface ReportOrigin {
  network: Network
  /** The deployment's currencies: those that a QR code without an amount takes. */
  currencies: readonly string[]
}

/** A payment after its report, and its QR code where the site has it. */
export interface Reported {
  qrCode?: QrCode | undefined
  payment: Payment
  isReplayed: boolean
}

/**
 * Records the report of a payment attempt; the same report again changes nothing, but for the token of a charge that was not
 * known yet. An attempt that was reported DECLINED can still be reported COMPLETED.
 * @returns payin.resource.not.found; payin.resource.already.exists where the paymentUid was reported with other fields
 */
export function reportPayment(
  context: Context & ReportOrigin,
  key: ReportKey,
  report: NewReport,
): Outcome<Reported> {
  const { sql } = context
  const reported = reportTarget(context, key)
  if (!reported.ok) return reported
  const known = findPayment(sql, report.paymentUid)
  const { row, linkId } = (known && chargeTarget(context, known)) ?? reported.value
  const { deleted } = reported.value
  const sale = row && saleForWrite(context, saleFor(sql, row, report))
  const target = { row, linkId, sale, deleted }
  if (known) {
    const fields = differences(known, target, report)
    if (fields.length === 0) {
      const bound = report.binding && takeBinding(context, target, report.binding)
      if (bound) recordBinding(context, row, bound)
      const payment = learnToken(sql, known, report)
      return ok(reportedOf(context, row, { payment, isReplayed: !bound }))
    }
    if (isRefused(known, report)) return conflict(report, fields)
    if (known.event !== null) endInstruction(sql, known.event)
  }

  const verdict = verdictOn(target, report, context)
  const payment = writePayment(context, target, { report, known }, verdict)
  if (known && !(verdict.applied && known.qr_code === row?.number))
    showPreviousPayment(context, known, payment)
  const token = report.binding && takeBinding(context, target, report.binding)
  const isPaid = verdict.applied && report.status === 'COMPLETED'
  if (sale && isPaid) paySale(context, sale, payment.number)
  if (row && isPaid && row.create_token === 1) awaitBinding(context, row)
  const event = record(context, row, { payment, token })
  if (row && isPaid) {
    supersede(context, row)
    // The QR code was charged: nobody is to pay by its link too.
    if (payment.event !== null) cancelLink(context, row, event)
  }
  // A link of this service is at no bank: nobody can have cancelled it.
  if (row?.payload && report.linkCancelled && verdict.applied && !isPaid) forgetLink(context, row)
  return ok(reportedOf(context, row, { payment, isReplayed: false }))
}

/**
 * The QR code of a charge. It is part of the paymentUid, so the link of the report does not count: a charge that is
 * repeated after a restore can be reported under the link that was lost.
 */
function chargeTarget(context: Context, { event, qr_code, link_id }: PaymentRow): ReportTarget | undefined {
  if (event === null) return undefined
  return { row: qrCodeForWrite(context, { number: qr_code }), linkId: link_id }
}

/**
 * Whether a report contradicts what is known: what was completed is final, and so is what was declined unless it is
 * reported completed.
 */
const isRefused = (known: PaymentRow, { status }: PaymentReport): boolean =>
  known.status === 'COMPLETED' || (known.status === 'DECLINED' && status === 'DECLINED')

/** Whether a QR code takes a payment attempt (contract, section 7). */
export function verdictOn(
  { row, deleted, sale }: Pick<ReportTarget, 'row' | 'deleted' | 'sale'>,
  { paymentUid, status, amount }: Pick<Payment, 'paymentUid' | 'status' | 'amount'>,
  { currencies }: Pick<ReportOrigin, 'currencies'>,
): Verdict {
  // Of a deleted QR code nothing is known but that it ended.
  if (!row && deleted !== undefined) return { applied: false, notAppliedReason: 'NOT_PAYABLE' }
  if (!row) return { applied: false, notAppliedReason: 'UNKNOWN_QR_CODE' }
  if (status === 'DECLINED') {
    return { applied: row.type === 'DYNAMIC' && (isPayable(row.status) || isCharge(row, paymentUid)) }
  }
  if (row.type === 'COUNTER') return verdictOnSale(sale, amount)
  if (row.type === 'STATIC' ? row.status === 'CANCELLED' : row.type !== 'DYNAMIC') {
    return { applied: false, notAppliedReason: 'NOT_PAYABLE' }
  }
  if (!transition(row.status, 'complete')) return { applied: false, notAppliedReason: 'ALREADY_PAYED' }
  const fits =
    row.minor_units === null
      ? currencies.includes(amount.currency)
      : row.minor_units === amount.minorUnits && row.currency === amount.currency
  return fits ? { applied: true } : { applied: false, notAppliedReason: 'AMOUNT_MISMATCH' }
}

/** Whether a sale takes a completed payment (contract, section 15). A late payment is a fact: the sale can have ended. */
function verdictOnSale(sale: SaleRow | undefined, amount: Amount): Verdict {
  if (!sale) return { applied: false, notAppliedReason: 'NOT_PAYABLE' }
  if (sale.status === 'PAYED') return { applied: false, notAppliedReason: 'ALREADY_PAYED' }
  const fits = sale.minor_units === amount.minorUnits && sale.currency === amount.currency
  return fits ? { applied: true } : { applied: false, notAppliedReason: 'AMOUNT_MISMATCH' }
}

/** The sale that a report is about: the one that it names, else the one that was ACTIVE when the payment was made. */
function saleFor(sql: SqlStorage, row: QrCodeRow, { saleUid, at }: PaymentReport): SaleRow | undefined {
  if (row.type !== 'COUNTER') return undefined
  if (saleUid !== undefined) return findSale(sql, row.number, saleUid)
  return at === undefined ? undefined : saleActiveAt(sql, row.number, at)
}

/** Whether the payment is the charge for which the QR code waits. */
const isCharge = ({ status, payment_uid }: QrCodeRow, paymentUid: string): boolean =>
  status === 'INIT_PAYMENT_BY_TOKEN' && payment_uid === paymentUid

/**
 * If a payment was declined on a QR code and is then completed but not applied to it, the QR code shows its previous
 * applied attempt again. If the payment is now another QR code's, this one gets the event of an attempt that is not
 * applied: a completed payment has one event `payment.completed`, so that a sum of these is what was paid.
 */
function showPreviousPayment(context: Context, declined: PaymentRow, completed: PaymentRow): void {
  const { sql } = context
  const left = qrCodeForWrite(context, { number: declined.qr_code })
  if (left?.payment !== declined.number) return
  sql.exec(
    `UPDATE qr_codes SET payment = (SELECT max(number) FROM payments WHERE ${QR_CODE_OF_PAYMENT} = ? AND applied = 1)
     WHERE number = ?`,
    ...[left.number, left.number],
  )
  touchQrCode(context, left)
  if (left.number === completed.qr_code) return
  const payment = { ...declined, applied: 0 }
  recordEvent(context, { type: 'payment.declined', qrCode: left.number, status: left.status, payment })
}

/** A payment attempt, and the token of the binding that its report carries. */
interface Change {
  payment: RecordedPayment
  token: TokenRow | undefined
}

/**
 * Records the event, and changes the QR code's status where it takes the attempt, or where its charge is over.
 * @returns the number of the event
 */
export function record(context: Context, row: QrCodeRow | undefined, { payment, token }: Change): number {
  const type = payment.status === 'COMPLETED' ? 'payment.completed' : 'payment.declined'
  const action = row && actionOf(row, { payment, token })
  if (action) {
    const { status, event } = changeStatus(context, row, { action, type, payment, token })
    // A charge can outlast the ttl.
    recordQrCodeEnd(context, { ...row, status }, context.now)
    return event
  }
  const isTaken = row && isReusable(row) && payment.applied === 1
  if (isTaken)
    context.sql.exec('UPDATE qr_codes SET payment = ? WHERE number = ?', payment.number, row.number)
  if (row && (token || isTaken)) touchQrCode(context, row)
  // Of a QR code that retention deleted, the number is all that the payment has.
  const number = payment.qr_code ?? undefined
  return recordEvent(context, { type, qrCode: number, status: row?.status, payment, token })
}

function actionOf(row: QrCodeRow, { payment, token }: Change): Action | undefined {
  if (isReusable(row)) return undefined
  if (payment.applied === 1) return payment.status === 'COMPLETED' ? 'complete' : 'decline'
  // The charge was completed, but with another amount: the QR code waits for it no longer.
  if (isCharge(row, payment.payment_uid)) return 'decline'
  return token && bindingAction(row, token)
}

function reportedOf(
  { sql, now }: Context,
  row: QrCodeRow | undefined,
  { payment, isReplayed }: { payment: PaymentRow; isReplayed: boolean },
): Reported {
  const current = row && qrCodeByNumber(sql, row.number)
  return { qrCode: current && qrCodeOf(current, now), payment: paymentOf(payment), isReplayed }
}

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
