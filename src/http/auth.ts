// Authentication and authorisation (contract, section 2), in the Worker: an unauthenticated caller reaches no site's object.
import type { Context } from 'hono'
import type { Config } from '../config.ts'
import {
  type Claims,
  grants,
  isOfOperator,
  lifetimeProblem,
  OPERATOR,
  type Scope,
  type TokenProblem,
} from '../contract/access-token.ts'
import type { Holder } from '../contract/caller.ts'
import { SITE_ID } from '../contract/site-id.ts'
import { ApiError } from '../errors.ts'
import { networkOf } from '../gateway/connection.ts'
import type { Platform } from '../gateway/context.ts'
import { accessTokens } from './access-tokens.ts'
import type { AppEnv } from './app-env.ts'
import { quote } from './validate.ts'

/** A request whose token was checked. */
export interface Authorized {
  /** Empty where the path has none: the operator's list of sites. */
  siteId: string
  claims: Claims
}

/** The checks of a request before its operation runs. */
export interface AccessControl {
  /** The token's claims. @throws ApiError 401 unless this deployment signed the token and it is in its lifetime */
  authenticate: Authenticate
  /**
   * The path's site.
   * @param isOperator whether the token must be the operator's, by default the site's
   * @throws ApiError besides, 404 for a siteId that the deployment cannot have, 403 for another's token, 429
   */
  authorizeSite(c: Context<AppEnv>, isOperator?: boolean): Promise<Authorized>
  /**
   * The path's site. Reports of the payment network pass no rate limiter: what they report has happened.
   * @throws ApiError besides, 403 where the token has none of the scopes
   */
  authorizeRequest(c: Context<AppEnv>, scopes: readonly Scope[]): Promise<Authorized>
}

/** Checks who sends a request. @throws ApiError 401 */
type Authenticate = (c: Context<AppEnv>) => Promise<Claims>

/** Makes the function that checks an access token. @throws InvalidToken */
export function tokenCheck({
  config,
  now,
}: Pick<Platform, 'config' | 'now'>): (c: Context<AppEnv>, token: string) => Promise<Claims> {
  const tokens = accessTokens(config.secrets)
  return async (c, token) => {
    const verified = await tokens(token)
    if ('problem' in verified) throw new InvalidToken(verified.problem)
    const { claims } = verified
    c.set('keyId', claims.jti)
    const problem = lifetimeProblem(claims, now() / 1000)
    if (problem) throw new InvalidToken(problem)
    if (config.revokedKeys.has(claims.jti)) throw new InvalidToken('revoked')
    return claims
  }
}

/** The refusal of an access token, 401. */
export class InvalidToken extends ApiError {
  readonly problem: TokenProblem

  constructor(problem: TokenProblem) {
    super('auth.unauthorized', `the access token is ${problem}`, {
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    })
    this.problem = problem
  }
}

function bearer(platform: Pick<Platform, 'config' | 'now'>): Authenticate {
  const check = tokenCheck(platform)
  return async (c) => {
    const header = c.req.header('Authorization')
    if (!header) throw unauthorized('Authorization is missing, must be Bearer and an access token', 'Bearer')
    const token = /^Bearer +(\S+) *$/i.exec(header)?.[1]
    if (!token)
      throw unauthorized('Authorization is of another form, must be Bearer and an access token', 'Bearer')
    return check(c, token)
  }
}

/** Makes the checks, in the contract's order. */
export function accessControl(
  platform: Pick<Platform, 'config' | 'limiter' | 'siteRate' | 'now'>,
): AccessControl {
  const { config } = platform
  const authenticate = bearer(platform)

  /** The path's site. @param isOperator whether the token must be the operator's, not the site's */
  async function siteOf(c: Context<AppEnv>, isOperator = false): Promise<Authorized> {
    const claims = await authenticate(c)
    const siteId = c.req.param('siteId')
    requireSiteId(config, siteId, isOperator)
    if (siteId !== undefined) c.set('siteId', siteId)
    requireOwn(claims, siteId, isOperator)
    return { siteId: siteId ?? '', claims }
  }

  async function authorizeSite(c: Context<AppEnv>, isOperator = false): Promise<Authorized> {
    const authorized = await siteOf(c, isOperator)
    await limitRate(platform, 'key', authorized.claims.sub, authorized.claims.jti)
    return authorized
  }

  async function authorizeRequest(c: Context<AppEnv>, scopes: readonly Scope[]): Promise<Authorized> {
    const authorized = await (isReport(scopes) ? siteOf(c) : authorizeSite(c, isOfOperator(scopes)))
    requireScope(authorized.claims, scopes)
    return authorized
  }

  return { authenticate, authorizeSite, authorizeRequest }
}

