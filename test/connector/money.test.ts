// Amounts between the service's and banks' texts in roubles and the connector's kopecks.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { kopecksOf, roublesOf } from '../../connector/amounts.ts'

it.each([
  ['10', 1000],
  ['10.5', 1050],
  ['10.50', 1050],
  ['0.07', 7],
  ['10.505', undefined],
  ['10,5', undefined],
  ['1e3', undefined],
  ['-1', undefined],
  ['', undefined],
])('%j roubles are %s kopecks', (roubles, kopecks) => expect(kopecksOf(roubles)).toBe(kopecks))

it('an amount that is written is read as the same', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000_000), (kopecks) => {
      expect(kopecksOf(roublesOf(kopecks))).toBe(kopecks)
    }),
  )
})
