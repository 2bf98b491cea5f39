// Another attempt of a document that has failed, with another key (contract, section 18).
import type { Contact } from '../../contract/receipts/contact.ts'
import type { ReceiptDocument } from '../../contract/receipts/document.ts'
import { itemsOfSale } from '../../contract/receipts/instruction.ts'
import type { Item } from '../../contract/receipts/item.ts'
import type { Taxation, Terms } from '../../contract/receipts/receipt.ts'
import { linesOfRefund } from '../../contract/receipts/refund-lines.ts'
import { sumText } from '../../contract/receipts/requested-items.ts'
import type { PartialReceipt } from '../../contract/receipts/requests.ts'
import { type Part, sumOf } from '../../contract/receipts/shares.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import { receiptUidOf } from '../../fps/derived-id.ts'
import type { Context } from '../context.ts'
import { notAllowed, ok, RECEIPT_NOT_FOUND, SITE_RESTORED } from '../outcomes.ts'
import { type PaymentRow, paymentRows } from '../payments/rows.ts'
import { IS_LATEST } from '../rows/latest-receipt.ts'
import { itemsIn, planIn, statedIn, statedText } from '../rows/receipts.ts'
import { isRestored } from '../rows/site.ts'
import { textValue } from '../rows/sql.ts'
import { itemsOfClosing } from './closings.ts'
import { contactIn, putContact } from './contacts.ts'
import { makeDocument } from './documents.ts'
import { relabel } from './relabel.ts'
import { partsStated, takingsOf, writePlan } from './remains.ts'
import { NO_VAT, receiptOfCode, statedFor } from './requests.ts'
import { documentOf, failureOf, findReceipt, type ReceiptRow, receiptRows, saleDocument } from './rows.ts'
import { receiptSettingsIn, refusedFields, refuseReceiptOf, termsOf } from './terms.ts'

/**
 * Makes another attempt of a document that has failed: of the same sum, with the settings of today and what is corrected.
 * @returns payin.resource.not.found; payin.incorrect-method-invocation where it has not failed, or cannot be retried; site.restored; validation.error
 */
export function retryReceipt(
  context: Context,
  receiptUid: string,
  { receipt: spec }: { receipt?: PartialReceipt | undefined },
): Outcome<ReceiptDocument> {
  const { sql } = context
  const row = findReceipt(sql, receiptUid)
  const [payment] = row ? paymentRows(sql, 'WHERE payments.number = ?', row.payment) : []
  if (!row || !payment) return RECEIPT_NOT_FOUND
  const refusal = refuseRetry(sql, row)
  if (refusal) return refusal
  // The cash register is that of the code: its bank has the payment.
  const terms = { ...receiptSettingsIn(sql), register: termsOf(sql, row.terms).register }
  const corrected = CORRECTED[row.kind](context, { row, payment, terms, spec })
  if ('ok' in corrected) return corrected
  const retried = attemptAfter(context, payment, row, { ...corrected, terms })
  return ok(documentOf(retried))
}

function refuseRetry(sql: SqlStorage, row: ReceiptRow): Refusal | undefined {
  // What the register made since the backup is not known: the connector tells it.
  if (isRestored(sql)) return SITE_RESTORED
  if (row.state !== 'FAILED') return notAllowed(`the receipt is ${row.state}, must be FAILED to be retried`)
  if (!failureOf(row)?.canRetry) return notAllowed('another attempt could make a second document')
  const isLatest = receiptRows(sql, `WHERE receipts.number = ? AND ${IS_LATEST}`, row.number).length > 0
  return isLatest ? undefined : notAllowed('the receipt was retried already')
}

interface Retry {
  row: ReceiptRow
  payment: PaymentRow
  /** The cash register of the document, and the settings of today. */
  terms: Terms
  spec: PartialReceipt | undefined
}

/** What the next attempt has in place of what the failed one had. */
interface Corrected {
  items: readonly (Item | Part)[]
  taxation: Taxation | undefined
  request?: string | undefined
  contact?: Contact | undefined
}

