// A symbol says what its text says, in as few modules as it can.

import fc from 'fast-check'
import { encode as uqr } from 'uqr'
import { describe, expect, test } from 'vitest'
import { encode } from '../../src/qr/encode.ts'
import { alphanumeric, byte, numeric, split, type VersionGroup } from '../../src/qr/segments.ts'
import { artOf, modulesOf, readModules } from './reading.ts'

const utf8 = new TextEncoder()
const utf8Decoder = new TextDecoder()

/** A text without order, of characters from `alphabet`. */
function jumble(alphabet: string, length: number): string {
  let state = length + 1
  let text = ''
  while (text.length < length) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    text += alphabet[(state >>> 16) % alphabet.length]
  }
  return text
}

describe('a text in a single mode', () => {
  test.each([
    ['digits', '0123456789', 5596],
    ['capital letters', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 3391],
    ['small letters', 'abcdefghijklmnopqrstuvwxyz', 2331],
  ])(
    'of %s is drawn module for module as uqr draws it, in all versions and levels',
    (_, alphabet, longest) => {
      const seen = new Set<string>()
      const lengths = Array.from({ length: 220 }, (_, i) => Math.max(1, Math.round(longest * (i / 219) ** 2)))
      for (const length of lengths) {
        const text = jumble(alphabet, length)
        const symbol = encode(text)
        const reference = uqr(text, { ecc: 'M', boostEcc: true, border: 0, maskPattern: symbol.mask })
        expect(symbol.version).toBe(reference.version)
        expect(artOf(modulesOf(symbol)), `${length} characters`).toBe(artOf(reference.data))
        seen.add(`version ${symbol.version}`).add(`level ${symbol.level}`).add(`mask ${symbol.mask}`)
      }
      expect(seen.size).toBe(40 + 3 + 8)
    },
  )

  test.each([
    ['digits', '7', 5596],
    ['capital letters', 'A', 3391],
    ['small letters', 'a', 2331],
  ])('of %s fills version 40 and is refused with one character more', (_, character, longest) => {
    expect(encode(character.repeat(longest))).toMatchObject({ version: 40, level: 'M' })
    expect(() => encode(character.repeat(longest + 1))).toThrow(RangeError)
  })
})

test('a text that no symbol holds is refused by its length in bytes, with what fits', () => {
  expect(() => encode('я'.repeat(1500))).toThrow(/^The text of 3000 bytes .* any text of 2331 bytes$/)
})

test('any Unicode text is read back by two decoders', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }), (text) => {
      expect(readModules(modulesOf(encode(text)))).toEqual({ jsqr: text, qr: text })
    }),
    { numRuns: 250 },
  )
})

test('any mixture of digits, capitals and other characters is read back by two decoders', () => {
  fc.assert(
    fc.property(mixture, (text) => {
      expect(readModules(modulesOf(encode(text)))).toEqual({ jsqr: text, qr: text })
    }),
    // The decoder of qr 0.7.0 misjudges the size of the example at three scales of four.
    { numRuns: 250, examples: [['??x?&g&p=o?=']] },
  )
})

const mixture = fc
  .array(
    fc.oneof(
      fc.stringMatching(/^[0-9]{1,24}$/),
      fc.stringMatching(/^[0-9A-Z $%*+./:-]{1,24}$/),
      fc.stringMatching(/^[a-z?&=]{1,12}$/),
      fc.constantFrom('é', 'Ж', '€', '漢字', '👍🏽'),
    ),
    { minLength: 1, maxLength: 7 },
  )
  .map((parts) => parts.join(''))

