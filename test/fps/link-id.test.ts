import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLinkId, LINK_ID, makeLinkId, PREFIXES } from '../../src/fps/link-id.ts'

const random = fc.uint8Array({ minLength: 7, maxLength: 7 })
const clock = fc.nat({ max: 2 ** 45 })
const NOW = Date.UTC(2026, 10, 21)
const sevenBytes = () => crypto.getRandomValues(new Uint8Array(7))
const head = fc.constantFrom(...Object.values(PREFIXES))
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_.~%'

/** An independent reading of the 26 digits. */
function uuidOf(id: string): string {
  const bits = Array.from(id.slice(6), (digit) =>
    Number.parseInt(digit, 32).toString(2).padStart(5, '0'),
  ).join('')
  expect(bits.slice(0, 2)).toBe('00')
  const hex = BigInt(`0b${bits}`).toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

describe('the id of a link', () => {
  it('is a head and a version-4 UUID in base32hex', () => {
    fc.assert(
      fc.property(head, clock, random, (begin, now, bytes) => {
        const id = makeLinkId('secret', 'demo', begin, { now, random: bytes })
        expect(id).toMatch(LINK_ID)
        expect(id.slice(0, 6)).toBe(begin)
        expect(uuidOf(id)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      }),
    )
  })

  it.each([
    [PREFIXES.dynamic, 0, 0, 'AD100000000000008008001V30VQ4IV8'],
    [PREFIXES.dynamic, NOW, 0, 'AD1000373000000080080022CR05C5R8'],
    [PREFIXES.token, NOW, 0xff, 'AB1S0037300FVVVV9VVRVVTJMUUTL1GJ'],
  ])(
    'of the head %s, the moment %i and the random bytes %i is %s, today and for as long as links live',
    (begin, now, byte, id) => {
      expect(makeLinkId('secret', 'demo', begin, { now, random: new Uint8Array(7).fill(byte) })).toBe(id)
    },
  )

  it('has 50 random bits: each of them changes it, and the six that the UUID fixes do not', () => {
    const of = (bytes: Uint8Array) =>
      makeLinkId('secret', 'demo', PREFIXES.dynamic, { now: NOW, random: bytes })
    const none = of(new Uint8Array(7))
    let fixed = 0
    for (let bit = 0; bit < 56; bit++) {
      const bytes = new Uint8Array(7)
      bytes[bit >> 3] = 0x80 >> (bit & 7)
      if (of(bytes) === none) fixed++
    }
    expect(fixed).toBe(6)
  })

  it('begins with the last 24 bits of the clock, so ids of one moment sort together', () => {
    fc.assert(
      fc.property(clock, random, (now, bytes) => {
        const id = makeLinkId('secret', 'demo', PREFIXES.dynamic, { now, random: bytes })
        expect(Number.parseInt(uuidOf(id).slice(0, 6), 16)).toBe(now % 2 ** 24)
      }),
    )
    const made = Array.from({ length: 1000 }, (_, i) =>
      makeLinkId('secret', 'demo', PREFIXES.dynamic, { now: NOW + i, random: sevenBytes() }),
    )
    expect(made.toSorted()).toEqual(made)
  })

  it('is authentic for the site and the secret that made it', () => {
    fc.assert(
      fc.property(head, clock, random, (begin, now, bytes) =>
        isLinkId(['secret'], 'demo', makeLinkId('secret', 'demo', begin, { now, random: bytes })),
      ),
    )
  })

  it('is refused with any character replaced by any other', () => {
    const id = makeLinkId('secret', 'demo', PREFIXES.dynamic, { now: NOW, random: sevenBytes() })
    for (let index = 0; index < id.length; index++) {
      for (const character of ALPHABET) {
        if (character === id[index]) continue
        expect(isLinkId(['secret'], 'demo', id.slice(0, index) + character + id.slice(index + 1))).toBe(false)
      }
    }
  })

  it.each([
    ['another site', ['secret'], 'other'],
    ['another secret', ['other'], 'demo'],
    ['no secret', [], 'demo'],
  ])('is refused for %s', (_, secrets, site) => {
    expect(
      isLinkId(
        secrets,
        site,
        makeLinkId('secret', 'demo', PREFIXES.token, { now: NOW, random: sevenBytes() }),
      ),
    ).toBe(false)
  })

  it('is authentic under the previous secret while that is accepted', () => {
    const id = makeLinkId('previous', 'demo', PREFIXES.dynamic, { now: NOW, random: sevenBytes() })
    expect(isLinkId(['present', 'previous'], 'demo', id)).toBe(true)
  })

  it('is unique among 100,000 of one millisecond', () => {
    const ids = new Set<string>()
    for (let i = 0; i < 100_000; i++) {
      ids.add(makeLinkId('secret', 'demo', PREFIXES.dynamic, { now: NOW, random: sevenBytes() }))
    }
    expect(ids.size).toBe(100_000)
  })
})
