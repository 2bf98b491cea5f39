// Draws the picture of a link, in the Worker: in the site's object it would block every other caller.
import type { Image } from '../contract/image.ts'
import type { DrawnImage } from '../contract/qr-code-answer.ts'
import { encode } from '../qr/encode.ts'
import { png } from '../qr/png.ts'
import { svg } from '../qr/svg.ts'

/** The picture of a link: the bytes of a PNG, or the text of an SVG, which is ASCII. */
export function draw({ mediaType, width, height }: Image, payload: string): string | Uint8Array<ArrayBuffer> {
  const symbol = encode(payload)
  return mediaType === 'image/png' ? png(symbol, width, height) : svg(symbol, width, height)
}

/** The picture of a link for a page. @param side in pixels */
export const drawnSvg = (payload: string, side: number): string => svg(encode(payload), side, side)

/** The picture of a link, as an answer carries it. */
export function drawnImage(image: Image, payload: string): DrawnImage {
  const drawn = draw(image, payload)
  return { ...image, content: typeof drawn === 'string' ? btoa(drawn) : drawn.toBase64() }
}
