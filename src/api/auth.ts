// Who asks, and may they (contract, section 2): decided in the Worker, so that no stranger reaches a site's object.
import type { Context } from 'hono'
import { type Claims, grants, isAlive, type Scope } from '../contract/access-token.ts'
import { SITE_ID } from '../contract/site-id.ts'
import { ApiError } from '../errors.ts'
import type { AppEnv, Service } from './service.ts'
import { tokenReader } from './tokens.ts'

export interface Admission {
  /** The token's claims; 401 where it is not one that this deployment signed and that is alive. */
  authenticate(c: Context<AppEnv>): Promise<Claims>
  /** The path's site; besides, 404 for what can be no site, 403 for another one's token, 429 for asking too often. */
  admitToSite(c: Context<AppEnv>): Promise<{ siteId: string; claims: Claims }>
  /** The path's site; besides, 403 where the token has none of the scopes. */
  admit(c: Context<AppEnv>, scopes: readonly Scope[]): Promise<string>
}

/** Makes the checks, in the contract's order. */
export function admission({ config, limiter, now }: Service): Admission {
  const readToken = tokenReader(config.secrets)

  async function authenticate(c: Context<AppEnv>): Promise<Claims> {
    const token = /^Bearer +(\S+) *$/i.exec(c.req.header('Authorization') ?? '')?.[1]
    if (!token) throw unauthorized('Authorization is missing, must be Bearer and an access token', 'Bearer')
    const claims = await readToken(token)
    if (claims) c.set('keyId', claims.jti)
    if (claims && isAlive(claims, now() / 1000)) return claims
    const description = 'the access token is not valid, must be a live one of this service'
    throw unauthorized(description, 'Bearer error="invalid_token"')
  }

  async function admitToSite(c: Context<AppEnv>): Promise<{ siteId: string; claims: Claims }> {
    const claims = await authenticate(c)
    const siteId = c.req.param('siteId') ?? ''
    if (!SITE_ID.test(siteId)) {
      throw new ApiError('http.url.not.found', 'siteId must be 1 to 64 of A-Z a-z 0-9 . _ -, not . or ..')
    }
    c.set('siteId', siteId)
    if (claims.sub !== siteId) throw forbidden(`the access token is not for site ${siteId}`)
    await limitRate(limiter, siteId)
    return { siteId, claims }
  }

  async function admit(c: Context<AppEnv>, scopes: readonly Scope[]): Promise<string> {
    const { siteId, claims } = await admitToSite(c)
    if (grants(claims, scopes)) return siteId
    throw forbidden(`the access token lacks the scope, must have ${scopes.join(' or ')}`)
  }

  return { authenticate, admitToSite, admit }
}

/** 429 where the deployment limits how often a key may ask, and it asks more often. */
export async function limitRate(limiter: Service['limiter'], key: string): Promise<void> {
  if (!limiter || (await limiter.limit({ key })).success) return
  throw new ApiError('http.too.many.requests', `${key} asks too often`)
}

const unauthorized = (description: string, challenge: string) =>
  new ApiError('auth.unauthorized', description, { headers: { 'WWW-Authenticate': challenge } })

const forbidden = (description: string) =>
  new ApiError('auth.forbidden', description, {
    headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
  })
