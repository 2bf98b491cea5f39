// Closing receipts of sales with a prepayment (contract, section 18).
import { capabilitiesOf } from '../../contract/receipts/cash-register.ts'
import type { ItemSpec } from '../../contract/receipts/item.ts'
import type { Terms } from '../../contract/receipts/receipt.ts'
import { refuseItems } from '../../contract/receipts/register-rules.ts'
import { partsOfClosing } from '../../contract/receipts/requested-items.ts'
import type { Part } from '../../contract/receipts/shares.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import type { Context } from '../context.ts'
import { contradicts, notAllowed, PAYMENT_NOT_FOUND } from '../outcomes.ts'
import { findPayment } from '../payments/rows.ts'
import { IS_LATEST } from '../rows/latest-receipt.ts'
import { itemsIn, statedText } from '../rows/receipts.ts'
import { makeDocument } from './documents.ts'
import { takingsOf } from './remains.ts'
import { type DocumentResult, resultOf } from './requests.ts'
import { type ReceiptRow, receiptRows, saleDocument } from './rows.ts'
import { refusedFields, termsOf } from './terms.ts'

/** A closing receipt: without items, the whole prepayment that remains is offset. */
export interface ClosingSpec {
  items?: readonly ItemSpec[] | undefined
}

/**
 * Makes a closing receipt of a sale with a prepayment; the same request again changes nothing.
 * @returns payin.resource.not.found; payin.resource.already.exists where the closingUid was used with other fields;
 * payin.incorrect-method-invocation where the payment has no receipt, or the cash register makes none; validation.error
 */
export function closeReceipt(
  context: Context,
  paymentUid: string,
  closingUid: string,
  spec: ClosingSpec,
): Outcome<DocumentResult> {
  const { sql, now } = context
  const payment = findPayment(sql, paymentUid)
  if (!payment) return PAYMENT_NOT_FOUND
  const request = statedText(spec)
  const [known] = receiptRows(
    sql,
    `WHERE payment = ? AND kind = 'closing' AND closing_uid = ? AND ${IS_LATEST}`,
    ...[payment.number, closingUid],
  )
  if (known) {
    const description = `closing ${JSON.stringify(closingUid)} was requested with other fields`
    return known.request === request
      ? resultOf(known, true)
      : contradicts(description, ['items'], 'the first request of this closing')
  }
  const sale = saleDocument(sql, payment.number)
  if (!sale) return notAllowed('the payment has no receipt, must have one to be closed')
  const terms = termsOf(sql, sale.terms)
  const items = itemsOfClosing(sql, sale, terms, { ...spec, at: now })
  if ('ok' in items) return items
  const row = makeDocument(context, {
    payment,
    kind: 'closing',
    closingUid,
    terms: sale.terms,
    items: items.parts,
    taxation: sale.taxation ?? undefined,
    request,
    at: now,
    event: 'receipt.requested',
  })
  return resultOf(row, false)
}

/** The items of a closing receipt. @param before its place, where it has one */
export function itemsOfClosing(
  sql: SqlStorage,
  sale: ReceiptRow,
  terms: Terms,
  { items, at, before }: ClosingSpec & { at: number; before?: number },
): Refusal | { parts: Part[] } {
  const { register } = terms
  if (!capabilitiesOf(register).hasClosing)
    return notAllowed(`the cash register ${register.kind} makes no closing receipts`)
  const takings = takingsOf(sql, sale.payment, before)
  const { parts, fields } = partsOfClosing(itemsIn(sale.items), takings, { items, at, settings: terms })
  if (fields) return refusedFields(fields)
  if (parts.length === 0) return notAllowed('no prepayment remains of the payment, must be some to be closed')
  const broken = refuseItems(parts, register, 'items')
  return broken ? refusedFields(broken) : { parts }
}
