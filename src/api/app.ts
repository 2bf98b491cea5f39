// The HTTP face of the service: what stands where.
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { json } from './answer.ts'
import { admission } from './auth.ts'
import { createDemo } from './demo.ts'
import { docs } from './docs.ts'
import { events } from './events.ts'
import { home } from './home.ts'
import { requireHost } from './host.ts'
import { images } from './images.ts'
import { network } from './network.ts'
import { openapi } from './openapi.ts'
import { type Api, mount } from './operation.ts'
import { payer } from './payer.ts'
import { qrCodes } from './qr-codes.ts'
import { refusals } from './refusals.ts'
import { sandbox } from './sandbox.ts'
import type { AppEnv, Service } from './service.ts'
import { trace } from './trace.ts'

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
  // Before the Host is checked: a platform asks for it by an address of its own.
  app.get('/healthz', (c) => json(c, { status: 'ok' }))
  // It checks the Host itself, so that its refusal is a page.
  app.route('/pay', payer(service))
  app.use(requireHost(service))
  app.get('/', home(service))
  if (service.config.sandbox) app.post('/', createDemo(service))
  app.get('/docs', docs)
  let document: object | undefined
  app.get('/openapi.json', (c) => {
    document ??= openapi(apis)
    return json(c, document)
  })
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
