// The cookies of the console: those of the sessions, whose MACs are checked before any object is asked, and that of the language.
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

/** A session that a browser has. */
export interface BrowserSession extends SessionKey {
  /** The name of its cookie. */
  name: string
  /** Unix seconds; 0 in the one cookie of 0.3.0, which is older than each of the others. */
  startedAt: number
}

/** The name of the cookie of a site's sessions, or of the operator's. */
export const sessionName = (siteId: string): string => `${SESSION}-${siteId}`

/** The header that begins a session. @param maxAge seconds until it ends */
export function sessionCookie(
  c: Context,
  config: Cookies,
  { siteId, id, startedAt }: SessionKey & Pick<BrowserSession, 'startedAt'>,
  maxAge: number,
): string {
  const mac = macOf(config.secrets[0], siteId, id, `${startedAt}`).toString('hex')
  return cookie(c, config, { name: sessionName(siteId), value: `${id}.${startedAt}.${mac}`, maxAge })
}

/** The header that removes the cookie of a session. */
export const noSessionCookie = (c: Context, config: Cookies, { name }: Pick<BrowserSession, 'name'>) =>
  cookie(c, config, { name, value: '', maxAge: 0 })

/**
 * The sessions of the browser, the newest first: of each site that this deployment made a cookie for. The cookie of 0.3.0
 * counts for its own site.
 */
export function browserSessions(c: Context, config: Cookies): BrowserSession[] {
  const names = cookiesOf(c).map((each) => each.replace(/=.*/s, ''))
  const sessions = [...new Set(names)].flatMap((name): BrowserSession[] => {
    const session = name === SESSION ? oldSession(c, config) : namedSession(c, config, name)
    return session && (session.siteId === OPERATOR || servesSite(config, session.siteId)) ? [session] : []
  })
  // A browser sends the cookies that it has got earlier first: of two that began in the same second, the later one is newer.
  return sessions.reverse().sort((one, other) => other.startedAt - one.startedAt)
}

/** The sites of these sessions in their order, OPERATOR for the operator's. */
export const sitesOf = (c: Context, config: Cookies): string[] => [
  ...new Set(browserSessions(c, config).map(({ siteId }) => siteId)),
]

function namedSession(c: Context, config: Cookies, name: string): BrowserSession | undefined {
  if (!name.startsWith(`${SESSION}-`)) return undefined
  const siteId = name.slice(SESSION.length + 1)
  const [, id = '', startedAt = '', mac = ''] =
    /^([0-9a-f]+)\.(\d{1,12})\.([0-9a-f]+)$/.exec(cookieOf(c, name)) ?? []
  const isOwn = config.secrets.some((secret) => isMac(mac, macOf(secret, siteId, id, startedAt)))
  return isOwn ? { siteId, id, name, startedAt: Number(startedAt) } : undefined
}

function oldSession(c: Context, config: Cookies): BrowserSession | undefined {
  const [, siteId = '', id = '', mac = ''] =
    /^(.+)\.([0-9a-f]+)\.([0-9a-f]+)$/.exec(cookieOf(c, SESSION)) ?? []
  const isOwn = config.secrets.some((secret) => isMac(mac, macOf(secret, siteId, id)))
  return isOwn ? { siteId, id, name: SESSION, startedAt: 0 } : undefined
}

/** The header that binds a sign-in by a passkey to the browser. @param id random */
export const browserCookie = (c: Context, config: Cookies, id: string) =>
  cookie(c, config, { name: BROWSER, value: id, maxAge: CHALLENGE_SECONDS })

/** The browser that a sign-in is bound to; `''` for none. */
export const browserOf = (c: Context): string => /^[0-9a-f]{32}$/.exec(cookieOf(c, BROWSER))?.[0] ?? ''

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
const macOf = (secret: string, ...session: string[]): Buffer =>
  createHmac('sha256', secret)
    .update(['session', ...session].join('\0'))
    .digest()

const cookiesOf = (c: Context): string[] => (c.req.header('Cookie') ?? '').split('; ')

/** A cookie that another one of the same name could hide counts as none. */
function cookieOf(c: Context, name: string): string {
  const values = cookiesOf(c).filter((each) => each.startsWith(`${name}=`))
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
