// A site as its payers call it, without a token and at a rate of their own, and the state that they follow.
import type { Context } from 'hono'
import { PAYER } from '../../contract/caller.ts'
import type { QrCode } from '../../contract/qr-code.ts'
import type { Service, SiteContext } from '../../gateway/context.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { limitRate } from '../../http/auth.ts'
import { etagOf } from '../../http/conditional.ts'
import { originOf } from '../../http/path.ts'

/**
 * The site, for a request with a link of it.
 * @param linkId the id of a link that this deployment issued for the site
 * @throws ApiError 429
 */
export async function payerSite(
  c: Context<AppEnv>,
  service: Service,
  siteId: string,
  linkId: string,
): Promise<SiteContext> {
  c.set('siteId', siteId)
  await limitRate(service.limiter, 'link', siteId, linkId)
  return {
    service,
    siteId,
    caller: PAYER,
    origin: originOf(c),
    prefix: '',
    isRead: c.req.method === 'GET',
    signal: c.req.raw.signal,
  }
}

/**
 * The ETag of what a payer's page shows of a QR code. That of a STATIC one does not tell that others paid: its version would.
 * That of a COUNTER one changes with its sales.
 */
export const stateTag = (qrCode: QrCode): string =>
  etagOf(qrCode.type === 'STATIC' ? 0 : qrCode.version, qrCode.status)