const CORRECTED: Record<ReceiptRow['kind'], (context: Context, retry: Retry) => Corrected | Refusal> = {
  sale: ({ sql }, { row, payment, terms, spec }) => {
    const of = receiptOfCode(sql, payment)
    const first = row.request === null ? statedFor(of, row.minor_units) : statedIn(row.request)
    const stated = { ...first, ...spec }
    const purpose = of?.payment_purpose ?? undefined
    const items = itemsOfSale(
      stated,
      { ...terms, default: true },
      { amount: row.minor_units, purpose, at: row.at },
    )
    const { contact = contactOfRow(row) } = spec ?? {}
    const taxation = stated.taxation ?? terms.taxation
    const refusal = refuseReceiptOf({ contact, taxation, items: items ?? stated.items ?? [] }, terms, {
      type: 'PAYMENT',
      amount: { minorUnits: row.minor_units, currency: 'RUB' },
      payableFrom: row.at,
      payableUntil: row.at + 1,
    })
    if (refusal || !items) return refusal ?? NO_VAT
    return {
      items,
      taxation,
      request: spec?.items || spec?.taxation ? statedText(stated) : (row.request ?? undefined),
      contact: spec?.contact,
    }
  },
  refund: ({ sql }, { row, terms, spec }) => {
    const plan = textValue(sql, 'SELECT items FROM refunds WHERE number = ?', row.refund)
    const sale = saleDocument(sql, row.payment)
    if (plan === undefined || !sale) return RECEIPT_NOT_FOUND
    const planned = planIn(plan)
    const { contact, taxation = sale.taxation ?? undefined } = spec ?? {}
    const listed = (parts: readonly Part[]) => ({
      items: linesOfRefund(parts, terms.register),
      taxation,
      contact,
    })
    if (!spec?.items) return listed(planned.items)
    const takings = takingsOf(sql, row.payment, planned.place)
    const { parts, fields } = partsStated(sql, sale, takings, { items: spec.items, amount: row.minor_units })
    if (fields) return refusedFields(fields)
    writePlan(sql, { number: row.refund ?? 0, items: plan }, { ...planned, items: parts })
    return listed(parts)
  },
  closing: ({ sql }, { row, terms, spec }) => {
    const sale = saleDocument(sql, row.payment)
    if (!sale) return RECEIPT_NOT_FOUND
    const { contact, taxation = sale.taxation ?? undefined } = spec ?? {}
    const request = row.request ?? undefined
    if (!spec?.items) return { items: itemsIn(row.items), taxation, request, contact }
    const closed = itemsOfClosing(sql, sale, terms, { items: spec.items, at: row.at, before: row.place })
    if ('ok' in closed) return closed
    const sum = sumOf(closed.parts)
    return sum === row.minor_units
      ? { items: closed.parts, taxation, request, contact }
      : refusedFields({ items: [sumText(sum, row.minor_units, 'the receipt')] })
  },
}

const contactOfRow = ({ contact }: ReceiptRow): Contact | undefined =>
  contact === null ? undefined : contactIn(contact)

/** Makes the next attempt; what waited for a sale's document waits for this one. */
function attemptAfter(
  context: Context,
  payment: PaymentRow,
  row: ReceiptRow,
  { terms, contact, ...corrected }: Corrected & { terms: Terms },
): ReceiptRow {
  const { sql, memory } = context
  if (contact) putContact(context, { of: 'payment', row: payment.number }, contact)
  const { refund, refund_uid, closing_uid } = row
  if (row.kind === 'sale') {
    const sale = { payment: payment.number, register: terms.register }
    relabel(sql, sale, itemsIn(row.items), corrected.items)
    sql.exec(
      "UPDATE receipts SET waits_for = 'sale' WHERE payment = ? AND waits_for = 'failedSale'",
      payment.number,
    )
  }
  return makeDocument(context, {
    ...corrected,
    payment,
    kind: row.kind,
    refund: refund === null || refund_uid === null ? undefined : { number: refund, refund_uid },
    closingUid: closing_uid ?? undefined,
    attempt: row.attempt + 1,
    terms: memory.termsNumber(terms),
    at: row.at,
    place: row.place,
    event: 'receipt.retried',
  })
}

/** Documents that are looked at for an attempt that a restore has lost, and attempts of each. */
const MAX_LOOKED_AT = 500
const MAX_LOST = 3

/**
 * Makes again an attempt that a restored site has lost: its merchant had retried a document that the backup has as it was before.
 * @returns its row; undefined where the key is of no document of the site
 */
export function lostAttempt(context: Context, receiptUid: string): ReceiptRow | undefined {
  const { sql, siteId } = context
  const unregistered = receiptRows(
    sql,
    `WHERE receipts.number IN (SELECT number FROM receipts INDEXED BY receipts_by_state
       WHERE state IN ('WAITING', 'SENT', 'FAILED') ORDER BY created_at DESC LIMIT ?) AND ${IS_LATEST}`,
    MAX_LOOKED_AT,
  )
  for (const row of unregistered) {
    const of = row.refund_uid ?? row.closing_uid ?? ''
    for (let attempt = row.attempt + 1; attempt <= row.attempt + MAX_LOST; attempt++) {
      if (receiptUidOf({ siteId, paymentUid: row.payment_uid, kind: row.kind, of, attempt }) !== receiptUid)
        continue
      const [payment] = paymentRows(sql, 'WHERE payments.number = ?', row.payment)
      if (!payment) return undefined
      const lost = {
        items: itemsIn(row.items),
        taxation: row.taxation ?? undefined,
        request: row.request ?? undefined,
      }
      return attemptAfter(
        context,
        payment,
        { ...row, attempt: attempt - 1 },
        { ...lost, terms: termsOf(sql, row.terms) },
      )
    }
  }
  return undefined
}
