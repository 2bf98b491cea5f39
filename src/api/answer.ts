// How anything leaves this service: every answer is made here, and so carries what every answer owes.
import type { Context } from 'hono'
import type { AppEnv } from './service.ts'

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/** Headers of one answer, before those that every answer has; undefined leaves one out. */
export type AnswerHeaders = Record<string, string | undefined>

/** An answer with the trace id and the security headers; a header given here takes the place of the usual one. */
export function answer(
  c: Context<AppEnv>,
  body: string | Uint8Array<ArrayBuffer> | null,
  status: number,
  headers: AnswerHeaders,
): Response {
  // One object, handed over once: to set the headers one by one takes twice the time.
  const all: Record<string, string> = { ...HEADERS, 'X-Trace-Id': c.var.traceId }
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) all[name] = value
  }
  return new Response(body, { status, headers: all })
}

/** An answer in JSON. */
export const json = (
  c: Context<AppEnv>,
  value: object,
  headers: AnswerHeaders = {},
  status = 200,
): Response => answer(c, JSON.stringify(value), status, { 'Content-Type': 'application/json', ...headers })

/** After a form: the browser goes on to another page (RFC 9110, section 15.4.4). */
export const seeOther = (c: Context<AppEnv>, location: string): Response =>
  answer(c, null, 303, { Location: location })
