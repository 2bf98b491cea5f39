import { describe, expect, it } from 'vitest'
import { type Item, type ItemSpec, lineAmount, ONE } from '../../../src/contract/receipts/item.ts'
import {
  hasPrepayment,
  partsOfClosing,
  partsOfRefund,
} from '../../../src/contract/receipts/requested-items.ts'
import { remainsOf, sumOf, type Taking } from '../../../src/contract/receipts/shares.ts'
import { RATE_22_SINCE } from '../../../src/contract/receipts/vat.ts'

const spec = (name: string, price: number, quantity = ONE, more: Partial<ItemSpec> = {}): ItemSpec => ({
  ...{ name, price, quantity, amount: lineAmount(price, quantity) },
  ...more,
})
const sold = (name: string, price: number, quantity = ONE, more: Partial<Item> = {}): Item => ({
  ...{ name, price, quantity, amount: lineAmount(price, quantity) },
  ...{ vat: '22', method: 'fullPayment', object: 'commodity', unit: 0 },
  ...more,
})

const TEA = sold('Tea', 1000, 3 * ONE)
const CUP = sold('Cup', 500, ONE, { object: 'service', vat: '10' })
const SALE = [TEA, CUP]

/** The refund of items, of their sum, after others. */
const refund = (sale: readonly Item[], items: readonly ItemSpec[], takings: readonly Taking[] = []) =>
  partsOfRefund(sale, takings, { items, amount: sumOf(items) })

