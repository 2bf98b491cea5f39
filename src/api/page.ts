// How a page leaves this service: nothing in it may load, run or be framed but what its policy names.
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** Everything comes from this origin; nothing inline runs. `data:` pictures are the documentation viewer's icons. */
const policy = (formAction: "'none'" | "'self'") =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ')

const POLICIES = { without: policy("'none'"), with: policy("'self'") }

/**
 * Answers with a page.
 * @param forms whether the page has a form, which may be sent to this origin only
 */
export function page(
  c: Context,
  html: string | Promise<string>,
  { status = 200, forms = false }: { status?: ContentfulStatusCode; forms?: boolean } = {},
): Response | Promise<Response> {
  c.header('Content-Security-Policy', forms ? POLICIES.with : POLICIES.without)
  return c.html(html, status)
}
