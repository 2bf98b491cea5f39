import { describe, expect, inject, it } from 'vitest'
import type { CashRegister } from '../../../src/contract/receipts/cash-register.ts'
import { type Item, lineAmount, MAX_ITEMS } from '../../../src/contract/receipts/item.ts'
import { linesOfRefund } from '../../../src/contract/receipts/refund-lines.ts'
import { refuseItems } from '../../../src/contract/receipts/register-rules.ts'
import { refuseReceipt } from '../../../src/contract/receipts/rules.ts'
import { linesOf, remainsOf, sumOf, type Taking } from '../../../src/contract/receipts/shares.ts'
import { RATE_22_SINCE, rateOn } from '../../../src/contract/receipts/vat.ts'
import { type Basket, basketOf, EVERYTHING, historyOf } from '../../support/baskets.ts'
import { randomOf } from '../../support/random.ts'

const [COUNT, SEED] = [inject('baskets'), inject('seed')]
const DAY = 86_400

const REGISTERS: CashRegister[] = [
  EVERYTHING,
  { kind: 'atol', ffd: '1.2' },
  { kind: 'tbank', ffd: '1.05', decimals: 2, maxItems: 50 },
  { kind: 'tbank', ffd: '1.2' },
  { kind: 'raiffeisen', ffd: '1.05' },
]

interface Sale extends Basket {
  seed: number
  /** Unix seconds. */
  at: number
  register: CashRegister
}

/** @throws what the check throws, with the seed of the basket */
function ofEach(check: (sale: Sale) => void) {
  for (let number = 0; number < COUNT; number++) {
    const seed = SEED * 1_000_000 + number
    const random = randomOf(seed)
    const register = REGISTERS[number % REGISTERS.length] ?? EVERYTHING
    const at = RATE_22_SINCE + random.pick([-30 * DAY, -1, 0, 30 * DAY])
    try {
      check({ ...basketOf(random, at, register), seed, at, register })
    } catch (error) {
      throw new Error(`the basket of seed ${seed}`, { cause: error })
    }
  }
}

// 100,000 take minutes.
describe(`${COUNT} random baskets`, { timeout: 60_000 + COUNT * 20 }, () => {
  it('are receipts that their register takes', () => {
    ofEach(({ items, taxation, contact, at, register }) => {
      const amount = { minorUnits: sumOf(items), currency: 'RUB' }
      const of = { type: 'DYNAMIC', amount, payableFrom: at, payableUntil: at + 1 } as const
      const terms = { register, email: 'shop@shop.example', place: 'https://shop.example' }
      expect(refuseReceipt({ items, taxation, contact }, terms, of)).toBeUndefined()
    })
  })

  it('are refunded and closed to the kopeck, in any order, and in the end nothing remains', () => {
    ofEach(({ items: sale, seed, at }) => {
      const closedAt = at + 60 * DAY
      const accepted: Taking[] = []
      let left = sumOf(sale)
      for (const step of historyOf(randomOf(seed + 0.5), sale, closedAt)) {
        expect(brokenParts(sale, accepted, step, closedAt)).toEqual([])
        if (step.isFreed) continue
        accepted.push(step)
        if (step.kind === 'refund') left -= sumOf(step.items)
        expect(sumOf(remainsOf(sale, accepted))).toBe(left)
      }
      expect(left).toBe(0)
      expect(withoutAdvance(sumsTaken(sale, accepted))).toEqual(withoutAdvance(sumsSold(sale, accepted)))
    })
  })

  it('are refunded by documents of fewer lines, with the sums of each item, if the register takes fewer', () => {
    ofEach(({ items: sale, seed, at, register }) => {
      for (const { kind, items: parts } of historyOf(randomOf(seed + 0.5), sale, at)) {
        if (kind === 'closing') continue
        const few = { ...register, maxItems: Math.max(1, parts.length - 1) }
        const lines = linesOfRefund(parts, few)
        const sums = sumsByWords(parts)
        expect(sumsByWords(lines)).toEqual(sums)
        expect(lines).toHaveLength(Object.keys(sums).length)
        expect(lines.filter((line) => lineAmount(line.price, line.quantity) !== line.amount)).toEqual([])
        const many = { ...register, maxItems: MAX_ITEMS }
        // A generated refund can have finer quantities than the register takes, and more lines: the site makes no document of it.
        if (refuseItems(parts, many, 'items')) continue
        expect(refuseItems(lines, many, 'items')).toBeUndefined()
        expect(linesOfRefund(parts, many)).toEqual(parts)
      }
    })
  })
})

/** What is told of each item in all, by the words that a document has of it. */
function sumsByWords(items: readonly Item[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { name, vat, method, object, unit, amount } of items) {
    const words = [name, vat, method, object, unit].join(' ')
    sums[words] = (sums[words] ?? 0) + amount
  }
  return sums
}

/** Items of a step that are no part of the sale, or not what a document can state. */
const brokenParts = (sale: readonly Item[], before: readonly Taking[], step: Taking, closedAt: number) => {
  const lines = linesOf(sale, before)
  return step.items.filter((part) => {
    const line = lines[part.place]
    if (!line || part.amount <= 0 || lineAmount(part.price, part.quantity) !== part.amount) return true
    const { item, amount } = line
    const isOfAdvance = step.kind === 'closing' && item.method === 'advance'
    const [vat, method] =
      step.kind === 'closing' ? [rateOn(item.vat, closedAt), 'fullPayment'] : [item.vat, item.method]
    if (part.vat !== vat || part.method !== method) return true
    return !isOfAdvance && (part.name !== item.name || part.object !== item.object || part.amount > amount)
  })
}

type Sums = { method: string; sum: number }[]

/** What was taken of each line in the end. */
function sumsTaken(sale: readonly Item[], accepted: readonly Taking[]): Sums {
  const sums: Sums = linesOf(sale, accepted).map(({ item }) => ({ method: item.method, sum: 0 }))
  for (const { place, amount } of accepted.flatMap(({ items }) => items)) {
    const line = sums[place]
    if (line) line.sum += amount
  }
  return sums
}

const sumsSold = (sale: readonly Item[], accepted: readonly Taking[]): Sums =>
  linesOf(sale, accepted).map(({ item }) => ({ method: item.method, sum: item.amount }))

/** Advances are offset in one sum: theirs is that of all. */
const withoutAdvance = (sums: Sums) => ({
  lines: sums.filter(({ method }) => method !== 'advance'),
  advance: sums.filter(({ method }) => method === 'advance').reduce((total, { sum }) => total + sum, 0),
})
