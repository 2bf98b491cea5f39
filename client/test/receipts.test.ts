import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type CreateQrCode,
  fromKopecks,
  receiptContact,
  receiptItems,
  receiptVat,
  spreadDiscount,
  toKopecks,
} from '../src/index.ts'

/** price × quantity in kopecks, half a kopeck up, as the service calculates it. */
function amountOf({ price, quantity = '1' }: { price: string; quantity?: string }): number {
  const thousandths = BigInt(Math.round(Number(quantity) * 1000))
  return Number((BigInt(toKopecks(price)) * thousandths * 2n + 1000n) / 2000n)
}

const sumOf = (items: readonly { price: string; quantity?: string }[]): number =>
  items.reduce((sum, item) => sum + amountOf(item), 0)

const item = fc.record({
  name: fc.constantFrom('Tea', 'Cup'),
  price: fc
    .oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 9_999_999_999 }))
    .map(fromKopecks),
  quantity: fc
    .oneof(fc.integer({ min: 1, max: 1200 }), fc.integer({ min: 1, max: 99_999_999 }))
    .map((thousandths) => String(thousandths / 1000)),
})
const basket = fc.array(item, { minLength: 1, maxLength: 50 })

it('the items have the sum less the discount, to the kopeck, and no price rises', () => {
  fc.assert(
    fc.property(basket, fc.double({ min: 0, max: 1, noNaN: true }), (items, part) => {
      const total = sumOf(items)
      const discount = Math.floor(total * part)
      fc.pre(Number.isSafeInteger(total))
      const spread = spreadDiscount(items, fromKopecks(discount))
      expect(sumOf(spread)).toBe(total - discount)
      const most = Math.max(...items.map(({ price }) => toKopecks(price)))
      for (const { price } of spread) expect(toKopecks(price)).toBeLessThanOrEqual(most)
    }),
    { numRuns: 1000 },
  )
})

it('quantities add up to what they were', () => {
  const thousandths = (items: readonly { quantity: string }[]) =>
    items.reduce((sum, { quantity }) => sum + Math.round(Number(quantity) * 1000), 0)
  fc.assert(
    fc.property(basket, (items) => {
      const spread = spreadDiscount(items, fromKopecks(Math.floor(sumOf(items) / 3)))
      expect(thousandths(spread)).toBe(thousandths(items))
    }),
  )
})

it.each([
  {
    title: 'a line whose sum is a multiple of its quantity stays one',
    items: [{ price: '10.00', quantity: '2' }],
    discount: '1.00',
    spread: [{ price: '9.50', quantity: '2' }],
  },
  {
    title: 'a line whose sum is none becomes two, a kopeck apart',
    items: [{ price: '10.00', quantity: '3' }],
    discount: '0.01',
    spread: [
      { price: '9.99', quantity: '1' },
      { price: '10.00', quantity: '2' },
    ],
  },
  {
    title: '47.8 × 21.99 less 0.12',
    items: [{ price: '21.99', quantity: '47.8' }],
    discount: '0.12',
    spread: [
      { price: '21.98', quantity: '11.8' },
      { price: '21.99', quantity: '36' },
    ],
  },
  {
    title: 'the discount is in proportion to the sums',
    items: [{ price: '100.00' }, { price: '300.00' }],
    discount: '40.00',
    spread: [
      { price: '90.00', quantity: '1' },
      { price: '270.00', quantity: '1' },
    ],
  },
  {
    title: 'the whole sum can be taken off',
    items: [{ price: '1.00' }, { price: '0.00' }],
    discount: '1.00',
    spread: [
      { price: '0.00', quantity: '1' },
      { price: '0.00', quantity: '1' },
    ],
  },
  {
    title: 'no discount changes nothing',
    items: [{ price: '21.99', quantity: '47.8' }, { price: '0.01' }],
    discount: '0.00',
    spread: [
      { price: '21.99', quantity: '47.8' },
      { price: '0.01', quantity: '1' },
    ],
  },
])('$title', ({ items, discount, spread }) => expect(spreadDiscount(items, discount)).toEqual(spread))

it('an item keeps its other fields, in both of its lines', () => {
  const tea = { name: 'Tea', price: '10.00', quantity: '3', vat: '22' as const }
  expect(spreadDiscount([tea], '0.01')).toEqual([
    { ...tea, price: '9.99', quantity: '1' },
    { ...tea, price: '10.00', quantity: '2' },
  ])
})

it('the items are those of a request by their types', () => {
  const tea = { name: 'Tea', price: '10.00', vat: '22', method: 'fullPayment', unit: 11 } as const
  const request: CreateQrCode = {
    qrCodeUid: 'order-1',
    qrCode: { type: 'DYNAMIC' },
    amount: { value: '9.00' },
    receipt: { contact: { email: 'customer@shop.example' }, items: spreadDiscount([tea], '1.00') },
  }
  expect(request.receipt?.items).toEqual([{ ...tea, price: '9.00', quantity: '1' }])
})

