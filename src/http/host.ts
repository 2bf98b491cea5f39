// Which Host a request may name (contract, section 1): if PUBLIC_URL is unset, links point to it.
import type { MiddlewareHandler } from 'hono'
import { hostNameOf, hostOf } from '../contract/host.ts'
import { ApiError } from '../errors.ts'
import { setBounded } from '../gateway/bounded-map.ts'
import type { Platform } from '../gateway/context.ts'
import type { AppEnv } from './app-env.ts'
import { quote } from './validate.ts'

/** Accepted hosts that are cached, so that the next request with one of them parses no URL. */
const MAX_ENTRIES = 100

/** @throws ApiError 421 where the Host is not valid, or is not one of ALLOWED_HOSTS */
export function requireHost({
  config: { allowedHosts },
}: Pick<Platform, 'config'>): MiddlewareHandler<AppEnv> {
  const accepted = new Map<string, true>()
  return async (c, next) => {
    const host = hostOf(c.req.raw)
    if (accepted.has(host)) return next()
    const name = hostNameOf(host)
    if (!name || (allowedHosts && !allowedHosts.has(name))) {
      const rule = name ? 'a host name of this service (ALLOWED_HOSTS)' : 'a valid host name'
      throw new ApiError('http.misdirected.request', `Host is ${quote(host)}, must be ${rule}`)
    }
    setBounded(accepted, host, true, MAX_ENTRIES)
    return next()
  }
}
