// How a page leaves this service: nothing in it may load, run or be framed but what its policy names.
import type { Context } from 'hono'

/** Everything comes from this origin; nothing inline runs. `data:` pictures are the documentation viewer's icons. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Answers with a page. */
export function page(c: Context, html: string | Promise<string>): Response | Promise<Response> {
  c.header('Content-Security-Policy', POLICY)
  return c.html(html)
}
