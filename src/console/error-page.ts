// The page of an error, in the console.
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { Config } from '../config.ts'
import { type ApiError, ERRORS } from '../errors.ts'
import { isSandbox } from '../gateway/connection.ts'
import type { AppEnv } from '../http/app-env.ts'
import type { ErrorPage } from '../http/error-handler.ts'
import { page } from '../web/page.ts'
import { languageOf } from './cookies.ts'
import { frame } from './layout.ts'
import { ERROR_TEXTS } from './texts-sign-in.ts'
import { baseOf } from './visit.ts'

/** Makes the function that shows an error as a page, with a way back; the trace id is what support needs to find it in the log. */
export const errorPageOf =
  (config: Config): ErrorPage =>
  (c, error) =>
    errorPage(c, error, c.var.siteId !== undefined && isSandbox(config, c.var.siteId))

function errorPage(
  c: Context<AppEnv>,
  { code, headers, retryAfter }: ApiError,
  isSandbox: boolean,
): Promise<Response> {
  const { status } = ERRORS[code]
  const language = languageOf(c)
  const base = baseOf(c)
  const texts = ERROR_TEXTS[language]
  const [title, advice] = texts[code] ?? texts[status] ?? (status < 500 ? texts.refused : texts.broken)
  const isAnswer = c.req.method === 'POST'
  // A deleted site has no other page to go to.
  const isLeft = code !== 'site.deleted'
  const main = html`<h1>${title}</h1>
      <p>${advice}${status === 403 && isAnswer && ` ${texts.foreign}`}</p>
      <p class="hint">${texts.support}: <code>${code}</code> <code>${c.var.traceId}</code></p>
      <p><a href="${isLeft ? base : `${base}sign-in`}">${isLeft ? texts.back : texts.signIn}</a></p>`
  return page(c, frame({ title, main, language, root: `${base}../`, base, isAnswer, isSandbox }), {
    status,
    forms: true,
    headers: { ...headers, 'Retry-After': retryAfter?.toString() },
  })
}
