// The trace id of a request, and its one log line.
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import type { Platform } from '../gateway/context.ts'
import type { AppEnv } from './app-env.ts'

/** The line has the route's pattern, never the path: a qrCodeUid or a link may be private. */
export const requestLog = ({
  now,
  random,
  log,
  metrics,
}: Pick<Platform, 'now' | 'random' | 'log' | 'metrics'>) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const started = now()
    const traceId = random(8).toHex()
    c.set('traceId', traceId)
    await next()
    const { route = routePath(c) || '*', siteId, keyId, errorCode, disconnected, fault } = c.var
    const { method } = c.req
    const { status } = c.res
    const ms = now() - started
    log(
      JSON.stringify({
        time: new Date(started).toISOString(),
        traceId,
        method,
        route,
        site: siteId,
        keyId,
        status,
        errorCode,
        disconnected,
        ms,
        fault,
      }),
    )
    if (!metrics) return
    metrics.add('requests', { method, route, status })
    // A long poll takes as long as its client asks for.
    if (!c.res.headers.has('Preference-Applied'))
      metrics.observe('request_seconds', ms / 1000, { method, route })
  })
