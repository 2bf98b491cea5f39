// The columns of receipts as JSON: what a request states, and items; defaults are left out.
import * as z from 'zod/mini'
import type { Fiscal } from '../../contract/receipts/document.ts'
import {
  type Item,
  type ItemSpec,
  lineAmount,
  METHODS,
  OBJECTS,
  ONE,
  type Unit,
} from '../../contract/receipts/item.ts'
import { TAXATIONS, type Taxation } from '../../contract/receipts/receipt.ts'
import type { Part } from '../../contract/receipts/shares.ts'
import { VAT_RATES } from '../../contract/receipts/vat.ts'

/** What a request states, without its contact. */
export interface StatedReceipt {
  taxation?: Taxation | undefined
  items?: readonly ItemSpec[] | undefined
}

const Stated = {
  name: z.string(),
  price: z.int(),
  quantity: z._default(z.int(), ONE),
  amount: z.optional(z.int()),
  vat: z.optional(z.enum(VAT_RATES)),
  method: z.optional(z.enum(METHODS)),
  object: z.optional(z.enum(OBJECTS)),
  // Stored units stay readable when the table of tag 2108 changes.
  unit: z.optional(z.custom<Unit>((value) => Number.isSafeInteger(value))),
}
const StatedItems = z.array(z.object(Stated))
const StatedReceiptColumn = z.object({
  taxation: z.optional(z.enum(TAXATIONS)),
  items: z.optional(StatedItems),
})
const Items = z.array(z.object({ ...Stated, vat: z.enum(VAT_RATES), place: z.optional(z.int()) }))

/** An item in one order, so that equal ones have equal texts. */
const kept = (item: ItemSpec & { place?: number }) => ({
  name: item.name,
  price: item.price,
  quantity: item.quantity === ONE ? undefined : item.quantity,
  amount: item.amount === lineAmount(item.price, item.quantity) ? undefined : item.amount,
  vat: item.vat,
  method: item.method,
  object: item.object,
  unit: item.unit,
  place: item.place,
})

const withAmount = <T extends { price: number; quantity: number; amount?: number | undefined }>(item: T) => ({
  ...item,
  amount: item.amount ?? lineAmount(item.price, item.quantity),
})

/** What a request states as it is kept: its repeat has the same text. */
export const statedText = ({ taxation, items }: StatedReceipt): string =>
  JSON.stringify({ taxation, items: items?.map(kept) })

export function statedIn(text: string): StatedReceipt {
  const { taxation, items } = StatedReceiptColumn.parse(JSON.parse(text))
  return { taxation, items: items?.map(withAmount) }
}

/** Items as a document keeps them. */
export const itemsText = (items: readonly (Item | Part)[]): string =>
  JSON.stringify(
    items.map((item) => ({
      ...kept(item),
      method: item.method === 'fullPayment' ? undefined : item.method,
      object: item.object === 'commodity' ? undefined : item.object,
      unit: item.unit === 0 ? undefined : item.unit,
    })),
  )

const itemOf = (item: z.infer<typeof Items>[number]): Part => ({
  name: item.name,
  price: item.price,
  quantity: item.quantity,
  amount: item.amount ?? lineAmount(item.price, item.quantity),
  vat: item.vat,
  method: item.method ?? 'fullPayment',
  object: item.object ?? 'commodity',
  unit: item.unit ?? 0,
  place: item.place ?? 0,
})

/** The items of a document; those of a sale have no place that says anything. */
export const itemsIn = (text: string): Part[] => Items.parse(JSON.parse(text)).map(itemOf)

/** The same without their places. */
export const plainItems = (parts: readonly Part[]): Item[] => parts.map(({ place: _, ...item }) => item)

const PlanColumn = z.object({
  place: z.int(),
  request: z.optional(StatedItems),
  isWhole: z.optional(z.literal(true)),
  items: Items,
})

/** What the receipt of a refund is to be, from its acceptance on. */
export interface RefundPlan {
  /** The number of the event that accepted it. */
  place: number
  /** The items that its request states. */
  request?: readonly ItemSpec[] | undefined
  /** It is of a whole payment that nothing was taken of. */
  isWhole?: true | undefined
  items: readonly Part[]
}

export const planText = ({ place, request, isWhole, items }: RefundPlan): string =>
  `{"place":${place},${request ? `"request":${JSON.stringify(request.map(kept))},` : ''}${isWhole ? '"isWhole":true,' : ''}"items":${itemsText(items)}}`

export function planIn(text: string): RefundPlan {
  const { place, request, isWhole, items } = PlanColumn.parse(JSON.parse(text))
  return { place, request: request?.map(withAmount), isWhole, items: items.map(itemOf) }
}

const TEXT = z.optional(z.string())
export const FiscalColumn = z.object({
  ...{ fn: TEXT, fd: TEXT, fpd: TEXT, registration: TEXT, shift: TEXT, number: TEXT, url: TEXT },
  dateTime: z.optional(z.int()),
} satisfies Record<keyof Fiscal, z.ZodMiniType>)

export const fiscalIn = (text: string): Fiscal => FiscalColumn.parse(JSON.parse(text))
