// What the document of a refund lists where its register takes fewer lines.
import { expect, it } from 'vitest'
import { type Item, lineAmount, ONE } from '../../../src/contract/receipts/item.ts'
import { linesOfRefund } from '../../../src/contract/receipts/refund-lines.ts'

const part = (price: number, quantity: number, more: Partial<Item> = {}) => ({
  ...{ name: 'Tea', price, quantity, amount: lineAmount(price, quantity) },
  ...({ vat: '22', method: 'fullPayment', object: 'commodity', unit: 0, place: 0 } as const),
  ...more,
})

it.each([
  ['of one price are one line by quantity', [part(300, ONE), part(300, 2 * ONE)], [[300, 3 * ONE, 900]]],
  ['whose sums were rounded are one of their sum', [part(1, 500), part(1, 500)], [[2, ONE, 2]]],
  [
    'of other prices are one of their sum, even if the first price gives it',
    [part(200, 2 * ONE), part(100, ONE), part(300, ONE)],
    [[800, ONE, 800]],
  ],
  [
    'of more than the register can state are one of their sum',
    [part(1, 99_999_999), part(1, ONE)],
    [[100_001, ONE, 100_001]],
  ],
  [
    'of other rates, methods, objects, units or names are lines of their own',
    [
      part(1, ONE),
      part(2, ONE, { vat: '10' }),
      part(3, ONE, { method: 'advance' }),
      part(4, ONE, { unit: 11 }),
      part(5, ONE, { object: 'service' }),
      part(6, ONE, { name: 'Cup' }),
    ],
    [1, 2, 3, 4, 5, 6].map((price) => [price, ONE, price]),
  ],
])('parts %s', (_, parts, lines) => {
  const few = { kind: 'atol', ffd: '1.2', maxItems: 1 } as const
  expect(linesOfRefund(parts, few).map(({ price, quantity, amount }) => [price, quantity, amount])).toEqual(
    lines,
  )
})
