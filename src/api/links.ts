// The functional link of a new QR code: where it points and what vouches for it.
import type { QrCodeOrder } from '../contract/qr-code.ts'
import { formatLink } from '../fps/link.ts'
import { HEADS, type Head, makeLinkId } from '../fps/link-id.ts'
import type { Service } from './service.ts'

/**
 * Makes a link for an order of a site (contract, section 4).
 * @param origin where the request came to: the link points there, unless the deployment says otherwise
 */
export function issueLink(
  { config, random }: Pick<Service, 'config' | 'random'>,
  siteId: string,
  order: QrCodeOrder,
  origin: string,
): string {
  const base = order.type === 'TOKEN' ? config.linkTokenBaseUrl : config.linkBaseUrl
  return formatLink({
    base: base ?? `${config.publicUrl ?? origin}/pay/${siteId}`,
    id: makeLinkId(config.secrets[0], siteId, headOf(order), random(10)),
    type: order.type,
    bank: config.bankMemberId,
    amount: order.amount,
  })
}

function headOf({ type, createToken }: QrCodeOrder): Head {
  if (type === 'TOKEN') return HEADS.token
  return createToken ? HEADS.dynamicWithToken : HEADS.dynamic
}
