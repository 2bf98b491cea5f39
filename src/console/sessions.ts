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
import { noSessionCookie, type SessionKey, sessionCookie, sessionKeyOf } from './cookies.ts'

/**
 * Begins a session for the holder of the claims, always with a new random id, and ends the one that the browser had.
 * @param link the one-time link that is used up by it
 * @returns the Set-Cookie header
 * @throws ApiError 401 for a key that is revoked, or a link that was used; 410 for a site that is deleted
 */
export async function beginSession(
  c: Context<AppEnv>,
  service: Service,
  claims: Claims,
  link?: string,
): Promise<string> {
  const now = Math.floor(service.now() / 1000)
  const id = service.random(16).toHex()
  const tokenExpiresAt = beforeYear9999(claims.exp)
  const expiresAt = Math.min(now + MAX_SESSION_SECONDS, tokenExpiresAt)
  const session: NewSession = {
    id,
    keyId: claims.jti,
    scopes: claims.scope,
    label: claims.label,
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
  const before = sessionKeyOf(c, service.config)
  // Where that fails, the site of the earlier session is away, which keeps nobody from signing in to this one.
  if (before) await endSession(service, before).catch((error) => void recordError(c, error))
  return sessionCookie(c, service.config, { siteId, id }, expiresAt - now)
}

/** The header that begins a session of a person, which its object has begun. */
export const personCookie = (
  c: Context<AppEnv>,
  { config }: Pick<Service, 'config'>,
  siteId: string,
  { id }: PersonSession,
): string => sessionCookie(c, config, { siteId, id }, LONGEST_SESSION_SECONDS)

/** Who is signed in, and what a page of a site begins with. */
export interface SignedIn extends Partial<Omit<SessionView, 'session'>> {
  claims: Holder
}

/** The signed-in user; undefined without a session. @throws ApiError 410 for a site that is deleted */
export async function signedInUser(c: Context<AppEnv>, service: Service): Promise<SignedIn | undefined> {
  const { config, now } = service
  const key = sessionKeyOf(c, config)
  if (!key) return undefined
  setSite(c, key)
  const view = await viewOf(service, key)
  if (!view) return undefined
  const { session, ...more } = view
  const claims = holderOf(key.siteId, session)
  if (claims.jti === undefined) return { claims, ...more }
  const isRefused = config.revokedKeys.has(claims.jti) || lifetimeProblem(claims, now() / 1000) !== undefined
  return isRefused ? undefined : { claims, ...more }
}

async function viewOf(
  service: Service,
  { siteId, id }: SessionKey,
): Promise<(Partial<SessionView> & Pick<SessionView, 'session'>) | undefined> {
  if (siteId !== OPERATOR) return callSite({ service, siteId, isRead: true }, (site) => site.session(id))
  const session = await callRegistry(service, (registry) => registry.session(id))
  return session && { session }
}

/**
 * Ends the session of a request. A deleted site has none: there it ends too.
 * @returns the Set-Cookie header
 * @throws what its object fails with: the session goes on
 */
export async function leaveSession(c: Context<AppEnv>, service: Service): Promise<string> {
  const key = sessionKeyOf(c, service.config)
  try {
    if (key) {
      setSite(c, key)
      await endSession(service, key)
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'site.deleted') throw error
    recordError(c, error)
  }
  return noSessionCookie(c, service.config)
}

/** Says whose session it is: the operator's is no site's. */
function setSite(c: Context<AppEnv>, { siteId }: SessionKey): void {
  if (siteId !== OPERATOR) c.set('siteId', siteId)
}

/** The header of a response to a browser whose session has ended. */
export const noSession = ({ c, config }: { c: Context; config: Config }) => ({
  'Set-Cookie': noSessionCookie(c, config),
})

async function endSession(service: Service, { siteId, id }: SessionKey): Promise<void> {
  if (siteId === OPERATOR) await callRegistry(service, (registry) => registry.endSession(id))
  else await callSite({ service, siteId }, (site) => site.endSession(id))
}
