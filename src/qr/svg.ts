// Writes a symbol as SVG.

import { eachDarkRun, type QrSymbol, QUIET_ZONE } from './symbol.ts'

/**
 * An SVG document of `width` × `height` pixels: the symbol with its quiet zone as large as fits, centred,
 * black on white.
 */
export function svg(symbol: QrSymbol, width: number, height: number): string {
  const side = symbol.size + 2 * QUIET_ZONE
  // The view box is the square of the quiet zone; what a longer side adds to the picture lies outside it.
  const beyond = Math.ceil((side * (Math.max(width, height) / Math.min(width, height) - 1)) / 2)
  const full = side + 2 * beyond
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${side} ${side}" ` +
    // ImageMagick's own renderer strokes what does not say otherwise.
    `stroke="none" shape-rendering="crispEdges"><path fill="#fff" d="M${-beyond} ${-beyond}h${full}v${full}h${-full}z"/>` +
    `<path d="${darkRectangles(symbol)}"/></svg>`
  )
}

// Made once: to format the numbers of every rectangle anew would take half the time of a picture.
const texts = Array.from({ length: 186 }, (_, number) => `${number}`)
const moves = texts.map((text) => `M${text} `)
/** By the length: a rectangle one module high, without its beginning. */
const rows = texts.map((text) => `h${text}v1h-${text}`)

/**
 * Equal runs below each other as one rectangle. Filled shapes that begin at absolute points are what all renderers draw
 * alike: ImageMagick's own takes strokes and relative beginnings otherwise.
 */
function darkRectangles(symbol: QrSymbol): string {
  // The rectangle that begins at a column: the length of its runs, its first row, and the row below its last one.
  const lengths = new Uint8Array(symbol.size)
  const tops = new Uint8Array(symbol.size)
  const ends = new Uint8Array(symbol.size)
  let path = ''
  const draw = (x: number, length: number) => {
    const top = tops[x] ?? 0
    const height = (ends[x] ?? 0) - top
    path += moves[x + QUIET_ZONE]
    path += texts[top + QUIET_ZONE]
    path += height === 1 ? rows[length] : `h${length}v${height}h-${length}`
  }
  eachDarkRun(symbol, (x, y, length) => {
    const before = lengths[x] ?? 0
    if (before !== length || ends[x] !== y) {
      if (before > 0) draw(x, before)
      lengths[x] = length
      tops[x] = y
    }
    ends[x] = y + 1
  })
  lengths.forEach((length, x) => {
    if (length > 0) draw(x, length)
  })
  return path
}
