import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crc16 } from '../../src/fps/crc.ts'
import { formatLink, parseLink } from '../../src/fps/link.ts'
import { makeLinkId, PREFIXES } from '../../src/fps/link-id.ts'

/** Published by the payment network. */
const PUBLISHED = [
  'https://qr.nspk.ru/AD100004BAL7227F9BNP6KNE007J9B3K?type=02&bank=100000000007&sum=1&cur=RUB&crc=AB75',
  'https://qr.nspk.ru/AS10003P3RH0LJ2A9ROO038L6NT5RU1M?type=01&bank=000000000001&sum=10000&cur=RUB&crc=F3D0',
  'https://sub.nspk.ru/AB1S002LBQ7PDTTE88HQ1SE2PVFVTP04?type=03&bank=100000000111&crc=3B02',
]

describe('the checksum', () => {
  it('is CRC-16/CCITT-FALSE: its check value is 29B1', () => expect(crc16('123456789')).toBe('29B1'))

  it.each(PUBLISHED)('verifies the published %s', (link) => {
    const [covered = '', crc] = link.split('&crc=')
    expect(crc16(covered)).toBe(crc)
  })
})

const link = fc.record({
  base: fc.constantFrom('https://qr.nspk.ru', 'http://127.0.0.1:8787/pay/demo'),
  id: fc
    .tuple(fc.constantFrom(...Object.values(PREFIXES)), fc.uint8Array({ minLength: 10, maxLength: 10 }))
    .map(([head, random]) => makeLinkId('secret', 'demo', head, { now: 0, random })),
  type: fc.constant('DYNAMIC' as const),
  bank: fc.stringMatching(/^\d{12}$/),
  amount: fc.option(
    fc.record({ minorUnits: fc.integer({ min: 1, max: 99_999_999_999 }), currency: fc.constant('RUB') }),
    {
      nil: undefined,
    },
  ),
})

describe('a link', () => {
  it('is written as the network writes it', () => {
    const published = parseLink(PUBLISHED[0] ?? '')
    expect(published).toEqual({
      base: 'https://qr.nspk.ru',
      id: 'AD100004BAL7227F9BNP6KNE007J9B3K',
      type: 'DYNAMIC',
      bank: '100000000007',
      amount: { minorUnits: 1, currency: 'RUB' },
    })
  })

  it('has no sum where it binds an account, whatever the amount', () => {
    const text = formatLink({
      base: 'https://sub.nspk.ru',
      id: 'AB1S002LBQ7PDTTE88HQ1SE2PVFVTP04',
      type: 'TOKEN',
      bank: '100000000111',
      amount: { minorUnits: 100, currency: 'RUB' },
    })
    expect(text).toBe(PUBLISHED[2])
  })

  it('reads back as it was written', () => {
    fc.assert(
      fc.property(link, (parts) => {
        expect(parseLink(formatLink(parts))).toEqual(parts)
      }),
    )
  })

  it('is refused with any one character changed', () => {
    fc.assert(
      fc.property(link, fc.nat(), fc.constantFrom(...'0123456789ABCDEFVZaz?&=/'), (parts, at, character) => {
        const text = formatLink(parts)
        const index = at % text.length
        fc.pre(text[index] !== character)
        return parseLink(text.slice(0, index) + character + text.slice(index + 1)) === undefined
      }),
    )
  })
})
