// How anything leaves this service: every answer is made here, and so carries what every answer owes.
import type { Context } from 'hono'
import type { AppEnv } from '../gateway/context.ts'

const USUAL = new Headers({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
})
const USUAL_OF_JSON = new Headers([...USUAL, ['Content-Type', 'application/json']])

/** Headers of one answer, before those that every answer has; undefined leaves one out. */
export type AnswerHeaders = Record<string, string | undefined>

/** An answer with the trace id and the security headers; a header given here takes the place of the usual one. */
export function answer(
  c: Context<AppEnv>,
  body: string | Uint8Array<ArrayBuffer> | null,
  status: number,
  headers: AnswerHeaders,
  usual = USUAL,
): Response {
  // Headers that are copied in one piece cost a fraction of those that are set one by one.
  const response = new Response(body, { status, headers: usual })
  response.headers.set('X-Trace-Id', c.var.traceId)
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) response.headers.set(name, value)
  }
  return response
}

/** An answer in JSON. */
export const json = (
  c: Context<AppEnv>,
  value: object,
  headers: AnswerHeaders = {},
  status = 200,
): Response => answer(c, JSON.stringify(value), status, headers, USUAL_OF_JSON)

/** After a form: the browser goes on to another page (RFC 9110, section 15.4.4). */
export const seeOther = (c: Context<AppEnv>, location: string): Response =>
  answer(c, null, 303, { Location: location })
