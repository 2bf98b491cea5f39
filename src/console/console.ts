// The console: what is served where below /console, and to whom (contract, section 17).
import { type Context, Hono } from 'hono'
import { routePath } from 'hono/route'
import { OPERATOR } from '../contract/access-token.ts'
import { countedId } from '../contract/caller.ts'
import { ApiError } from '../errors.ts'
import type { AppEnv } from '../http/app-env.ts'
import { limitRate } from '../http/auth.ts'
import { seeOther, withCookies } from '../http/response.ts'
import { requireSameOrigin } from '../http/same-origin.ts'
import { handleForm } from './confirmation.ts'
import { chosenLanguage, languageCookie } from './cookies.ts'
import { errorPageOf } from './error-page.ts'
import type { ConsoleHost } from './host.ts'
import { joinRoutes } from './join.ts'
import { KEY_ROUTES } from './keys.ts'
import { isOperators, siteInPath } from './locations.ts'
import { MERCHANT_ROUTES } from './merchant.ts'
import { oldAddresses } from './old-addresses.ts'
import { OPERATOR_ROUTES } from './operator.ts'
import { noSession, signedInUser } from './sessions.ts'
import { signInRoutes, toSignIn } from './sign-in.ts'
import { SIGNING_KEY_ROUTES } from './signing-keys.ts'
import { formOf, READERS, visitOf } from './visit.ts'

/** What a signed-in user is served. */
export const ROUTES = [...MERCHANT_ROUTES, ...KEY_ROUTES, ...SIGNING_KEY_ROUTES, ...OPERATOR_ROUTES]

/** Makes the handler of all requests below /console. */
export function createConsole(host: ConsoleHost): (c: Context<AppEnv>) => Promise<Response> {
  const { service, errorResponse } = host
  const errorPage = errorPageOf(service.config)
  const app = new Hono<AppEnv>()

  app.use(async (c, next) => {
    const { outer } = c.env
    c.set('traceId', outer?.var.traceId ?? '')
    c.set('namesTestSite', outer?.var.namesTestSite)
    await next()
    const chosen = chosenLanguage(c)
    if (chosen) c.res.headers.append('Set-Cookie', languageCookie(c, service.config, chosen))
    // The request has one line in the log.
    outer?.set('route', routePath(c, -1))
    for (const name of ['siteId', 'keyId', 'personId', 'errorCode', 'fault', 'disconnected'] as const) {
      outer?.set(name, c.var[name])
    }
  })
  app.use(async (c, next) => {
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') requireSameOrigin(c, service.config)
    await next()
  })
  signInRoutes(app, host)
  joinRoutes(app, host)
  for (const route of ROUTES) {
    const { method, path, scopes } = route
    const isOfSite = !isOperators(path)
    app.on(method, isOfSite ? `/console/sites/:siteId${path}` : `/console${path}`, async (c) => {
      const siteId = isOfSite ? siteInPath(c) : OPERATOR
      const user = await signedInUser(c, service, siteId)
      if (!user) {
        // The browser forgets a session that has ended, but not by a poll of a page: the answer can come behind a new sign-in.
        const isPoll = (c.req.header('Sec-Fetch-Mode') ?? 'navigate') !== 'navigate'
        const ended = isPoll ? [] : noSession(c, service.config, siteId)
        return withCookies(await toSignIn(c, service), ended)
      }
      const { claims } = user
      const form = formOf(c, host, route)
      const visit = visitOf(c, host, user, form)
      if (claims.jti === undefined) c.set('personId', claims.person.id)
      else c.set('keyId', claims.jti)
      // A cashier begins at the till.
      if (path === '/' && !visit.may(...READERS)) return seeOther(c, 'tills?first=1')
      if (!visit.may(...scopes)) {
        throw new ApiError(
          'auth.forbidden',
          `the access token lacks the scope, must have ${scopes.join(' or ')}`,
        )
      }
      // A page or a file is one request, however many operations it needs.
      await limitRate(service, 'key', claims.sub, ...countedId(claims))
      if (method === 'get' || claims.jti !== undefined || route.hasFile) return route.handle(visit)
      return handleForm({ visit, person: claims, route }, (confirmation) =>
        visitOf(c, host, { ...user, claims: { ...claims, confirmation } }, form),
      )
    })
  }
  oldAddresses(app, host, ROUTES)
  app.notFound((c) =>
    errorResponse(c, new ApiError('http.url.not.found', `${c.req.path}: no such page`), errorPage),
  )
  app.onError(async (error, c) => {
    const response = await errorResponse(c, error, errorPage)
    const { siteId, errorCode } = c.var
    const hasNone = siteId !== undefined && errorCode === 'site.deleted'
    return withCookies(response, hasNone ? noSession(c, service.config, siteId) : [])
  })
  return async (outer) => app.fetch(outer.req.raw, { outer })
}
