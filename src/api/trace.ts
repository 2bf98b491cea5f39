// What every answer carries, and the one log line that every request leaves.
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import type { AppEnv, Service } from './service.ts'

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/** The line has the path's pattern, never the path: a uid or a link may be private. */
export const trace = ({ now, random, log }: Pick<Service, 'now' | 'random' | 'log'>) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const started = now()
    const traceId = random(8).toHex()
    c.set('traceId', traceId)
    c.header('X-Trace-Id', traceId)
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value)
    await next()
    const { siteId, errorCode, fault } = c.var
    log(
      JSON.stringify({
        time: new Date(started).toISOString(),
        traceId,
        method: c.req.method,
        route: routePath(c, -1),
        site: siteId,
        status: c.res.status,
        errorCode,
        ms: now() - started,
        fault,
      }),
    )
  })
