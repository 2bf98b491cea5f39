// Who is signed in: sessions are begun, read and ended in the object that keeps them.
import type { Context } from 'hono'
import type { Config } from '../config.ts'
import { type Claims, lifetimeProblem, OPERATOR } from '../contract/access-token.ts'
import { beforeYear9999, callerOf, type Holder } from '../contract/caller.ts'
import { LONGEST_SESSION_SECONDS, type PersonSession } from '../contract/person.ts'
import { holderOf, MAX_SESSION_SECONDS, type NewSession, type SessionView } from '../contract/session.ts'
import { ApiError } from '../errors.ts'
import type { Service } from '../gateway/context.ts'
import { callRegistry, callSite, unwrap } from '../gateway/site-client.ts'
import type { AppEnv } from '../http/app-env.ts'
import { recordError } from '../http/error-handler.ts'
import {
  type BrowserSession,
  browserSessions,
  noSessionCookie,
  type SessionKey,
  sessionCookie,
  sessionName,
} from './cookies.ts'

/** The sessions that one browser has: the oldest ends. */
const MAX_BROWSER_SESSIONS = 8

/**
 * Begins a session for the holder of the claims, always with a new random id, and ends the one that the browser had of the
 * same site.
 * @param link the one-time link that is used up by it
 * @returns the Set-Cookie headers
 * @throws ApiError 401 for a key that is revoked, or a link that was used; 410 for a site that is deleted
 */
export async function beginSession(
  c: Context<AppEnv>,
  service: Service,
  claims: Claims,
  link?: string,
): Promise<string[]> {
  const now = Math.floor(service.now() / 1000)
  const id = service.random(16).toHex()
  const tokenExpiresAt = beforeYear9999(claims.exp)
  const expiresAt = Math.min(now + MAX_SESSION_SECONDS, tokenExpiresAt)
  const session: NewSession = {
    id,
    keyId: claims.jti,
    scopes: claims.scope,
    label: claims.label,
    tills: claims.tills,
    issuedAt: beforeYear9999(claims.iat),
    tokenExpiresAt,
    expiresAt,
    link,
  }
  const siteId = claims.sub
  if (siteId === OPERATOR) unwrap(await callRegistry(service, (registry) => registry.openSession(session)))
  else {
    const caller = callerOf('merchant', claims)
    await callSite({ service, siteId }, (site) => site.openSession(caller, session))
  }
  // Behind the new one: a one-time link that is pressed twice is refused the second time, and the first session goes on.
  const removed = await makeRoom(c, service, siteId)
  return [...removed, sessionCookie(c, service.config, { siteId, id, startedAt: now }, expiresAt - now)]
}

/** Ends the earlier sessions of a site, and the oldest ones that are too many beside a new one. @returns the Set-Cookie headers */
async function makeRoom(c: Context<AppEnv>, service: Service, siteId: string): Promise<string[]> {
  const sessions = browserSessions(c, service.config)
  const others = sessions.filter((each) => each.siteId !== siteId)
  const ended = [
    ...sessions.filter((each) => each.siteId === siteId),
    ...others.slice(MAX_BROWSER_SESSIONS - 1),
  ]
  // Where that fails, the site of an earlier session is away, which keeps nobody from signing in to this one.
  for (const each of ended) await endSession(service, each).catch((error) => void recordError(c, error))
  const replaced = sessionName(siteId)
  return ended.filter(({ name }) => name !== replaced).map((each) => noSessionCookie(c, service.config, each))
}

/**
 * The headers that begin a session of a person, which its object has begun; the earlier one of the site ends.
 * @returns the Set-Cookie headers
 */
export async function personCookies(
  c: Context<AppEnv>,
  service: Service,
  siteId: string,
  { id, startedAt }: PersonSession,
): Promise<string[]> {
  const removed = await makeRoom(c, service, siteId)
  return [...removed, sessionCookie(c, service.config, { siteId, id, startedAt }, LONGEST_SESSION_SECONDS)]
}

/** Who is signed in, and what a page of a site begins with. */
export interface SignedIn extends Partial<Omit<SessionView, 'session'>> {
  claims: Holder
}

/**
 * The user who is signed in to a site, or to the operator's console: no cookie of another one counts.
 * @param siteId OPERATOR for the operator's
 * @returns undefined without a session
 * @throws ApiError 410 for a site that is deleted
 */
export async function signedInUser(
  c: Context<AppEnv>,
  service: Service,
  siteId: string,
): Promise<SignedIn | undefined> {
  const { config, now } = service
  const key = sessionsTo(c, config, siteId)[0]
  if (!key) return undefined
  setSite(c, key)
  const view = await viewOf(service, key)
  if (!view) return undefined
  const { session, ...more } = view
  const claims = holderOf(siteId, session)
  if (claims.jti === undefined) return { claims, ...more }
  const isRefused = config.revokedKeys.has(claims.jti) || lifetimeProblem(claims, now() / 1000) !== undefined
  return isRefused ? undefined : { claims, ...more }
}

/** The sessions of the browser at one site, the newest first. */
const sessionsTo = (c: Context, config: Config, siteId: string): BrowserSession[] =>
  browserSessions(c, config).filter((each) => each.siteId === siteId)

async function viewOf(
  service: Service,
  { siteId, id }: SessionKey,
): Promise<(Partial<SessionView> & Pick<SessionView, 'session'>) | undefined> {
  if (siteId !== OPERATOR) return callSite({ service, siteId, isRead: true }, (site) => site.session(id))
  const session = await callRegistry(service, (registry) => registry.session(id))
  return session && { session }
}

/**
 * Ends the session of a request at one site. A deleted site has none: there it ends too.
 * @param siteId OPERATOR for the operator's
 * @returns the Set-Cookie headers
 * @throws what its object fails with: the session goes on
 */
export async function leaveSession(c: Context<AppEnv>, service: Service, siteId: string): Promise<string[]> {
  const sessions = sessionsTo(c, service.config, siteId)
  try {
    for (const each of sessions) {
      setSite(c, each)
      await endSession(service, each)
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'site.deleted') throw error
    recordError(c, error)
  }
  return noSession(c, service.config, siteId)
}

/** Says whose session it is: the operator's is no site's. */
function setSite(c: Context<AppEnv>, { siteId }: SessionKey): void {
  if (siteId !== OPERATOR) c.set('siteId', siteId)
}

/** The Set-Cookie headers of a response to a browser whose session at one site has ended. */
export const noSession = (c: Context, config: Config, siteId: string): string[] =>
  sessionsTo(c, config, siteId).map((each) => noSessionCookie(c, config, each))

async function endSession(service: Service, { siteId, id }: SessionKey): Promise<void> {
  if (siteId === OPERATOR) await callRegistry(service, (registry) => registry.endSession(id))
  else await callSite({ service, siteId }, (site) => site.endSession(id))
}
