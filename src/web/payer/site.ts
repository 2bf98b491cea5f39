// A site as its payers call it: without a token, at a rate of their own.
import type { Context } from 'hono'
import { PAYER } from '../../contract/caller.ts'
import type { Service, SiteContext } from '../../gateway/context.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { limitRate } from '../../http/auth.ts'
import { originOf } from '../../http/path.ts'

/**
 * The site, for a request with a link of it.
 * @param siteId of a link that this deployment issued
 * @throws ApiError 429
 */
export async function payerSite(c: Context<AppEnv>, service: Service, siteId: string): Promise<SiteContext> {
  c.set('siteId', siteId)
  await limitRate(service.limiter, `pay:${siteId}`)
  return { service, siteId, caller: PAYER, origin: originOf(c), prefix: '', signal: c.req.raw.signal }
}
