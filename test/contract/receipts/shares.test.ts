import { describe, expect, it } from 'vitest'
import { type Item, lineAmount, ONE } from '../../../src/contract/receipts/item.ts'
import { partsOfClosing, partsOfRefund } from '../../../src/contract/receipts/requested-items.ts'
import { type Part, remainsOf, shareOf, sumOf, type Taking } from '../../../src/contract/receipts/shares.ts'
import { RATE_22_SINCE } from '../../../src/contract/receipts/vat.ts'

const item = (name: string, price: number, quantity = ONE, more: Partial<Item> = {}): Item => ({
  name,
  price,
  quantity,
  amount: lineAmount(price, quantity),
  vat: '22',
  method: 'fullPayment',
  object: 'commodity',
  unit: 0,
  ...more,
})

const short = (parts: readonly Part[] | undefined) =>
  parts?.map(({ name, quantity, price, amount }) => `${name} ${quantity / ONE} × ${price} = ${amount}`)

const refund = (items: readonly Part[]): Taking => ({ kind: 'refund', items })

/** Accepts refunds of amounts one after the other. @returns the items of each */
function refunds(sale: readonly Item[], amounts: readonly number[]): (readonly Part[])[] {
  const accepted: Taking[] = []
  return amounts.map((amount) => {
    const parts = shareOf(remainsOf(sale, accepted), amount) ?? []
    accepted.push(refund(parts))
    return parts
  })
}

describe('a refund that states no items', () => {
  it('of all lists what was sold', () => {
    const sale = [item('Tea', 2199, 47_800), item('Cup', 100, 2 * ONE)]
    expect(short(shareOf(remainsOf(sale, []), 105_112 + 200))).toEqual([
      'Tea 47.8 × 2199 = 105112',
      'Cup 2 × 100 = 200',
    ])
  })

  it('of a part takes a share of each item, one of its sum', () => {
    const sale = [item('Tea', 100, 2 * ONE), item('Cup', 100)]
    expect(short(shareOf(remainsOf(sale, []), 100))).toEqual(['Tea 1 × 67 = 67', 'Cup 1 × 33 = 33'])
  })

  it('of 50 kopecks takes every second of 100 lines of one kopeck, and the next takes the others', () => {
    const sale = Array.from({ length: 100 }, (_, index) => item(`Line ${index}`, 1))
    const [first = [], second = []] = refunds(sale, [50, 50])
    expect([first.length, second.length]).toEqual([50, 50])
    expect(first.map(({ place }) => place)).toEqual(Array.from({ length: 50 }, (_, index) => 2 * index))
    expect(new Set([...first, ...second].map(({ place }) => place)).size).toBe(100)
  })

  it('leaves out items of 0', () => {
    const sale = [item('Gift', 0), item('Tea', 100), item('Sticker', 1)]
    expect(short(shareOf(remainsOf(sale, []), 10))).toEqual(['Tea 1 × 10 = 10'])
    expect(short(shareOf(remainsOf(sale, []), 101))).toEqual(['Tea 1 × 100 = 100', 'Sticker 1 × 1 = 1'])
  })

  it('of more than remains has no items', () => {
    expect(shareOf(remainsOf([item('Tea', 100)], []), 101)).toBeUndefined()
  })

  it('is exact where products exceed what a number holds', () => {
    const sale = Array.from({ length: 100 }, () => item('Gold', 9_999_999_999))
    const parts = refunds(sale, [333_333_333_333, 1, 666_666_666_566]).flat()
    expect(sumOf(parts)).toBe(999_999_999_900)
    for (let place = 0; place < 100; place++) {
      expect(sumOf(parts.filter((part) => part.place === place))).toBe(9_999_999_999)
    }
  })

  it('lists the rest of a line by quantity where that has the sum, else as one of the sum', () => {
    const sale = [item('Tea', 1000, 3 * ONE), item('Thread', 1, 3 * ONE)]
    const byQuantity = partsOfRefund(sale, [], {
      items: [item('Tea', 1000), item('Thread', 1, 1500)],
      amount: 1002,
    })
    const takings = [refund(byQuantity.parts ?? [])]
    // 1.5 × 0.01 is 0.02, so of 0.03 remains 0.01, which is not 1.5 × 0.01.
    expect(short(remainsOf(sale, takings))).toEqual(['Tea 2 × 1000 = 2000', 'Thread 1 × 1 = 1'])
  })

  it('after a share lists the rest as one of its sum', () => {
    const sale = [item('Tea', 1000, 3 * ONE)]
    const [share = []] = refunds(sale, [100])
    expect(short(remainsOf(sale, [refund(share)]))).toEqual(['Tea 1 × 2900 = 2900'])
  })

  it('keeps rate, method, object and unit of the sale', () => {
    const sold = item('Tea', 1000, 3 * ONE, { vat: '20', method: 'advance', object: 'payment', unit: 11 })
    expect(shareOf(remainsOf([sold], []), 1)).toEqual([
      { ...sold, price: 1, quantity: ONE, amount: 1, place: 0 },
    ])
  })
})

