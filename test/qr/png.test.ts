// A PNG is a symbol drawn pixel for pixel, and it is read back.

import { describe, expect, test } from 'vitest'
import { encode } from '../../src/qr/encode.ts'
import { png } from '../../src/qr/png.ts'
import { decodePng } from './png-reader.ts'
import { enlarge, firstDifference, link, modulesOf, paint, read } from './reading.ts'

describe.each([
  [100, 100, 40],
  [300, 300, 40],
  [333, 777, 10],
  [777, 333, 10],
  [2000, 2000, 3],
])('a picture of %i × %i pixels', (width, height, links) => {
  test(`of ${links} payment links is read back by two decoders`, () => {
    for (let number = 0; number < links; number++) {
      const text = link(number * 7919 + width)
      const pixels = decodePng(png(encode(text), width, height))
      expect([pixels.width, pixels.height]).toEqual([width, height])
      // Modules of two pixels are less than cameras deliver, and less than a decoder's grid of samples.
      expect(read(width === 100 ? enlarge(pixels, 3) : pixels)).toEqual({ jsqr: text, qr: text })
    }
  })

  test('is the symbol in whole pixels, centred, with at least four light modules all round', () => {
    const symbol = encode(link(1))
    const modules = modulesOf(symbol)
    const scale = Math.floor(Math.min(width, height) / (symbol.size + 8))
    const left = Math.floor((width - scale * symbol.size) / 2)
    const top = Math.floor((height - scale * symbol.size) / 2)
    const expected = paint(
      width,
      height,
      (x, y) => modules[Math.floor((y - top) / scale)]?.[Math.floor((x - left) / scale)] ?? false,
    )
    expect(Math.min(left, top)).toBeGreaterThanOrEqual(4 * scale)
    expect(firstDifference(decodePng(png(symbol, width, height)), expected)).toBe(-1)
  })
})

test('a picture may be no larger than the symbol with its quiet zone', () => {
  const symbol = encode('FPS 1')
  expect(enlarge(decodePng(png(symbol, 29, 29)), 4)).toEqual(decodePng(png(symbol, 116, 116)))
})

test('a picture smaller than the symbol with its quiet zone is refused by their sizes', () => {
  expect(() => png(encode('FPS 1'), 100, 28)).toThrow(
    new RangeError('A symbol of 29 × 29 modules does not fit 100 × 28 pixels'),
  )
})

test('a picture of 300 × 300 pixels is below 1 kB', () => {
  expect(png(encode(link(1)), 300, 300).length).toBeLessThan(1000)
})
