// Makes the documents of payments, refunds and closings, in the transaction of their event.

import type { DocumentKind } from '../../contract/receipts/document.ts'
import { itemsOfSale } from '../../contract/receipts/instruction.ts'
import type { Item } from '../../contract/receipts/item.ts'
import type { Taxation } from '../../contract/receipts/receipt.ts'
import { linesOfRefund } from '../../contract/receipts/refund-lines.ts'
import { type Part, sumOf } from '../../contract/receipts/shares.ts'
import { receiptUidOf } from '../../fps/derived-id.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import type { PaymentRow } from '../payments/rows.ts'
import type { RefundRow } from '../refunds/rows.ts'
import { int, orNull, rowsWith, text } from '../rows/columns.ts'
import { itemsText, planIn, statedIn } from '../rows/receipts.ts'
import { requiredInteger } from '../rows/sql.ts'
import type { Seconds } from '../time.ts'
import { proceed } from './changes.ts'
import { useContacts } from './contacts.ts'
import { type ReceiptRow, receiptByNumber } from './rows.ts'
import { termsOf } from './terms.ts'

/** A document to be made. */
export interface NewDocument {
  payment: Pick<PaymentRow, 'number' | 'payment_uid' | 'qr_code'>
  kind: DocumentKind
  refund?: Pick<RefundRow, 'number' | 'refund_uid'> | undefined
  closingUid?: string | undefined
  /** By default 1. */
  attempt?: number | undefined
  /** The number of a row of receipt_terms. */
  terms: number
  items: readonly (Item | Part)[]
  taxation: Taxation | undefined
  /** What the merchant asked for, see statedText. */
  request?: string | undefined
  /** When it was paid, refunded or delivered. */
  at: Seconds
  /** The number of the event that makes it, or the type of one of its own. */
  event: number | 'receipt.requested' | 'receipt.retried'
  /** The number of the event that accepted what it documents, by default the same. */
  place?: number | undefined
}

/** Makes a document, and decides what it does next. @returns its row after that */
export function makeDocument(context: Context, document: NewDocument): ReceiptRow {
  const { sql, siteId, now } = context
  const { payment, kind, refund, closingUid, attempt = 1, items } = document
  const of = refund?.refund_uid ?? closingUid ?? ''
  const receiptUid = receiptUidOf({ siteId, paymentUid: payment.payment_uid, kind, of, attempt })
  const event =
    typeof document.event === 'number'
      ? document.event
      : recordEvent(context, {
          type: document.event,
          qrCode: payment.qr_code ?? undefined,
          receipt: {
            ...{ receipt_uid: receiptUid, kind, state: 'WAITING', payment_uid: payment.payment_uid },
            ...{ refund_uid: refund?.refund_uid ?? null, closing_uid: closingUid ?? null, error: null },
          },
        })
  const columns = {
    receipt_uid: receiptUid,
    payment: payment.number,
    kind,
    refund: refund?.number ?? null,
    closing_uid: closingUid ?? null,
    attempt,
    state: 'WAITING',
    minor_units: sumOf(items),
    terms: document.terms,
    items: itemsText(items),
    taxation: document.taxation ?? null,
    request: document.request ?? null,
    at: document.at,
    place: document.place ?? event,
    event,
    created_at: now,
  }
  const names = Object.keys(columns)
  const number = requiredInteger(
    sql,
    `INSERT INTO receipts (${names}) VALUES (${names.map(() => '?')}) RETURNING number`,
    ...Object.values(columns),
  )
  if (kind === 'sale') sql.exec('UPDATE payments SET receipt = ? WHERE number = ?', number, payment.number)
  useContacts(sql, payment.number, now)
  proceed(context, number)
  const row = receiptByNumber(sql, number)
  if (!row) throw new Error('a document that was made is missing')
  return row
}

/** What a code or a sale remembers of its receipt. */
export interface ReceiptOfCode {
  receipt: string | null
  receipt_terms: number | null
  payment_purpose: string | null
}

/**
 * Makes the document of a payment that was applied, where its code or its sale has a receipt.
 * @param of the sale, or the code
 * @param event the number of the payment's event
 */
export function documentPayment(
  context: Context,
  payment: PaymentRow,
  of: ReceiptOfCode | undefined,
  event: number,
): void {
  if (!of || of.receipt_terms === null || payment.currency !== 'RUB') return
  const terms = termsOf(context.sql, of.receipt_terms)
  const stated = of.receipt === null ? undefined : statedIn(of.receipt)
  const items = itemsOfSale(stated, terms, {
    amount: payment.minor_units,
    purpose: of.payment_purpose ?? undefined,
    at: payment.changed_at,
  })
  // A payment that was declined and is then completed on another code has its document only once.
  if (!items || payment.receipt !== null) return
  makeDocument(context, {
    payment,
    kind: 'sale',
    terms: of.receipt_terms,
    items,
    taxation: stated?.taxation ?? terms.taxation,
    at: payment.changed_at,
    event,
  })
}

const readPlans = rowsWith({ number: int, refund_uid: text, items: orNull(text) })
const PLAN = 'SELECT number, refund_uid, items FROM refunds WHERE payment = ? AND refund_uid = ?'

/** Makes the document of a completed refund, unless its payment has none. @param event the number of the refund's event */
export function documentRefund(
  context: Context,
  payment: PaymentRow,
  refundUid: string,
  event: number,
): void {
  const { sql, now } = context
  if (payment.receipt === null) return
  const refund = readPlans(sql, PLAN, payment.number, refundUid)[0]
  const plan = refund?.items
  const sale = plan ? receiptByNumber(sql, payment.receipt) : undefined
  if (!refund || !plan || !sale) return
  const { items: parts, place } = planIn(plan)
  const { terms, taxation } = sale
  const items = linesOfRefund(parts, termsOf(sql, terms).register)
  makeDocument(context, {
    ...{ payment, kind: 'refund', refund, terms, items, place, event },
    taxation: taxation ?? undefined,
    at: now,
  })
}
