// People as the console meets them: invited by the API, with an authenticator in software.
import { type Authenticator, type Spoiled, softAuthenticator } from './authenticator.ts'
import { type Browser, browserOf } from './console.ts'
import { optionsIn } from './passkey-pages.ts'
import { call, tokenOf } from './service.ts'

export { optionsIn }

/** Passkeys belong to a host name; that of the other tests is no origin where browsers have them. */
export const PASSKEY_ORIGIN = 'http://localhost'

export interface Guest {
  browser: Browser
  authenticator: Authenticator
}

/** A call of an owner's key. */
export const byOwner = async (
  siteId: string,
  path: string,
  { method, body }: { method?: string; body?: unknown } = {},
) =>
  call(`/payin/v1/sites/${siteId}/people${path}`, {
    token: await tokenOf({ sub: siteId, jti: 'owner-key', scope: 'merchant:admin' }),
    ...(method && { method }),
    ...(body !== undefined && { body }),
  })

/** Adds a person. @returns the code of the invitation */
export async function invited(siteId: string, person: Record<string, unknown>): Promise<string> {
  const answer = await byOwner(siteId, '', { method: 'POST', body: person })
  return codeOf(await answer.json())
}

export function codeOf(answer: unknown): string {
  const url = /"url":"([^"]+)"/.exec(JSON.stringify(answer))?.[1] ?? ''
  return new URL(url).searchParams.get('code') ?? ''
}

/** Opens an invitation and joins by it. */
export async function join(
  code: string,
  {
    browser = browserOf(undefined, PASSKEY_ORIGIN),
    spoiled,
    authenticator,
  }: Partial<Guest> & { spoiled?: Spoiled } = {},
): Promise<Guest & { response: Response }> {
  const page = await browser.get(`/join?code=${code}`)
  const made = authenticator ?? (await softAuthenticator())
  const response = await made.create(optionsIn(await page.text()), PASSKEY_ORIGIN, spoiled)
  return { browser, authenticator: made, response: await browser.post('/join', { code, response }) }
}

/** What a sign-in page asks for. */
export const signInOptions = async (browser: Browser) =>
  optionsIn(await (await browser.get('/sign-in')).text())

/** Signs in by the passkey of an authenticator. */
export async function signInBy(
  authenticator: Authenticator,
  browser = browserOf(undefined, PASSKEY_ORIGIN),
  spoiled: Spoiled = {},
  origin = PASSKEY_ORIGIN,
): Promise<{ browser: Browser; sent: Record<string, string>; response: Response }> {
  const sent = { response: await authenticator.get(await signInOptions(browser), origin, spoiled), next: '' }
  return { browser, sent, response: await browser.post('/sign-in/passkey', sent) }
}
