// The page of an error, for a person: never JSON.
import type { Context } from 'hono'
import { html } from 'hono/html'
import { type ApiError, ERRORS } from '../errors.ts'
import type { AppEnv } from '../http/app-env.ts'
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
const FOR_PROGRAMS = /^\/(payin|partner|network|sandbox|operator|metrics|healthz|openapi\.json)\b/

/** The error as a page, where a person asked for one; undefined for a program, and where the API is. */
export const pageForPerson = (c: Context<AppEnv>, error: ApiError): Promise<Response> | undefined =>
  isPerson(c) && !FOR_PROGRAMS.test(c.req.path) ? errorPage(c, error) : undefined

/** The error as a page in the visitor's language; the trace id is what support needs to find it in the log. */
export function errorPage(c: Context<AppEnv>, { code, retryAfter, headers }: ApiError): Promise<Response> {
  const { status, userMessage } = ERRORS[code]
  const lang = languageOf(c)
  const { notFound, trouble } = PAYER_TEXTS[lang]
  const { unknownAddress, startPage } = HOME_TEXTS[lang]
  const { path } = c.req
  const isUnknown = code === 'http.url.not.found' && !path.startsWith('/pay/')
  const broken = { title: trouble, advice: userMessage[lang] }
  const { title, advice } = isUnknown ? unknownAddress : status === 404 ? notFound : broken
  // The target `*` has no slash.
  const root = '../'.repeat(Math.max(path.split('/').length - 2, 0))
  const main = html`
    <main class="final" data-status="${status}">
      <section>
        <h1 class="end" tabindex="-1">${title}</h1>
        <p class="advice">${advice}</p>
        ${isUnknown && html`<p><a href="${root || './'}">${startPage}</a></p>`}
        ${status >= 500 && html`<p class="trace">${c.var.traceId}</p>`}
      </section>
    </main>`
  // The other parameters as they came: they can be those of a link. The Host can make an invalid URL.
  const [, query = ''] = /\?([^#]*)/.exec(c.req.url) ?? []
  const others = query.split('&').filter((each) => !/^((lang|until)=|$)/.test(each))
  const addressIn = (other: Language) => `?${[...others, `lang=${other}`].join('&')}`
  return page(c, layout({ language: lang, title, root, addressIn, main }), {
    status,
    headers: { ...headers, 'Retry-After': retryAfter?.toString() },
  })
}
