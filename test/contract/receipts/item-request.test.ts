import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { ItemRequest, METHODS, OBJECTS, UNITS } from '../../../src/contract/receipts/item.ts'
import { VAT_RATES } from '../../../src/contract/receipts/vat.ts'

/** Values that a field can have, right ones and wrong ones; undefined: it is absent. */
const fields = {
  name: fc.constantFrom<unknown>('Чай', 'n'.repeat(128), 'n'.repeat(129), ' ', '', 'a\nb', '\ud800', 1, null),
  price: fc.constantFrom<unknown>('10.00', '0', 10.5, '100000000.00', '1.001', '-1', '1e3', '', null, {}),
  quantity: fc.constantFrom<unknown>(undefined, '1', '47.8', '0.001', '0', '1.0001', '1e3', '100000', 1),
  amount: fc.constantFrom<unknown>(undefined, '10.00', 10, '478.00', '0.01', '0', 'x', null),
  vat: fc.constantFrom<unknown>(undefined, ...VAT_RATES, '18', '22/122', 22),
  method: fc.constantFrom<unknown>(undefined, ...METHODS, 'credit', ''),
  object: fc.constantFrom<unknown>(undefined, ...OBJECTS, 'other '),
  unit: fc.constantFrom<unknown>(undefined, ...UNITS, 1, '0'),
}
const known = (value: unknown) => value !== undefined
/** Mostly right, so that a wrong field is often the only one. */
const item = fc
  .tuple(
    fc.record(fields),
    fc.record({ ...fields, name: fc.constant('Чай'), price: fc.constant('10.00') }),
    fc.boolean(),
  )
  .map(([any, right, isAny]) => (isAny ? any : right))
  .map((each) => Object.fromEntries(Object.entries(each).filter(([, value]) => known(value))))

describe('an item that is read at a glance', () => {
  // A copy has the rules and not the shortcut.
  const byRules = ItemRequest.clone()

  it('is what its rules make of it, and what they refuse is refused by them', () => {
    const outcomes = { accepted: 0, refused: 0 }
    fc.assert(
      fc.property(item, (value) => {
        const options = { reportInput: true }
        const [glance, rules] = [
          z.safeParse(ItemRequest, value, options),
          z.safeParse(byRules, value, options),
        ]
        expect(glance.data).toStrictEqual(rules.data)
        expect(glance.error?.issues).toEqual(rules.error?.issues)
        outcomes[rules.success ? 'accepted' : 'refused']++
      }),
      { numRuns: 5000 },
    )
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(100)
  })

  it.each<[string, unknown]>([
    ['an unknown field', { name: 'Чай', price: '10.00', markCode: '1' }],
    ['an own __proto__', JSON.parse('{"name":"Чай","price":"10.00","__proto__":{}}')],
    ['no object', null],
    ['an array', []],
    ['a text', 'Чай'],
  ])('with %s is refused by its rules', (_, value) => {
    const [glance, rules] = [ItemRequest.safeParse(value), byRules.safeParse(value)]
    expect(rules.success).toBe(false)
    expect(glance.error?.issues).toEqual(rules.error?.issues)
  })
})
