// A deployment with invalid settings refuses every request, and names the settings.
import { Hono } from 'hono'
import { ApiError } from '../errors.ts'
import type { Platform } from '../gateway/context.ts'
import type { AppEnv } from './app-env.ts'
import { errorHandlers } from './error-handler.ts'
import { requestLog } from './request-log.ts'

/**
 * A fetch handler that answers 503 to every request.
 * @param problems the names of settings and their rules, without their values
 */
export function misconfigured(
  platform: Pick<Platform, 'now' | 'random' | 'log'>,
  problems: readonly string[],
): Hono<AppEnv> {
  const { errorResponse } = errorHandlers({ utcOffset: '+00:00', now: platform.now })
  const error = new ApiError(
    'service.unavailable',
    `the deployment is not configured: ${problems.join('; ')}`,
  )
  const app = new Hono<AppEnv>()
  app.use(requestLog(platform))
  app.all('*', (c) => errorResponse(c, error))
  return app
}
