// Composes what a connector is sent of receipts when it is sent: a contact is in no row of the outbox.
import type { Instruction, SentInstruction } from '../../contract/instruction.ts'
import { capabilitiesOf } from '../../contract/receipts/cash-register.ts'
import {
  type ReceiptInstruction,
  type RidingReceipt,
  ridingReceipt,
} from '../../contract/receipts/instruction.ts'
import { linesOfRefund } from '../../contract/receipts/refund-lines.ts'
import { findPayment, paymentRows } from '../payments/rows.ts'
import { qrCodeByNumber } from '../qr-codes/rows.ts'
import { findRefund } from '../refunds/rows.ts'
import { itemsIn, plainItems, planIn, statedIn } from '../rows/receipts.ts'
import { integer, textValue } from '../rows/sql.ts'
import { contactIn, contactOf } from './contacts.ts'
import { findReceipt, type ReceiptRow, saleDocument } from './rows.ts'
import { termsOf } from './terms.ts'

/** An instruction with its receipt, where it has one; undefined of a document that the site does not have. */
export function sentInstruction(sql: SqlStorage, content: Instruction): SentInstruction | undefined {
  if (content.type === 'receipt.register') {
    const row = findReceipt(sql, content.receiptUid)
    return row && { type: content.type, ...receiptInstructionOf(sql, row) }
  }
  const { type } = content
  if (integer(sql, 'SELECT 1 FROM receipt_terms LIMIT 1') === undefined) return content
  if (type === 'payment.charge') return { ...content, receipt: receiptOfCharge(sql, content.paymentUid) }
  if (type === 'refund.create')
    return { ...content, receipt: receiptOfRefund(sql, content.paymentUid, content.refundUid) }
  return content
}

/** What a connector is told of a document. */
export function receiptInstructionOf(sql: SqlStorage, row: ReceiptRow): ReceiptInstruction {
  const [payment] = paymentRows(sql, 'WHERE payments.number = ?', row.payment)
  if (!payment) throw new Error('the payment of a document is missing')
  const { register, place, email } = termsOf(sql, row.terms)
  return {
    receiptUid: row.receipt_uid,
    kind: row.kind,
    paymentUid: row.payment_uid,
    refundUid: row.refund_uid ?? undefined,
    closingUid: row.closing_uid ?? undefined,
    linkId: payment.link_id,
    reference: payment.any_reference ?? undefined,
    networkUid: payment.network_uid ?? undefined,
    register,
    amount: { minorUnits: row.minor_units, currency: 'RUB' },
    at: row.at,
    items: plainItems(itemsIn(row.items)),
    taxation: row.taxation ?? undefined,
    contact: row.contact === null ? undefined : contactIn(row.contact),
    place,
    email,
    isWholePayment: isWholeRefund(sql, row.refund),
  }
}

function isWholeRefund(sql: SqlStorage, refund: number | null): true | undefined {
  const plan =
    refund === null ? undefined : textValue(sql, 'SELECT items FROM refunds WHERE number = ?', refund)
  return plan === undefined ? undefined : planIn(plan).isWhole
}

/** The contact of a payment. */
function contactOfPayment(sql: SqlStorage, payment: number) {
  const text = textValue(
    sql,
    `SELECT ${contactOf('payments.number')} FROM payments WHERE number = ?`,
    payment,
  )
  return text === undefined ? undefined : contactIn(text)
}

/** The receipt of the code that a token is charged for, where it rides on the charge. */
function receiptOfCharge(sql: SqlStorage, paymentUid: string): RidingReceipt | undefined {
  const payment = findPayment(sql, paymentUid)
  const row = payment && qrCodeByNumber(sql, payment.qr_code)
  if (!payment || !row || row.receipt_terms === null) return undefined
  const stated = row.receipt === null ? undefined : statedIn(row.receipt)
  const contact = contactOfPayment(sql, payment.number)
  const spec = stated?.items && { ...stated, items: stated.items, contact }
  return ridingReceipt(spec, termsOf(sql, row.receipt_terms), {
    amount: payment.minor_units,
    purpose: row.payment_purpose ?? undefined,
    at: payment.changed_at,
  })
}

/** The receipt of a refund, where it rides on the refund. */
function receiptOfRefund(sql: SqlStorage, paymentUid: string, refundUid: string): RidingReceipt | undefined {
  const payment = findPayment(sql, paymentUid)
  const refund = payment && findRefund(sql, payment, refundUid)
  const sale = payment && saleDocument(sql, payment.number)
  if (!sale || !refund || refund.items === null) return undefined
  const { register, place, email } = termsOf(sql, sale.terms)
  if (!capabilitiesOf(register).rides) return undefined
  const { items, isWhole } = planIn(refund.items)
  return {
    register,
    items: plainItems(linesOfRefund(items, register)),
    taxation: sale.taxation ?? undefined,
    contact: contactOfPayment(sql, payment.number),
    place,
    email,
    isWholePayment: isWhole,
  }
}
