// Responses: each one is made here, so that each one has the headers that all have.
import type { Context } from 'hono'
import type { AppEnv } from './app-env.ts'

const HEADERS = new Headers({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
})
const JSON_HEADERS = new Headers([...HEADERS, ['Content-Type', 'application/json']])

/** Headers of one response besides those that all have; undefined leaves one out. */
export type ResponseHeaders = Record<string, string | undefined>

/** A response with the trace id and the security headers; a header given here replaces the default one. */
export function respond(
  c: Context<AppEnv>,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  status: number,
  headers?: ResponseHeaders,
): Response {
  return responseWith({ body, status, defaults: HEADERS }, c.get('traceId'), headers)
}

function responseWith(
  { body, status, defaults }: { body: BodyInit | null; status: number; defaults: Headers },
  traceId: string,
  headers: ResponseHeaders = {},
): Response {
  // Headers that are copied as a whole cost a fraction of those that are set one by one.
  const response = new Response(body, { status, headers: defaults })
  response.headers.set('X-Trace-Id', traceId)
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) response.headers.set(name, value)
  }
  return response
}

/** A response in JSON. */
export const json = (
  c: Context<AppEnv>,
  value: unknown,
  headers?: ResponseHeaders,
  status?: number,
): Response => jsonText(c, JSON.stringify(value), headers, status)

/** The same of a value that is serialised already. */
export const jsonText = (
  c: Context<AppEnv>,
  text: string,
  headers: ResponseHeaders = {},
  status = 200,
): Response => responseWith({ body: text, status, defaults: JSON_HEADERS }, c.get('traceId'), headers)

/** A redirect after a form: the browser fetches another page by GET (RFC 9110, section 15.4.4). */
export const seeOther = (c: Context<AppEnv>, location: string, headers?: ResponseHeaders): Response =>
  respond(c, null, 303, { Location: location, ...headers })

/** Adds Set-Cookie headers to a response. */
export function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie)
  return response
}
