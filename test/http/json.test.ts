import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/http/json.ts'

describe('JSON', () => {
  it('is what JSON.parse returns, where no number loses digits and nothing is null', () => {
    const value = fc
      .jsonValue({ noUnicodeString: false })
      .filter((json) => !JSON.stringify(json).includes('null'))
    fc.assert(
      fc.property(value, (json) => {
        expect(parseJson(JSON.stringify(json))).toEqual(JSON.parse(JSON.stringify(json)))
      }),
    )
  })

  it.each(['10', '10.0', '10.00', '1e1', '1E+1', '100e-1', '0.1e2'])('reads %s as 10', (literal) =>
    expect(parseJson(literal)).toBe(10),
  )

  it.each(['0', '-0', '0.0', '0e9', '-1.50', '1e300', '0.1', '9007199254740993e0', '123456789.12'])(
    'reads %s',
    (literal) => {
      const exact = literal !== '9007199254740993e0'
      expect(parseJson(literal)).toBe(exact ? Number(literal) : Number.NaN)
    },
  )

  it.each(['1.00000000000000001', '0.999999999999999999', '9007199254740993', '1e400', '1e-400'])(
    'reads %s as NaN, because a double would change it',
    (literal) => expect(parseJson(literal)).toBeNaN(),
  )

  it('drops members that are null, at any depth', () => {
    expect(parseJson('{"a":null,"b":{"c":null,"d":1},"e":[{"f":null}]}')).toEqual({ b: { d: 1 }, e: [{}] })
  })

  it.each(['', '{', '{"a":}', "{'a':1}", '01', '1.', 'NaN', '[1,]', '{}{}'])('refuses %j', (text) =>
    expect(() => parseJson(text)).toThrow(SyntaxError),
  )
})
