import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { itemAnswer } from '../../../src/contract/receipts/document.ts'
import {
  formatQuantity,
  type Item,
  ItemRequest,
  lineAmount,
  parseQuantity,
  UNITS,
} from '../../../src/contract/receipts/item.ts'
import { defaultItem, resolvedItem } from '../../../src/contract/receipts/receipt.ts'

describe('a quantity', () => {
  it('is the same after formatting and parsing, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 99_999_999 }),
        (thousandths) => parseQuantity(formatQuantity(thousandths)) === thousandths,
      ),
    )
  })

  it.each([
    ['1', 1000],
    ['1.0', 1000],
    ['0.001', 1],
    ['47.8', 47_800],
    ['00001.5', 1500],
    ['99999.999', 99_999_999],
  ])('%s is %d thousandths', (text, thousandths) => expect(parseQuantity(text)).toBe(thousandths))

  it.each(['0', '0.000', '', '.5', '1.', '1,5', '1e3', '-1', '+1', ' 1', '1.0001', '100000', '٣', 'NaN'])(
    '%j is none',
    (text) => expect(parseQuantity(text)).toBeUndefined(),
  )

  it.each([
    [1500, '1.5'],
    [1000, '1'],
    [10, '0.01'],
    [1, '0.001'],
    [10_000, '10'],
  ])('of %d thousandths is shown as %s', (thousandths, text) =>
    expect(formatQuantity(thousandths)).toBe(text),
  )
})

describe('the sum of a line', () => {
  it.each([
    [2199, 47_800, 105_112],
    [1, 500, 1],
    [1, 499, 0],
    [3, 500, 2],
    [333, 1500, 500],
    [0, 99_999_999, 0],
    // 9999999999 × 99999.999 is more than a number holds exactly before the division.
    [9_999_999_999, 99_999_999, 999_999_989_900_000],
  ])('%d × %d thousandths is %d, half a kopeck up', (price, quantity, amount) =>
    expect(lineAmount(price, quantity)).toBe(amount),
  )

  it('is within half a kopeck of price × quantity', () => {
    const price = fc.integer({ min: 0, max: 9_999_999_999 })
    const quantity = fc.integer({ min: 1, max: 99_999_999 })
    fc.assert(
      fc.property(price, quantity, (each, of) => {
        const off = BigInt(lineAmount(each, of)) * 1000n - BigInt(each) * BigInt(of)
        expect(off > -500n && off <= 500n).toBe(true)
      }),
    )
  })
})

it('the units are those of tag 2108', () =>
  expect(UNITS.join(' ')).toBe('0 10 11 12 20 21 22 30 31 32 40 41 42 50 51 70 71 72 73 80 81 82 83 255'))

describe('an item', () => {
  it('of a request may leave out quantity and amount', () => {
    expect(ItemRequest.parse({ name: 'Tea', price: '21.99' })).toEqual({
      ...{ name: 'Tea', price: 2199, quantity: 1000, amount: 2199 },
    })
  })

  it('takes from the settings what it does not state', () => {
    const stated = { name: 'Tea', price: 1, quantity: 1000, amount: 1 }
    expect(resolvedItem(stated, {})).toBeUndefined()
    expect(resolvedItem(stated, { vat: '10' })).toEqual({
      ...stated,
      ...{ vat: '10', method: 'fullPayment', object: 'commodity', unit: 0 },
    })
    expect(resolvedItem(stated, { vat: '10', method: 'advance', object: 'payment' })).toEqual({
      ...stated,
      ...{ vat: '10', method: 'advance', object: 'payment', unit: 0 },
    })
    const all = { ...stated, vat: '5', method: 'prepayment', object: 'job', unit: 11 } as const
    expect(resolvedItem(all, { vat: '10', method: 'advance', object: 'payment' })).toEqual(all)
  })

  it('of a default receipt is one of the whole amount', () => {
    expect(defaultItem(12_345, 'Order 7')).toEqual({
      ...{ name: 'Order 7', price: 12_345, quantity: 1000, amount: 12_345 },
    })
  })

  it('of a document is shown with the computed rate of a prepayment, and without its place', () => {
    const item: Item & { place: number } = {
      ...{ name: 'Tea', price: 2199, quantity: 47_800, amount: 105_112, vat: '22' },
      ...{ method: 'prepayment', object: 'commodity', unit: 0, place: 3 },
    }
    expect(itemAnswer(item)).toEqual({
      ...{ name: 'Tea', price: '21.99', quantity: '47.8', amount: '1051.12', vat: '22/122' },
      ...{ method: 'prepayment', object: 'commodity', unit: 0 },
    })
    expect(itemAnswer({ ...item, method: 'fullPayment' }).vat).toBe('22')
  })
})
