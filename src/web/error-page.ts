// The page of an error, for a person: never JSON.
import type { Context } from 'hono'
import { html } from 'hono/html'
import { type ApiError, ERRORS } from '../errors.ts'
import type { AppEnv } from '../http/app-env.ts'
import type { Language } from '../http/negotiation.ts'
import { HOME_TEXTS } from './home-texts.ts'
import type { Html } from './layout.ts'
import { languageOf, page } from './page.ts'
import { type Shop, shopLayout, support } from './payer/parts.ts'
import { PAYER_TEXTS } from './payer/texts.ts'

/** The error as a page in the visitor's language; the trace id is what support needs to find it in the log. */
export function errorPage(
  c: Context<AppEnv>,
  { code, retryAfter, headers }: ApiError,
  sandbox = c.var.namesTestSite ?? false,
): Promise<Response> {
  const { status, userMessage } = ERRORS[code]
  const lang = languageOf(c)
  const { notFound, trouble } = PAYER_TEXTS[lang]
  const { unknownAddress, startPage } = HOME_TEXTS[lang]
  const isUnknown = code === 'http.url.not.found' && !c.req.path.startsWith('/pay/')
  const broken = { title: trouble, advice: userMessage[lang] }
  const notice = isUnknown ? unknownAddress : status === 404 ? notFound : broken
  return show(c, {
    status,
    notice,
    more: html`${isUnknown && html`<p><a href="${rootOf(c) || './'}">${startPage}</a></p>`}
        ${status >= 500 && html`<p class="trace">${c.var.traceId}</p>`}`,
    headers: { ...headers, 'Retry-After': retryAfter?.toString() },
    sandbox,
  })
}

/** The page of a link of a shop that leads to no QR code: it was altered, or the QR code is gone. */
export function notFoundPage(c: Context<AppEnv>, shop: Shop, sandbox: boolean): Promise<Response> {
  const language = languageOf(c)
  const contact = support({ shop, language })
  return show(c, {
    status: 404,
    notice: PAYER_TEXTS[language].notFound,
    more: html`${contact && html`<dl>${contact}</dl>`}`,
    shop,
    sandbox,
  })
}

interface Shown {
  status: number
  notice: { title: string; advice: string }
  more: Html
  shop?: Shop
  headers?: Record<string, string | undefined>
  /** Whether it is of a site of the sandbox. */
  sandbox: boolean
}

/** From the page to the root of the service. The target `*` has no slash. */
const rootOf = (c: Context) => '../'.repeat(Math.max(c.req.path.split('/').length - 2, 0))

function show(
  c: Context<AppEnv>,
  { status, notice, more, shop, headers, sandbox }: Shown,
): Promise<Response> {
  const { title, advice } = notice
  const main = html`
    <main class="final" data-status="${status}">
      <section>
        <h1 class="end" tabindex="-1">${title}</h1>
        <p class="advice">${advice}</p>
        ${more}
      </section>
    </main>`
  // The other parameters as they came: they can be those of a link. The Host can make an invalid URL.
  const [, query = ''] = /\?([^#]*)/.exec(c.req.url) ?? []
  const others = query.split('&').filter((each) => !/^((lang|until)=|$)/.test(each))
  const addressIn = (other: Language) => `?${[...others, `lang=${other}`].join('&')}`
  const language = languageOf(c)
  return page(c, shopLayout({ language, title, root: rootOf(c), addressIn, shop, sandbox, main }), {
    status,
    theme: shop?.theme,
    ...(headers && { headers }),
  })
}
