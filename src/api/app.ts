// The HTTP face of the service: what stands where.
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import type { AppEnv, Service } from '../gateway/context.ts'
import { admission } from '../http/auth.ts'
import { refusals } from '../http/error-handler.ts'
import { type Api, mount } from '../http/operation.ts'
import { trace } from '../http/request-log.ts'
import { json } from '../http/response.ts'
import { openapi } from '../openapi/document.ts'
import { createDemo } from '../web/demo.ts'
import { docs } from '../web/docs.ts'
import { home } from '../web/home.ts'
import { payer } from '../web/payer/routes.ts'
import { events } from './events.ts'
import { images } from './images.ts'
import { network } from './network.ts'
import { qrCodes } from './qr-codes.ts'
import { sandbox } from './sandbox.ts'

/** The service as a fetch handler. */
export function createApp(service: Service): Hono<AppEnv> {
  const {
    onError,
    notFound,
    methodNotAllowed: onMethodNotAllowed,
  } = refusals({
    ...service.config,
    now: service.now,
  })
  const apis: Api[] = [
    {
      // Both are the same API (contract, section 1).
      prefixes: ['/payin/v1', '/partner/payin/v1'],
      operations: [...qrCodes(service), ...images(service), ...events(service)],
    },
    { prefixes: ['/network/v1'], operations: network(service) },
  ]
  if (service.config.sandbox) apis.push({ prefixes: ['/sandbox/v1'], operations: sandbox(service) })

  const checks = admission(service)
  const app = new Hono<AppEnv>()
  app.use(trace(service))
  app.get('/', home(service))
  if (service.config.sandbox) app.post('/', createDemo(service))
  app.get('/docs', docs)
  let document: object | undefined
  app.get('/openapi.json', (c) => {
    document ??= openapi(apis)
    return json(c, document)
  })
  app.get('/healthz', (c) => json(c, { status: 'ok' }))
  app.route('/pay', payer(service))
  for (const { prefixes, operations } of apis) {
    const api = new Hono<AppEnv>()
    mount(api, operations, checks)
    // Whatever else is asked for below: a stranger is not even told that it is no address.
    api.all('/sites/:siteId/*', checkedBy(checks.admitToSite))
    api.all('*', checkedBy(checks.authenticate))
    for (const prefix of prefixes) app.route(prefix, api)
  }
  // Behind everything else, so that what has its answer does not pass through it.
  app.use(methodNotAllowed({ app, onMethodNotAllowed }))
  app.onError(onError)
  app.notFound(notFound)
  return app
}

/** A check before what follows; the log names its route, not that of what looks for other methods. */
const checkedBy =
  (check: (c: Context<AppEnv>) => Promise<unknown>): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const { routeIndex } = c.req
    await check(c)
    await next()
    c.req.routeIndex = routeIndex
  }
