// The mark of a sale: the payer's page of an ACTIVE sale has it, and a request with the mark is told that this sale was paid.
import { createHmac } from 'node:crypto'
import type { QrCode } from '../contract/qr-code.ts'
import type { QrCodeKey } from '../site/qr-codes/rows.ts'
import type { PaidSale } from '../site/sales/paid.ts'
import type { SiteContext } from './context.ts'
import { isMac } from './mac.ts'
import { callSite } from './site-client.ts'

/** The header of a request of public/page.js that has the mark. */
export const FOLLOWED_SALE = 'Followed-Sale'

/** Seconds after its payment for which a sale is shown: then the phone, or the tab, can be in another hand. */
const SHOWN_FOR = 600

/** What a request that gives a mark is told. */
export interface FollowedSale extends PaidSale {
  /** Seconds for which it is still shown. */
  left: number
}

/** @param id of the link. It cannot be made up, as a saleUid can: who did not see the sale learns nothing of it. */
export const saleMark = (
  [secret]: readonly [string, ...string[]],
  siteId: string,
  id: string,
  { sale }: QrCode,
): string | undefined => sale && macOf(secret, siteId, id, sale.saleUid).toString('hex')

/** The sale of the mark, if it was paid in the last ten minutes. @param mark undefined: the request gives none */
export async function followedSale(
  site: SiteContext,
  key: QrCodeKey,
  id: string,
  mark: string | undefined,
): Promise<FollowedSale | undefined> {
  if (!mark) return undefined
  const { siteId, service } = site
  const now = Math.floor(service.now() / 1000)
  const sales = await callSite(site, (object) => object.paidSales(key, now - SHOWN_FOR))
  const isGiven = ({ saleUid }: PaidSale) =>
    service.config.secrets.some((secret) => isMac(mark, macOf(secret, siteId, id, saleUid)))
  const sale = sales.find(isGiven)
  return sale && { ...sale, left: sale.paidAt + SHOWN_FOR - now }
}

/** The first word keeps these messages apart from others that the same secret signs. */
const macOf = (secret: string, siteId: string, id: string, saleUid: string): Buffer =>
  createHmac('sha256', secret).update(`sale\0${siteId}\0${id}\0${saleUid}`).digest().subarray(0, 12)
