// What a connector is told of a document: the instruction `receipt.register`, and the receipt that rides on a payment's call.
import { type Amount, amountAnswer } from '../amount.ts'
import { formatDateTime } from '../date-time.ts'
import { type CashRegister, capabilitiesOf } from './cash-register.ts'
import type { Contact } from './contact.ts'
import { type DocumentKind, itemAnswer } from './document.ts'
import type { Item, ItemSpec } from './item.ts'
import { defaultItem, type ReceiptSpec, resolvedItem, type Taxation, type Terms } from './receipt.ts'
import { rateOn, type VatRate } from './vat.ts'

/** What every receipt that leaves the service has. */
interface Receipt {
  register: CashRegister
  items: readonly Item[]
  taxation?: Taxation | undefined
  contact?: Contact | undefined
  /** The address of the shop in the internet, and its e-mail. */
  place?: string | undefined
  email?: string | undefined
  /** The refund of a whole payment that has no other refund and no closing: T-Bank's cancellation lists no items. */
  isWholePayment?: true | undefined
}

/** The receipt of a code, a sale, a charge or a refund, where it is a part of what the bank is told of that. */
export type RidingReceipt = Receipt

/** A document to be registered; composed when it is sent. `at` is Unix seconds. */
export interface ReceiptInstruction extends Receipt {
  receiptUid: string
  kind: DocumentKind
  paymentUid: string
  refundUid?: string | undefined
  closingUid?: string | undefined
  linkId: string
  /** The connector's own text. */
  reference?: string | undefined
  /** The network's own number of the payment. */
  networkUid?: string | undefined
  amount: Amount
  at: number
}

/** The receipt as JSON has it. */
export const receiptBody = ({ items, register, ...rest }: Receipt) => ({
  register,
  items: items.map(itemAnswer),
  ...rest,
})

/** The data of an instruction as JSON has them, those of its site included. */
export function receiptInstructionData(
  { linkId: qrcId, amount, at, register, items, ...rest }: ReceiptInstruction,
  { siteId, utcOffset }: { siteId: string; utcOffset: string },
) {
  const { receiptUid, kind, paymentUid, refundUid, closingUid, reference, networkUid, ...receipt } = rest
  return {
    ...{ siteId, receiptUid, kind, paymentUid, refundUid, closingUid, qrcId, reference, networkUid },
    amount: amountAnswer(amount),
    dateTime: formatDateTime(at, utcOffset),
    ...receiptBody({ register, items, ...receipt }),
  }
}

/** What is sold, or is to be. */
interface Sold {
  /** Minor units; undefined where the payer states it. */
  amount: number | undefined
  purpose?: string | undefined
  /** When it was paid, Unix seconds. */
  at?: number | undefined
}

/** What a sale of an amount has; undefined where neither the request nor the settings ask for a receipt, or a rate of VAT is missing. */
export function itemsOfSale(
  spec: { items?: readonly ItemSpec[] | undefined } | undefined,
  terms: Terms,
  { amount, purpose, at }: Sold,
): Item[] | undefined {
  const stated =
    spec?.items ??
    (terms.default && amount !== undefined
      ? [{ ...defaultItem(amount, nameOfItem(terms, purpose)), vat: rateOfDefault(terms, at) }]
      : undefined)
  const items = stated?.flatMap((item) => resolvedItem(item, terms) ?? [])
  return items?.length === stated?.length ? items : undefined
}

/** The rate of the setting, or the one that holds at the time in its place, where the cash register takes that. */
function rateOfDefault({ vat, register }: Terms, at: number | undefined): VatRate | undefined {
  if (vat === undefined || at === undefined) return vat
  const held = rateOn(vat, at)
  return capabilitiesOf(register).vats.includes(held) ? held : vat
}

/** The name of the only item of a default receipt. */
export const nameOfItem = ({ itemName }: Pick<Terms, 'itemName'>, purpose: string | undefined): string =>
  [...(itemName ?? purpose ?? 'Оплата')].slice(0, 128).join('')

/** The receipt that rides on the registration of a code or a sale; undefined where none does. */
export function ridingReceipt(
  spec: ReceiptSpec | undefined,
  terms: Terms | undefined,
  of: Sold,
): RidingReceipt | undefined {
  if (!terms || !capabilitiesOf(terms.register).rides) return undefined
  const items = itemsOfSale(spec, terms, of)
  if (!items) return undefined
  const { register, place, email } = terms
  return { register, items, taxation: spec?.taxation ?? terms.taxation, contact: spec?.contact, place, email }
}