describe('the items of a refund', () => {
  it.each<[string, readonly ItemSpec[]]>([
    ['all', [spec('Tea', 1000, 3 * ONE), spec('Cup', 500)]],
    ['some of a line', [spec('Tea', 1000, 1500)]],
    ['a line in two items', [spec('Tea', 1000, ONE), spec('Tea', 1000, 2 * ONE)]],
    ['another order', [spec('Cup', 500), spec('Tea', 1000)]],
    ['every field', [spec('Cup', 500, ONE, { vat: '10', method: 'fullPayment', object: 'service' })]],
  ])('are %s of what was sold', (_, items) => {
    const { parts = [] } = refund(SALE, items)
    expect(parts.map(({ name, price, quantity }) => ({ name, price, quantity }))).toEqual(
      items.map(({ name, price, quantity }) => ({ name, price, quantity })),
    )
    for (const { name, vat, method, object, place } of parts) {
      const line = name === 'Tea' ? TEA : CUP
      expect({ vat, method, object, place }).toEqual({
        ...{ vat: line.vat, method: line.method, object: line.object },
        place: SALE.indexOf(line),
      })
    }
  })

  it.each<[string, ItemSpec, Record<string, string[]>]>([
    [
      'that was not sold',
      spec('Sofa', 1000),
      { 'receipt.items.0.name': ['is "Sofa", must be an item of which something remains'] },
    ],
    [
      'of another price',
      spec('Tea', 999),
      { 'receipt.items.0.price': ['is 9.99, must be 10.00, as in the sale'] },
    ],
    [
      'of another rate of VAT',
      spec('Tea', 1000, ONE, { vat: '10' }),
      { 'receipt.items.0.vat': ['is "10", must be "22", as in the sale'] },
    ],
    [
      'of another method',
      spec('Tea', 1000, ONE, { method: 'advance' }),
      { 'receipt.items.0.method': ['is "advance", must be "fullPayment", as in the sale'] },
    ],
    [
      'of another object',
      spec('Cup', 500, ONE, { object: 'job' }),
      { 'receipt.items.0.object': ['is "job", must be "service", as in the sale'] },
    ],
    [
      'of more than was sold',
      spec('Tea', 1000, 3001),
      { 'receipt.items.0.quantity': ['is 3.001, must be at most 3, which remains of the sale'] },
    ],
  ])('an item %s is refused', (_, item, fields) => {
    expect(refund(SALE, [item])).toEqual({ fields })
  })

  it('an item of which a refund took a part is refused beyond the rest', () => {
    const { parts = [] } = refund(SALE, [spec('Tea', 1000, 2 * ONE)])
    const takings: Taking[] = [{ kind: 'refund', items: parts }]
    expect(refund(SALE, [spec('Tea', 1000, 2 * ONE)], takings).fields).toEqual({
      'receipt.items.0.quantity': ['is 2, must be at most 1, which remains of the sale'],
    })
    expect(refund(SALE, [spec('Tea', 1000)], takings).parts).toHaveLength(1)
  })

  it('after a share, an item has its price still, as far as its sum remains', () => {
    const { place, ...share } = { ...TEA, price: 500, quantity: ONE, amount: 500, place: 0 }
    const takings: Taking[] = [{ kind: 'refund', items: [{ ...share, place }] }]
    expect(refund(SALE, [spec('Tea', 1000, 2 * ONE)], takings).parts).toHaveLength(1)
    expect(refund(SALE, [spec('Tea', 1000, 3 * ONE)], takings).fields).toEqual({
      'receipt.items.0.amount': ['is 30.00, must be at most 25.00, which remains of the sale'],
    })
  })

  it('what remains can be stated as it is listed', () => {
    const thread = [sold('Thread', 1, 3 * ONE), sold('Thread', 1, 1500)]
    const { parts = [] } = refund(thread, [spec('Thread', 1, 1500)])
    const takings: Taking[] = [{ kind: 'refund', items: parts }]
    const remains = remainsOf(thread, takings).map(({ place, ...item }) => item)
    expect(refund(thread, remains, takings).parts).toHaveLength(remains.length)
  })

  it('an item of which nothing remains is refused', () => {
    const { parts = [] } = refund(SALE, [spec('Tea', 1000, 3 * ONE)])
    expect(refund(SALE, [spec('Tea', 1000)], [{ kind: 'refund', items: parts }]).fields).toEqual({
      'receipt.items.0.name': ['is "Tea", must be an item of which something remains'],
    })
  })

  it('of lines that are equal, one that has exactly as much gives an item', () => {
    const { parts = [] } = refund([TEA, sold('Tea', 1000)], [spec('Tea', 1000), spec('Tea', 1000, 3 * ONE)])
    expect(parts.map(({ place, quantity }) => [place, quantity])).toEqual([
      [1, ONE],
      [0, 3 * ONE],
    ])
  })

  it('of lines that are equal, one of which a share was taken gives no more than its sum', () => {
    const one = sold('Tea', 1000)
    const share = { ...one, price: 500, amount: 500, place: 0 }
    const { parts = [] } = refund([one, one], [spec('Tea', 1000)], [{ kind: 'refund', items: [share] }])
    expect(parts.map(({ place }) => place)).toEqual([1])
  })

  it('two lines that are equal give an item together', () => {
    const { parts = [] } = refund([TEA, CUP, TEA], [spec('Tea', 1000, 5 * ONE)])
    expect(parts.map(({ place, quantity }) => [place, quantity])).toEqual([
      [0, 3 * ONE],
      [2, 2 * ONE],
    ])
  })

  it('two lines whose rounded sums differ from that of the item are stated by themselves', () => {
    const half = sold('Thread', 1, 700)
    expect(refund([half, half], [spec('Thread', 1, 1400)]).fields).toEqual({
      'receipt.items.0.amount': [
        'is 0.01, must be stated for each line of the sale by itself, because their sums are rounded',
      ],
    })
  })

  it.each([
    [1499, 'have the sum 15.00, 0.01 more than 14.99, which is the amount of the refund'],
    [1501, 'have the sum 15.00, 0.01 less than 15.01, which is the amount of the refund'],
  ])('of a refund of %d kopecks and another sum are refused', (amount, text) => {
    const items = [spec('Tea', 1000), spec('Cup', 500)]
    expect(partsOfRefund(SALE, [], { items, amount })).toEqual({ fields: { 'receipt.items': [text] } })
  })
})

