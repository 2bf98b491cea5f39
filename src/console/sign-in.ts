// Signing in, by a token or by a one-time link, and signing out (contract, section 17).
import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { Config } from '../config.ts'
import { type Claims, grants, OPERATOR, OPERATOR_SCOPES } from '../contract/access-token.ts'
import { ApiError, ERRORS } from '../errors.ts'
import { isSandbox, networkOf } from '../gateway/connection.ts'
import type { Service } from '../gateway/context.ts'
import type { AppEnv } from '../http/app-env.ts'
import { InvalidToken, limitRate, NO_TEST_SITES } from '../http/auth.ts'
import { readForm } from '../http/body.ts'
import { recordError } from '../http/error-handler.ts'
import { seeOther, withCookies } from '../http/response.ts'
import { readSignInLink } from '../http/sign-in-links.ts'
import { alonePage } from './alone-page.ts'
import { languageOf, sitesOf } from './cookies.ts'
import type { ConsoleHost } from './host.ts'
import { MAX_PASSKEY_FORM } from './join.ts'
import { consoleOf, homeOf, ownPath, ownPathOf, siteInPath } from './locations.ts'
import { passkeySignIn, signedInByPasskey } from './passkey-sign-in.ts'
import { beginSession, leaveSession } from './sessions.ts'
import { PEOPLE_TEXTS } from './texts-people.ts'
import { SIGN_IN_TEXTS } from './texts-sign-in.ts'

/** Why nobody is signed in; a key of the texts. */
type Failure = keyof (typeof SIGN_IN_TEXTS)['en']['failed']

export function signInRoutes(app: Hono<AppEnv>, host: ConsoleHost): void {
  const { service } = host
  const { config } = service
  const linkOf = (code: string) => readSignInLink(config.secrets, code, service.now() / 1000)

  app.get('/console/sign-in', async (c) => {
    const code = c.req.query('link')
    const next = c.req.query('next') ?? ''
    if (code === undefined) return signInPage(c, service, { next })
    const link = await linkOf(code)
    if (!link) return signInPage(c, service, { next, failure: 'link' })
    const { sub } = link.claims
    if (sub !== OPERATOR) c.set('siteId', sub)
    return linkPage(c, config, { code, sub, isSandbox: sub !== OPERATOR && isSandbox(config, sub) })
  })

  app.post('/console/sign-in', async (c) => {
    const form = await readForm(c, service)
    const next = form.get('next') ?? ''
    const code = form.get('link')
    const link = code === null ? undefined : await linkOf(code)
    try {
      if (code !== null && !link) return await signInPage(c, service, { next, failure: 'link' })
      const claims = link?.claims ?? (await host.authenticate(c, (form.get('token') ?? '').trim()))
      c.set('keyId', claims.jti)
      if (!networkOf(config, claims.sub).isServed) {
        throw new ApiError('auth.forbidden', `the access token is of a test site: ${NO_TEST_SITES}`)
      }
      if (claims.sub !== OPERATOR) c.set('siteId', claims.sub)
      if (!canSignIn(claims)) return await signInPage(c, service, { next, failure: 'scope' })
      await limitRate(service, 'key', claims.sub, claims.jti)
      const cookies = await beginSession(c, service, claims, link?.id).catch((error) =>
        byPasskeyAlone(c, error),
      )
      if (!cookies) return await signInPage(c, service, { next, failure: 'passkeysAlone', status: 403 })
      return withCookies(seeOther(c, ownPathOf(claims.sub, next)), cookies)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'auth.unauthorized') throw error
      recordError(c, error)
      const isExpired = error instanceof InvalidToken && error.problem === 'expired'
      const failure = link ? 'link' : isExpired ? 'expired' : 'unknown'
      return signInPage(c, service, { next, failure })
    }
  })

  // The address that a refused sign-in leaves in the browser.
  app.get('/console/sign-in/passkey', (c) => seeOther(c, '../sign-in'))

  app.post('/console/sign-in/passkey', async (c) => {
    const form = await readForm(c, service, MAX_PASSKEY_FORM)
    const next = form.get('next') ?? ''
    const signedIn = await signedInByPasskey(c, service, form)
    if (!signedIn) return signInPage(c, service, { next, failure: 'passkey' })
    const { siteId, cookies } = signedIn
    return withCookies(seeOther(c, `../${ownPathOf(siteId, next)}`), cookies)
  })

  const signOut = (path: string, siteOf: (c: Context<AppEnv>) => string) =>
    app.post(path, async (c) => {
      const siteId = siteOf(c)
      try {
        const cookies = await leaveSession(c, service, siteId)
        const [other] = sitesOf(c, config).filter((each) => each !== siteId)
        const shown = other === undefined ? 'sign-in' : homeOf(other)
        return withCookies(seeOther(c, `${consoleOf(c)}${shown}`), cookies)
      } catch (error) {
        return signedInPage(c, config, recordError(c, error))
      }
    })
  signOut('/console/sites/:siteId/sign-out', siteInPath)
  signOut('/console/operator/sign-out', () => OPERATOR)
}

