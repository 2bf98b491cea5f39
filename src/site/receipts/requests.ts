// The document of a payment that has none, when its merchant asks for it (contract, section 18).
import { capabilitiesOf } from '../../contract/receipts/cash-register.ts'
import type { ReceiptDocument } from '../../contract/receipts/document.ts'
import { itemsOfSale } from '../../contract/receipts/instruction.ts'
import type { Terms } from '../../contract/receipts/receipt.ts'
import type { PartialReceipt } from '../../contract/receipts/requests.ts'
import { sumOf } from '../../contract/receipts/shares.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import type { Context } from '../context.ts'
import { contradicts, notAllowed, ok, PAYMENT_NOT_FOUND } from '../outcomes.ts'
import { findPayment, type PaymentRow } from '../payments/rows.ts'
import { qrCodeByNumber } from '../qr-codes/rows.ts'
import { type StatedReceipt, statedIn, statedText } from '../rows/receipts.ts'
import { saleByNumber } from '../sales/rows.ts'
import { putContact } from './contacts.ts'
import { makeDocument, type NewDocument, type ReceiptOfCode } from './documents.ts'
import { documentOf, type ReceiptRow, receiptRows, saleDocument } from './rows.ts'
import { refusedFields, refuseReceiptOf, termsOf } from './terms.ts'

/** A document after a request or a report, and whether an earlier one had the effect. */
export interface DocumentResult {
  document: ReceiptDocument
  isReplayed: boolean
}

export const resultOf = (row: ReceiptRow, isReplayed: boolean): Outcome<DocumentResult> =>
  ok({ document: documentOf(row), isReplayed })

/**
 * Makes the document of a payment that has none, by default of one item; again: the same one.
 * @returns payin.resource.not.found; payin.incorrect-method-invocation where the payment is not completed;
 * payin.resource.already.exists where it has one that was requested with other fields; validation.error
 */
export function requestReceipt(
  context: Context,
  paymentUid: string,
  spec: PartialReceipt | undefined,
): Outcome<DocumentResult> {
  const payment = findPayment(context.sql, paymentUid)
  if (!payment) return PAYMENT_NOT_FOUND
  const known = saleDocument(context.sql, payment.number)
  const request = spec ? statedText(spec) : undefined
  if (known) {
    return request === undefined || firstOf(context.sql, known).request === request
      ? resultOf(known, true)
      : contradicts(HAS_ANOTHER, ['receipt'], 'the receipt of the payment')
  }
  if (payment.status !== 'COMPLETED')
    return notAllowed(`the payment is ${payment.status}, must be COMPLETED to have a receipt`)
  return requestNew(context, payment, spec, request)
}

/** The attempt that the request made: a retry can have corrected it since. */
const firstOf = (sql: SqlStorage, latest: ReceiptRow): ReceiptRow =>
  receiptRows(sql, "WHERE payment = ? AND kind = 'sale' AND attempt = 1", latest.payment)[0] ?? latest

const HAS_ANOTHER = 'the payment has a receipt of other fields, which a retry corrects if it has failed'

function requestNew(
  context: Context,
  payment: PaymentRow,
  spec: PartialReceipt | undefined,
  request: string | undefined,
): Outcome<DocumentResult> {
  const { sql, memory } = context
  const of = receiptOfCode(sql, payment)
  const known = of?.receipt_terms ?? undefined
  const terms = known === undefined ? memory.terms : termsOf(sql, known)
  if (!terms) return NO_REGISTER
  const refusal = capabilitiesOf(terms.register).rides && refuseRiding(terms, known, spec)
  if (refusal) return refusal
  const stated = contentsOf(payment, of, terms, spec)
  if ('ok' in stated) return stated
  if (spec?.contact) putContact(context, { of: 'payment', row: payment.number }, spec.contact)
  const number = known ?? memory.termsNumber(terms)
  remember(sql, payment, number)
  const row = makeDocument(context, {
    ...stated,
    payment,
    kind: 'sale',
    terms: number,
    request,
    at: payment.changed_at,
    event: 'receipt.requested',
  })
  return resultOf(row, false)
}

/** A receipt that rode on the payment is the one of its code. @param known the terms of the code, or of the sale */
function refuseRiding(
  { register: { kind } }: Terms,
  known: number | undefined,
  spec: PartialReceipt | undefined,
): Refusal | undefined {
  if (known === undefined) return notAllowed(`the cash register ${kind} makes receipts only with the payment`)
  return spec && refusedFields({ receipt: [`is present, must be absent: ${kind} has it with the payment`] })
}

/** What the document of a payment states: what the request does, then its code or sale, then the settings. */
function contentsOf(
  { minor_units, currency, changed_at: at }: PaymentRow,
  of: ReceiptOfCode | undefined,
  terms: Terms,
  spec: PartialReceipt | undefined,
): Refusal | Pick<NewDocument, 'items' | 'taxation'> {
  const { rides } = capabilitiesOf(terms.register)
  const stated = { ...statedFor(of, rides ? undefined : minor_units), ...spec }
  const purpose = of?.payment_purpose ?? undefined
  const items = itemsOfSale(stated, { ...terms, default: true }, { amount: minor_units, purpose, at })
  const shown = items ?? stated.items
  if (!shown) return NO_VAT
  const amount = { minorUnits: minor_units, currency }
  const subject = { type: 'PAYMENT', amount, payableFrom: at, payableUntil: at + 1 } as const
  const refusal = rides ? undefined : refuseReceiptOf({ ...stated, items: shown }, terms, subject)
  if (refusal || !items) return refusal ?? NO_VAT
  return { items, taxation: stated.taxation ?? terms.taxation }
}

const NO_REGISTER = notAllowed('the site has no cash register, must have one to make receipts')
/** Neither the request nor the settings state a rate. */
export const NO_VAT = refusedFields({
  receipt: ['is missing, must be stated: the setting receipts has no rate of VAT'],
})

/** What the sale, or else the code, of a payment remembers of its receipt. */
export function receiptOfCode(
  sql: SqlStorage,
  payment: Pick<PaymentRow, 'sale' | 'qr_code'>,
): ReceiptOfCode | undefined {
  return payment.sale === null ? qrCodeByNumber(sql, payment.qr_code) : saleByNumber(sql, payment.sale)
}

/** What the code or the sale states; its items only where they have the sum of the payment. @param amount undefined: whatever it is */
export function statedFor(of: ReceiptOfCode | undefined, amount: number | undefined): StatedReceipt {
  const stated = of?.receipt ? statedIn(of.receipt) : {}
  const isOfSum = amount === undefined || sumOf(stated.items ?? []) === amount
  return isOfSum ? stated : { taxation: stated.taxation }
}

/** A code that is for one payment, and a sale, show a document by their terms; they take no other payment. */
function remember(sql: SqlStorage, { number, qr_code, sale }: PaymentRow, terms: number): void {
  sql.exec(
    "UPDATE qr_codes SET receipt_terms = ifnull(receipt_terms, ?) WHERE number = ? AND payment = ? AND type = 'DYNAMIC'",
    ...[terms, qr_code, number],
  )
  sql.exec(
    'UPDATE sales SET receipt_terms = ifnull(receipt_terms, ?) WHERE number = ? AND payment = ?',
    ...[terms, sale, number],
  )
}
