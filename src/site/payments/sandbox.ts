// The limit of simulated payments and bindings of one QR code. Reports of the payment network have none (contract, section 7).
import type { Outcome, Refusal } from '../../errors.ts'
import type { Context, ReportContext } from '../context.ts'
import { findQrCode, type QrCodeKey } from '../qr-codes/rows.ts'
import { requiredInteger } from '../rows/sql.ts'
import { type Bound, type NewBinding, reportBinding } from '../tokens/bindings.ts'
import { type NewReport, type Reported, type ReportOrigin, reportPayment } from './reports.ts'

/** Declined payments, or rejected bindings, of one QR code within a minute. */
const MAX_DECLINED = 20

const TOO_MANY_DECLINED: Refusal = {
  ok: false,
  code: 'http.too.many.requests',
  description: `the QR code has ${MAX_DECLINED} declined attempts within a minute`,
  retryAfter: 60,
}

/** Records a payment attempt that the sandbox bank simulates. @returns as reportPayment; http.too.many.requests */
export const simulatePayment = (
  context: Context & ReportOrigin,
  key: QrCodeKey,
  report: NewReport,
): Outcome<Reported> => refuseManyDeclined(context, key) ?? reportPayment(context, key, report)

/** Records a binding that the sandbox bank simulates. @returns as reportBinding; http.too.many.requests */
export const simulateBinding = (
  context: ReportContext,
  key: QrCodeKey,
  binding: NewBinding,
): Outcome<Bound> => refuseManyRejected(context, key) ?? reportBinding(context, key, binding)

/** Refuses a payment where the QR code has too many declined ones. */
function refuseManyDeclined({ sql, now }: Context, key: QrCodeKey): Refusal | undefined {
  const row = findQrCode(sql, key)
  if (!row) return undefined
  const declined = requiredInteger(
    sql,
    "SELECT count(*) FROM payments WHERE status = 'DECLINED' AND created_at BETWEEN ? AND ? AND +qr_code = ?",
    ...[now - 59, now, row.number],
  )
  return declined >= MAX_DECLINED ? TOO_MANY_DECLINED : undefined
}

/** Refuses a binding where the QR code has too many rejected ones. */
function refuseManyRejected({ sql, now }: Context, key: QrCodeKey): Refusal | undefined {
  const row = findQrCode(sql, key)
  if (!row) return undefined
  const rejected = requiredInteger(
    sql,
    "SELECT count(*) FROM tokens WHERE qr_code = ? AND status = 'REJECTED' AND changed_at BETWEEN ? AND ?",
    ...[row.number, now - 59, now],
  )
  return rejected >= MAX_DECLINED ? TOO_MANY_DECLINED : undefined
}
