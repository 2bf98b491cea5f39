// Payment attempts of a site (contract, sections 7 and 8).
import type { Payment, PaymentReport } from '../../contract/payment.ts'
import type { PageQuery } from '../../contract/query.ts'
import type { Outcome } from '../../errors.ts'
import type { Context, ReportContext } from '../context.ts'
import { ok, PAYMENT_NOT_FOUND } from '../outcomes.ts'
import type { ReportTarget } from '../qr-codes/report-target.ts'
import { keepLearned } from '../rows/learned-numbers.ts'
import { paymentsOfCode } from '../rows/named.ts'
import { pageOf } from '../rows/page.ts'
import { requiredInteger, textValue } from '../rows/sql.ts'
import { seconds } from '../time.ts'
import { findToken } from '../tokens/rows.ts'
import type { Effect } from './report-rule.ts'
import { findPayment, type PaymentRow, paymentOf, paymentRows } from './rows.ts'

/** What there is of a payment attempt. @returns payin.resource.not.found */
export function ofPayment<T>(
  sql: SqlStorage,
  paymentUid: string,
  use: (row: PaymentRow) => Outcome<T>,
): Outcome<T> {
  const row = findPayment(sql, paymentUid)
  return row ? use(row) : PAYMENT_NOT_FOUND
}

/** A payment attempt. @returns payin.resource.not.found */
export const readPayment = (sql: SqlStorage, paymentUid: string): Outcome<Payment> =>
  ofPayment(sql, paymentUid, (row) => ok(paymentOf(row)))

export interface PaymentPage {
  payments: Payment[]
  /** After which number there are more; absent on the last page. */
  next?: number | undefined
}

/** A page of a QR code's payment attempts, oldest first. @param qrCode the number of its row */
export function paymentsOf(sql: SqlStorage, qrCode: number, { cursor = 0, limit }: PageQuery): PaymentPage {
  const read = paymentRows(
    sql,
    `WHERE number IN (${paymentsOfCode('?1', 'AND number > ?2 ORDER BY number LIMIT ?3')}) AND number > ?2
     ORDER BY number LIMIT ?3`,
    ...[qrCode, cursor, limit + 1],
  )
  const { shown, next } = pageOf(read, limit, paymentOf)
  return { payments: shown, next }
}

/** The qrCodeUid of a QR code that was deleted. */
const uidOf = (sql: SqlStorage, deleted: number | undefined): string | null =>
  textValue(sql, 'SELECT qr_code_uid FROM deleted_qr_codes WHERE number = ?', deleted ?? null) ?? null

/** The token that a report of a charge names. Of a charge that a restored site has lost, the report alone says which it was. */
const chargedToken = (sql: SqlStorage, { bindingUid }: PaymentReport) =>
  bindingUid === undefined ? undefined : findToken(sql, { bindingUid })

/**
 * Learns from a repeated report what was not known: how it was paid, how the bank's settlement files name it, and which token was
 * charged, because a restored site can be told of a charge before it is told of its binding.
 * @returns the row after
 */
export function learnFromRepeat(context: Context, known: PaymentRow, report: PaymentReport): PaymentRow {
  const { sql } = context
  const charged = known.token === null ? chargedToken(sql, report) : undefined
  const stated = {
    method: known.method ?? report.method ?? null,
    bank: known.bank ?? report.bank ?? null,
    bank_order: known.bank_order ?? report.order ?? null,
  }
  const { method, bank, bank_order } = known
  if (!charged && method === stated.method && bank === stated.bank && bank_order === stated.bank_order)
    return known
  const learned = {
    token: charged?.number ?? known.token,
    payer_bank: known.payer_bank ?? charged?.bank ?? null,
    ...stated,
  }
  const names = Object.keys(learned).map((name) => `${name} = ?`)
  sql.exec(`UPDATE payments SET ${names} WHERE number = ?`, ...Object.values(learned), known.number)
  if (bank !== learned.bank || bank_order !== learned.bank_order) keepLearned(context, known.number)
  return { ...known, ...learned }
}

/**
 * Writes the payment's row.
 * @param known the row before, where the attempt was reported or charged before
 * @returns the row after
 */
export function writePayment(
  { sql, now, network }: ReportContext,
  { row, linkId, sale, deleted }: ReportTarget,
  { report, known }: { report: PaymentReport; known: PaymentRow | undefined },
  { applied, notAppliedReason, action }: Effect,
): PaymentRow {
  const { paymentUid, status, amount, method, reason, networkUid, bank, order, reference, payer } = report
  const charged = chargedToken(sql, report)
  const at = report.at === undefined ? now : seconds(report.at)
  const columns = {
    payment_uid: paymentUid,
    qr_code: row?.number ?? deleted ?? null,
    link_id: linkId,
    sale: sale?.number ?? null,
    status,
    minor_units: amount.minorUnits,
    currency: amount.currency,
    created_at: known?.created_at ?? at,
    changed_at: at,
    applied: applied ? 1 : 0,
    not_applied_reason: notAppliedReason ?? null,
    reason: reason ?? null,
    network,
    network_uid: networkUid ?? null,
    bank: bank ?? null,
    bank_order: order ?? null,
    method: method ?? null,
    reference: reference ?? null,
    // The bank of a charge is known from its token.
    payer_bank: payer?.bankMemberId ?? known?.payer_bank ?? charged?.bank ?? null,
    payer_phone: payer?.phone ?? null,
    token: known?.token ?? charged?.number ?? null,
  }
  const names = Object.keys(columns)
  // The QR code shows it from now on, and shows no other one later.
  const isNamed = action === 'complete'
  const number = requiredInteger(
    sql,
    `INSERT INTO payments (${names}, named) VALUES (${names.map(() => '?')}, ?)
     ON CONFLICT (payment_uid) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`)} RETURNING number`,
    ...[...Object.values(columns), isNamed ? 1 : 0],
  )
  return {
    ...columns,
    number,
    qr_code_uid: row?.qr_code_uid ?? uidOf(sql, deleted),
    sale_uid: sale?.sale_uid ?? null,
    payment_purpose: (sale ?? row)?.payment_purpose ?? null,
    tokenization_account: row?.tokenization_account ?? null,
    any_reference: reference ?? row?.reference ?? null,
    event: known?.event ?? null,
    // A payment gets a decision once it is completed, after which no report writes it.
    decision: null,
    decision_note: null,
    decided_at: null,
    refunded: known?.refunded ?? 0,
    accepted_refunds: known?.accepted_refunds ?? 0,
    receipt: known?.receipt ?? null,
    latest_receipt: known?.latest_receipt ?? null,
  }
}
