// The items of a receipt, exact to the kopeck: with a discount spread over them, or from the lines of an order.
import { fromKopecks, kopecksOf } from './amount.ts'
import type { ReceiptContact, ReceiptItemRequest } from './schema.ts'

/** The most items of a receipt. */
const MAX_ITEMS = 100

/** An item of a receipt, as far as its sum matters; its other fields are kept. */
export interface PricedItem {
  /** The price of one, such as "21.99". */
  price: string
  /** Digits with at most three after the point, such as "1.5". If absent, 1. */
  quantity?: string
}

/** A line of an order: goods, the delivery, a fee. */
export interface OrderLine extends Omit<ReceiptItemRequest, 'price' | 'quantity' | 'amount'> {
  /** As in an item; if absent, 1. */
  quantity?: string
  /** What the line costs in kopecks, less its own discounts. */
  kopecks: number
}

/** The rates of VAT, in per cent, that a line can state. */
const RATES = ['5', '7', '10', '22'] as const

/**
 * The rate of VAT of a line, as the shop taxes it.
 * @param rates of the line's taxes, in per cent
 * @returns nothing where the line has several taxes, or a rate that no receipt can state: that of the site's settings holds then
 */
export function receiptVat(rates: readonly number[]): Pick<OrderLine, 'vat'> {
  const vat = RATES.find((rate) => rates.length === 1 && Number(rate) === rates[0])
  return vat ? { vat } : {}
}

/** The longest e-mail that a receipt takes. */
const MAX_EMAIL = 64

/** Where the receipt of an order goes: to the e-mail, else to the phone; undefined where a receipt can take neither. */
export function receiptContact({
  email,
  phone = '',
}: {
  email?: string | null | undefined
  phone?: string
}): ReceiptContact | undefined {
  if (email && email.length <= MAX_EMAIL) return { email }
  const digits = phone.replace(/[\s()-]/g, '')
  return /^\+\d{10,15}$/.test(digits) ? { phone: digits } : undefined
}

/** The longest name of an item. */
const MAX_NAME = 128

/**
 * The items of the receipt of an order. What the lines cost above the total is a discount of the whole: it is spread over them.
 * Where a shop rounds each line, the total can also be up to a kopeck for each line above them.
 * @param lines with their names: a longer one than a receipt takes is cut
 * @param total what the order costs, in kopecks: exactly the sum of the items
 * @throws RangeError if a line breaks its rule, if the total is more than the lines and their rounding, or if there are more than 100 items
 */
export function receiptItems(lines: readonly OrderLine[], total: number): ReceiptItemRequest[] {
  const all = lines.reduce((sum, { kopecks }) => sum + kopecks, 0)
  fromKopecks(total)
  if (total > all + (all && lines.length)) {
    throw new RangeError(
      `total is ${fromKopecks(total)}, must be at most ${fromKopecks(all)}, the sum of the lines: state what costs the rest`,
    )
  }
  let [sum, given] = [0, 0]
  const items = lines.flatMap(({ kopecks, quantity = '1', name, ...rest }, index) => {
    fromKopecks(kopecks)
    sum += kopecks
    const share = all === 0 ? 0 : rounded(BigInt(sum) * BigInt(total), BigInt(all)) - given
    given += share
    const line = { price: 0, quantity: thousandths(quantity, `lines.${index}.quantity`) }
    const one = {
      ...rest,
      name: Array.from(name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim())
        .slice(0, MAX_NAME)
        .join(''),
    }
    return linesOf(line, share).map((each) => ({
      ...one,
      price: fromKopecks(each.price),
      quantity: formatQuantity(each.quantity),
    }))
  })
  if (items.length <= MAX_ITEMS) return items
  throw new RangeError(`the receipt has ${items.length} items, must have at most ${MAX_ITEMS}`)
}

/** A line in kopecks and thousandths. */
interface Line {
  price: number
  quantity: number
}

/**
 * The items of a receipt with a discount on the whole spread over them, in proportion to their sums. The sum of the result is exactly
 * that of the items less the discount. A line whose new sum is no multiple of its quantity becomes two, with prices a kopeck apart.
 * @param items with the prices before the discount; each keeps its other fields
 * @param discount of the whole, such as "0.12"
 * @returns items with a price and a quantity; price × quantity, half a kopeck up, is the sum of a line
 * @throws RangeError if a price, a quantity or the discount breaks its rule, if the discount is more than the sum of the items, or if
 * the result has more than 100 items
 */
export function spreadDiscount<T extends PricedItem>(
  items: readonly T[],
  discount: string,
): (T & Required<PricedItem>)[] {
  const lines = items.map(
    ({ price, quantity = '1' }, index): Line => ({
      price: kopecksOf(price, `items.${index}.price`),
      quantity: thousandths(quantity, `items.${index}.quantity`),
    }),
  )
  const total = lines.reduce((sum, line) => sum + sumOf(line), 0)
  const off = kopecksOf(discount, 'discount')
  if (off > total) {
    throw new RangeError(
      `discount is ${discount}, must be at most ${fromKopecks(total)}, the sum of the items`,
    )
  }
  let [sum, given] = [0, 0]
  const spread = items.flatMap((item, index) => {
    const line = lines[index]
    if (!line) return []
    sum += sumOf(line)
    const share = total === 0 ? 0 : rounded(BigInt(sum) * BigInt(off), BigInt(total)) - given
    given += share
    return linesOf(line, sumOf(line) - share).map(({ price, quantity }) => ({
      ...item,
      price: fromKopecks(price),
      quantity: formatQuantity(quantity),
    }))
  })
  if (spread.length <= MAX_ITEMS) return spread
  throw new RangeError(
    `the receipt has ${spread.length} items after the discount, must have at most ${MAX_ITEMS}`,
  )
}

/** price × quantity, half a kopeck up. */
const sumOf = ({ price, quantity }: Line): number => rounded(BigInt(price) * BigInt(quantity), 1000n)

/** numerator ÷ denominator, half up. Exact. */
const rounded = (numerator: bigint, denominator: bigint): number =>
  Number((numerator * 2n + denominator) / (2n * denominator))

/** A line with another sum: one, or two that have it together. */
function linesOf(line: Line, sum: number): Line[] {
  if (sum === sumOf(line)) return [line]
  const { quantity } = line
  const price = Number((BigInt(sum) * 1000n) / BigInt(quantity))
  const one = [price, price + 1].find((each) => sumOf({ price: each, quantity }) === sum)
  if (one !== undefined) return [{ price: one, quantity }]
  // Each whole unit that costs a kopeck more adds exactly one, whatever the rest is.
  const unitsAtHigherPrice = (sum - sumOf({ price, quantity })) * 1000
  return [
    { price, quantity: quantity - unitsAtHigherPrice },
    { price: price + 1, quantity: unitsAtHigherPrice },
  ]
}

/** The thousandths of a quantity. @param name of it, for the error. @throws RangeError if it breaks its rule */
function thousandths(quantity: string, name: string): number {
  const [, whole, fraction = ''] = /^(\d{1,5})(?:\.(\d{1,3}))?$/.exec(String(quantity)) ?? []
  const result = whole === undefined ? 0 : Number(whole + fraction.padEnd(3, '0'))
  if (typeof quantity === 'string' && result > 0) return result
  throw new RangeError(
    `${name} is ${JSON.stringify(quantity)}, must be a string such as "1.5", above 0, with at most 5 digits and 3 decimals`,
  )
}

/** The text of thousandths: 1500 → "1.5". */
const formatQuantity = (quantity: number): string => String(quantity / 1000)
