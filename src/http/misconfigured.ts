// What a deployment with bad settings does: it refuses to serve, and says why.
import { Hono } from 'hono'
import { ApiError } from '../errors.ts'
import type { AppEnv, Service } from '../gateway/context.ts'
import { refusals } from './error-handler.ts'
import { trace } from './request-log.ts'

/**
 * A fetch handler that answers 503 to everything.
 * @param problems names of settings and what is wrong with them, without their values
 */
export function misconfigured(
  edge: Pick<Service, 'now' | 'random' | 'log'>,
  problems: readonly string[],
): Hono<AppEnv> {
  const { refuse } = refusals({ utcOffset: '+00:00', now: edge.now })
  const app = new Hono<AppEnv>()
  app.use(trace(edge))
  app.all('*', (c) =>
    refuse(
      c,
      new ApiError('service.unavailable', `the deployment is not configured: ${problems.join('; ')}`),
    ),
  )
  return app
}
