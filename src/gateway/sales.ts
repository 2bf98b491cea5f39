// Arms a COUNTER code for a sale, and cancels sales and codes: where a bank armed the link, it is asked first (contract, section 15).
import type { QrCode } from '../contract/qr-code.ts'
import type { Sale, SaleSpec } from '../contract/sale.ts'
import { ApiError } from '../errors.ts'
import type { Armed } from '../site/sales/sales.ts'
import { networkOf } from './connection.ts'
import type { SiteContext } from './context.ts'
import { bankLinks } from './load-register.ts'
import { callSite } from './site-client.ts'
import { toEnd } from './to-end.ts'

interface QrCodeKey {
  qrCodeUid: string
}

interface SaleKey {
  qrCodeUid: string
  saleUid: string
}

/** What the site answers where the bank has armed a link in vain. */
const IN_VAIN: ReadonlySet<string> = new Set([
  'payin.incorrect-method-invocation',
  'payin.resource.not.found',
  'auth.unauthorized',
  'auth.forbidden',
])

/** @throws ApiError the site's refusals; network.refused where the bank refuses the sale; network.unavailable */
export const armSale = (site: SiteContext, key: SaleKey, spec: SaleSpec): Promise<Armed> =>
  toEnd(site.service, arm(site, key, spec))

async function arm(site: SiteContext, { qrCodeUid }: SaleKey, spec: SaleSpec): Promise<Armed> {
  const { service, siteId, caller } = site
  const key = { qrCodeUid }
  const { connector } = networkOf(service.config, siteId)
  const armed = await callSite(site, (object) => object.armSale(caller, key, spec))
  if (!('reserved' in armed)) return armed
  const { reserved } = armed
  const { isNew } = reserved
  const drop = () => callSite(site, (object) => object.dropSale(caller, key, spec.saleUid))
  if (!connector) {
    if (isNew) await drop()
    throw new ApiError(
      'network.unavailable',
      'the deployment has no connector to the bank that made the link',
    )
  }
  const { activateSale, deactivateSale } = await bankLinks()
  const sale = { ...spec, ...reserved }
  const bank = await activateSale(service, connector, siteId, sale).catch(async (error) => {
    // Only a refusal of the first request is an answer: after anything else the bank can have armed the link.
    if (isNew && error instanceof ApiError && error.code === 'network.refused') await drop()
    throw error
  })
  return callSite(site, (object) => object.confirmSale(caller, key, spec, bank)).catch(async (error) => {
    // Meanwhile the code was cancelled, or the sale is gone: its time is over, or the bank refused an equal request. Or the caller has
    // lost the right.
    if (error instanceof ApiError && IN_VAIN.has(error.code)) {
      await deactivateSale(service, connector, siteId, sale).catch(() => {})
    }
    throw error
  })
}

/** @throws ApiError the site's refusals; network.refused, network.unavailable: then the sale stays ACTIVE */
export const cancelSale = (site: SiteContext, key: SaleKey): Promise<Sale> =>
  toEnd(site.service, endSale(site, key))

async function endSale(site: SiteContext, { qrCodeUid, saleUid }: SaleKey): Promise<Sale> {
  const { service, siteId, caller } = site
  const key = { qrCodeUid }
  const { connector } = networkOf(service.config, siteId)
  const atBank = await callSite(site, (object) => object.saleToCancel(caller, key, saleUid))
  if (atBank && connector) {
    const { deactivateSale } = await bankLinks()
    await deactivateSale(service, connector, siteId, { ...atBank, saleUid })
  }
  return callSite(site, (object) => object.cancelSale(caller, key, saleUid))
}

/**
 * Cancels a QR code, and its sale with it.
 * @throws ApiError the site's refusals; network.refused, network.unavailable: then nothing has changed
 */
export const cancelQrCode = (site: SiteContext, key: QrCodeKey): Promise<QrCode> =>
  toEnd(site.service, endQrCode(site, key))

async function endQrCode(site: SiteContext, { qrCodeUid }: QrCodeKey): Promise<QrCode> {
  const { service, siteId, caller } = site
  const { connector } = networkOf(service.config, siteId)
  for (let disarmed: string | undefined; ; ) {
    const alreadyDisarmed = disarmed
    const result = await callSite(site, (object) => object.cancel(caller, { qrCodeUid }, alreadyDisarmed))
    if (!('armed' in result)) return result
    // Meanwhile a till can have armed the code for another sale: the next call returns that one.
    if (connector) {
      const { deactivateSale } = await bankLinks()
      await deactivateSale(service, connector, siteId, result.armed)
    }
    disarmed = result.armed.saleUid
  }
}
