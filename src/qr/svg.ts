// Symbol → SVG.

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
    `shape-rendering="crispEdges"><path fill="#fff" d="M${-beyond} ${-beyond}h${full}v${full}h${-full}z"/>` +
    `<path stroke="#000" d="M${QUIET_ZONE} ${QUIET_ZONE}.5${darkRuns(symbol)}"/></svg>`
  )
}

// Made once: to format the numbers of every run anew would take half the time of a picture.
const runs = Array.from({ length: 178 }, (_, length) => `h${length}`)
const gaps = runs.map((_, length) => (length === 0 ? '' : `m${length} 0`))

/** Strokes one module wide along all runs, the pen standing before the first row's first module. */
function darkRuns(symbol: QrSymbol): string {
  let path = ''
  let penX = 0
  let penY = 0
  eachDarkRun(symbol, (x, y, length) => {
    const move = y === penY ? gaps[x - penX] : `m${x - penX} ${y - penY}`
    path += `${move}${runs[length]}`
    penX = x + length
    penY = y
  })
  return path
}
