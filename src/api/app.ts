// The HTTP face of the service: what stands where.
import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { authenticate, ownSite } from './auth.ts'
import { docs } from './docs.ts'
import { home } from './home.ts'
import { openapi } from './openapi.ts'
import { mount } from './operation.ts'
import { qrCodes } from './qr-codes.ts'
import { refusals } from './refusals.ts'
import type { AppEnv, Service } from './service.ts'
import { trace } from './trace.ts'

/** The API stands under both: the second is the address of the interface's samples (contract, section 1). */
const PREFIXES = ['/payin/v1', '/partner/payin/v1']

/** The service as a fetch handler. */
export function createApp(service: Service): Hono<AppEnv> {
  const operations = qrCodes(service)
  const {
    onError,
    notFound,
    methodNotAllowed: onMethodNotAllowed,
  } = refusals({ ...service.config, now: service.now })

  const api = new Hono<AppEnv>()
  api.use(authenticate(service))
  api.use('/sites/:siteId/*', ownSite(service))
  mount(api, operations)

  const app = new Hono<AppEnv>()
  app.use(trace(service))
  app.use(methodNotAllowed({ app, onMethodNotAllowed }))
  app.get('/', home)
  app.get('/docs', docs)
  app.get('/openapi.json', (c) => c.json(openapi(operations, PREFIXES)))
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  for (const prefix of PREFIXES) app.route(prefix, api)
  app.onError(onError)
  app.notFound(notFound)
  return app
}
