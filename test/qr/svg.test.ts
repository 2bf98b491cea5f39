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
    'shape-rendering',
    'fill',
    'd',
    'stroke',
    'd',
  ])
})

test('the picture of a symbol of version 1 is this one', () => {
  expect(svg(encode('FPS 1'), 210, 290)).toBe(
    '<svg xmlns="http://www.w3.org/2000/svg" width="210" height="290" viewBox="0 0 29 29" shape-rendering="crispEdges">' +
      '<path fill="#fff" d="M-6 -6h41v41h-41z"/>' +
      '<path stroke="#000" d="M4 4.5h7m2 0h3m2 0h7m-21 1h1m5 0h1m1 0h1m1 0h1m1 0h1m1 0h1m5 0h1' +
      'm-21 1h1m1 0h3m1 0h1m2 0h1m4 0h1m1 0h3m1 0h1m-21 1h1m1 0h3m1 0h1m3 0h2m2 0h1m1 0h3m1 0h1' +
      'm-21 1h1m1 0h3m1 0h1m4 0h2m1 0h1m1 0h3m1 0h1m-21 1h1m5 0h1m1 0h2m2 0h1m1 0h1m5 0h1' +
      'm-21 1h7m1 0h1m1 0h1m1 0h1m1 0h7m-13 1h1m1 0h2m-8 1h4m4 0h1m1 0h2m3 0h1' +
      'm-19 1h4m3 0h4m2 0h1m4 0h2m-18 1h1m1 0h3m3 0h1m1 0h1m3 0h4m-21 1h2m5 0h3m5 0h1m1 0h1m1 0h2' +
      'm-17 1h1m1 0h1m1 0h2m1 0h1m1 0h1m1 0h2m2 0h1m-12 1h6m1 0h1m2 0h2m-20 1h7m1 0h1m1 0h8m2 0h1' +
      'm-21 1h1m5 0h1m1 0h1m1 0h2m4 0h2m2 0h1m-21 1h1m1 0h3m1 0h1m1 0h4m2 0h1m3 0h3' +
      'm-21 1h1m1 0h3m1 0h1m5 0h3m4 0h2m-21 1h1m1 0h3m1 0h1m2 0h1m1 0h1m5 0h1' +
      'm-18 1h1m5 0h1m6 0h1m1 0h1m1 0h1m2 0h1m-21 1h7m2 0h2m4 0h2m1 0h3"/></svg>',
  )
})