it('more than 100 items are refused, and the error says how many there are', () => {
  const items = Array.from({ length: 51 }, () => ({ price: '10.00', quantity: '3' }))
  expect(() => spreadDiscount(items, '0.51')).toThrow(
    new RangeError('the receipt has 102 items after the discount, must have at most 100'),
  )
  expect(spreadDiscount(items.slice(1), '0.50')).toHaveLength(100)
})

it.each([
  ['a discount above the sum', [{ price: '1.00' }], '1.01', 'discount is 1.01, must be at most 1.00'],
  ['a discount of three decimals', [{ price: '1.00' }], '0.001', 'discount is "0.001", must be a string'],
  ['a negative discount', [{ price: '1.00' }], '-1', 'discount is "-1", must be a string'],
  ['a price that is no amount', [{ price: '1,00' }], '0', 'items.0.price is "1,00", must be'],
  ['a quantity of 0', [{ price: '1.00', quantity: '0' }], '0', 'items.0.quantity is "0", must be a string'],
  ['a quantity with an exponent', [{ price: '1.00', quantity: '1e3' }], '0', 'items.0.quantity is "1e3"'],
  [
    'a quantity of four decimals',
    [{ price: '1.00', quantity: '1.0001' }],
    '0',
    'items.0.quantity is "1.0001"',
  ],
  ['a quantity of six digits', [{ price: '1.00', quantity: '100000' }], '0', 'items.0.quantity is "100000"'],
  ['no items', [], '0.01', 'discount is 0.01, must be at most 0.00'],
])('%s is refused', (_, items, discount, text) => {
  expect(() => spreadDiscount(items, discount)).toThrow(RangeError)
  expect(() => spreadDiscount(items, discount)).toThrow(text)
})

const line = fc.record({
  name: fc.constantFrom('Tea', 'Delivery'),
  kopecks: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 99_999_999 })),
  quantity: fc
    .oneof(
      fc.integer({ min: 1, max: 9 }).map((pieces) => pieces * 1000),
      fc.integer({ min: 1, max: 9999 }),
    )
    .map((thousandths) => String(thousandths / 1000)),
})
const order = fc.array(line, { minLength: 1, maxLength: 50 })

const itemsSum = (items: ReturnType<typeof receiptItems>): number =>
  sumOf(items.map(({ price, quantity = '1' }) => ({ price: String(price), quantity })))

it('the items of an order have its total, to the kopeck, with a discount or the rounding of a shop', () => {
  fc.assert(
    fc.property(order, fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean(), (lines, part, up) => {
      const all = lines.reduce((sum, { kopecks }) => sum + kopecks, 0)
      const total = up && all > 0 ? all + Math.floor(lines.length * part) : Math.floor(all * part)
      expect(itemsSum(receiptItems(lines, total))).toBe(total)
      expect(itemsSum(receiptItems(lines, all))).toBe(all)
    }),
    { numRuns: 1000 },
  )
})

it('a line keeps its sum, its quantity and its other fields; a name is one line of 128 characters', () => {
  const lines = [
    { name: `Чай\n${'а'.repeat(200)}`, kopecks: 1000, quantity: '3', vat: '22' as const },
    { name: 'Delivery', kopecks: 0, object: 'service' as const },
  ]
  const name = `Чай ${'а'.repeat(124)}`
  expect(receiptItems(lines, 1000)).toEqual([
    { name, price: '3.33', quantity: '2', vat: '22' },
    { name, price: '3.34', quantity: '1', vat: '22' },
    { name: 'Delivery', price: '0.00', quantity: '1', object: 'service' },
  ])
})

it('what the lines do not cost is not on the receipt', () => {
  const lines = [{ name: 'Tea', kopecks: 1000 }]
  expect(() => receiptItems(lines, 1002)).toThrow(/^total is 10.02, must be at most 10.00/)
  expect(() => receiptItems([{ name: 'Tea', kopecks: 0 }], 1)).toThrow(RangeError)
  expect(() => receiptItems([{ name: 'Tea', kopecks: 0.5 }], 0)).toThrow(RangeError)
  expect(() => receiptItems(Array(101).fill(lines[0]), 101_000)).toThrow(/101 items/)
})

it.each([
  [[22], { vat: '22' }],
  [[10], { vat: '10' }],
  [[7], { vat: '7' }],
  [[5], { vat: '5' }],
  [[20], {}],
  [[0], {}],
  [[10, 10], {}],
  [[], {}],
])('a line with the rates %j states %j', (rates, vat) => expect(receiptVat(rates)).toEqual(vat))

it.each([
  [{ email: 'a@b.example', phone: '+79001234567' }, { email: 'a@b.example' }],
  [{ email: `${'a'.repeat(55)}@b.example`, phone: '+7 (900) 123-45-67' }, { phone: '+79001234567' }],
  [{ email: null }, undefined],
  [{ email: '', phone: '89001234567' }, undefined],
])('an order of %j has its receipt sent to %j', (order, contact) =>
  expect(receiptContact(order)).toEqual(contact),
)
