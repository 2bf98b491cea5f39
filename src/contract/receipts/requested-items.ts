// The items that a refund or a closing states: which lines of the sale they take, or why they cannot.
import type { FieldErrors } from '../../errors.ts'
import { formatMinorUnits } from '../amount.ts'
import { formatQuantity, type Item, type ItemSpec, lineAmount } from './item.ts'
import type { ReceiptSettings } from './receipt.ts'
import { type Line, linesOf, type Part, partOf, remainsOf, sumOf, type Taking, take } from './shares.ts'
import { isRateAt, rateOn } from './vat.ts'

/** The items of a refund or a closing, or the fields that break a rule. */
export type Parts = { parts: Part[]; fields?: undefined } | { parts?: undefined; fields: FieldErrors }

/**
 * The items of a refund that states them: a part of what remains of the sale, equal in name and price, and in rate of VAT, method and
 * object where they are stated. Their sum is that of the refund.
 * @param amount of the refund, in minor units
 */
export function partsOfRefund(
  sale: readonly Item[],
  takings: readonly Taking[],
  { items, amount }: { items: readonly ItemSpec[]; amount: number },
): Parts {
  const lines = linesOf(sale, takings)
  const result = partsOf(lines, items, 'receipt.items', (item, field) => partsOfItem(lines, item, field))
  const sum = sumOf(result.parts ?? [])
  return result.fields || sum === amount
    ? result
    : { fields: { 'receipt.items': [sumText(sum, amount, 'the refund')] } }
}

/** Why the sum of items is refused. @param of whose amount it must be */
export function sumText(sum: number, amount: number, of: string): string {
  const difference = `${formatMinorUnits(Math.abs(sum - amount))} ${sum > amount ? 'more' : 'less'}`
  return `have the sum ${formatMinorUnits(sum)}, ${difference} than ${formatMinorUnits(amount)}, which is the amount of ${of}`
}

/** Whether something remains that a closing receipt can offset. @param remains see remainsOf */
export const hasPrepayment = (remains: readonly Item[]): boolean => remains.some(isPrepaid)

export const isPrepaid = ({ method }: Item): boolean => method !== 'fullPayment'

/**
 * The items of a closing receipt: full payment at the rates of the day, offset by the prepayment that remains, by default by all of it.
 * Of an advance they are required: they say what was sold.
 * @param at Unix seconds
 * @param settings of the sale, for an item that is offset by an advance
 */
export function partsOfClosing(
  sale: readonly Item[],
  takings: readonly Taking[],
  { items, at, settings }: { items: readonly ItemSpec[] | undefined; at: number; settings: ReceiptSettings },
): Parts {
  if (!items) {
    const remains = remainsOf(sale, takings).filter(isPrepaid)
    return remains.some(({ method }) => method === 'advance')
      ? { fields: { items: ['is missing, must state what was sold for the advance'] } }
      : { parts: remains.map((part) => ({ ...part, method: 'fullPayment', vat: rateOn(part.vat, at) })) }
  }
  const lines = linesOf(sale, takings).filter(({ item }) => isPrepaid(item))
  return partsOf(lines, items, 'items', (item, field) => {
    const fields = refuseClosingItem(item, at, field)
    if (fields) return { fields }
    const { vat, method, ...asSold } = item
    const ofLine = partsOfItem(lines, asSold, field)
    const result = ofLine.fields ? (partsOfAdvance(lines, item, field, settings) ?? ofLine) : ofLine
    if (result.fields) return result
    return {
      parts: result.parts.map((part) => ({
        ...part,
        method: 'fullPayment',
        vat: vat ?? rateOn(part.vat, at),
      })),
    }
  })
}

function refuseClosingItem({ vat, method }: ItemSpec, at: number, field: string): FieldErrors | undefined {
  const fields: FieldErrors = {}
  if (vat !== undefined && !isRateAt(vat, at)) {
    fields[`${field}.vat`] = [`is "${vat}", must be "${rateOn(vat, at)}", the rate of the day`]
  }
  if (method !== undefined && method !== 'fullPayment') {
    fields[`${field}.method`] = [`is "${method}", must be fullPayment in a closing receipt`]
  }
  return Object.keys(fields).length > 0 ? fields : undefined
}

