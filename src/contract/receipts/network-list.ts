// The documents that a connector is to register, or has sent: for one that has lost its disk (contract, sections 10 and 18).
import * as z from 'zod/mini'
import { AmountAnswer } from '../amount.ts'
import type { Example } from '../example.ts'
import { meta } from '../meta.ts'
import { strictObject } from '../object.ts'
import { Cursor, limitParameter, nextCursor } from '../query.ts'
import { DocumentKind } from './document.ts'
import { ItemAnswer } from './item.ts'
import { Taxation } from './receipt.ts'
import { CashRegisterAnswer } from './register-request.ts'

const STATES = ['WAITING', 'SENT'] as const
export const NetworkReceiptsQuery = strictObject({
  state: z._default(z.enum(STATES, `one of ${STATES.join(', ')}`), 'WAITING').apply(meta, {
    description:
      'WAITING: to be sent now; one that waits for a contact or for another receipt is not in the list. SENT: reported as SENT',
  }),
  limit: limitParameter({ byDefault: 100, max: 500 }),
  cursor: z.optional(Cursor),
})

const text = z.string()
const Contact = z.object({ email: z.optional(text), phone: z.optional(text) })

export const NetworkReceiptsAnswer = z
  .object({
    receipts: z.array(
      z
        .object({
          siteId: text,
          receiptUid: text.apply(meta, {
            description: 'The key of the document: the register makes one of it',
          }),
          kind: DocumentKind,
          paymentUid: text,
          refundUid: z.optional(text),
          closingUid: z.optional(text),
          qrcId: text.apply(meta, { description: 'The network’s identifier of the QR code' }),
          reference: z.optional(text),
          networkUid: z.optional(text),
          amount: AmountAnswer,
          dateTime: z.iso.datetime({ offset: true }).apply(meta, {
            description: 'When it was paid, refunded or closed',
          }),
          register: CashRegisterAnswer,
          items: z.array(ItemAnswer),
          taxation: z.optional(Taxation),
          contact: z.optional(Contact),
          place: z.optional(text),
          email: z.optional(text),
          isWholePayment: z.optional(z.literal(true)).apply(meta, {
            description: 'Of the refund of a whole payment that has no other refund and no closing',
          }),
        })
        .apply(meta, { id: 'NetworkReceipt' }),
    ),
    nextCursor: nextCursor('receipts'),
  })
  .apply(meta, { id: 'NetworkReceiptPage' })

export const NETWORK_RECEIPTS_EXAMPLE: Example = {
  summary: 'One that is to be sent',
  value: {
    receipts: [
      {
        siteId: 'demo',
        receiptUid: '4T0QJ2M8S1V6B3K9C7N5D0F2G8H4R1L6',
        kind: 'sale',
        paymentUid: 'A6325171030000001',
        qrcId: 'AD100004BAL7227F9BNP6KNE007J9B3K',
        amount: { value: '149.50', currency: 'RUB' },
        dateTime: '2026-11-20T20:11:40+03:00',
        register: { kind: 'atol', ffd: '1.2' },
        items: [
          {
            name: 'Tea',
            price: '29.90',
            quantity: '5',
            amount: '149.50',
            vat: '22',
            method: 'fullPayment',
            object: 'commodity',
            unit: 0,
          },
        ],
        taxation: 'osn',
        contact: { email: 'mary@shop.example' },
      },
    ],
  },
}

/** A connector's reports. */
export const RECEIPT_REPORT_EXAMPLES = {
  sent: { summary: 'The register has it', value: { state: 'SENT' } },
  registered: {
    summary: 'Registered',
    value: {
      state: 'REGISTERED',
      fiscal: {
        fn: '9999078900000000',
        fd: '4172',
        fpd: '2915480733',
        dateTime: '2026-11-20T20:11:00+03:00',
      },
    },
  },
  failed: {
    summary: 'Refused by the register',
    value: { state: 'FAILED', reason: 'the name of an item is too long', canRetry: true },
  },
} satisfies Record<string, Example>
