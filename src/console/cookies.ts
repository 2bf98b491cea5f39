// The cookies of the console: the session's, whose MAC is checked before any object is asked, and that of the language.
import { createHmac } from 'node:crypto'
import type { Context } from 'hono'
import type { Config } from '../config.ts'
import { OPERATOR } from '../contract/access-token.ts'
import { CHALLENGE_SECONDS } from '../contract/person.ts'
import { servesSite } from '../gateway/connection.ts'
import { isMac } from '../gateway/mac.ts'
import { isLanguage, type Language, language } from '../http/negotiation.ts'
import { originOf } from '../http/path.ts'

type Cookies = Pick<Config, 'secrets' | 'publicUrl' | 'network' | 'testNetwork'>

const SESSION = 'console-session'
const LANGUAGE = 'console-lang'
const BROWSER = 'console-browser'
const LANGUAGE_SECONDS = 365 * 86_400

/** Where a session is kept: in the object of a site, or the operator's in the registry's. */
export interface SessionKey {
  /** OPERATOR for the operator's. */
  siteId: string
  /** Random. */
  id: string
}

/** The header that begins a session. @param maxAge seconds until it ends */
export const sessionCookie = (c: Context, config: Cookies, { siteId, id }: SessionKey, maxAge: number) =>
  cookie(c, config, {
    name: SESSION,
    value: `${siteId}.${id}.${macOf(config.secrets[0], siteId, id).toString('hex')}`,
    maxAge,
  })

/** The header that removes the session's cookie. */
export const noSessionCookie = (c: Context, config: Cookies) =>
  cookie(c, config, { name: SESSION, value: '', maxAge: 0 })

/** The session that the request names; undefined unless this deployment made the cookie. */
export function sessionKeyOf(c: Context, config: Cookies): SessionKey | undefined {
  const [, siteId = '', id = '', mac = ''] =
    /^(.+)\.([0-9a-f]+)\.([0-9a-f]+)$/.exec(cookieOf(c, SESSION)) ?? []
  if (siteId !== OPERATOR && !servesSite(config, siteId)) return undefined
  const isOwn = config.secrets.some((secret) => isMac(mac, macOf(secret, siteId, id)))
  return isOwn ? { siteId, id } : undefined
}

/** The header that binds a sign-in by a passkey to the browser. @param id random */
export const browserCookie = (c: Context, config: Cookies, id: string) =>
  cookie(c, config, { name: BROWSER, value: id, maxAge: CHALLENGE_SECONDS })

/** The browser that a sign-in is bound to; `''` for none. */
export const browserOf = (c: Context): string => cookieOf(c, BROWSER)

/** The header that remembers the language. */
export const languageCookie = (c: Context, config: Cookies, value: Language) =>
  cookie(c, config, { name: LANGUAGE, value, maxAge: LANGUAGE_SECONDS })

/** The language that is chosen by the address, or was earlier, or that the browser prefers. */
export function languageOf(c: Context): Language {
  const remembered = cookieOf(c, LANGUAGE)
  return (
    chosenLanguage(c) ?? (isLanguage(remembered) ? remembered : language(c.req.header('Accept-Language')))
  )
}

/** The language that the address has. */
export function chosenLanguage(c: Context): Language | undefined {
  const chosen = c.req.query('lang')
  return isLanguage(chosen) ? chosen : undefined
}

/** The first word keeps these messages apart from others that the same secret signs. */
const macOf = (secret: string, siteId: string, id: string): Buffer =>
  createHmac('sha256', secret).update(`session\0${siteId}\0${id}`).digest()

/** A cookie that another one of the same name could hide counts as none. */
function cookieOf(c: Context, name: string): string {
  const values = (c.req.header('Cookie') ?? '').split('; ').filter((each) => each.startsWith(`${name}=`))
  return values.length === 1 ? (values[0] ?? '').slice(name.length + 1) : ''
}

function cookie(
  c: Context,
  { publicUrl }: Cookies,
  { name, value, maxAge }: { name: string; value: string; maxAge: number },
): string {
  // A proxy can serve the console below a path.
  const path = `${publicUrl ? new URL(publicUrl).pathname.replace(/\/$/, '') : ''}/console`
  const secure = isSecure(c, publicUrl) ? '; Secure' : ''
  return `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`
}

/** Whether the page came by https: to this process, or to the proxy before it. */
function isSecure(c: Context, publicUrl: string | undefined): boolean {
  const origin = originOf(c)
  const own = URL.parse(publicUrl ?? '')
  return (
    origin.startsWith('https:') ||
    c.req.header('X-Forwarded-Proto') === 'https' ||
    (own?.protocol === 'https:' && own.host === URL.parse(origin)?.host)
  )
}
