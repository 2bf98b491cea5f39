// The picture of a link in a page: an SVG within the document, so that it is there before anything else is loaded.
import { html } from 'hono/html'
import { drawnSvg } from '../gateway/render.ts'
import type { Html } from './layout.ts'

/**
 * An `img` of the link.
 * @param side in CSS pixels
 */
export function picture(payload: string, side: number, alt: string): Html {
  // As text, because base64 is a third longer.
  const text = drawnSvg(payload, side).replace(/[<>"#%:]/g, encodeURIComponent)
  return html`<img src="data:image/svg+xml,${text}" width="${side}" height="${side}" alt="${alt}">`
}
