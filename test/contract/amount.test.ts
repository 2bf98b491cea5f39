import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMinorUnits, parseMinorUnits } from '../../src/contract/amount.ts'
import { parseJson } from '../../src/http/json.ts'

const minorUnits = fc.integer({ min: 1, max: 99_999_999_999 })

describe('an amount', () => {
  it('is the same after formatting and parsing, whatever it is', () => {
    fc.assert(fc.property(minorUnits, (money) => parseMinorUnits(formatMinorUnits(money)) === money))
  })

  it('is exact as a JSON number', () => {
    fc.assert(
      fc.property(
        minorUnits,
        (money) => parseMinorUnits(Number(parseJson(formatMinorUnits(money)))) === money,
      ),
    )
  })

  it.each([
    [10, 1000],
    [10.5, 1050],
    ['10', 1000],
    ['10.0', 1000],
    ['10.00', 1000],
    ['0010.50', 1050],
    [0.01, 1],
    ['0.01', 1],
    [0.29, 29],
    [1.15, 115],
    [999_999_999.99, 99_999_999_999],
    ['999999999.99', 99_999_999_999],
  ])('parses %j as %i minor units', (value, minorUnits) => expect(parseMinorUnits(value)).toBe(minorUnits))

  it.each([
    0,
    -0,
    '0',
    '0.00',
    0.009,
    -1,
    '-1',
    1.005,
    '1.005',
    '1.000',
    1e9,
    1_000_000_000,
    '1000000000',
    999_999_999.999,
    1e21,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '',
    ' ',
    ' 1',
    '1 ',
    '1.',
    '.5',
    '1,5',
    '1e2',
    '+1',
    '0x10',
    '１',
    '1.0.0',
    '1\n',
  ])('refuses %j', (value) => expect(parseMinorUnits(value)).toBeUndefined())

  it('is nothing but decimals in the range', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789.eE+- ') })
    fc.assert(
      fc.property(fc.oneof(fc.string(), digits), (text) => {
        const money = parseMinorUnits(text)
        const plain = /^\d+(\.\d{1,2})?$/.test(text) && Number(text) > 0 && Number(text) < 1e9
        return plain ? money === Math.round(Number(text) * 100) : money === undefined
      }),
    )
  })
})
