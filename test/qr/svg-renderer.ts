// A real SVG renderer, resvg: what it paints is what a page shows.

import { initWasm, Resvg } from '@resvg/resvg-wasm'
import wasm from '@resvg/resvg-wasm/index_bg.wasm'
import type { Pixels } from './reading.ts'

await initWasm(wasm)

export function renderSvg(document: string): Pixels {
  const image = new Resvg(document).render()
  try {
    return { width: image.width, height: image.height, data: new Uint8ClampedArray(image.pixels) }
  } finally {
    image.free()
  }
}
