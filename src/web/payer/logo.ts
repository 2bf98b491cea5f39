// The logo of a shop, as a file of this service: its address has its hash, so that it never changes.
import type { Context } from 'hono'
import type { Logo } from '../../contract/settings.ts'
import { ApiError } from '../../errors.ts'
import { setBounded } from '../../gateway/bounded-map.ts'
import { servesSite } from '../../gateway/connection.ts'
import type { Service } from '../../gateway/context.ts'
import { isLogo } from '../../gateway/logo.ts'
import { callSite } from '../../gateway/site-client.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { respond } from '../../http/response.ts'
import { payerSite } from './site.ts'

/** Logos in memory, at most 4 MiB: all payers of a shop have the same, and share its rate limit. */
const MAX_LOGOS = 16

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
    const known = logos.get(key)
    const { mediaType, content } =
      known ?? (await callSite(await payerSite(c, service, siteId, hash), (object) => object.logo(hash)))
    if (!known) setBounded(logos, key, { hash, mediaType, content }, MAX_LOGOS)
    return respond(c, content, 200, {
      'Content-Type': mediaType,
      'Cache-Control': 'public, max-age=31536000, immutable',
    })
  }
}
