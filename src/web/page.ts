// HTML responses: a page loads, runs and submits nothing but what its Content-Security-Policy names.
import type { Context } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { isLanguage, type Language, language } from '../http/negotiation.ts'
import { type ResponseHeaders, respond } from '../http/response.ts'

/** All content comes from this origin; nothing inline runs. `data:` pictures are QR codes and the icons of /docs. */
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

const POLICIES = { withoutForms: policy("'none'"), withForms: policy("'self'") }

export interface PageOptions {
  status?: number
  /** Whether the page has a form, which may be submitted to this origin only. */
  forms?: boolean
  headers?: ResponseHeaders
}

/** The language that the visitor chose, or that the browser prefers. */
export function languageOf(c: Context<AppEnv>): Language {
  const chosen = c.req.query('lang')
  return isLanguage(chosen) ? chosen : language(c.req.header('Accept-Language'))
}

/** A page as a response. */
export const page = async (
  c: Context<AppEnv>,
  html: string | Promise<string>,
  { status = 200, forms = false, headers }: PageOptions = {},
): Promise<Response> =>
  respond(c, `${await html}`, status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': forms ? POLICIES.withForms : POLICIES.withoutForms,
    // With no-referrer, a browser would submit the form with the Origin `null`.
    'Referrer-Policy': forms ? 'same-origin' : undefined,
    ...headers,
  })