describe('the segmentation', () => {
  const modes = new Map([
    [numeric, 'numeric'],
    [alphanumeric, 'alphanumeric'],
    [byte, 'byte'],
  ])
  const segmentsOf = (text: string, group: VersionGroup) =>
    split(utf8.encode(text), group).segments.map(
      ({ mode, start, end }) =>
        `${modes.get(mode)} ${utf8Decoder.decode(utf8.encode(text).subarray(start, end))}`,
    )

  test.each<[string, VersionGroup, string[]]>([
    ['', 0, []],
    ['0', 0, ['numeric 0']],
    ['A0', 0, ['alphanumeric A0']],
    ['ab123', 0, ['byte ab123']],
    ['ab1234', 0, ['byte ab', 'numeric 1234']],
    ['ab12345cd', 0, ['byte ab12345cd']],
    ['ab123456cd', 0, ['byte ab', 'numeric 123456', 'byte cd']],
    ['ab123456cd', 1, ['byte ab123456cd']],
    ['abABCDEFGHIJcd', 0, ['byte abABCDEFGHIJcd']],
    ['abABCDEFGHIJKcd', 0, ['byte ab', 'alphanumeric ABCDEFGHIJK', 'byte cd']],
    ['ABC123456789012DEF', 0, ['alphanumeric ABC123456789012DEF']],
    ['ABC1234567890123456DEF', 0, ['alphanumeric ABC', 'numeric 1234567890123456', 'alphanumeric DEF']],
    ['Счёт 12345678', 0, ['byte Счёт ', 'numeric 12345678']],
  ])('of %j in version group %i is %j', (text, group, expected) => {
    expect(segmentsOf(text, group)).toEqual(expected)
  })

  test('takes as few bits as the best of all segmentations there are', () => {
    fc.assert(
      fc.property(mixture, fc.constantFrom<VersionGroup>(0, 1, 2), (text, group) => {
        expect(split(utf8.encode(text), group).bits).toBe(fewestBits(utf8.encode(text), group))
      }),
      { numRuns: 300 },
    )
  })

  /** The least that any division into segments costs, from the costs that clauses 7.4.3 to 7.4.5 name. */
  function fewestBits(text: Uint8Array, group: VersionGroup): number {
    const fewest = [0]
    for (let end = 1; end <= text.length; end++) {
      const candidates: number[] = []
      for (let start = 0; start < end; start++) {
        const characters = String.fromCharCode(...text.subarray(start, end))
        const n = end - start
        const before = fewest[start] ?? Number.NaN
        candidates.push(before + 4 + byte.countBits[group] + 8 * n)
        if (/^[0-9A-Z $%*+./:-]*$/.test(characters)) {
          candidates.push(before + 4 + alphanumeric.countBits[group] + 11 * (n >> 1) + 6 * (n & 1))
        }
        if (/^[0-9]*$/.test(characters)) {
          candidates.push(
            before + 4 + numeric.countBits[group] + 10 * Math.floor(n / 3) + ([0, 4, 7][n % 3] ?? 0),
          )
        }
      }
      fewest.push(Math.min(...candidates))
    }
    return fewest[text.length] ?? Number.NaN
  }

  test('makes the symbol of a payment link of 109 characters smaller than bytes alone', () => {
    const link =
      'https://qr.nspk.ru/AD100004BAL7227F9BNP6KNE007J9B3K' +
      '?type=02&bank=100000000007&sum=123456789&cur=RUB&crc=AB75'
    expect(encode(link).version).toBe(6)
    expect(uqr(link, { ecc: 'M', border: 0 }).version).toBe(7)
  })
})

test('a symbol of version 1 is this one', () => {
  const symbol = encode('FPS 1')
  expect(symbol).toMatchObject({ version: 1, level: 'H', mask: 4, size: 21 })
  expect(`\n${artOf(modulesOf(symbol))}\n`).toBe(`
##############    ######    ##############
##          ##  ##  ##  ##  ##          ##
##  ######  ##    ##        ##  ######  ##
##  ######  ##      ####    ##  ######  ##
##  ######  ##        ####  ##  ######  ##
##          ##  ####    ##  ##          ##
##############  ##  ##  ##  ##############
                ##  ####
        ########        ##  ####      ##
  ########      ########    ##        ####
      ##  ######      ##  ##      ########
####          ######          ##  ##  ####
        ##  ##  ####  ##  ##  ####    ##
                ############  ##    ####
##############  ##  ################    ##
##          ##  ##  ####        ####    ##
##  ######  ##  ########    ##      ######
##  ######  ##          ######        ####
##  ######  ##    ##  ##          ##
##          ##            ##  ##  ##    ##
##############    ####        ####  ######
`)
})
