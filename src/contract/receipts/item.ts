// A line of a receipt: what a request says, what a document has, and its exact sum.
import * as z from 'zod/mini'
import { AmountAnswer, formatMinorUnits, parseMinorUnits } from '../amount.ts'
import { meta } from '../meta.ts'
import { strictObject } from '../object.ts'
import { parsed } from '../parsed.ts'
import { shortcut } from '../shortcut.ts'
import { isLine, line } from '../text.ts'
import { VAT_RATES, Vat, VatRate } from './vat.ts'

/** How an item is paid (tag 1214). */
export const METHODS = ['fullPayment', 'fullPrepayment', 'prepayment', 'advance'] as const
export type Method = (typeof METHODS)[number]
export const Method = z
  .enum(METHODS, `one of ${METHODS.join(', ')}`)
  .apply(meta, { id: 'PaymentMethodOfItem' })

/** What an item is (tag 1212). */
export const OBJECTS = [
  'commodity',
  'excise',
  'job',
  'service',
  'payment',
  'agentCommission',
  'composite',
  'other',
] as const
export type ItemObject = (typeof OBJECTS)[number]
export const ItemObject = z.enum(OBJECTS, `one of ${OBJECTS.join(', ')}`).apply(meta, { id: 'ItemObject' })

/** The numbers of tag 2108. */
export const UNITS = [
  0, 10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42, 50, 51, 70, 71, 72, 73, 80, 81, 82, 83, 255,
] as const
export type Unit = (typeof UNITS)[number]
const UNIT_RULE = `one of ${UNITS.join(', ')}`
export const Unit = parsed(z.int(UNIT_RULE), UNIT_RULE, (value) =>
  UNITS.find((unit) => unit === value),
).apply(meta, { enum: UNITS })

export const MAX_ITEMS = 100
export const MAX_NAME = 128

/** An item as a request states it. Money is minor units, `quantity` thousandths; what is absent, the settings decide. */
export interface ItemSpec {
  name: string
  price: number
  quantity: number
  amount: number
  vat?: VatRate | undefined
  method?: Method | undefined
  object?: ItemObject | undefined
  unit?: Unit | undefined
}

/** An item as a document has it: nothing is absent. Money is minor units, `quantity` thousandths. */
export interface Item extends ItemSpec {
  /** The rate; a document shows `vatOf` of it. */
  vat: VatRate
  method: Method
  object: ItemObject
  unit: Unit
}

/** 1 in thousandths. */
export const ONE = 1000

/** The sum of a line: price × quantity, half a minor unit up. Exact. @param quantity thousandths */
export const lineAmount = (price: number, quantity: number): number =>
  quantity === ONE ? price : Number((BigInt(price) * BigInt(quantity) * 2n + 1000n) / 2000n)

const QUANTITY_RULE = 'a text such as 1.5, above 0, of at most 5 digits and 3 decimals'

/** The thousandths of a decimal with at most five digits and three decimals; undefined for any other, and for 0. */
export function parseQuantity(text: string): number | undefined {
  const [, whole, fraction = ''] = /^(\d{1,5})(?:\.(\d{1,3}))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const thousandths = Number(whole) * ONE + Number(fraction.padEnd(3, '0'))
  return thousandths > 0 ? thousandths : undefined
}

/** The decimal of thousandths, without trailing zeros: 1500 is `1.5`. */
export function formatQuantity(thousandths: number): string {
  const fraction = String(thousandths % ONE)
    .padStart(3, '0')
    .replace(/0+$/, '')
  return `${Math.trunc(thousandths / ONE)}${fraction && `.${fraction}`}`
}

export const Quantity = parsed(z.string(QUANTITY_RULE), QUANTITY_RULE, parseQuantity).apply(meta, {
  pattern: '^\\d{1,5}(\\.\\d{1,3})?$',
  examples: ['1.5'],
})

/** The largest price, in minor units. */
export const MAX_MONEY = 99_999_999_99
const MONEY_RULE = `a sum from 0.00 to ${formatMinorUnits(MAX_MONEY)} with at most two decimals`
export const Money = parsed(z.union([z.number(), z.string()], MONEY_RULE), MONEY_RULE, (value) =>
  parseMinorUnits(value, MAX_MONEY, 0),
).apply(meta, { examples: ['21.99'] })

const StatedFields = strictObject({
  name: line(MAX_NAME),
  price: Money.apply(meta, { description: 'The price of one, in roubles' }),
  quantity: z.prefault(Quantity, '1'),
  amount: z.optional(Money).apply(meta, {
    description: 'price × quantity, half a kopeck up. Another sum is refused',
  }),
  vat: z.optional(VatRate),
  method: z.optional(Method),
  object: z.optional(ItemObject),
  unit: z.optional(Unit).apply(meta, { description: 'The number of tag 2108; by default 0, pieces' }),
})
const Stated = z
  .pipe(
    StatedFields,
    z.transform((item, context): ItemSpec => {
      const { price, quantity, amount = lineAmount(price, quantity) } = item
      const right = lineAmount(price, quantity)
      if (amount !== right) {
        const message = `${formatMinorUnits(right)}, which is price × quantity`
        const input = formatMinorUnits(amount)
        context.issues.push({ code: 'custom', input, path: ['amount'], message })
      }
      return { ...item, amount: right }
    }),
  )
  .apply(meta, { id: 'ReceiptItemRequest' })

/** An item of a request. `amount` may be absent: it is price × quantity; another one is refused. */
export const ItemRequest = shortcut(Stated, rightItem)

type Fields = { [Name in keyof ItemSpec]?: unknown }
const FIELDS: ReadonlySet<string> = new Set(Object.keys(StatedFields.shape))

/** An item whose money is text and whose fields are all right; undefined for another. */
function rightItem(value: unknown): ItemSpec | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { name, price: stated, quantity: count = '1', amount: sum, vat, method, object, unit }: Fields = value
  if (typeof name !== 'string' || typeof stated !== 'string' || typeof count !== 'string') return undefined
  const [price, quantity] = [parseMinorUnits(stated, MAX_MONEY, 0), parseQuantity(count)]
  if (price === undefined || quantity === undefined || !isLine(MAX_NAME, name)) return undefined
  const item: ItemSpec = { name, price, quantity, amount: lineAmount(price, quantity) }
  const isSum =
    sum === undefined || (typeof sum === 'string' && parseMinorUnits(sum, MAX_MONEY, 0) === item.amount)
  const isKnown =
    isAdded(item, 'vat', VAT_RATES, vat) &&
    isAdded(item, 'method', METHODS, method) &&
    isAdded(item, 'object', OBJECTS, object) &&
    isAdded(item, 'unit', UNITS, unit)
  return isSum && isKnown && Object.keys(value).every((field) => FIELDS.has(field)) ? item : undefined
}

/** Adds a field that is stated. @returns whether it is one of the values, or absent */
function isAdded<Name extends keyof ItemSpec>(
  item: ItemSpec,
  name: Name,
  values: readonly ItemSpec[Name][],
  value: unknown,
): boolean {
  if (value === undefined) return true
  const found = values.find((each) => each === value)
  if (found !== undefined) item[name] = found
  return found !== undefined
}

/** An item of a document. */
export const ItemAnswer = z
  .object({
    name: z.string(),
    price: AmountAnswer.shape.value,
    quantity: z.string(),
    amount: AmountAnswer.shape.value,
    vat: Vat,
    method: Method,
    object: ItemObject,
    unit: z.int(),
  })
  .apply(meta, { id: 'ReceiptItem' })
export type ItemAnswer = z.infer<typeof ItemAnswer>
