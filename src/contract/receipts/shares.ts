// What remains of a sale's items after refunds and closings, and what the next one of them takes: exact to the minor unit.
import { type Item, lineAmount, type Method, ONE } from './item.ts'

/**
 * An item of a refund or a closing, with the place of what it takes: first the items of the sale, from 0 on, then those of its closings,
 * in the order of their acceptance.
 */
export interface Part extends Item {
  place: number
}

/** What an accepted refund or closing took. One that was declined or freed is left out; those that are left keep their order. */
export interface Taking {
  kind: 'refund' | 'closing'
  items: readonly Part[]
}

/** An item of which something was taken. */
export interface Line {
  place: number
  item: Item
  /** Minor units. */
  amount: number
  /** Thousandths, less those that were taken by quantity: a share takes none. Rounded sums can take more than there were. */
  quantity: number
}

/** The items of the sale and of its closings, with what is left of each. @param takings in the order of their acceptance */
export function linesOf(sale: readonly Item[], takings: readonly Taking[]): Line[] {
  const lines = sale.map(lineOf)
  for (const { kind, items } of takings) {
    for (const part of items) take(lines, part)
    if (kind === 'closing') lines.push(...items.map((item, index) => lineOf(item, lines.length + index)))
  }
  return lines
}

const lineOf = (item: Item, place: number): Line => ({
  place,
  item,
  amount: item.amount,
  quantity: item.quantity,
})

/**
 * Takes a part from its line. If the line has too little, the rest is taken from other lines, first from lines of the same method: an
 * advance is offset in one sum, and what a declined refund has freed changes no total.
 */
export function take(lines: readonly Line[], { place, price, quantity, amount }: Part): void {
  const line = lines.find((each) => each.place === place)
  if (line?.item.price === price) line.quantity -= quantity
  const rest = amount - takeFrom(line, amount)
  if (rest > 0) takeFromOthers(lines, line?.item.method, rest)
}

function takeFromOthers(lines: readonly Line[], method: Method | undefined, amount: number): void {
  const own = lines.filter(({ item }) => item.method === method)
  let rest = amount
  for (const next of [...own, ...lines]) rest -= takeFrom(next, rest)
}

/** @returns what the line had of the amount */
function takeFrom(line: Line | undefined, amount: number): number {
  if (!line) return 0
  const taken = Math.min(line.amount, amount)
  line.amount -= taken
  return taken
}

/** What is left of a line as an item: by quantity where that gives the amount, else as one of that price. */
export function partOf({ place, item, amount, quantity }: Line): Part {
  const isWhole = quantity > 0 && lineAmount(item.price, quantity) === amount
  return isWhole ? { ...item, quantity, amount, place } : { ...item, ...oneOf(amount), place }
}

/** The fields of an item that is one of a sum. */
export const oneOf = (amount: number) => ({ price: amount, quantity: ONE, amount })

/** What remains of a sale: a full refund lists it. Lines of 0 are left out. */
export const remainsOf = (sale: readonly Item[], takings: readonly Taking[]): Part[] =>
  linesOf(sale, takings)
    .filter(({ amount }) => amount > 0)
    .map(partOf)

/** The sum of items, in minor units. */
export const sumOf = (items: readonly Pick<Item, 'amount'>[]): number =>
  items.reduce((sum, { amount }) => sum + amount, 0)

/**
 * The items of a refund of an amount that states none: all that remains, or a share of each item. A share is the difference of the
 * rounded cumulative sums before and after the item: none is negative or more than remains, and they add up to the amount.
 * @param remains see remainsOf
 * @param amount minor units
 * @returns undefined where less remains
 */
export function shareOf(remains: readonly Part[], amount: number): Part[] | undefined {
  const total = sumOf(remains)
  if (amount > total) return undefined
  if (amount === total) return [...remains]
  let [sum, given] = [0, 0]
  return remains.flatMap((part) => {
    sum += part.amount
    const share = rounded(sum, amount, total) - given
    given += share
    return share > 0 ? [{ ...part, ...oneOf(share) }] : []
  })
}

/** sum × amount ÷ total, half a minor unit up. Exact. */
const rounded = (sum: number, amount: number, total: number): number =>
  Number((BigInt(sum) * BigInt(amount) * 2n + BigInt(total)) / (2n * BigInt(total)))
