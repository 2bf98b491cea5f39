import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readCbor } from '../../src/passkeys/cbor.ts'
import { type CborValue, cbor } from '../support/authenticator.ts'

const read = (hex: string) => readCbor(Uint8Array.fromHex(hex), 0)

// RFC 8949, appendix A.
it.each([
  ['00', 0],
  ['17', 23],
  ['1818', 24],
  ['1903e8', 1000],
  ['1a000f4240', 1_000_000],
  ['20', -1],
  ['3903e7', -1000],
  ['4401020304', Uint8Array.of(1, 2, 3, 4)],
  ['6449455446', 'IETF'],
  ['62c3bc', 'ü'],
  ['83010203', [1, 2, 3]],
  [
    'a201020304',
    new Map([
      [1, 2],
      [3, 4],
    ]),
  ],
  [
    'a26161016162820203',
    new Map<string, CborValue>([
      ['a', 1],
      ['b', [2, 3]],
    ]),
  ],
  ['f4', false],
  ['f5', true],
  ['f6', null],
])('%s is %j', (hex, value) => expect(read(hex)).toEqual({ value, end: hex.length / 2 }))

it.each([
  ['', 'nothing'],
  ['18', 'a number that is cut off'],
  ['44010203', 'bytes that are cut off'],
  ['5affffffff', 'more bytes than there are'],
  ['9affffffff', 'more items than there are'],
  ['baffffffff', 'more pairs than there are'],
  ['a101', 'a key without a value'],
  ['a201020103', 'a key twice'],
  ['a1800', 'a key that is a list'],
  ['a1f500', 'a key that is true'],
  ['62ff00', 'a text that is not UTF-8'],
  ['1b0000000000000001', 'a number of 64 bits'],
  ['1c', 'a reserved length'],
  ['5f42010243030405ff', 'bytes of indefinite length'],
  ['bf6161019fff', 'a map of indefinite length'],
  ['c11a514b67b0', 'a tag'],
  ['f7', 'undefined'],
  ['f93c00', 'a floating-point number'],
  ['818181818100', 'five levels'],
])('%s is refused: %s', (hex) => expect(read(hex.padEnd(hex.length + (hex.length % 2), '0'))).toBeUndefined())

it('reads what was written, and no prefix of it; never throws', () => {
  const { value } = fc.letrec<{ value: CborValue; leaf: CborValue }>((tie) => ({
    leaf: fc.oneof(
      fc.integer({ min: -65_000, max: 65_000 }),
      fc.string({ unit: 'grapheme' }),
      fc.uint8Array({ maxLength: 300 }),
      fc.boolean(),
      fc.constant(null),
    ),
    value: fc.oneof(
      { maxDepth: 3 },
      tie('leaf'),
      fc.array(tie('value'), { maxLength: 4 }),
      fc
        .uniqueArray(fc.tuple(fc.oneof(fc.integer({ min: -300, max: 300 }), fc.string()), tie('value')), {
          selector: ([key]) => key,
          maxLength: 4,
        })
        .map((pairs) => new Map(pairs)),
    ),
  }))
  fc.assert(
    fc.property(value, fc.nat(), (each, at) => {
      const bytes = cbor(each)
      expect(readCbor(bytes, 0)).toEqual({ value: each, end: bytes.length })
      expect(readCbor(bytes.slice(0, at % bytes.length), 0)).toBeUndefined()
    }),
  )
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void readCbor(new Uint8Array(bytes), 0)))
})
