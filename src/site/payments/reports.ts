// Reports of payments: a completed one is a fact, and is recorded whether or not the QR code takes it (contract, section 7).
import type { Network, Payment, PaymentReport } from '../../contract/payment.ts'
import type { QrCode } from '../../contract/qr-code.ts'
import type { Outcome } from '../../errors.ts'
import { qrCodeForWrite, saleActiveAt, saleForWrite } from '../clock.ts'
import type { Context } from '../context.ts'
import { cancelLink } from '../outbox/cancel-link.ts'
import { endInstruction } from '../outbox/outbox.ts'
import { contradicts, ok, unequalFields } from '../outcomes.ts'
import { forgetLink } from '../qr-codes/changes.ts'
import { qrCodeOf } from '../qr-codes/qr-code.ts'
import { type ReportKey, type ReportTarget, reportTarget } from '../qr-codes/report-target.ts'
import { isAtBank, type QrCodeRow, qrCodeByNumber } from '../qr-codes/rows.ts'
import { documentPayment } from '../receipts/documents.ts'
import { paySale } from '../sales/changes.ts'
import { findSale, type SaleRow } from '../sales/rows.ts'
import { awaitBinding, type NewBinding, recordBinding, takeBinding } from '../tokens/bindings.ts'
import { supersede } from './charges.ts'
import { learnFromRepeat, writePayment } from './payments.ts'
import { record, showPreviousPayment, touchShowing } from './record.ts'
import { decisionOn, EFFECTS, stepOf } from './report-rule.ts'
import { findPayment, type PaymentRow, paymentOf } from './rows.ts'

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
 * Records the report of a payment attempt; the same report again changes nothing, but for the method, the bank with its order,
 * and the token of a charge, that were not known yet. An attempt that was reported DECLINED can still be reported COMPLETED.
 * @returns payin.resource.not.found; payin.resource.already.exists where the paymentUid was reported with other fields
 */
export function reportPayment(
  context: Context & ReportOrigin,
  key: ReportKey,
  report: NewReport,
): Outcome<Reported> {
  const read = readTarget(context, key, report)
  if (!read.ok) return read
  const { known, target } = read.value
  if (known) {
    const fields = differences(known, target, report)
    const step = stepOf(known.status, report.status, fields.length === 0)
    if (step === 'refuse') return conflict(report, fields)
    if (step === 'repeat') return ok(repeatReport(context, target, { report, known }))
  }
  return ok(recordReport(context, target, { report, known }))
}

/** Reads what a report is about, and what is known of its payment. */
function readTarget(
  context: Context,
  key: ReportKey,
  report: PaymentReport,
): Outcome<{ target: ReportTarget; known: PaymentRow | undefined }> {
  const reported = reportTarget(context, key)
  if (!reported.ok) return reported
  const known = findPayment(context.sql, report.paymentUid)
  const target = { ...reported.value, ...(known && chargeTarget(context, known, reported.value)) }
  const sale = target.row && saleForWrite(context, saleFor(context.sql, target.row, report))
  return ok({ target: { ...target, sale }, known })
}

/**
 * The QR code of a charge. It is part of the paymentUid, so the link of the report does not count: a charge that is
 * repeated after a restore can be reported under the link that was lost.
 */
function chargeTarget(
  context: Context,
  { event, qr_code, link_id }: PaymentRow,
  { row }: ReportTarget,
): Pick<ReportTarget, 'row' | 'linkId'> | undefined {
  if (event === null) return undefined
  return {
    row: row?.number === qr_code ? row : qrCodeForWrite(context, { number: qr_code }),
    linkId: link_id,
  }
}

/** The sale that a report is about: the one that it names, else the one that was ACTIVE when the payment was made. */
function saleFor(sql: SqlStorage, row: QrCodeRow, { saleUid, at }: PaymentReport): SaleRow | undefined {
  if (row.type !== 'COUNTER') return undefined
  if (saleUid !== undefined) return findSale(sql, row.number, saleUid)
  return at === undefined ? undefined : saleActiveAt(sql, row.number, at)
}

/** A report, and what was known of its payment before. */
interface ReportOf<Known> {
  report: NewReport
  known: Known
}

/** A report that was recorded before can still say what its token is, and how it was paid. */
function repeatReport(
  context: Context & ReportOrigin,
  target: ReportTarget,
  { report, known }: ReportOf<PaymentRow>,
): Reported {
  const token = report.binding && takeBinding(context, target, report.binding)
  if (token) recordBinding(context, target.row, token)
  const payment = learnFromRepeat(context, known, report)
  const showsMore = payment.method !== known.method
  if (showsMore) touchShowing(context, payment)
  const row = token || showsMore ? rowAfter(context, target) : target.row
  return reportedOf(context, row, { payment, isReplayed: !token })
}

function recordReport(
  context: Context & ReportOrigin,
  target: ReportTarget,
  { report, known }: ReportOf<PaymentRow | undefined>,
): Reported {
  const { row, sale } = target
  const decision = decisionOn(target, report, context.currencies)
  const effect = EFFECTS[decision]
  const isPaid = effect.applied && report.status === 'COMPLETED'
  if (known && known.event !== null) endInstruction(context.sql, known.event)
  const payment = writePayment(context, target, { report, known }, effect)
  if (known && !(effect.applied && known.qr_code === row?.number))
    showPreviousPayment(context, row, { declined: known, completed: payment })
  const token = report.binding && takeBinding(context, target, report.binding)
  if (sale && isPaid) paySale(context, sale, payment.number)
  if (row && isPaid && row.create_token === 1) awaitBinding(context, row)
  const event = record(context, row, { payment, token, action: effect.action })
  if (row && decision === 'supersede') supersede(context, row)
  if (isPaid) documentPayment(context, payment, sale ?? row, event)
  // The QR code was charged: nobody is to pay by its link too.
  if (row && isPaid && payment.event !== null) cancelLink(context, row, event)
  // A link of this service is at no bank: nobody can have cancelled it.
  if (row && isAtBank(row) && report.linkCancelled && decision === 'decline') forgetLink(context, row)
  const isUnchanged = !known && !token && !effect.applied
  return reportedOf(context, isUnchanged ? row : rowAfter(context, target), { payment, isReplayed: false })
}

/** The row of the QR code after a report that can have changed it. */
const rowAfter = ({ sql }: Context, { row }: ReportTarget): QrCodeRow | undefined =>
  row && qrCodeByNumber(sql, row.number)

const reportedOf = (
  { now }: Context,
  row: QrCodeRow | undefined,
  { payment, isReplayed }: { payment: PaymentRow; isReplayed: boolean },
): Reported => ({ qrCode: row && qrCodeOf(row, now), payment: paymentOf(payment), isReplayed })

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
