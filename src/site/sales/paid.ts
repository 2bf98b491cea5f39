// The sales of a COUNTER code that were paid lately, for the payers who followed them (contract, section 15).
import type { Amount } from '../../contract/amount.ts'
import type { PaymentMethod } from '../../contract/payment.ts'
import type { PayerReceipt } from '../../contract/receipts/payer-receipt.ts'
import type { Outcome } from '../../errors.ts'
import type { Context } from '../context.ts'
import { ok, QR_CODE_NOT_FOUND } from '../outcomes.ts'
import { findQrCode, type QrCodeKey } from '../qr-codes/rows.ts'
import { payerReceipt } from '../receipts/for-payer.ts'
import { saleRows } from './rows.ts'
import { saleOf } from './sale.ts'

/** What the payer of a sale sees of it, and the sale's identifier. */
export interface PaidSale {
  saleUid: string
  paymentUid: string
  amount: Amount
  paymentPurpose: string | undefined
  /** Unix seconds. */
  paidAt: number
  method?: PaymentMethod | undefined
  /** Minor units of its completed refunds. */
  refunded: number
  /** The receipt (54-FZ) of its payment. */
  receipt?: PayerReceipt | undefined
}

/** More than a till arms in the time for which a paid sale is shown. */
const LATEST = 100

/** @param since Unix seconds; a sale that was paid before is left out */
export const paidSales = (context: Context, key: QrCodeKey, since: number): Outcome<PaidSale[]> => {
  const { sql, now } = context
  const code = findQrCode(sql, key)
  if (!code) return QR_CODE_NOT_FOUND
  const rows = saleRows(
    sql,
    'WHERE sales.qr_code = ? ORDER BY sales.number DESC LIMIT ?',
    code.number,
    LATEST,
  )
  return ok(
    rows.flatMap((row) => {
      const sale = saleOf(row, now)
      const { paymentUid, at: paidAt = 0, method } = sale?.payment ?? {}
      if (sale?.status !== 'PAYED' || paymentUid === undefined || paidAt <= since) return []
      const { saleUid, amount, paymentPurpose, refunded } = sale
      const receipt = payerReceipt(context, code, row)
      return [{ saleUid, paymentUid, amount, paymentPurpose, paidAt, method, refunded, receipt }]
    }),
  )
}
