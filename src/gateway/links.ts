// The functional links of this deployment: where they point, what vouches for them, which of them are its own.
import type { Config } from '../config.ts'
import type { QrCodeOrder, QrCodeType } from '../contract/qr-code.ts'
import { SITE_ID } from '../contract/site-id.ts'
import { formatLink, parseLink } from '../fps/link.ts'
import { HEADS, type Head, isLinkId, makeLinkId } from '../fps/link-id.ts'
import type { Service } from './context.ts'

/**
 * Makes a link for an order of a site (contract, section 4).
 * @param origin where the request came to: the link points there, unless the deployment says otherwise
 */
export function issueLink(
  { config, now, random }: Pick<Service, 'config' | 'now' | 'random'>,
  siteId: string,
  order: QrCodeOrder,
  origin: string,
): string {
  return formatLink({
    base: linkBase(config, siteId, order.type, origin),
    id: makeLinkId(config.secrets[0], siteId, headOf(order), now(), random(7)),
    type: order.type,
    bank: config.bankMemberId,
    amount: order.amount,
  })
}

/** Where links of a site point: to the network where the deployment says so, else to the payer's page here. */
export function linkBase(
  config: Pick<Config, 'linkBaseUrl' | 'linkTokenBaseUrl' | 'publicUrl'>,
  siteId: string,
  type: QrCodeType,
  origin: string,
): string {
  const elsewhere = type === 'TOKEN' ? config.linkTokenBaseUrl : config.linkBaseUrl
  return elsewhere ?? payerBase(config.publicUrl ?? origin, siteId)
}

/**
 * The link that a request for the payer's page names, as it was issued, or undefined where this deployment cannot have
 * issued it for the site: the id does not vouch for itself, or the text was altered. Nobody is asked.
 * @param url of the page, with the link's query
 */
export function linkOfPage(
  { secrets, publicUrl }: Pick<Config, 'secrets' | 'publicUrl'>,
  siteId: string,
  id: string,
  url: URL,
): string | undefined {
  if (!SITE_ID.test(siteId) || !isLinkId(secrets, siteId, id)) return undefined
  // A link that was issued before PUBLIC_URL was set has the origin that it comes to.
  for (const address of [publicUrl ?? url.origin, url.origin]) {
    const link = `${payerBase(address, siteId)}/${id}${url.search}`
    if (parseLink(link)) return link
  }
  return undefined
}

const payerBase = (address: string, siteId: string): string => `${address}/pay/${siteId}`

function headOf({ type, createToken }: QrCodeOrder): Head {
  if (type === 'TOKEN') return HEADS.token
  return createToken ? HEADS.dynamicWithToken : HEADS.dynamic
}
