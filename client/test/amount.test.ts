import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { fromKopecks, toKopecks } from '../src/index.ts'

it('whole kopecks become a text and the same kopecks again', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (kopecks) => {
      const text = fromKopecks(kopecks)
      expect(text).toMatch(/^(0|[1-9]\d*)\.\d\d$/)
      expect(toKopecks(text)).toBe(kopecks)
    }),
  )
})

it.each([
  ['10.50', 1050],
  ['10.5', 1050],
  ['10', 1000],
  ['0.07', 7],
  ['90071992547409.91', Number.MAX_SAFE_INTEGER],
])('"%s" is %d kopecks', (text, kopecks) => expect(toKopecks(text)).toBe(kopecks))

it.each<[unknown]>([
  [10.5],
  [10],
  ['10.505'],
  ['10.'],
  ['.5'],
  ['-1'],
  ['1e3'],
  ['10,50'],
  [' 1'],
  [''],
  ['90071992547409.92'],
  [undefined],
])('%j is no amount', (value) => {
  expect(() => Reflect.apply(toKopecks, undefined, [value])).toThrow(RangeError)
})

it.each([0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER + 1])(
  '%d is no number of kopecks',
  (kopecks) => expect(() => fromKopecks(kopecks)).toThrow(RangeError),
)