describe('a refund of 47.8 × 21.99 less 0.12', () => {
  // As the client spreads the discount.
  const sale = [item('Tea', 2198, 11_800), item('Tea', 2199, 36 * ONE)]

  it('is of 1051.00, and its parts add up to it', () => {
    expect(sumOf(sale)).toBe(105_100)
    const parts = refunds(sale, [1, 33_333, 71_766]).map(sumOf)
    expect(parts).toEqual([1, 33_333, 71_766])
  })
})

describe('after a closing receipt', () => {
  const sale = [
    item('Sofa', 50_000, ONE, { method: 'fullPrepayment', vat: '20' }),
    item('Delivery', 1000, ONE, { method: 'fullPrepayment', vat: '20' }),
  ]
  const close = (takings: readonly Taking[], items?: Item[]): Taking => {
    const { parts = [] } = partsOfClosing(sale, takings, { items, at: RATE_22_SINCE, settings: {} })
    return { kind: 'closing', items: parts }
  }
  const asText = (parts: readonly Part[]) =>
    parts.map(({ name, method, vat, amount, place }) => `${place} ${name} ${method} ${vat} ${amount}`)

  it('the items of the closing are those of the sale, at the rate of its day', () => {
    expect(asText(remainsOf(sale, [close([])]))).toEqual([
      '2 Sofa fullPayment 22 50000',
      '3 Delivery fullPayment 22 1000',
    ])
  })

  it('of a part, the rest is still a prepayment', () => {
    const { vat, method, ...sofa } = item('Sofa', 50_000)
    const { parts = [] } = partsOfClosing(sale, [], { items: [sofa], at: RATE_22_SINCE, settings: {} })
    const first: Taking = { kind: 'closing', items: parts }
    expect(asText(remainsOf(sale, [first]))).toEqual([
      '1 Delivery fullPrepayment 20 1000',
      '2 Sofa fullPayment 22 50000',
    ])
    expect(asText(remainsOf(sale, [first, close([first])]))).toEqual([
      '2 Sofa fullPayment 22 50000',
      '3 Delivery fullPayment 22 1000',
    ])
  })

  it('a refund before it leaves less to close, and one after it takes of the closing', () => {
    const share = refund(shareOf(remainsOf(sale, []), 5100) ?? [])
    const closing = close([share])
    expect(asText(closing.items)).toEqual(['0 Sofa fullPayment 22 45000', '1 Delivery fullPayment 22 900'])
    const rest = shareOf(remainsOf(sale, [share, closing]), 45_900) ?? []
    expect(asText(rest)).toEqual(['2 Sofa fullPayment 22 45000', '3 Delivery fullPayment 22 900'])
    expect(remainsOf(sale, [share, closing, refund(rest)])).toEqual([])
  })
})

describe('an advance', () => {
  const sale = [
    item('Advance', 300, ONE, { method: 'advance', object: 'payment' }),
    item('Tea', 100),
    item('Advance 2', 200, ONE, { method: 'advance', object: 'payment' }),
  ]
  const close = (takings: readonly Taking[], amount: number) =>
    partsOfClosing(sale, takings, { items: [item('Sofa', amount)], at: RATE_22_SINCE, settings: {} })

  it('is offset in one sum, whatever its lines are, and full payments are not', () => {
    const { parts = [] } = close([], 450)
    const takings: Taking[] = [{ kind: 'closing', items: parts }]
    expect(short(remainsOf(sale, takings))).toEqual([
      'Tea 1 × 100 = 100',
      'Advance 2 1 × 50 = 50',
      'Sofa 1 × 450 = 450',
    ])
    expect(close(takings, 51).fields).toEqual({
      'items.0.amount': ['is 0.51, must be at most 0.50, which remains of the advance'],
    })
    expect(close(takings, 50).parts).toHaveLength(1)
  })

  it('of one kopeck more than its first line has takes one of the next', () => {
    const { parts = [] } = close([], 301)
    expect(short(remainsOf(sale, [{ kind: 'closing', items: parts }]))).toEqual([
      'Tea 1 × 100 = 100',
      'Advance 2 1 × 199 = 199',
      'Sofa 1 × 301 = 301',
    ])
  })

  it('what a declined refund frees changes no total', () => {
    const declined = refund(shareOf(remainsOf(sale, []), 300) ?? [])
    const { parts = [] } = close([declined], 250)
    const takings: Taking[] = [{ kind: 'closing', items: parts }]
    expect(sumOf(remainsOf(sale, takings))).toBe(600)
    expect(sumOf(remainsOf(sale, takings).filter(({ method }) => method === 'advance'))).toBe(250)
  })
})
