// The trace id of a request, and the one log line that it leaves.
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import type { AppEnv, Service } from './service.ts'

/** The line has the path's pattern, never the path: a uid or a link may be private. */
export const trace = ({ now, random, log }: Pick<Service, 'now' | 'random' | 'log'>) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const started = now()
    const traceId = random(8).toHex()
    c.set('traceId', traceId)
    await next()
    const { siteId, keyId, errorCode, disconnected, fault } = c.var
    log(
      JSON.stringify({
        time: new Date(started).toISOString(),
        traceId,
        method: c.req.method,
        route: routePath(c) || '*',
        site: siteId,
        keyId,
        status: c.res.status,
        errorCode,
        disconnected,
        ms: now() - started,
        fault,
      }),
    )
  })
