// The whole HTTP interface of the service: what is served where. It is a module, loaded with the first request that `app.ts` has no route for.
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { routePath } from 'hono/route'
import { isSandbox } from '../gateway/connection.ts'
import type { Service } from '../gateway/context.ts'
import type { AppEnv } from '../http/app-env.ts'
import { accessControl } from '../http/auth.ts'
import { errorHandlers } from '../http/error-handler.ts'
import { mount } from '../http/mount.ts'
import { originOf, withoutEmptySegments } from '../http/path.ts'
import { json, seeOther } from '../http/response.ts'
import { docsPage, staticFile } from '../http/static-file.ts'
import { DEMO_SITE } from '../web/demo-site.ts'
import { demoToken } from '../web/demo-token.ts'
import { pageForPerson } from '../web/load-pages.ts'
import { consoleOf } from './console.ts'
import { DOCUMENT_FILE, documentOf } from './document.ts'
import { addFrontRoutes } from './front-routes.ts'
import { operationsOf } from './operations.ts'

/** The application with every route. */
export function createFullApp(service: Service): Hono<AppEnv> {
  const { config, now } = service
  const operations = operationsOf(config)
  const errors = errorHandlers(
    { ...config, now },
    pageForPerson,
    operations.map(({ path }) => path),
  )
  const checks = accessControl(service)
  const app = new Hono<AppEnv>()
  addFrontRoutes(app, service, errors)
  if (isSandbox(config, DEMO_SITE)) app.post('/docs-token', demoToken(service))
  app.get('/docs', (c) => seeOther(c, 'docs/'))
  app.get('/docs/*', async (c) => (await docsPage(c, service)) ?? errors.notFound(c))
  const showConsole = consoleOf(service, operations, errors)
  app.get('/console', (c) => seeOther(c, 'console/'))
  app.all('/console/*', showConsole)
  let fullDocument: unknown
  app.get('/openapi.json', async (c) => {
    fullDocument ??= await (await service.asset(DOCUMENT_FILE)).json()
    return json(c, documentOf(fullDocument, config, config.publicUrl ?? originOf(c)))
  })
  // A site that is not of the sandbox has no operations of it.
  app.all('/sandbox/v1/sites/:siteId/*', async (c, next) => {
    if (isSandbox(config, c.req.param('siteId'))) return next()
    c.set('route', routePath(c))
    await checks.authorizeSite(c)
    return errors.notFound(c)
  })
  mount(app, operations, service, checks)
  // An unauthenticated caller does not learn which endpoints exist.
  for (const api of SITES_PREFIXES) {
    app.all(
      `${api}/sites/:siteId/*`,
      after((c) => checks.authorizeSite(c)),
    )
    app.all(`${api}/*`, after(checks.authenticate))
  }
  app.all('/operator/v1/*', after(checks.authenticate))
  // Behind everything else, so that requests with a response do not pass through it.
  app.use(methodNotAllowed({ app, onMethodNotAllowed: errors.methodNotAllowed }))
  app.onError(errors.onError)
  app.notFound(async (c) => {
    const file = staticFile(c, service)
    if (file) return file
    // No route has the path of a prefix with a slash too many.
    if (isBelowPrefix(withoutEmptySegments(c.req.path))) await checks.authenticate(c)
    return errors.notFound(c)
  })
  return app
}

const SITES_PREFIXES = ['/payin/v1', '/partner/payin/v1', '/network/v1', '/sandbox/v1']

const isBelowPrefix = (path: string): boolean =>
  [...SITES_PREFIXES, '/operator/v1'].some((prefix) => `${path}/`.startsWith(`${prefix}/`))

/** Middleware that runs a check first; the log names this route, not the one that answers 404 or 405. */
const after =
  (check: (c: Context<AppEnv>) => Promise<unknown>): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    if (!c.var.route) c.set('route', routePath(c))
    await check(c)
    await next()
  }
