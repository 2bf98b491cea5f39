// The list of a site's documents, for its merchant (contract, section 18).
import * as z from 'zod/mini'
import type { Example } from '../example.ts'
import { meta } from '../meta.ts'
import { strictObject } from '../object.ts'
import { parsed } from '../parsed.ts'
import { Cursor, DateTime, limitParameter, listParameter, nextCursor } from '../query.ts'
import { DocumentKind, DocumentState, ReceiptAnswer } from './document.ts'
import { ItemAnswer } from './item.ts'

export const ReceiptsQuery = strictObject({
  state: z
    .optional(listParameter(DocumentState))
    .apply(meta, { description: 'Only receipts in these states', examples: [['FAILED']] }),
  kind: z.optional(listParameter(DocumentKind)).apply(meta, { description: 'Only receipts of these kinds' }),
  latest: z
    .optional(parsed(z.literal('true', 'true, or absent'), 'true, or absent', () => true as const))
    .apply(meta, { description: '`true`: only the attempts that count, not those that a retry followed' }),
  order: z.optional(z.literal('asc', 'asc')).apply(meta, { description: '`asc`: oldest first' }),
  from: z
    .optional(DateTime)
    .apply(meta, { description: 'Only receipts whose createdOn is this time or later' }),
  to: z
    .optional(DateTime)
    .apply(meta, { description: 'Only receipts whose createdOn is this time or earlier' }),
  limit: limitParameter({ byDefault: 20, max: 100 }),
  cursor: z.optional(Cursor),
})
export type ReceiptsQuery = z.output<typeof ReceiptsQuery>

export const ReceiptsAnswer = z
  .object({ receipts: z.array(ReceiptAnswer), nextCursor: nextCursor('receipts') })
  .apply(meta, { id: 'ReceiptPage' })

/** The documents of a payment: the sale, its refunds and closings, and all their attempts. */
export const PaymentReceiptsAnswer = z
  .object({
    receipts: z.array(ReceiptAnswer),
    prepayment: z.optional(z.array(ItemAnswer)).apply(meta, {
      description:
        'What remains of the prepayment: the items that no closing receipt and no refund has taken. A closing receipt can state each of them',
    }),
  })
  .apply(meta, { id: 'PaymentReceipts' })

const waiting = {
  receiptUid: '4T0QJ2M8S1V6B3K9C7N5D0F2G8H4R1L6',
  kind: 'sale',
  state: 'WAITING',
  paymentId: 'A6325171030000001',
  amount: { value: '0.01', currency: 'RUB' },
  items: [
    {
      name: 'Tea',
      price: '0.01',
      quantity: '1',
      amount: '0.01',
      vat: 'none',
      method: 'fullPayment',
      object: 'commodity',
      unit: 0,
    },
  ],
  taxation: 'usnIncome',
  contact: { email: 'm…@shop.example' },
  createdOn: '2026-11-20T20:11:40+03:00',
}

const registered = {
  ...waiting,
  state: 'REGISTERED',
  sentOn: '2026-11-20T20:11:40+03:00',
  registeredOn: '2026-11-20T20:11:42+03:00',
  fiscal: {
    fn: '9999078900000000',
    fd: '4172',
    fpd: '2915480733',
    registration: '0001234567012345',
    shift: '118',
    number: '7',
    dateTime: '2026-11-20T20:11:00+03:00',
    url: 'https://receipts.example/4T0QJ2M8S1V6B3K9C7N5D0F2G8H4R1L6',
  },
}

export const WAITING_RECEIPT_EXAMPLE: Example = { summary: 'It is sent at once', value: waiting }
export const RECEIPT_EXAMPLE: Example = { summary: 'A registered receipt', value: registered }
export const CLOSING_RECEIPT_EXAMPLE: Example = {
  summary: 'A closing receipt',
  value: {
    ...waiting,
    receiptUid: '7B2C9K4M1N8P3Q6R0S5T2V7A4D9F1G3H',
    kind: 'closing',
    closingUid: 'closing-1',
  },
}
export const FAILED_RECEIPT_EXAMPLE: Example = {
  summary: 'One that failed, for want of a contact',
  value: {
    ...waiting,
    state: 'FAILED',
    contact: undefined,
    error: { reason: 'noContact', canRetry: true },
  },
}
export const RECEIPTS_EXAMPLE: Example = { summary: 'The only receipt', value: { receipts: [registered] } }
