// The trace id of a request, and its one log line.
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import type { Platform } from '../gateway/context.ts'
import type { AppEnv } from './app-env.ts'

/** The line has the route's pattern, never the path: a qrCodeUid or a link may be private. */
export const requestLog = ({ now, random, log }: Pick<Platform, 'now' | 'random' | 'log'>) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const started = now()
    const traceId = random(8).toHex()
    c.set('traceId', traceId)
    await next()
    const { route = routePath(c) || '*', siteId, keyId, errorCode, disconnected, fault } = c.var
    log(
      JSON.stringify({
        time: new Date(started).toISOString(),
        traceId,
        method: c.req.method,
        route,
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
