// The routes of no operation that every instance of the Worker serves: health, pages for payers, the start page.
import type { Hono } from 'hono'
import { isSandbox } from '../gateway/connection.ts'
import type { Service } from '../gateway/context.ts'
import type { AppEnv } from '../http/app-env.ts'
import type { ErrorHandlers } from '../http/error-handler.ts'
import { requireHost } from '../http/host.ts'
import { ready } from '../http/ready.ts'
import { requestLog } from '../http/request-log.ts'
import { json } from '../http/response.ts'
import { DEMO_SITE } from '../web/demo-site.ts'
import { pages } from '../web/load-pages.ts'
import { logo } from '../web/payer/logo.ts'
import { payer } from '../web/payer/routes.ts'
import { isPerson } from '../web/person.ts'
import { sandboxReceipt } from '../web/receipts/sandbox-receipt.ts'

/** Adds the log, the check of the Host and these routes to an application, before all others. */
export function addFrontRoutes(app: Hono<AppEnv>, service: Service, errors: ErrorHandlers): void {
  app.use(requestLog(service))
  // Before the Host is checked: a platform calls it by an address of its own.
  const isReady = ready(service)
  app.get('/healthz', async (c, next) =>
    isPerson(c) ? (await pages()).healthPage(c, isReady(c, next)) : json(c, { status: 'ok' }),
  )
  app.get('/readyz', isReady)
  // These routes check the Host themselves, so that a person gets a page.
  app.route('/pay', payer(service, errors))
  app.use(requireHost(service))
  app.get('/logo/:siteId/:hash/:mac', logo(service))
  app.get('/receipts/:siteId/:receiptUid/:mark', sandboxReceipt(service))
  app.get('/', async (c) => (await pages()).home(service)(c))
  if (isSandbox(service.config, DEMO_SITE)) app.post('/', async (c) => (await pages()).createDemo(service)(c))
}
