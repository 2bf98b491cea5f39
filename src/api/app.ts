// The service as a fetch handler: the frequent routes, and the module that has all of them (docs/decisions/0144-what-is-seldom-asked-is-a-module.md).
import { type Context, Hono } from 'hono'
import { matchedRoutes } from 'hono/route'
import { METHOD_NAME_ALL } from 'hono/router'
import type { Platform } from '../gateway/context.ts'
import { creator } from '../gateway/create.ts'
import type { AppEnv } from '../http/app-env.ts'
import { accessControl } from '../http/auth.ts'
import { errorHandlers } from '../http/error-handler.ts'
import { mount } from '../http/mount.ts'
import { lazily } from '../lazily.ts'
import { pageForPerson } from '../web/load-pages.ts'
import { frequentOperations } from './frequent-operations.ts'
import { addFrontRoutes } from './front-routes.ts'

/** The service as a fetch handler. */
export function createApp(platform: Platform): Hono<AppEnv> {
  const { config, now } = platform
  const service = { ...platform, createQrCode: creator(platform) }
  const fullApp = lazily(async () => (await import('./full-app.ts')).createFullApp(service))
  const app = new Hono<AppEnv>()
  // Before the log, which the full application has too. It has every route of this one, and knows which methods a path allows.
  app.use(async (c, next) => (hasRoute(c) ? next() : (await fullApp()).fetch(c.req.raw)))
  const errors = errorHandlers({ ...config, now }, pageForPerson)
  addFrontRoutes(app, service, errors)
  mount(app, frequentOperations(config), service, accessControl(platform))
  app.onError(errors.onError)
  return app
}

/** Whether the request has a route, and not only middleware. */
const hasRoute = (c: Context): boolean => matchedRoutes(c).some(({ method }) => method !== METHOD_NAME_ALL)
