// Who asks, and may they (contract, section 2): decided in the Worker, so that no stranger reaches a site's object.
import { createMiddleware } from 'hono/factory'
import { grants, isAlive, type Scope } from '../contract/access-token.ts'
import { SITE_ID } from '../contract/site-id.ts'
import { ApiError } from '../errors.ts'
import type { AppEnv, Service } from './service.ts'
import { tokenReader } from './tokens.ts'

/** Lets through only a token that this deployment signed and that is alive: 401 otherwise. */
export const authenticate = ({ config, now }: Service) => {
  const readToken = tokenReader(config.secrets)
  return createMiddleware<AppEnv>(async (c, next) => {
    const token = /^Bearer +(\S+) *$/i.exec(c.req.header('Authorization') ?? '')?.[1]
    if (!token) {
      throw new ApiError(
        'auth.unauthorized',
        'Authorization is missing, must be Bearer and an access token',
        {
          headers: { 'WWW-Authenticate': 'Bearer' },
        },
      )
    }
    const claims = await readToken(token)
    if (!claims || !isAlive(claims, now() / 1000)) {
      throw new ApiError(
        'auth.unauthorized',
        'the access token is not valid, must be a live one of this service',
        {
          headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
        },
      )
    }
    c.set('claims', claims)
    await next()
  })
}

/** Lets through only a token of the path's site: 404 for what can be no site, 403 for another site, 429 for too many. */
export const ownSite = ({ limiter }: Service) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const siteId = c.req.param('siteId') ?? ''
    if (!SITE_ID.test(siteId)) {
      throw new ApiError('http.url.not.found', 'siteId must be 1 to 64 of A-Z a-z 0-9 . _ -, not . or ..')
    }
    c.set('siteId', siteId)
    if (c.var.claims?.sub !== siteId) throw forbidden(`the access token is not for site ${siteId}`)
    if (limiter && !(await limiter.limit({ key: siteId })).success) {
      throw new ApiError('http.too.many.requests', `site ${siteId} asks too often`)
    }
    await next()
  })

/** Lets through only a token with one of the scopes: 403 otherwise. */
export const requireScope = (scopes: readonly Scope[]) =>
  createMiddleware<AppEnv>(async (c, next) => {
    if (!c.var.claims || !grants(c.var.claims, scopes)) {
      throw forbidden(`the access token lacks the scope, must have ${scopes.join(' or ')}`)
    }
    await next()
  })

const forbidden = (description: string) =>
  new ApiError('auth.forbidden', description, {
    headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
  })
