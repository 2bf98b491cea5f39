// The logo of a shop, as a file of this service: its address has its hash, so that its bytes never change.
import type { Context } from 'hono'
import type { Logo } from '../../contract/settings.ts'
import { ApiError } from '../../errors.ts'
import { setBounded } from '../../gateway/bounded-map.ts'
import { servesSite } from '../../gateway/connection.ts'
import type { Service } from '../../gateway/context.ts'
import { isLogo } from '../../gateway/logo-path.ts'
import { callSite } from '../../gateway/site-client.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { entityTags, isKnown } from '../../http/conditional.ts'
import { respond } from '../../http/response.ts'
import { payerSite } from './site.ts'

/** The bytes of logos in memory, at most 4 MiB: all payers of a shop have the same. */
const MAX_LOGOS = 16

/** For how long a cache outside may keep a logo that was removed (contract, section 13). */
const MAX_AGE_SECONDS = 600

/** GET /logo/{siteId}/{hash}/{mac} */
export function logo(service: Service): (c: Context<AppEnv>) => Promise<Response> {
  const logos = new Map<string, Logo>()
  return async (c) => {
    const { siteId = '', hash = '', mac = '' } = c.req.param()
    const { config } = service
    if (!servesSite(config, siteId) || !isLogo(config.secrets, siteId, hash, mac)) {
      throw new ApiError('payin.resource.not.found', 'there is no such logo')
    }
    c.set('siteId', siteId)
    const key = `${siteId}/${hash}`
    const etag = `"${hash}"`
    const isFresh = isKnown(entityTags(c.req.header('If-None-Match')), etag)
    const held = logos.get(key)
    // The site alone knows whether the logo still stands: it is asked each time, and sends the bytes once.
    const site = await payerSite(c, service, siteId, hash)
    const read = await callSite(site, (object) => object.logo(hash, isFresh || held !== undefined))
    const headers = { ETag: etag, 'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}` }
    if (isFresh) return respond(c, null, 304, headers)
    const logo = held ?? read
    if (!logo) throw new Error('a logo that was asked for did not come')
    if (logo !== held) setBounded(logos, key, logo, MAX_LOGOS)
    return respond(c, logo.content, 200, { ...headers, 'Content-Type': logo.mediaType })
  }
}
