// GET /receipts/{siteId}/{receiptUid}/{mark}: a receipt that the sandbox's cash register made, as fiscal.url leads to it.
import type { Context } from 'hono'
import { ApiError } from '../../errors.ts'
import { isSandbox, servesSite } from '../../gateway/connection.ts'
import type { Service } from '../../gateway/context.ts'
import { isSandboxReceipt } from '../../gateway/sandbox-receipt.ts'
import { callSite } from '../../gateway/site-client.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { lazily } from '../../lazily.ts'
import { payerSite } from '../payer/site.ts'

const load = lazily(() => import('./receipt-page.ts'))

/** From the page to the root of the service. */
const ROOT = '../../../'

export const sandboxReceipt =
  (service: Service) =>
  async (c: Context<AppEnv>): Promise<Response> => {
    const { siteId = '', receiptUid = '', mark = '' } = c.req.param()
    const { config } = service
    const isOwn = servesSite(config, siteId) && isSandbox(config, siteId)
    if (!isOwn || !isSandboxReceipt(config.secrets, siteId, receiptUid, mark)) {
      throw new ApiError('payin.resource.not.found', 'there is no such receipt')
    }
    c.set('siteId', siteId)
    const site = await payerSite(c, service, siteId, receiptUid)
    const document = await callSite(site, (object) => object.readReceipt(site.caller, receiptUid))
    const { settings } = await callSite(site, (object) => object.settings(site.caller))
    const { name = siteId, legalName, taxId, receipts = {} } = settings
    const { receiptPage } = await load()
    return receiptPage(c, {
      document,
      seller: { name, legalName, taxId },
      settings: receipts,
      utcOffset: config.utcOffset,
      root: ROOT,
    })
  }
