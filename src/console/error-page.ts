// The page of an error, in the console.
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { Config } from '../config.ts'
import { type ApiError, ERRORS } from '../errors.ts'
import { isSandbox } from '../gateway/connection.ts'
import type { AppEnv } from '../http/app-env.ts'
import type { ErrorPage } from '../http/error-handler.ts'
import { page } from '../web/page.ts'
import { languageOf, sitesOf } from './cookies.ts'
import { frame } from './layout.ts'
import { baseOf, consoleOf } from './locations.ts'
import { ERROR_TEXTS } from './texts-sign-in.ts'

/**
 * Makes the function that shows an error as a page, with a way back; the trace id is what support needs to find it in the log.
 * @param said the name of the page's texts, by default those of the error's code or status
 */
export const errorPageOf =
  (config: Config, said?: 'oldForm'): ErrorPage =>
  (c, error) =>
    errorPage(c, error, { config, said })

function errorPage(
  c: Context<AppEnv>,
  { code, headers, retryAfter }: ApiError,
  { config, said }: { config: Config; said: 'oldForm' | undefined },
): Promise<Response> {
  const { status } = ERRORS[code]
  const language = languageOf(c)
  const base = baseOf(c)
  const toConsole = consoleOf(c)
  const texts = ERROR_TEXTS[language]
  const [title, advice] =
    (said && texts[said]) ?? texts[code] ?? texts[status] ?? (status < 500 ? texts.refused : texts.broken)
  const isAnswer = c.req.method === 'POST'
  // A deleted site has no other page to go to.
  const isLeft = code !== 'site.deleted'
  const main = html`<h1>${title}</h1>
      <p>${advice}${status === 403 && isAnswer && ` ${texts.foreign}`}</p>
      <p class="hint">${texts.support}: <code>${code}</code> <code>${c.var.traceId}</code></p>
      <p><a href="${isLeft ? base : `${toConsole}sign-in`}">${isLeft ? texts.back : texts.signIn}</a></p>`
  const { siteId: site } = c.var
  const shown = {
    ...{ title, main, language, console: toConsole, base, isAnswer },
    sites: sitesOf(c, config),
    present: site,
    isSandbox: site === undefined ? c.var.namesTestSite === true : isSandbox(config, site),
  }
  return page(c, frame(shown), {
    status,
    forms: true,
    headers: { ...headers, 'Retry-After': retryAfter?.toString() },
  })
}