/**
 * Checks what a caller, whose claims and rate were checked, may do.
 * @param siteId undefined where the path has none
 * @throws ApiError 404 for a siteId that the deployment cannot have, 403 for another's claims, or where they have none of
 * the scopes
 */
export function authorize(
  config: Config,
  claims: Holder,
  siteId: string | undefined,
  scopes: readonly Scope[],
): void {
  const isOperator = isOfOperator(scopes)
  requireSiteId(config, siteId, isOperator)
  requireOwn(claims, siteId, isOperator)
  requireScope(claims, scopes)
}

/** The operator can still export and delete the test sites of a deployment that has none any more. */
function requireSiteId(config: Config, siteId: string | undefined, isOperator: boolean): void {
  if (siteId === undefined) return
  if (!SITE_ID.test(siteId)) {
    const description = `siteId is ${quote(siteId)}, must be 1 to 64 of A-Z a-z 0-9 . _ -, not . or ..`
    throw new ApiError('http.url.not.found', description)
  }
  if (!isOperator && !networkOf(config, siteId).isServed) {
    throw new ApiError(
      'http.url.not.found',
      `siteId is ${quote(siteId)}, must not end with -test: ${NO_TEST_SITES}`,
    )
  }
}

export const NO_TEST_SITES = 'the deployment has no test sites'

function requireOwn({ sub }: Pick<Holder, 'sub'>, siteId: string | undefined, isOperator: boolean): void {
  if (isOperator && sub !== OPERATOR) throw forbidden('the access token is not the operator’s')
  if (!isOperator && sub !== siteId) throw forbidden(`the access token is not for site ${siteId}`)
}

function requireScope(claims: Pick<Holder, 'scope'>, scopes: readonly Scope[]): void {
  if (grants(claims, scopes)) return
  throw forbidden(`the access token lacks the scope, must have ${scopes.join(' or ')}`)
}

/** Whether the scopes are those of a report of the payment network. */
export const isReport = (scopes: readonly Scope[]): boolean => scopes.includes('network')

/**
 * Counts a request: of an access token by its key and by its site, of a payer by the id of the link. All are authentic by
 * now, so that nobody chooses what is counted, and none uses up the limit of another.
 * @throws ApiError 429 where the deployment limits how often they may come, and more come
 */
export async function limitRate(
  { limiter, siteRate }: Pick<Platform, 'limiter' | 'siteRate'>,
  kind: 'key' | 'link' | 'form',
  siteId: string,
  ...id: readonly string[]
): Promise<void> {
  const counted = kind === 'key' ? siteId : [kind, siteId, ...id].join(':')
  if (siteId !== OPERATOR && siteRate?.allows(counted) === false) {
    const whose = kind === 'key' ? 'site' : kind
    throw new ApiError(
      'http.too.many.requests',
      `too many requests of the ${whose}, must be fewer a second`,
      {
        retryAfter: 1,
      },
    )
  }
  if (!limiter || (await limiter.limit({ key: [kind, siteId, ...id].join(':') })).success) return
  throw new ApiError('http.too.many.requests', 'too many requests, must be fewer')
}

const unauthorized = (description: string, challenge: string) =>
  new ApiError('auth.unauthorized', description, { headers: { 'WWW-Authenticate': challenge } })

const forbidden = (description: string) =>
  new ApiError('auth.forbidden', description, {
    headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
  })
