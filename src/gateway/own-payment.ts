// The payment of a code that is paid many times by which a browser has paid in the sandbox: only there the service knows who paid.

import type { QrCodeKey } from '../site/qr-codes/rows.ts'
import type { SiteContext } from './context.ts'
import { isMarkOf, markOf, type Receipt, SHOWN_FOR } from './receipt.ts'
import { callSite, callSiteObject } from './site-client.ts'

/** What the browser keeps of its payment. @param id of the link */
export const paymentMark = ({ siteId, service }: SiteContext, id: string, paymentUid: string): string =>
  `${paymentUid}.${markOf(service.config.secrets, 'payment', siteId, id, paymentUid)}`

/** The payment of the mark, if it was made in the last ten minutes. */
export async function ownPayment(
  site: SiteContext,
  key: QrCodeKey,
  id: string,
  mark: string,
): Promise<Receipt | undefined> {
  const { siteId, service, caller } = site
  const [, paymentUid = '', mac = ''] = /^([\w-]+)\.(\w+)$/.exec(mark) ?? []
  if (!isMarkOf(mac, service.config.secrets, 'payment', siteId, id, paymentUid)) return undefined
  const found = await callSiteObject(service, siteId, (object) => object.payment(caller, paymentUid))
  // A site that was restored from a backup can have lost it.
  if (!found.ok || !found.value.applied) return undefined
  const { amount, paymentPurpose, changedAt: paidAt, method, refunded, saleUid } = found.value
  const left = paidAt + SHOWN_FOR - Math.floor(service.now() / 1000)
  if (left <= 0) return undefined
  const paid = { paymentUid, amount, paymentPurpose, paidAt, method, refunded, left }
  if (saleUid === undefined) return paid
  const sales = await callSite(site, (object) => object.paidSales(key, paidAt - 1))
  return { ...paid, saleUid, receipt: sales.find((sale) => sale.paymentUid === paymentUid)?.receipt }
}