/** An item that was sold for an advance: any, as long as its sum remains; undefined where no advance does. */
function partsOfAdvance(
  lines: readonly Line[],
  item: ItemSpec,
  field: string,
  settings: ReceiptSettings,
): Parts | undefined {
  const advance = lines.filter((line) => line.item.method === 'advance' && line.amount > 0)
  const [first] = advance
  if (!first) return undefined
  const left = sumOf(advance)
  if (item.amount > left) {
    const rule = `must be at most ${formatMinorUnits(left)}, which remains of the advance`
    return { fields: { [`${field}.amount`]: [`is ${formatMinorUnits(item.amount)}, ${rule}`] } }
  }
  const part: Part = {
    name: item.name,
    price: item.price,
    quantity: item.quantity,
    amount: item.amount,
    vat: item.vat ?? first.item.vat,
    method: 'fullPayment',
    object: item.object ?? settings.object ?? 'commodity',
    unit: item.unit ?? 0,
    place: first.place,
  }
  return { parts: [part] }
}

/** The parts of all items; each takes what it states before the next one does. */
function partsOf(
  lines: readonly Line[],
  items: readonly ItemSpec[],
  field: string,
  partsOfOne: (item: ItemSpec, field: string) => Parts,
): Parts {
  const [parts, fields]: [Part[], FieldErrors] = [[], {}]
  for (const [index, item] of items.entries()) {
    const result = partsOfOne(item, `${field}.${index}`)
    Object.assign(fields, result.fields)
    for (const part of result.parts ?? []) {
      take(lines, part)
      parts.push(part)
    }
  }
  return Object.keys(fields).length > 0 ? { fields } : { parts }
}

/**
 * The parts of an item: of lines that are equal to it, one that has exactly as much gives it, else the first one that has more, else they
 * give it together. So a list of what remains is always taken.
 */
function partsOfItem(lines: readonly Line[], item: ItemSpec, field: string): Parts {
  const same = lines.filter((line) => line.amount > 0 && differencesOf(line, item).length === 0)
  const whole = same.filter(
    (line) => offeredBy(line, item.price) >= item.quantity && line.amount >= item.amount,
  )
  const best = whole.find((line) => offeredBy(line, item.price) === item.quantity) ?? whole[0]
  const parts: Part[] = []
  let rest = item.quantity
  for (const line of best ? [best] : same) {
    const quantity = Math.min(rest, offeredBy(line, item.price))
    const amount = lineAmount(item.price, quantity)
    if (amount > line.amount) continue
    rest -= quantity
    if (amount > 0) parts.push({ ...line.item, price: item.price, quantity, amount, place: line.place })
  }
  const isExact = rest === 0 && sumOf(parts) === item.amount
  return isExact ? { parts } : { fields: refuseItem(lines, same, item, field) }
}

/** How much of a line, in thousandths, can be had at a price: that of the sale, or that of what remains as one of its sum. */
function offeredBy(line: Line, price: number): number {
  const part = partOf(line)
  const bySum = price === part.price ? part.quantity : 0
  return price === line.item.price ? Math.max(line.quantity, bySum) : bySum
}

/** The stated fields that differ from a line, with their value and the one that they must have. */
function differencesOf(line: Line, item: ItemSpec): { name: string; is: string; mustBe: string }[] {
  const { item: sold } = line
  const differences = (['name', 'vat', 'method', 'object'] as const).flatMap((name) => {
    const value = item[name]
    return value === undefined || value === sold[name]
      ? []
      : [{ name: name as string, is: quoted(value), mustBe: quoted(sold[name]) }]
  })
  if (item.price === sold.price || item.price === partOf(line).price) return differences
  const [is, mustBe] = [formatMinorUnits(item.price), formatMinorUnits(sold.price)]
  return [...differences, { name: 'price', is, mustBe }]
}

/** Why an item is refused. @param same the lines that are equal to it, which have too little */
function refuseItem(
  lines: readonly Line[],
  same: readonly Line[],
  item: ItemSpec,
  field: string,
): FieldErrors {
  const offered = same.reduce((sum, line) => sum + offeredBy(line, item.price), 0)
  if (same.length > 0 && offered < item.quantity) {
    const rule = `is ${formatQuantity(item.quantity)}, must be at most ${formatQuantity(offered)}, which remains of the sale`
    return { [`${field}.quantity`]: [rule] }
  }
  if (same.length > 0) {
    const left = sumOf(same)
    const rule =
      item.amount > left
        ? `must be at most ${formatMinorUnits(left)}, which remains of the sale`
        : 'must be stated for each line of the sale by itself, because their sums are rounded'
    return { [`${field}.amount`]: [`is ${formatMinorUnits(item.amount)}, ${rule}`] }
  }
  const named = lines.find((line) => line.amount > 0 && line.item.name === item.name)
  if (!named) {
    return { [`${field}.name`]: [`is ${quoted(item.name)}, must be an item of which something remains`] }
  }
  const differences = differencesOf(named, item)
  return Object.fromEntries(
    differences.map(({ name, is, mustBe }) => [
      `${field}.${name}`,
      [`is ${is}, must be ${mustBe}, as in the sale`],
    ]),
  )
}

const quoted = (name: string): string => JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name)
