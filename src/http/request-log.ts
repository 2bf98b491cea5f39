// The trace id of a request, and its one log line.
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import { type LogLevel, logLine } from '../contract/log-line.ts'
import { networkOf } from '../gateway/connection.ts'
import type { Platform } from '../gateway/context.ts'
import type { Metrics } from '../gateway/metrics.ts'
import type { AppEnv } from './app-env.ts'
import { lastResort } from './error-handler.ts'
import { namesTestSite } from './test-site.ts'

/**
 * The line has the route's pattern, never the path: a qrCodeUid or a link may be private.
 * @param config undefined where the settings are invalid: no request reaches a site
 */
export const requestLog = ({
  now,
  random,
  log,
  metrics,
  config,
}: Pick<Platform, 'now' | 'random' | 'log' | 'metrics'> & Partial<Pick<Platform, 'config'>>) => {
  const observe = metrics && observer(metrics)
  metrics?.add('errors', {}, 0)
  return createMiddleware<AppEnv>(async (c, next) => {
    const started = now()
    const traceId = random(8).toHex()
    c.set('traceId', traceId)
    if (config && namesTestSite(config, c.req.path)) c.set('namesTestSite', true)
    try {
      await next()
    } catch (fault) {
      // The error handler failed, or what was thrown is not an Error. A response set before would keep its headers.
      c.res = undefined
      c.res = lastResort(c, fault, Math.floor(started / 1000))
    }
    const { route = routePath(c) || '*', siteId, keyId, personId, errorCode, disconnected, fault } = c.var
    const { method } = c.req
    const { status } = c.res
    const isTest = isAboutTestSite(c, config)
    if (isTest) c.res.headers.set('Test-Site', 'true')
    const ms = now() - started
    const more = {
      traceId,
      method,
      route,
      site: siteId,
      keyId,
      personId,
      status,
      errorCode,
      disconnected,
      ms,
      fault,
    }
    log(logLine(started, levelOf(status), undefined, more))
    // A long poll takes as long as its client asks for.
    const waited = c.res.headers.has('Preference-Applied')
    // A 500 is a defect of the service, whatever the site.
    if (status === 500) metrics?.add('errors')
    if (waited) metrics?.add('long_polls_answered', { status })
    // The load of a test site would raise alerts, or dilute the share that fails.
    if (isTest) return
    if (siteId) metrics?.failingSites.note(siteId, `${method} ${route}`, status, started + ms)
    if (status === 503) metrics?.add('unavailable', { code: errorCode ?? 'service.unavailable' })
    observe?.({ method, route, status }, waited ? undefined : ms / 1000)
  })
}

/** The path can name another site than the caller's, and an unauthenticated caller does not learn what exists. */
function isAboutTestSite(c: Context<AppEnv>, config: Platform['config'] | undefined): boolean {
  const { siteId } = c.var
  if (siteId !== undefined) return config !== undefined && networkOf(config, siteId).isTest
  return c.var.namesTestSite === true && c.res.status !== 401
}

/** A defect is an error; what a later attempt can heal is a warning. */
const levelOf = (status: number): LogLevel => (status < 500 ? 'info' : status === 503 ? 'warning' : 'error')

/** Makes the function that counts a request; what counts those of one kind is made once. */
function observer(metrics: Metrics) {
  const counted = new Map<string, { count(): void; time(seconds: number): void }>()
  return (kind: { method: string; route: string; status: number }, seconds: number | undefined): void => {
    const { method, route, status } = kind
    const key = `${method} ${route} ${status}`
    const of = counted.get(key) ?? {
      count: metrics.counter('requests', kind),
      time: metrics.histogram('request_seconds', { method, route }),
    }
    counted.set(key, of)
    of.count()
    if (seconds !== undefined) of.time(seconds)
  }
}