describe('the items of a closing receipt', () => {
  const SOFA = sold('Sofa', 50_000, 2 * ONE, { method: 'prepayment', vat: '20', unit: 10 })
  const ADVANCE = sold('Advance', 1000, ONE, { method: 'advance', vat: '22', object: 'payment' })
  const close = (
    sale: readonly Item[],
    items: readonly ItemSpec[] | undefined,
    at = RATE_22_SINCE,
    takings: readonly Taking[] = [],
  ) => partsOfClosing(sale, takings, { items, at, settings: { object: 'service' } })

  it('are by default the prepayment that remains, and no full payment', () => {
    expect(close([TEA, SOFA], undefined)).toEqual({
      parts: [{ ...SOFA, method: 'fullPayment', vat: '22', place: 1 }],
    })
  })

  it.each([
    ['20 of 2025', RATE_22_SINCE - 1, '20'],
    ['22 of 2026', RATE_22_SINCE, '22'],
  ])('have the rate of the day: %s', (_, at, vat) => {
    expect(close([SOFA], undefined, at).parts?.map((part) => part.vat)).toEqual([vat])
    expect(close([SOFA], [spec('Sofa', 50_000)], at).parts?.map((part) => part.vat)).toEqual([vat])
  })

  it('of an advance say what was sold, with the object of the settings', () => {
    expect(close([ADVANCE], [spec('Lamp', 250, 2 * ONE, { unit: 11 })]).parts).toEqual([
      {
        ...{ name: 'Lamp', price: 250, quantity: 2 * ONE, amount: 500, unit: 11 },
        ...{ vat: '22', method: 'fullPayment', object: 'service', place: 0 },
      },
    ])
  })

  it('of an advance are goods in pieces where neither they nor the settings say more', () => {
    const { parts } = partsOfClosing([ADVANCE], [], {
      ...{ items: [spec('Lamp', 250)], at: RATE_22_SINCE, settings: {} },
    })
    expect(parts).toMatchObject([{ object: 'commodity', unit: 0 }])
  })

  it.each<[string, Item[], ItemSpec[] | undefined, Record<string, string[]>]>([
    [
      'without items, of an advance',
      [SOFA, ADVANCE],
      undefined,
      { items: ['is missing, must state what was sold for the advance'] },
    ],
    [
      'of more than the advance',
      [ADVANCE],
      [spec('Lamp', 600), spec('Lamp', 401)],
      { 'items.1.amount': ['is 4.01, must be at most 4.00, which remains of the advance'] },
    ],
    [
      'of more than was prepaid',
      [SOFA],
      [spec('Sofa', 50_000, 2001)],
      { 'items.0.quantity': ['is 2.001, must be at most 2, which remains of the sale'] },
    ],
    [
      'of what was paid in full',
      [TEA, SOFA],
      [spec('Tea', 1000)],
      { 'items.0.name': ['is "Tea", must be an item of which something remains'] },
    ],
    [
      'with the rate of another day',
      [SOFA],
      [spec('Sofa', 50_000, ONE, { vat: '20' })],
      { 'items.0.vat': ['is "20", must be "22", the rate of the day'] },
    ],
    [
      'with a prepayment',
      [SOFA],
      [spec('Sofa', 50_000, ONE, { method: 'prepayment' })],
      { 'items.0.method': ['is "prepayment", must be fullPayment in a closing receipt'] },
    ],
  ])('%s are refused', (_, sale, items, fields) => {
    expect(close(sale, items)).toEqual({ fields })
  })

  it('never exceed together what remains', () => {
    const { parts = [] } = close([SOFA], [spec('Sofa', 50_000)])
    const takings: Taking[] = [{ kind: 'closing', items: parts }]
    expect(close([SOFA], [spec('Sofa', 50_000, 2 * ONE)], RATE_22_SINCE, takings).fields).toBeDefined()
    expect(close([SOFA], undefined, RATE_22_SINCE, takings).parts?.map(({ amount }) => amount)).toEqual([
      50_000,
    ])
    expect(hasPrepayment(remainsOf([SOFA], takings))).toBe(true)
    const { parts: rest = [] } = close([SOFA], undefined, RATE_22_SINCE, takings)
    expect(hasPrepayment(remainsOf([SOFA], [...takings, { kind: 'closing', items: rest }]))).toBe(false)
  })
})
