// The HTTP face of the service: what stands where.
import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { authenticate, ownSite } from './auth.ts'
import { limitForm } from './body.ts'
import { createDemo } from './demo.ts'
import { docs } from './docs.ts'
import { events } from './events.ts'
import { home } from './home.ts'
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
      // The second is the address of the interface's samples (contract, section 1).
      prefixes: ['/payin/v1', '/partner/payin/v1'],
      operations: [...qrCodes(service), ...images(service), ...events(service)],
    },
    { prefixes: ['/network/v1'], operations: network(service) },
  ]
  if (service.config.sandbox) apis.push({ prefixes: ['/sandbox/v1'], operations: sandbox(service) })

  const app = new Hono<AppEnv>()
  app.use(trace(service))
  app.use(methodNotAllowed({ app, onMethodNotAllowed }))
  app.get('/', home(service))
  if (service.config.sandbox) app.post('/', limitForm, createDemo(service))
  app.get('/docs', docs)
  app.get('/openapi.json', (c) => c.json(openapi(apis)))
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.route('/pay', payer(service, onError))
  for (const { prefixes, operations } of apis) {
    const api = new Hono<AppEnv>()
    api.use(authenticate(service))
    api.use('/sites/:siteId/*', ownSite(service))
    mount(api, operations)
    for (const prefix of prefixes) app.route(prefix, api)
  }
  app.onError(onError)
  app.notFound(notFound)
  return app
}
