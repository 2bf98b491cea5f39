// The page of an error, for a person: never JSON.
import type { Context } from 'hono'
import { html } from 'hono/html'
import { ERRORS } from '../errors.ts'
import type { AppEnv } from '../http/app-env.ts'
import { recordError } from '../http/error-handler.ts'
import { admits, type Language } from '../http/negotiation.ts'
import { HOME_TEXTS } from './home-texts.ts'
import { layout } from './layout.ts'
import { languageOf, page } from './page.ts'
import { PAYER_TEXTS } from './payer/texts.ts'

/** Whether the client is a person's browser: it names HTML, and a program does not. */
export function isPerson(c: Context): boolean {
  const accept = c.req.header('Accept') ?? ''
  return /text\/html/i.test(accept) && admits(accept, 'text/html')
}

/** What programs ask for, whatever they accept. */
const FOR_PROGRAMS = /^\/(payin|partner|network|sandbox|metrics|healthz|openapi\.json)\b/

/** The error as a page, where a person asked for one; undefined for a program, and where the API is. */
export const pageForPerson = (c: Context<AppEnv>, error: unknown): Promise<Response> | undefined =>
  isPerson(c) && !FOR_PROGRAMS.test(c.req.path) ? errorPage(c, error) : undefined

/** The error as a page in the visitor's language; the trace id is what support needs to find it in the log. */
export function errorPage(c: Context<AppEnv>, error: unknown): Promise<Response> {
  const { code, retryAfter, headers } = recordError(c, error)
  const { status, userMessage } = ERRORS[code]
  const spoken = languageOf(c)
  const { notFound, trouble } = PAYER_TEXTS[spoken]
  const { unknownAddress, startPage } = HOME_TEXTS[spoken]
  const { pathname, search } = new URL(c.req.url)
  const isUnknown = code === 'http.url.not.found' && !pathname.startsWith('/pay/')
  const broken = { title: trouble, advice: userMessage[spoken] }
  const { title, advice } = isUnknown ? unknownAddress : status === 404 ? notFound : broken
  const root = '../'.repeat(pathname.split('/').length - 2)
  const main = html`
    <main class="final" data-status="${status}">
      <section>
        <h1 class="end" tabindex="-1">${title}</h1>
        <p class="advice">${advice}</p>
        ${isUnknown && html`<p><a href="${root || './'}">${startPage}</a></p>`}
        ${status >= 500 && html`<p class="trace">${c.var.traceId}</p>`}
      </section>
    </main>`
  // The other parameters as they came: they can be those of a link.
  const others = search
    .slice(1)
    .split('&')
    .filter((each) => !/^((lang|until)=|$)/.test(each))
  const addressIn = (other: Language) => `?${[...others, `lang=${other}`].join('&')}`
  return page(c, layout({ language: spoken, title, root, addressIn, main }), {
    status,
    headers: { ...headers, 'Retry-After': retryAfter?.toString() },
  })
}
