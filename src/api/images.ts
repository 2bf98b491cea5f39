// The picture of a QR code, drawn here in the Worker: in the site's object it would hold up every other caller.
import type { Image } from '../contract/qr-code.ts'
import type { DrawnImage } from '../contract/qr-code-answer.ts'
import { encode } from '../picture/encode.ts'
import { png } from '../picture/png.ts'
import { svg } from '../picture/svg.ts'

const utf8 = new TextEncoder()

/** The bytes of the picture of a link. */
export function draw({ mediaType, width, height }: Image, payload: string): Uint8Array {
  const symbol = encode(payload)
  return mediaType === 'image/png' ? png(symbol, width, height) : utf8.encode(svg(symbol, width, height))
}

/** The picture of a link, as an answer carries it. */
export const drawnImage = (image: Image, payload: string): DrawnImage => ({
  ...image,
  content: draw(image, payload).toBase64(),
})
