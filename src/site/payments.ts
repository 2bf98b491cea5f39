// The network's word on an attempt to pay (contract, section 7).
import { formatKopecks } from '../contract/amount.ts'
import type { Actor } from '../contract/event.ts'
import { next } from '../contract/life.ts'
import type { Payment, PaymentStatus } from '../contract/payment.ts'
import type { QrCode } from '../contract/qr-code.ts'
import type { Outcome } from '../errors.ts'
import { change } from './events.ts'
import { type QrCodeRow, qrCodeOf } from './rows.ts'

/**
 * Declined attempts that the sandbox makes up for one QR code within a time: enough for a person and for a test, and a
 * link alone cannot fill the site's database.
 */
const MAX_DECLINED = 20
const DECLINED_WITHIN_SECONDS = 60

/** A QR code after a report, and whether the report had been taken before. */
export interface Reported {
  qrCode: QrCode
  replayed: boolean
}

type PaymentRow = { qr_code: number; status: PaymentStatus; kopecks: number; currency: string }

/**
 * Takes the report of a payment; the same report again changes nothing. A payment first reported DECLINED may still be
 * reported COMPLETED, because money that moved is a fact; never the other way round.
 * @param now Unix seconds
 * @returns validation.error where the amount is not the QR code's; payin.resource.already.exists where the paymentUid
 * was used with another meaning; payin.incorrect-method-invocation where the state does not allow it;
 * http.too.many.requests where the sandbox makes up too many: the network's reports are facts, whatever their number
 */
export function reportPayment(
  sql: SqlStorage,
  row: QrCodeRow,
  payment: Payment,
  by: Actor,
  now: number,
): Outcome<Reported> {
  const { paymentUid, status, amount } = payment
  const known = sql
    .exec<PaymentRow>(
      'SELECT qr_code, status, kopecks, currency FROM payments WHERE payment_uid = ?',
      paymentUid,
    )
    .toArray()[0]
  if (known) {
    const same =
      known.qr_code === row.number && known.kopecks === amount.kopecks && known.currency === amount.currency
    if (same && known.status === status)
      return { ok: true, value: { qrCode: qrCodeOf(row, now), replayed: true } }
    if (!same || known.status === 'COMPLETED') {
      return {
        ok: false,
        code: 'payin.resource.already.exists',
        description: `paymentUid ${JSON.stringify(paymentUid)} was reported with another meaning, must repeat it`,
      }
    }
  }
  const fault = amountFault(row, payment)
  if (fault) return fault

  const action = status === 'COMPLETED' ? 'complete' : 'decline'
  const before = qrCodeOf(row, now).status
  if (row.type !== 'DYNAMIC' || next(before, action) === undefined) {
    return {
      ok: false,
      code: 'payin.incorrect-method-invocation',
      description: `the QR code is ${row.type} and ${before}, which allows no payment ${status}`,
    }
  }
  if (by !== 'network' && hasManyDeclined(sql, row.number, now)) {
    return {
      ok: false,
      code: 'http.too.many.requests',
      description: `the QR code has ${MAX_DECLINED} declined attempts within ${DECLINED_WITHIN_SECONDS} seconds, must have fewer`,
      retryAfter: DECLINED_WITHIN_SECONDS,
    }
  }
  sql.exec(
    `INSERT INTO payments (payment_uid, qr_code, status, kopecks, currency) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (payment_uid) DO UPDATE SET status = excluded.status`,
    paymentUid,
    row.number,
    status,
    amount.kopecks,
    amount.currency,
  )
  const after = change(sql, row, action, by, now, { paymentUid, status })
  return { ok: true, value: { qrCode: qrCodeOf(after, now), replayed: false } }
}

function hasManyDeclined(sql: SqlStorage, qrCode: number, now: number): boolean {
  const [earliest] = sql
    .exec<{ at: number }>(
      `SELECT at FROM events WHERE qr_code = ? AND status = 'DECLINED' ORDER BY number DESC LIMIT 1 OFFSET ?`,
      qrCode,
      MAX_DECLINED - 1,
    )
    .toArray()
  // An attempt that a clock, since set back, dated in the future does not count.
  return earliest !== undefined && Math.abs(now - earliest.at) < DECLINED_WITHIN_SECONDS
}

function amountFault({ kopecks, currency }: QrCodeRow, { amount }: Payment): Outcome<never> | undefined {
  if (kopecks === null || currency === null) return undefined
  if (amount.kopecks !== kopecks) return fault('value', formatKopecks(amount.kopecks), formatKopecks(kopecks))
  return amount.currency === currency ? undefined : fault('currency', amount.currency, currency)
}

function fault(field: string, is: string, must: string): Outcome<never> {
  const text = `is ${is}, must be the QR code’s ${must}`
  return {
    ok: false,
    code: 'validation.error',
    description: `amount.${field} ${text}`,
    fields: { [`amount.${field}`]: [text] },
  }
}
