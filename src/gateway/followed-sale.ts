// The mark of a sale: the payer's page of an ACTIVE sale has it, and a request with the mark is told that this sale was paid.
import type { QrCodeKey } from '../site/qr-codes/rows.ts'
import type { PaidSale } from '../site/sales/paid.ts'
import type { SiteContext } from './context.ts'
import { isMarkOf, markOf, type Receipt, SHOWN_FOR } from './receipt.ts'
import { callSite } from './site-client.ts'

/** The header of a request of public/page.js that has the mark. */
export const FOLLOWED_SALE = 'Followed-Sale'

/** @param id of the link @param saleUid of the sale that the page shows, where it shows one */
export const saleMark = (
  secrets: readonly [string, ...string[]],
  siteId: string,
  id: string,
  saleUid: string | undefined,
): string | undefined => (saleUid === undefined ? undefined : markOf(secrets, 'sale', siteId, id, saleUid))

/** The sale of the mark, if it was paid in the last ten minutes. @param mark undefined: the request gives none */
export async function followedSale(
  site: SiteContext,
  key: QrCodeKey,
  id: string,
  mark: string | undefined,
): Promise<Receipt | undefined> {
  if (!mark) return undefined
  const { siteId, service } = site
  const now = Math.floor(service.now() / 1000)
  const sales = await callSite(site, (object) => object.paidSales(key, now - SHOWN_FOR))
  const isGiven = ({ saleUid }: PaidSale) =>
    isMarkOf(mark, service.config.secrets, 'sale', siteId, id, saleUid)
  const sale = sales.find(isGiven)
  return sale && { ...sale, left: sale.paidAt + SHOWN_FOR - now }
}
