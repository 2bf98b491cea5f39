// The instruction `receipt.register` as JSON has it, and the document that it asks for (contract, section 18).
import * as z from 'zod'
import { AmountField, kopecksOf } from '../amounts.ts'
import { partsOf } from '../reference.ts'
import type { NewDocument } from './cash-register.ts'

const Kopecks = z.string().transform((text, context) => {
  const kopecks = kopecksOf(text)
  if (kopecks !== undefined) return kopecks
  context.addIssue('must be an amount')
  return z.NEVER
})

const Thousandths = z
  .string()
  .regex(/^\d{1,5}(\.\d{1,3})?$/, 'must be a quantity')
  .transform((text) => {
    const [units = '', fraction = ''] = text.split('.')
    return Number(units) * 1000 + Number(fraction.padEnd(3, '0'))
  })

const Item = z.object({
  name: z.string(),
  price: Kopecks,
  quantity: Thousandths,
  amount: Kopecks,
  vat: z.string(),
  method: z.string(),
  object: z.string(),
  unit: z.int(),
})

const Contact = z.union([z.object({ email: z.string() }), z.object({ phone: z.string() })])

/** What every receipt has, also one that is a part of a payment's call. */
export const ReceiptFields = z.object({
  register: z.object({ kind: z.string(), ffd: z.string() }),
  items: z.array(Item).min(1),
  taxation: z.string().optional(),
  contact: Contact.optional(),
  place: z.string().optional(),
  email: z.string().optional(),
  isWholePayment: z.boolean().optional(),
})

export const DOCUMENT_KINDS = ['sale', 'refund', 'closing'] as const

export const ReceiptRegister = ReceiptFields.extend({
  siteId: z.string(),
  receiptUid: z.string().regex(/^[A-Z0-9]{1,64}$/),
  kind: z.enum(DOCUMENT_KINDS),
  paymentUid: z.string(),
  refundUid: z.string().optional(),
  closingUid: z.string().optional(),
  qrcId: z.string(),
  reference: z.string().optional(),
  networkUid: z.string().optional(),
  amount: AmountField,
  dateTime: z.iso.datetime({ offset: true }),
})
/** As JSON has it. */
export type ReceiptData = z.input<typeof ReceiptRegister>

const Items = z.object({ items: z.unknown() })

/** What a row keeps of the data of an instruction: all of it, and its items alone, both as they came. */
export const textsOf = (data: unknown): { data: string; items: string } => ({
  data: JSON.stringify(data),
  items: JSON.stringify(Items.parse(data).items),
})

/**
 * The document of an instruction.
 * @throws Error where the sums do not fit: no register is to be told of them
 */
export function documentOf(data: z.output<typeof ReceiptRegister>): NewDocument {
  const amount = kopecksOf(String(data.amount.value))
  const sum = data.items.reduce((all, item) => all + item.amount, 0)
  if (amount === undefined || amount !== sum) throw new Error('the items do not sum to the amount')
  return {
    key: data.receiptUid,
    kind: data.kind,
    site: data.siteId,
    paymentUid: data.paymentUid,
    refundUid: data.refundUid,
    closingUid: data.closingUid,
    amount,
    qrcId: data.qrcId,
    reference: partsOf(data.reference)?.rest,
    dateTime: Date.parse(data.dateTime),
    ffd: data.register.ffd,
    items: data.items,
    taxation: data.taxation,
    contact: data.contact,
    place: data.place,
    email: data.email,
    isWholePayment: data.isWholePayment === true,
  }
}
