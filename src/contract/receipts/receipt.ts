// The receipt of a request: what a merchant states of a payment or a refund, and the terms that hold for it (54-FZ).
import * as z from 'zod/mini'
import { meta } from '../meta.ts'
import { strictObject } from '../object.ts'
import type { CashRegister } from './cash-register.ts'
import { type Contact, ContactRequest } from './contact.ts'
import {
  type Item,
  type ItemObject,
  ItemRequest,
  type ItemSpec,
  MAX_ITEMS,
  type Method,
  ONE,
} from './item.ts'
import type { VatRate } from './vat.ts'

/** The system of taxation (tag 1055). */
export const TAXATIONS = ['osn', 'usnIncome', 'usnIncomeOutcome', 'esn', 'patent'] as const
export type Taxation = (typeof TAXATIONS)[number]
export const Taxation = z.enum(TAXATIONS, `one of ${TAXATIONS.join(', ')}`).apply(meta, { id: 'Taxation' })

/** What a request states; what is absent, the terms decide. */
export interface ReceiptSpec {
  contact?: Contact | undefined
  taxation?: Taxation | undefined
  items: readonly ItemSpec[]
}

/** What holds for the receipts of a code or a sale from the time that it is made: its cash register, and the settings. */
export interface Terms extends ReceiptSettings {
  register: CashRegister
}

/** The setting `receipts` of a site (contract, section 12). */
export interface ReceiptSettings {
  taxation?: Taxation | undefined
  vat?: VatRate | undefined
  method?: Method | undefined
  object?: ItemObject | undefined
  /** The name of the only item of a default receipt. */
  itemName?: string | undefined
  /** The address of the shop in the internet (tag 1187), and its e-mail (tag 1117). */
  place?: string | undefined
  email?: string | undefined
  /** Whether the payer's page asks for a contact. */
  askContact?: boolean | undefined
  /** Whether each payment without a receipt of its own gets one item. */
  default?: boolean | undefined
}

const ITEMS_RULE = `an array of 1 to ${MAX_ITEMS}`
export const ItemsRequest = z
  .array(ItemRequest, ITEMS_RULE)
  .check(z.minLength(1, ITEMS_RULE), z.maxLength(MAX_ITEMS, ITEMS_RULE))
  .apply(meta, { description: 'The amounts of the items add up to what is paid, or refunded' })

/** The field `receipt` of a create and of a sale. */
export const ReceiptRequest = strictObject({
  contact: z.optional(ContactRequest),
  taxation: z.optional(Taxation),
  items: ItemsRequest,
}).apply(meta, { id: 'ReceiptRequest' })

/** The field `receipt` of a refund: without items, they follow from what remains of the sale. */
export const RefundReceiptRequest = strictObject({
  contact: z.optional(ContactRequest).apply(meta, {
    description:
      'In place of that of the payment. Needed at T-Bank once that was erased, unless all is refunded',
  }),
  items: z.optional(ItemsRequest),
}).apply(meta, { id: 'RefundReceiptRequest' })
/** What a refund states of its receipt. */
export interface RefundReceipt {
  contact?: Contact | undefined
  items?: readonly ItemSpec[] | undefined
}

/** An item with what the terms decide. @returns undefined where neither states a rate of VAT */
export function resolvedItem(item: ItemSpec, terms: ReceiptSettings): Item | undefined {
  const vat = item.vat ?? terms.vat
  if (vat === undefined) return undefined
  return {
    name: item.name,
    price: item.price,
    quantity: item.quantity,
    amount: item.amount,
    vat,
    method: item.method ?? terms.method ?? 'fullPayment',
    object: item.object ?? terms.object ?? 'commodity',
    unit: item.unit ?? 0,
  }
}

/** The only item of a default receipt. @param amount minor units @param purpose of the payment, where the settings name no item */
export const defaultItem = (amount: number, itemName: string): ItemSpec => ({
  name: itemName,
  price: amount,
  quantity: ONE,
  amount,
})
