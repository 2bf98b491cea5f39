// Random baskets of a seed, and what is refunded and closed of them: as a cash register can put them on its documents.
import {
  type Capabilities,
  type CashRegister,
  capabilitiesOf,
} from '../../src/contract/receipts/cash-register.ts'
import type { Contact } from '../../src/contract/receipts/contact.ts'
import {
  type Item,
  type ItemSpec,
  lineAmount,
  METHODS,
  OBJECTS,
  ONE,
  UNITS,
} from '../../src/contract/receipts/item.ts'
import { TAXATIONS, type Taxation } from '../../src/contract/receipts/receipt.ts'
import {
  hasPrepayment,
  type Parts,
  partsOfClosing,
  partsOfRefund,
} from '../../src/contract/receipts/requested-items.ts'
import { type Part, remainsOf, shareOf, sumOf, type Taking } from '../../src/contract/receipts/shares.ts'
import { isRateAt, VAT_RATES, vatOf } from '../../src/contract/receipts/vat.ts'
import type { Random } from './random.ts'

/** A sale that can be registered. Its sum is above 0. */
export interface Basket {
  items: Item[]
  taxation: Taxation | undefined
  contact: Contact
}

/** A document after that of the sale: `isFreed` is a refund that was reserved, and declined before the next one. */
export interface Step extends Taking {
  items: Part[]
  isFreed: boolean
}

/** A register that can do all that there is. */
export const EVERYTHING: CashRegister = { kind: 'sandbox', ffd: '1.2' }

const NAMES = ['Чай «Да Хун Пао», 100 г', 'Tea', 'Ёлка & "шары"', 'Ц'.repeat(128), 'Доставка по городу']

/** A basket that a register takes at a time. @param at Unix seconds */
export function basketOf(random: Random, at: number, register: CashRegister = EVERYTHING): Basket {
  const can = capabilitiesOf(register)
  const count = random.chance(0.02) ? can.maxItems : 1 + random.below(Math.min(8, can.maxItems))
  const items = Array.from({ length: count }, () => itemOf(random, at, can))
  const email = `customer-${random.below(1000)}@shop.example`
  return {
    // A receipt of 0 is of no payment.
    items:
      sumOf(items) > 0 ? items : items.map((item) => ({ ...item, price: 100, quantity: ONE, amount: 100 })),
    taxation: can.takesTaxation ? random.pick(TAXATIONS) : undefined,
    contact:
      can.contacts.includes('phone') && random.chance(0.5)
        ? { phone: `+79${String(random.below(1e9)).padStart(9, '0')}` }
        : { email },
  }
}

function itemOf(random: Random, at: number, can: Capabilities): Item {
  const method = pickOf(
    random,
    METHODS.filter((each) => can.methods.includes(each) && random.chance(0.6)),
    'fullPayment',
  )
  const rates = VAT_RATES.filter(
    (rate) => isRateAt(rate, at) && can.vats.includes(vatOf(rate, method !== 'fullPayment')),
  )
  const line = lineOf(random, can)
  return {
    name: random.pick(['Чай', ...NAMES]),
    ...line,
    amount: lineAmount(line.price, line.quantity),
    vat: pickOf(random, rates, 'none'),
    method,
    object: pickOf(
      random,
      OBJECTS.filter((each) => can.objects.includes(each)),
      'commodity',
    ),
    unit: can.hasUnits ? random.pick(UNITS) : 0,
  }
}

const pickOf = <T>(random: Random, values: readonly T[], other: T): T =>
  values[random.below(values.length)] ?? other

/** A price and a quantity whose sum a document can hold. */
function lineOf(random: Random, can: Capabilities): { price: number; quantity: number } {
  const step = ONE / 10 ** can.decimals
  const quantity = {
    one: () => ONE,
    few: () => ONE * (1 + random.below(20)),
    fraction: () => step * (1 + random.below((5 * ONE) / step)),
    much: () => step * (1 + random.below(9_999_999 / step)),
  }[random.weighted({ one: 4, few: 4, fraction: 4, much: 1 })]()
  const most = Math.floor((can.maxAmount / can.maxItems / Math.max(quantity, ONE)) * ONE)
  const price = {
    nothing: () => 0,
    kopecks: () => 1 + random.below(10),
    usual: () => 1 + random.below(500_000),
    most: () => most,
  }[random.weighted({ nothing: 1, kopecks: 3, usual: 10, most: 0.2 })]()
  return { price: Math.min(price, most), quantity }
}

/** Refunds and closings in any order, in the end of everything. A refund that is freed is not the last one. */
export function historyOf(random: Random, sale: readonly Item[], at: number): Step[] {
  const steps: Step[] = []
  const taken = () => steps.filter(({ isFreed }) => !isFreed)
  for (let left = remainsOf(sale, []); left.length > 0; left = remainsOf(sale, taken())) {
    const isLast = steps.length > 8
    const items = isLast ? refunded(left, sumOf(left)) : undefined
    steps.push(
      items ? { kind: 'refund', items, isFreed: false } : stepOf(random, sale, taken(), { left, at }),
    )
  }
  return steps
}

function refunded(left: readonly Part[], amount: number): Part[] {
  const parts = shareOf(left, amount)
  if (!parts) throw new Error(`less than ${amount} remains`)
  return parts
}

function stepOf(
  random: Random,
  sale: readonly Item[],
  takings: readonly Taking[],
  { left, at }: { left: readonly Part[]; at: number },
): Step {
  const way = random.weighted({ share: 4, items: 4, closing: hasPrepayment(left) ? 3 : 0 })
  if (way === 'share') {
    const amount = 1 + random.below(sumOf(left))
    return { kind: 'refund', items: refunded(left, amount), isFreed: random.chance(0.2) }
  }
  if (way === 'items') {
    const refund = (items: readonly ItemSpec[]) =>
      partsOfRefund(sale, takings, { items, amount: sumOf(items) })
    return { kind: 'refund', items: taken(random, left, refund), isFreed: random.chance(0.2) }
  }
  const prepaid = left.filter(({ method }) => method !== 'fullPayment')
  const close = (items: readonly ItemSpec[] | undefined) =>
    partsOfClosing(sale, takings, { items, at, settings: {} })
  const isWhole = prepaid.every(({ method }) => method !== 'advance') && random.chance(0.5)
  const items = isWhole
    ? partsIn(close(undefined))
    : taken(random, prepaid, (some) => close(some.map(({ vat, method, ...item }) => item)))
  return { kind: 'closing', items, isFreed: false }
}

/** Takes some of what remains, of each less than there is. Sums that were rounded can forbid that: then all of each. */
function taken(random: Random, left: readonly Part[], take: (items: readonly ItemSpec[]) => Parts): Part[] {
  const some = left.filter(() => random.chance(0.5)).map(({ place, unit, ...item }) => item)
  const whole = some.length > 0 ? some : left.map(({ place, ...item }) => item)
  const less = whole.map((item) => {
    const quantity = 1 + random.below(item.quantity)
    const amount = lineAmount(item.price, quantity)
    return amount > 0 && random.chance(0.7) ? { ...item, quantity, amount } : item
  })
  return take(less).parts ?? partsIn(take(whole))
}

function partsIn({ parts, fields }: Parts): Part[] {
  if (parts) return parts
  throw new Error(JSON.stringify(fields))
}
