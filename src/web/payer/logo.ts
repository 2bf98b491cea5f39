// The logo of a shop, as a file of this service: its address has its hash, so that it never changes.
import type { Context } from 'hono'
import { ApiError } from '../../errors.ts'
import type { Service } from '../../gateway/context.ts'
import { isLogo } from '../../gateway/logo.ts'
import { callSite } from '../../gateway/site-client.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { respond } from '../../http/response.ts'
import { payerSite } from './site.ts'

/** GET /logo/{siteId}/{hash}/{mac} */
export const logo =
  (service: Service) =>
  async (c: Context<AppEnv>): Promise<Response> => {
    const { siteId = '', hash = '', mac = '' } = c.req.param()
    if (!isLogo(service.config.secrets, siteId, hash, mac)) {
      throw new ApiError('payin.resource.not.found', 'there is no such logo')
    }
    const site = await payerSite(c, service, siteId, hash)
    const { mediaType, content } = await callSite(site, (object) => object.logo(hash))
    return respond(c, content, 200, {
      'Content-Type': mediaType,
      'Cache-Control': 'public, max-age=31536000, immutable',
    })
  }