/** The site takes no tokens. @throws any other error */
function byPasskeyAlone(c: Context<AppEnv>, error: unknown): undefined {
  if (!(error instanceof ApiError) || error.code !== 'auth.forbidden') throw error
  recordError(c, error)
}

/** A token of the payment network shows nothing in the console. */
const canSignIn = (claims: Claims): boolean =>
  grants(claims, claims.sub === OPERATOR ? OPERATOR_SCOPES : ['merchant', 'merchant:read', 'merchant:till'])

/** Asks a user who is not signed in to sign in, and then leads back to the page; a form that was sent is lost. */
export function toSignIn(c: Context<AppEnv>, service: Service): Promise<Response> | Response {
  if (c.req.method !== 'GET') return signInPage(c, service, { next: '', status: 401 })
  const { pathname, search } = new URL(c.req.url)
  const next = pathname.replace(/^\/console\/?/, '') + search
  return seeOther(c, `${consoleOf(c)}sign-in${next ? `?next=${encodeURIComponent(next)}` : ''}`)
}

async function signInPage(
  c: Context<AppEnv>,
  service: Service,
  { next, failure, status = failure ? 401 : 200 }: { next: string; failure?: Failure; status?: number },
): Promise<Response> {
  const language = languageOf(c)
  const texts = SIGN_IN_TEXTS[language]
  const passkey = await passkeySignIn(c, service, next)
  const isOpen = !passkey || (failure !== undefined && !failure.startsWith('passkey'))
  const main = html`<h1>${texts.title}</h1>
      ${failure && html`<div class="alert" role="alert"><p><strong>${texts.failed[failure]}</strong></p></div>`}
      ${passkey?.content}
      <details${isOpen && html` open`}><summary>${PEOPLE_TEXTS[language].passkey.other}</summary>
      <form method="post" action="${consoleOf(c)}sign-in">
        <input type="hidden" name="next" value="${next}">
        <label>${texts.token} <input name="token" type="password" autocomplete="off" spellcheck="false" required></label>
        <p class="hint">${texts.tokenHint}</p>
        <button class="button${isOpen && ' primary'}">${texts.signIn}</button>
      </form></details>
      ${c.req.header('Sec-Fetch-Site') === 'cross-site' && html`<p><a href="${consoleOf(c)}${ownPath(next)}">${texts.goOn}</a></p>`}`
  const response = await alonePage(c, service.config, { title: texts.title, main, status })
  if (passkey) response.headers.append('Set-Cookie', passkey.cookie)
  return response
}

function linkPage(
  c: Context<AppEnv>,
  config: Config,
  { code, sub, isSandbox }: { code: string; sub: string; isSandbox: boolean },
): Promise<Response> {
  const texts = SIGN_IN_TEXTS[languageOf(c)]
  return alonePage(c, config, {
    title: texts.title,
    main: html`<h1>${texts.title}</h1>
      <p>${sub === OPERATOR ? texts.operator : texts.asSite(sub)}. ${texts.linkLead}</p>
      <form method="post" action="sign-in">
        <input type="hidden" name="link" value="${code}">
        <button class="button primary">${texts.linkButton}</button>
      </form>`,
    status: 200,
    isSandbox,
  })
}

/** Says that the user is still signed in: the cookie stays, so that the button can end the session later. */
function signedInPage(c: Context<AppEnv>, config: Config, { code }: ApiError): Promise<Response> {
  const { notSignedOut: title, notSignedOutLead, signOut } = SIGN_IN_TEXTS[languageOf(c)]
  const main = html`<h1>${title}</h1>
      <div class="alert" role="alert"><p><strong>${notSignedOutLead}</strong></p></div>
      <form method="post" action="sign-out"><button class="button primary">${signOut}</button></form>`
  return alonePage(c, config, { title, main, isAnswer: true, status: ERRORS[code].status })
}
