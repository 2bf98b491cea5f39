// What the header of a picture says, and what is refused without being decoded.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pictureHeader } from '../../src/gateway/picture-header.ts'
import { IMPOSTORS, LOSSLESS, LOSSY, PICTURES } from '../support/pictures.ts'

const FORMS = [...Object.entries(PICTURES), ['image/webp', LOSSY] as const, ['image/webp', LOSSLESS] as const]
const side = fc.integer({ min: 1, max: 16_383 })

describe('the header', () => {
  it('has the format and the sides of any PNG, JPEG and WebP', () => {
    fc.assert(
      fc.property(fc.constantFrom(...FORMS), side, side, ([mediaType, make], width, height) => {
        const bytes = Uint8Array.from(make(width, height))
        expect(pictureHeader(bytes)).toEqual({ mediaType, width, height, hasExif: false })
        // A view of a part of a buffer too.
        const shifted = Uint8Array.from([0, ...bytes]).subarray(1)
        expect(pictureHeader(shifted)).toEqual({ mediaType, width, height, hasExif: false })
      }),
    )
  })

  it.each(Object.entries(IMPOSTORS))('%s has none', (_, bytes) =>
    expect(pictureHeader(Uint8Array.from(bytes))).toBeUndefined(),
  )

  it('ends, and without an error, whatever the bytes are', () => {
    const start = fc.constantFrom(...FORMS).chain(([, make]) => fc.constant(make(64, 64)))
    fc.assert(
      fc.property(start, fc.nat(60), fc.uint8Array({ maxLength: 80 }), (bytes, kept, more) => {
        const mixed = Uint8Array.from([...bytes.slice(0, kept), ...more])
        const { width = 1, height = 1 } = pictureHeader(mixed) ?? {}
        expect(width >= 0 && height >= 0).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})
