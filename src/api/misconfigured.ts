// A deployment with invalid settings refuses every request, and names the settings.
import { Hono } from 'hono'
import { ApiError } from '../errors.ts'
import type { Platform } from '../gateway/context.ts'
import type { AppEnv } from '../http/app-env.ts'
import { errorHandlers } from '../http/error-handler.ts'
import { requestLog } from '../http/request-log.ts'
import { pageForPerson } from '../web/load-pages.ts'

/**
 * A fetch handler that answers 503 to every request: a person gets a page, which does not name the settings.
 * @param problems the names of settings and their rules, without their values
 */
export function misconfigured(
  platform: Pick<Platform, 'now' | 'random' | 'log'>,
  problems: readonly string[],
): Hono<AppEnv> {
  const { errorResponse } = errorHandlers(
    { utcOffset: '+00:00', publicUrl: undefined, now: platform.now },
    pageForPerson,
  )
  const error = new ApiError(
    'service.unavailable',
    `the deployment is not configured: ${problems.join('; ')}`,
  )
  const app = new Hono<AppEnv>()
  app.use(requestLog(platform))
  app.all('*', (c) => errorResponse(c, error))
  return app
}
