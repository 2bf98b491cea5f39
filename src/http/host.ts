// Which Host a request may name (contract, section 1): if PUBLIC_URL is unset, links point to it.
import type { MiddlewareHandler } from 'hono'
import { hostNameOf } from '../contract/host.ts'
import { ApiError } from '../errors.ts'
import type { Platform } from '../gateway/context.ts'
import type { AppEnv } from './app-env.ts'
import { quote } from './validate.ts'

/** @throws ApiError 421 where the Host is not valid, or is not one of ALLOWED_HOSTS */
export const requireHost =
  ({ config: { allowedHosts } }: Pick<Platform, 'config'>): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    // The URL is not enough: of the Host `a.example/b` it makes a path.
    const host = c.req.header('Host') ?? new URL(c.req.url).host
    const name = hostNameOf(host)
    if (name && (!allowedHosts || allowedHosts.has(name))) return next()
    const description = `Host is ${quote(host)}, must be a host name of this service`
    throw new ApiError('http.misdirected.request', description)
  }
