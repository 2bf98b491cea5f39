// A new sale: whether its receipt is refused, its row, and what the bank that arms its link is told.
import { type RidingReceipt, ridingReceipt } from '../../contract/receipts/instruction.ts'
import type { SaleSpec } from '../../contract/sale.ts'
import { endOfTtl } from '../../contract/ttl.ts'
import type { Refusal } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { QrCodeRow } from '../qr-codes/rows.ts'
import { addContact } from '../receipts/contacts.ts'
import { refuseReceiptOf, termsOf } from '../receipts/terms.ts'
import { statedText } from '../rows/receipts.ts'
import { insertRow } from '../rows/sql.ts'
import type { SaleAtBank } from './changes.ts'
import { findSale, type SaleRow } from './rows.ts'

/** A sale for which the bank is to be asked to arm its link. */
export interface ReservedSale extends SaleAtBank {
  /** Unix seconds. */
  expiresAt: number
  /** Whether this request made the reservation: after an earlier one the bank can have armed the link. */
  isNew: boolean
  /** The receipt that rides on the arming, where the bank's register takes it. */
  riding?: RidingReceipt | undefined
}

export const reservedOf = (
  { sql }: Context,
  row: QrCodeRow,
  { spec, sale, isNew }: { spec: SaleSpec; sale: SaleRow; isNew: boolean },
): ReservedSale => ({
  qrcId: row.link_id,
  reference: row.reference ?? undefined,
  expiresAt: sale.due_at,
  isNew,
  riding: ridingReceipt(
    spec.receipt,
    sale.receipt_terms === null ? undefined : termsOf(sql, sale.receipt_terms),
    { amount: sale.minor_units, purpose: sale.payment_purpose ?? undefined },
  ),
})

/** Refuses a receipt that the cash register cannot make. @returns validation.error */
export const refuseSaleReceipt = (
  { memory, now }: Context,
  { receipt, amount, ttl }: SaleSpec,
): Refusal | undefined =>
  refuseReceiptOf(receipt, memory.terms, {
    type: 'SALE',
    amount,
    payableFrom: now,
    payableUntil: endOfTtl(now, ttl),
  })

export function insertSale(
  context: Context,
  { number }: QrCodeRow,
  { saleUid, amount, paymentPurpose, ttl, receipt }: SaleSpec,
  status: 'WAITING' | 'ACTIVE',
): SaleRow {
  const { sql, now, memory, by } = context
  const { terms } = memory
  const isInserted = insertRow(
    sql,
    `INSERT OR IGNORE INTO sales (number, qr_code, sale_uid, minor_units, currency, payment_purpose, ttl, status, version,
       created_at, due_at, caller, receipt, receipt_terms)
     VALUES ((SELECT max(last_sale, ifnull((SELECT max(number) FROM sales), 0)) + 1 FROM site), ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)`,
    ...[number, saleUid, amount.minorUnits, amount.currency, paymentPurpose ?? null, ttl, status],
    ...[now, endOfTtl(now, ttl), memory.caller(by), receipt ? statedText(receipt) : null],
    terms && (receipt || terms.default) ? memory.termsNumber(terms) : null,
  )
  const row = isInserted ? findSale(sql, number, saleUid) : undefined
  if (!row) throw new Error('a sale was not inserted')
  if (receipt?.contact) addContact(context, { of: 'sale', row: row.number }, receipt.contact)
  return row
}
