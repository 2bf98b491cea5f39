// The functional links of this deployment: where they point, and which of them are its own (contract, section 4).
import type { Config } from '../config.ts'
import { pageBase } from '../contract/page-base.ts'
import type { QrCode, QrCodeSpec, QrCodeType } from '../contract/qr-code.ts'
import { makeLinkId, PREFIXES, type Prefix } from '../fps/link-id.ts'
import type { Creation } from '../site/qr-codes/creations.ts'
import { networkOf } from './connection.ts'
import type { Platform } from './context.ts'

/**
 * Makes a link for a new QR code of a site.
 * @param origin of the request: the link points there, unless the deployment says otherwise
 */
export function newLink(
  { config, now, random }: Pick<Platform, 'config' | 'now' | 'random'>,
  siteId: string,
  spec: QrCodeSpec,
  origin: string,
): Creation['link'] {
  return {
    base: linkBase(config, siteId, spec.type, origin),
    bank: config.bankMemberId,
    id: makeLinkId(config.secrets[0], siteId, prefixOf(spec), { now: now(), random: random(7) }),
  }
}

/** Where links of a site point: to the network where the deployment says so, otherwise to the payer's page here. */
export function linkBase(
  config: Pick<Config, 'network' | 'testNetwork' | 'publicUrl'>,
  siteId: string,
  type: QrCodeType,
  origin: string,
): string {
  const { linkBaseUrl, linkTokenBaseUrl } = networkOf(config, siteId)
  return (type === 'TOKEN' ? linkTokenBaseUrl : linkBaseUrl) ?? pageBase(config.publicUrl ?? origin, siteId)
}

/** The address of the payer's page of a QR code. */
export const pageUrl = (
  config: Pick<Config, 'publicUrl'>,
  siteId: string,
  origin: string,
  { pageLink }: Pick<QrCode, 'pageLink'>,
): string => `${pageBase(config.publicUrl ?? origin, siteId)}/${pageLink}`

function prefixOf({ type, createToken, amount }: QrCodeSpec): Prefix {
  if (type === 'TOKEN') return PREFIXES.token
  if (type === 'STATIC') return amount ? PREFIXES.static : PREFIXES.staticWithoutSum
  if (type === 'COUNTER') return PREFIXES.counter
  return createToken ? PREFIXES.dynamicWithToken : PREFIXES.dynamic
}
