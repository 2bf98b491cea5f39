// Signing in by a passkey: the registry knows the site of its user handle (contract, section 17).
import type { Context } from 'hono'
import { html } from 'hono/html'
import { OPERATOR } from '../contract/access-token.ts'
import { ApiError } from '../errors.ts'
import type { Service } from '../gateway/context.ts'
import { callPeople, callRegistry } from '../gateway/site-client.ts'
import type { AppEnv } from '../http/app-env.ts'
import { limitRate } from '../http/auth.ts'
import { recordError } from '../http/error-handler.ts'
import { originOf } from '../http/path.ts'
import { relyingParty } from '../passkeys/relying-party.ts'
import type { Html } from '../web/layout.ts'
import { browserCookie, browserOf, languageOf } from './cookies.ts'
import { consoleOf } from './locations.ts'
import { passkeyForm, RESPONSE } from './passkey-form.ts'
import { passkeys } from './passkeys.ts'
import { personCookies } from './sessions.ts'
import { PEOPLE_TEXTS } from './texts-people.ts'

/** The part of the sign-in page for passkeys, and the cookie that its challenge is bound to; nothing where passkeys are off. */
export async function passkeySignIn(
  c: Context<AppEnv>,
  service: Service,
  next: string,
): Promise<{ content: Html; cookie: string } | undefined> {
  const party = relyingParty(service.config, originOf(c))
  if (!party) return undefined
  const language = languageOf(c)
  const texts = PEOPLE_TEXTS[language].passkey
  // Another tab can have this page too: its challenge goes on.
  const browser = browserOf(c) || service.random(16).toHex()
  const { requestOptions } = await passkeys()
  const options = await requestOptions({
    relyingParty: party,
    challenge: {
      secret: service.config.secrets[0],
      id: service.random(16),
      purpose: 'sign-in',
      bound: browser,
      now: Math.floor(service.now() / 1000),
    },
  })
  const base = consoleOf(c)
  const form = passkeyForm({
    language,
    root: `${base}../`,
    method: 'get',
    options,
    action: `${base}sign-in/passkey`,
    button: texts.signIn,
    fields: { next },
  })
  const content = html`${form}<p class="hint">${texts.lead}</p>`
  return { content, cookie: browserCookie(c, service.config, browser) }
}

/** Signs in. @returns the site and the Set-Cookie headers; undefined where the passkey cannot be used */
export async function signedInByPasskey(
  c: Context<AppEnv>,
  service: Service,
  form: URLSearchParams,
): Promise<{ siteId: string; cookies: string[] } | undefined> {
  const { config } = service
  const now = Math.floor(service.now() / 1000)
  const response = form.get(RESPONSE) ?? ''
  const party = relyingParty(config, originOf(c))
  const { claimedPasskey, verifyAssertion } = await passkeys()
  const claimed = claimedPasskey(response)
  const browser = browserOf(c)
  if (!party || !claimed || !browser) return undefined
  // Nothing of it is authentic yet: one limit for all.
  await limitRate(service, 'form', 'sign-in')
  const siteId = await callRegistry(service, (registry) => registry.siteOfHandle(claimed.handle))
  if (siteId === undefined) return undefined
  if (siteId !== OPERATOR) c.set('siteId', siteId)
  const known = await callPeople({ service, siteId, isRead: true }, (site) =>
    site.passkey(claimed.handle, claimed.id),
  )
  if (!known) return undefined
  const verified = await verifyAssertion({
    relyingParty: party,
    challenge: { secrets: config.secrets, purpose: 'sign-in', bound: browser, now },
    response,
    // The object compares the counter, in the transaction that stores it.
    passkey: { ...known.passkey, handle: claimed.handle, counter: 0 },
  })
  if (!verified.ok) return undefined
  const { counter, challenge } = verified.value
  const session = service.random(16).toHex()
  try {
    const begun = await callPeople({ service, siteId }, (site) =>
      site.signIn({
        handle: claimed.handle,
        passkeyId: claimed.id,
        counter,
        challenge: { id: challenge.id, expiresAt: challenge.exp },
        session,
      }),
    )
    c.set('personId', begun.personId)
    return { siteId, cookies: await personCookies(c, service, siteId, begun) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'auth.unauthorized') throw error
    recordError(c, error)
    return undefined
  }
}
