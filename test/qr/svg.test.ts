// An SVG is a symbol drawn at any size, and it is read back.

import { describe, expect, test } from 'vitest'
import { encode } from '../../src/qr/encode.ts'
import { svg } from '../../src/qr/svg.ts'
import { enlarge, firstDifference, link, modulesOf, paint, read } from './reading.ts'
import { renderSvg } from './svg-renderer.ts'

describe.each([
  [100, 100, 40],
  [300, 300, 40],
  [333, 777, 10],
  [777, 333, 10],
  [2000, 2000, 3],
])('a picture of %i × %i pixels', (width, height, links) => {
  test(`of ${links} payment links is read back by two decoders`, () => {
    for (let number = 0; number < links; number++) {
      const text = link(number * 7919 + height)
      const pixels = renderSvg(svg(encode(text), width, height))
      expect([pixels.width, pixels.height]).toEqual([width, height])
      // Modules of two pixels are less than cameras deliver, and less than a decoder's grid of samples.
      expect(read(width === 100 ? enlarge(pixels, 3) : pixels)).toEqual({ jsqr: text, qr: text })
    }
  })

  test('is white or black in every pixel, the symbol centred in it', () => {
    const symbol = encode('FPS 1')
    const modules = modulesOf(symbol)
    const scale = Math.min(width, height) / 29
    const left = (width - scale * 21) / 2
    const top = (height - scale * 21) / 2
    const expected = paint(
      width,
      height,
      (x, y) => modules[Math.floor((y + 0.5 - top) / scale)]?.[Math.floor((x + 0.5 - left) / scale)] ?? false,
    )
    expect(firstDifference(renderSvg(svg(symbol, width, height)), expected)).toBe(-1)
  })
})

test('every side from 100 to 2000 pixels is read back by two decoders', () => {
  for (let side = 100; side <= 2000; side += 97) {
    const text = link(side)
    const pixels = renderSvg(svg(encode(text), side, 2100 - side))
    expect(read(Math.min(side, 2100 - side) < 200 ? enlarge(pixels, 2) : pixels)).toEqual({
      jsqr: text,
      qr: text,
    })
  }
})

test('a picture has no script, no style and no reference outside itself', () => {
  const document = svg(encode(link(1)), 300, 300)
  expect(document.match(/<[a-z]+/g)).toEqual(['<svg', '<path', '<path'])
  expect(document.match(/[\w:-]+(?==")/g)).toEqual([
    'xmlns',
    'width',
    'height',
    'viewBox',
    'stroke',
    'shape-rendering',
    'fill',
    'd',
    'd',
  ])
})

test('the picture of a symbol of version 1 is this one', () => {
  expect(svg(encode('FPS 1'), 210, 290)).toBe(
    '<svg xmlns="http://www.w3.org/2000/svg" width="210" height="290" viewBox="0 0 29 29" stroke="none" ' +
      'shape-rendering="crispEdges"><path fill="#fff" d="M-6 -6h41v41h-41z"/><path d="' +
      'M4 4h7v1h-7M18 4h7v1h-7M13 4h3v1h-3M14 5h1v1h-1M12 5h1v1h-1M16 5h1v1h-1M4 5h1v5h-1' +
      'M12 9h2v1h-2M14 7h2v1h-2M18 5h1v5h-1M14 10h1v1h-1M16 9h1v2h-1M18 10h7v1h-7M12 10h1v2h-1' +
      'M18 12h2v1h-2M23 12h1v1h-1M15 8h2v1h-2M4 10h7v1h-7M21 14h4v1h-4M23 13h2v1h-2M8 12h4v1h-4' +
      'M10 5h1v5h-1M12 13h4v1h-4M15 14h1v1h-1M17 14h1v1h-1M19 15h1v1h-1M23 15h2v1h-2M12 16h2v1h-2' +
      'M19 16h2v1h-2M4 15h2v1h-2M12 17h6v1h-6M14 11h2v1h-2M24 5h1v5h-1M4 18h7v1h-7M10 16h1v1h-1' +
      'M14 18h8v1h-8M20 6h3v3h-3M6 6h3v3h-3M12 18h1v2h-1M18 13h1v1h-1M22 17h2v1h-2M16 12h1v1h-1' +
      'M23 16h1v1h-1M13 6h1v1h-1M15 16h1v1h-1M21 15h1v1h-1M17 16h1v1h-1M19 17h1v1h-1M24 18h1v2h-1' +
      'M4 19h1v5h-1M13 22h1v1h-1M19 23h1v1h-1M22 20h3v1h-3M4 24h7v1h-7M5 13h4v1h-4M6 20h3v3h-3' +
      'M7 14h1v1h-1M8 16h1v1h-1M9 14h3v1h-3M10 19h1v5h-1M11 15h3v1h-3M12 20h4v1h-4M13 24h2v1h-2' +
      'M14 19h2v1h-2M15 22h1v1h-1M16 21h3v1h-3M17 23h1v1h-1M18 20h1v1h-1M19 24h2v1h-2M20 19h2v1h-2' +
      'M21 22h1v2h-1M22 24h3v1h-3M23 21h2v1h-2M24 23h1v1h-1' +
      '"/></svg>',
  )
})
