// The functional links of this deployment: where they point, what vouches for them, which of them are its own.
import type { Config } from '../config.ts'
import type { QrCodeOrder, QrCodeType } from '../contract/qr-code.ts'
import { SITE_ID } from '../contract/site-id.ts'
import { formatLink, isRelativeLink } from '../fps/link.ts'
import { HEADS, type Head, isLinkId, makeLinkId } from '../fps/link-id.ts'
import type { Service } from './service.ts'

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
 * The link that a request for the payer's page names, from its id on: `<id>?type=…&crc=…`; undefined where this
 * deployment cannot have issued the id for the site, or the rest is not a link's. No site is asked. Whether the
 * parameters are the issued ones only the site can say: the checksum covers the base, which may be the network's.
 * @param search the query of the page's URL, with its question mark
 */
export function linkOfPage(
  { secrets }: Pick<Config, 'secrets'>,
  siteId: string,
  id: string,
  search: string,
): string | undefined {
  const link = `${id}${search}`
  return SITE_ID.test(siteId) && isRelativeLink(link) && isLinkId(secrets, siteId, id) ? link : undefined
}

const payerBase = (address: string, siteId: string): string => `${address}/pay/${siteId}`

function headOf({ type, createToken }: QrCodeOrder): Head {
  if (type === 'TOKEN') return HEADS.token
  return createToken ? HEADS.dynamicWithToken : HEADS.dynamic
}
