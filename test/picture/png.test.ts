// A PNG is a symbol drawn pixel for pixel, and it is read back.

import { crc32, inflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { encode } from '../../src/picture/encode.ts'
import { png } from '../../src/picture/png.ts'
import { enlarge, firstDifference, link, modulesOf, type Pixels, paint, read } from './reading.ts'

/** Reads what the PNG standard demands of a file of ours, and throws at whatever it does not allow. */
function decode(file: Uint8Array): Pixels {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  expect([...file.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const chunks: [string, Uint8Array][] = []
  for (let at = 8; at < file.length; ) {
    const length = view.getUint32(at)
    const typed = file.subarray(at + 4, at + 8 + length)
    expect(view.getUint32(at + 8 + length)).toBe(crc32(typed))
    chunks.push([String.fromCharCode(...typed.subarray(0, 4)), typed.subarray(4)])
    at += 12 + length
  }
  expect(chunks.map(([type]) => type)).toEqual(['IHDR', 'IDAT', 'IEND'])
  const [header, data, end] = chunks.map(([, content]) => content)
  if (!header || !data || !end) throw new Error('a chunk is missing')
  expect(end).toHaveLength(0)

  const width = view.getUint32(16)
  const height = view.getUint32(20)
  // One bit of greyscale, deflate, the five basic filters, not interlaced.
  expect([...header.subarray(8)]).toEqual([1, 0, 0, 0, 0])
  const stride = 1 + Math.ceil(width / 8)
  const lines = new Uint8Array(inflateSync(data))
  expect(lines).toHaveLength(height * stride)
  for (let y = 0; y < height; y++) {
    const filter = lines[y * stride]
    expect(filter === 0 || (filter === 2 && y > 0)).toBe(true)
    if (filter === 0) continue
    for (let at = y * stride + 1; at < (y + 1) * stride; at++) {
      lines[at] = (lines[at] ?? 0) + (lines[at - stride] ?? 0)
    }
  }
  return paint(width, height, (x, y) => (((lines[y * stride + 1 + (x >> 3)] ?? 0) << (x & 7)) & 0x80) === 0)
}

describe.each([
  [100, 100, 100],
  [300, 300, 100],
  [333, 777, 25],
  [777, 333, 25],
  [2000, 2000, 5],
])('a picture of %i × %i pixels', (width, height, links) => {
  test(`of ${links} payment links is read back by two decoders`, () => {
    for (let number = 0; number < links; number++) {
      const text = link(number * 7919 + width)
      const pixels = decode(png(encode(text), width, height))
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
    expect(firstDifference(decode(png(symbol, width, height)), expected)).toBe(-1)
  })
})

test('a picture may be no larger than the symbol with its quiet zone', () => {
  const symbol = encode('FPS 1')
  expect(enlarge(decode(png(symbol, 29, 29)), 4)).toEqual(decode(png(symbol, 116, 116)))
})

test('a picture smaller than the symbol with its quiet zone is refused by their sizes', () => {
  expect(() => png(encode('FPS 1'), 100, 28)).toThrow(
    new RangeError('A symbol of 29 × 29 modules does not fit 100 × 28 pixels'),
  )
})

test('a picture of 300 × 300 pixels is below 1 kB', () => {
  expect(png(encode(link(1)), 300, 300).length).toBeLessThan(1000)
})
