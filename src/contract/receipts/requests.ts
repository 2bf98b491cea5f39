// What a merchant asks of documents: one of a payment, a closing, a retry (contract, section 18).
import * as z from 'zod/mini'
import type { Example } from '../example.ts'
import { meta } from '../meta.ts'
import { strictObject } from '../object.ts'
import { type Contact, ContactRequest } from './contact.ts'
import type { ItemSpec } from './item.ts'
import { ItemsRequest, Taxation } from './receipt.ts'

/** What a request states of a document; what is absent stays, or follows from the settings. */
export interface PartialReceipt {
  contact?: Contact | undefined
  taxation?: Taxation | undefined
  items?: readonly ItemSpec[] | undefined
}

/** The body of a request for the receipt of a payment, and of a retry. */
export const ReceiptBody = strictObject({
  receipt: z.optional(
    strictObject({
      contact: z.optional(ContactRequest),
      taxation: z.optional(Taxation),
      items: z.optional(ItemsRequest),
    }).apply(meta, { id: 'PartialReceipt' }),
  ),
}).apply(meta, { id: 'ReceiptBody' })

/** The body of a closing receipt. */
export const ClosingBody = strictObject({
  kind: z.literal('closing', 'closing'),
  items: z.optional(ItemsRequest).apply(meta, {
    description:
      'What is handed over. If absent, everything that was prepaid and remains; of an `advance` it must be given',
  }),
}).apply(meta, { id: 'ClosingRequest' })

const items = [{ name: 'Tea', price: '0.01', vat: 'none' }]

export const RECEIPT_BODY_EXAMPLES = {
  settings: { summary: 'By the settings as they are now', value: {} },
  contact: {
    summary: 'To this e-mail address',
    value: { receipt: { contact: { email: 'mary@shop.example' } } },
  },
  items: { summary: 'With these items', value: { receipt: { taxation: 'usnIncome', items } } },
} satisfies Record<string, Example>

export const CLOSING_BODY_EXAMPLES = {
  rest: { summary: 'Everything that was prepaid is handed over', value: { kind: 'closing' } },
  part: { summary: 'A part is handed over', value: { kind: 'closing', items } },
} satisfies Record<string, Example>
