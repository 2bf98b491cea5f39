// Sales of a COUNTER code: what a till arms it for, one after the other (contract, section 15).
import * as z from 'zod/mini'
import { type Amount, AmountAnswer, amountAnswer, amountRequest } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { type LatestPayment, LatestPaymentAnswer, latestPaymentAnswer } from './latest-payment.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { nextCursor } from './query.ts'
import { ReceiptRequest, type ReceiptSpec } from './receipts/receipt.ts'
import { SaleStatus } from './sale-status.ts'
import { MAX_PURPOSE, unicodeText } from './text.ts'

/** What a till requests, defaults filled in; `ttl` is minutes. */
export interface SaleSpec {
  saleUid: string
  amount: Amount
  paymentPurpose?: string | undefined
  ttl: number
  /** What the merchant states of the receipt of its payment. */
  receipt?: ReceiptSpec | undefined
}

/** A sale as its site keeps it; times are Unix seconds. */
export interface Sale extends SaleSpec {
  status: SaleStatus
  createdAt: number
  /** From this second on it is EXPIRED. */
  expiresAt: number
  /** Increases with every change. */
  version: number
  /** The payment that it took, and minor units of its completed refunds. */
  payment?: LatestPayment | undefined
  refunded: number
}

/** An ACTIVE sale, as the payer's page shows it. */
export type ActiveSale = Pick<Sale, 'saleUid' | 'amount' | 'paymentPurpose' | 'expiresAt'>

const DEFAULT_TTL = 5
const TTL_RULE = 'whole minutes from 5 to 20'

/** The schema of a request to arm a code, for the deployment's currencies. */
export const saleRequest = (currencies: readonly string[]) =>
  strictObject({
    amount: amountRequest(currencies).apply(meta, { description: 'What is paid' }),
    paymentPurpose: z
      .optional(unicodeText(MAX_PURPOSE))
      .apply(meta, { description: 'The goods or the service; the payer’s page shows it' }),
    ttl: z._default(z.int(TTL_RULE).check(z.minimum(5), z.maximum(20)), DEFAULT_TTL).apply(meta, {
      description: 'Lifetime in whole minutes',
    }),
    receipt: z.optional(ReceiptRequest).apply(meta, {
      description: 'The receipt of the payment (54-FZ): its items add up to the amount',
    }),
  }).apply(meta, { id: 'SaleRequest' })

export const SaleAnswer = z
  .object({
    saleUid: z.string().apply(meta, { description: 'Your identifier of the sale' }),
    status: SaleStatus,
    amount: AmountAnswer,
    paymentPurpose: z.optional(z.string()),
    createdOn: z.iso.datetime({ offset: true }),
    expiresOn: z.iso
      .datetime({ offset: true })
      .apply(meta, { description: 'From this second on it is EXPIRED' }),
    payment: z.optional(LatestPaymentAnswer).apply(meta, { description: 'The payment that the sale took' }),
  })
  .apply(meta, { id: 'Sale' })
export type SaleAnswer = z.infer<typeof SaleAnswer>

export const SalesAnswer = z
  .object({ sales: z.array(SaleAnswer), nextCursor: nextCursor('sales') })
  .apply(meta, { id: 'SalePage' })
export type SalesAnswer = z.infer<typeof SalesAnswer>

/** The answer that shows a sale. @param utcOffset of the deployment */
export const saleAnswer = (sale: Sale, utcOffset: string): SaleAnswer => ({
  saleUid: sale.saleUid,
  status: sale.status,
  amount: amountAnswer(sale.amount),
  ...(sale.paymentPurpose !== undefined && { paymentPurpose: sale.paymentPurpose }),
  createdOn: formatDateTime(sale.createdAt, utcOffset),
  expiresOn: formatDateTime(sale.expiresAt, utcOffset),
  ...(sale.payment && { payment: latestPaymentAnswer(sale.payment, utcOffset, sale.refunded) }),
})

const amount = { value: '149.50', currency: 'RUB' }
const active = {
  saleUid: 'receipt-1',
  status: 'ACTIVE',
  amount,
  createdOn: '2026-11-20T20:10:32+03:00',
  expiresOn: '2026-11-20T20:15:32+03:00',
}
const payed = {
  ...active,
  status: 'PAYED',
  payment: {
    paymentUid: 'A6325171030000001',
    paymentStatus: 'COMPLETED',
    amount,
    dateTime: '2026-11-20T20:11:40+03:00',
  },
}

export const SALE_REQUEST_EXAMPLES = {
  sale: { summary: 'A sale of 149.50 RUB', value: { amount: { value: '149.50' }, paymentPurpose: 'Tea' } },
  receipt: {
    summary:
      'A sale with a receipt, for which the payer’s page asks an e-mail or a phone if the settings say so',
    value: {
      amount: { value: '149.50' },
      receipt: {
        taxation: 'usnIncome',
        items: [{ name: 'Tea', price: '29.90', quantity: '5', vat: 'none' }],
      },
    },
  },
} satisfies Record<string, Example>
export const ACTIVE_SALE_EXAMPLE: Example = { summary: 'The code is armed', value: active }
export const PAYED_SALE_EXAMPLE: Example = { summary: 'The sale is paid', value: payed }
export const CANCELLED_SALE_EXAMPLE: Example = {
  summary: 'The sale is cancelled',
  value: { ...active, status: 'CANCELLED' },
}
export const SALES_EXAMPLE: Example = { summary: 'The only sale', value: { sales: [payed] } }
