// Payments that the network reported before the site had their QR code: a create applies them (contract, section 14).
import { recordQrCodeEnd } from '../clock.ts'
import type { Context } from '../context.ts'
import { type QrCodeRow, qrCodeByNumber } from '../qr-codes/rows.ts'
import { documentPayment } from '../receipts/documents.ts'
import { int, rowsWith, text } from '../rows/columns.ts'
import { INDEXED_PAYMENTS } from '../rows/named.ts'
import { awaitBinding, recordBinding } from '../tokens/bindings.ts'
import { tokenRows } from '../tokens/rows.ts'
import { record } from './record.ts'
import { decisionOn, EFFECTS, type Effect } from './report-rule.ts'
import type { ReportOrigin } from './reports.ts'
import { type PaymentRow, paymentRows } from './rows.ts'

/** Payments that one write applies. */
const MAX_APPLIED = 100

/** The context of the reports that the payments came with. */
type Origin = Context & ReportOrigin

/** Banks are an external network. */
const originOf = (currencies: readonly string[] = []): ReportOrigin => ({ network: 'external', currencies })

/** Applies the payments of a new QR code, oldest first; those beyond MAX_APPLIED are left for the alarm. @returns its row after that */
export function applyEarlyPayments(
  context: Context,
  created: QrCodeRow,
  currencies: readonly string[],
): QrCodeRow {
  const { sql, memory } = context
  takeEarlyBindings(context, created)
  // A binding makes a TOKEN code ACCEPTED, or REJECTED.
  const bound = qrCodeByNumber(sql, created.number) ?? created
  const [first] = earlyPayments(sql, bound, 1)
  if (!first) return bound
  memory.forgetWake()
  const { row, hasMore } = applyNext({ ...context, ...originOf(currencies) }, bound)
  if (hasMore) {
    sql.exec(
      "UPDATE site SET unapplied_payments = json_set(ifnull(unapplied_payments, '{}'), ?, ?)",
      ...[`$.${row.number}`, currencies.join()],
    )
  }
  return row
}

const readUnapplied = rowsWith({ number: int, currencies: text })

/** Applies what an earlier write left. */
export function applyRemaining(context: Context): void {
  const { sql } = context
  const [next] = readUnapplied(
    sql,
    'SELECT CAST(key AS INTEGER) AS number, value AS currencies FROM site, json_each(unapplied_payments) LIMIT 1',
  )
  if (!next) return
  const created = qrCodeByNumber(sql, next.number)
  if (created && applyNext({ ...context, ...originOf(next.currencies.split(',')) }, created).hasMore) return
  sql.exec(
    "UPDATE site SET unapplied_payments = nullif(json_remove(unapplied_payments, ?), '{}')",
    `$.${next.number}`,
  )
}

/** Bindings that the network reported before are the QR code's own. They are found by their link, because their account is not known either. */
function takeEarlyBindings(context: Context, created: QrCodeRow): void {
  const { sql, memory } = context
  const early = tokenRows(
    sql,
    'WHERE tokens.qr_code IS NULL AND tokens.link_id = ? ORDER BY tokens.number',
    created.link_id,
  )
  for (const token of early) {
    memory.forgetWake()
    const account = created.tokenization_account ?? ''
    sql.exec(
      'UPDATE tokens SET qr_code = ?, account = ? WHERE number = ?',
      ...[created.number, account, token.number],
    )
    const taken = { ...token, qr_code: created.number, qr_code_uid: created.qr_code_uid, account }
    const row = qrCodeByNumber(sql, created.number) ?? created
    recordBinding({ ...context, by: { actor: 'network' } }, row, taken)
  }
}

const earlyPayments = (sql: SqlStorage, { link_id }: QrCodeRow, limit: number): PaymentRow[] =>
  paymentRows(sql, `WHERE ${INDEXED_PAYMENTS} ? ORDER BY payments.number LIMIT ?`, ...[link_id, limit])

function applyNext(context: Origin, created: QrCodeRow): { row: QrCodeRow; hasMore: boolean } {
  const { sql } = context
  // One more than it applies, which says whether there are more.
  const payments = earlyPayments(sql, created, MAX_APPLIED + 1)
  let row = created
  for (const payment of payments.slice(0, MAX_APPLIED)) {
    applyOne(context, recordQrCodeEnd(context, row), payment)
    row = qrCodeByNumber(sql, row.number) ?? row
  }
  return { row, hasMore: payments.length > MAX_APPLIED }
}

function applyOne(context: Origin, row: QrCodeRow, early: PaymentRow): void {
  const { applied, notAppliedReason, action } = effectOf(context, row, early)
  const columns = {
    qr_code: row.number,
    applied: applied ? 1 : 0,
    not_applied_reason: notAppliedReason ?? null,
  }
  context.sql.exec(
    'UPDATE payments SET qr_code = ?, applied = ?, not_applied_reason = ? WHERE number = ?',
    ...[...Object.values(columns), early.number],
  )
  const payment = {
    ...early,
    ...columns,
    isRepeated: true,
    qr_code_uid: row.qr_code_uid,
    tokenization_account: row.tokenization_account,
  }
  if (applied && payment.status === 'COMPLETED' && row.create_token === 1) awaitBinding(context, row)
  const byNetwork = { ...context, by: { actor: 'network' as const } }
  const event = record(byNetwork, row, { payment, action })
  if (applied && payment.status === 'COMPLETED') documentPayment(byNetwork, payment, row, event)
}

/** A payment that is refunded, or is to be, pays for nothing. */
function effectOf({ currencies }: Origin, row: QrCodeRow, early: PaymentRow): Effect {
  if (early.accepted_refunds > 0) return EFFECTS.NOT_PAYABLE
  const { payment_uid: paymentUid, status, minor_units: minorUnits, currency } = early
  return EFFECTS[decisionOn({ row }, { paymentUid, status, amount: { minorUnits, currency } }, currencies)]
}
