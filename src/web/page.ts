// HTML responses: a page loads, runs and submits nothing but what its Content-Security-Policy names.
import type { Context } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { isLanguage, type Language, language } from '../http/negotiation.ts'
import { type ResponseHeaders, respond } from '../http/response.ts'

/** All content comes from this origin; nothing inline counts, but for the style whose hash is named. `data:` pictures are QR codes and the icons of /docs. */
const policy = (formAction: "'none'" | "'self'", style = '') =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${style}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ')

const POLICIES = { withoutForms: policy("'none'"), withForms: policy("'self'") }

interface PageOptions {
  status?: number
  /** Whether the page has a form, which may be submitted to this origin only. */
  forms?: boolean
  /** The rules that the page has inline; see layout.ts. */
  theme?: string | undefined
  headers?: ResponseHeaders
}

/** The policy of a page with rules inline: it names their hash, so that nothing else inline counts. */
async function themed(forms: boolean, theme: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(theme))
  return policy(forms ? "'self'" : "'none'", ` 'sha256-${new Uint8Array(hash).toBase64()}'`)
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
  { status = 200, forms = false, theme, headers }: PageOptions = {},
): Promise<Response> =>
  respond(c, `${await html}`, status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': theme
      ? await themed(forms, theme)
      : forms
        ? POLICIES.withForms
        : POLICIES.withoutForms,
    // With no-referrer, a browser would submit the form with the Origin `null`.
    'Referrer-Policy': forms ? 'same-origin' : undefined,
    ...headers,
  })
