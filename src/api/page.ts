// How a page leaves this service: nothing in it may load, run or be framed but what its policy names.
import type { Context } from 'hono'
import { type AnswerHeaders, answer } from './answer.ts'
import type { AppEnv } from './service.ts'

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

export interface PageOptions {
  status?: number
  /** Whether the page has a form, which may be sent to this origin only. */
  forms?: boolean
  headers?: AnswerHeaders
}

/** Answers with a page. */
export const page = async (
  c: Context<AppEnv>,
  html: string | Promise<string>,
  { status = 200, forms = false, headers }: PageOptions = {},
): Promise<Response> =>
  answer(c, `${await html}`, status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': forms ? POLICIES.with : POLICIES.without,
    // With no-referrer, a browser would send the form with the Origin `null`.
    'Referrer-Policy': forms ? 'same-origin' : undefined,
    ...headers,
  })
