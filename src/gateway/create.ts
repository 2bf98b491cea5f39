// Creates QR codes: makes their links, or lets a bank make them.
import type { QrCodeSpec } from '../contract/qr-code.ts'
import { ridingReceipt } from '../contract/receipts/instruction.ts'
import type { Created } from '../site/qr-codes/creations.ts'
import { metricsOf, networkOf } from './connection.ts'
import type { Platform, Service } from './context.ts'
import { newLink } from './links.ts'
import { bankLinks } from './load-register.ts'
import type { Connector, NewRegisteredLink } from './register.ts'
import { callSite, callSiteObject, unwrap } from './site-client.ts'
import { toEnd } from './to-end.ts'

/** Makes the function that creates QR codes, or replays them; see createQrCode of the site. */
export function creator(platform: Platform): Service['createQrCode'] {
  const [own, registering] = [ownCreate(platform), registeringCreate(platform)]
  return (site, spec) => {
    const { connector, takesLinks } = networkOf(platform.config, site.siteId)
    return connector && takesLinks ? registering(connector, site, spec) : own(site, spec)
  }
}

function ownCreate(platform: Platform): Service['createQrCode'] {
  return async ({ siteId, caller, origin }, spec) => {
    const link = newLink(platform, siteId, spec, origin)
    const created = await callSiteObject(platform, siteId, (object) => object.create({ caller, spec, link }))
    return counted(platform, siteId, unwrap(created))
  }
}

function counted(platform: Platform, siteId: string, created: Created): Created {
  metricsOf(platform, siteId)?.add('qr_codes', { replayed: created.isReplayed })
  return created
}

/** A bank makes the link before the QR code exists. A replay asks no bank. */
function registeringCreate(platform: Platform) {
  const create = async (
    connector: Connector,
    { siteId, caller, origin }: Parameters<Service['createQrCode']>[0],
    spec: QrCodeSpec,
  ): Promise<Created> => {
    const { created, siteName, terms } = await callSite(
      { service: platform, siteId, isRead: true },
      (object) => object.beforeRegister(caller, spec),
    )
    if (created) return counted(platform, siteId, { qrCode: created, isReplayed: true })
    const of = { amount: spec.amount?.minorUnits, purpose: spec.paymentPurpose }
    const riding = ridingReceipt(spec.receipt, terms, of)
    const { register } = await bankLinks()
    const link = await register(platform, connector, { siteId, name: siteName }, { ...spec, riding })
    const own = newLink(platform, siteId, spec, origin)
    const registered = { ...link, currencies: platform.config.currencies }
    const creation = { caller, spec, link: own, registered, terms }
    const outcome = await callSiteObject(platform, siteId, (object) => object.create(creation))
    // After a failure the same request again gets this link again. A site that is closed can have a QR code with it.
    const isInVain = outcome.ok
      ? outcome.value.qrCode.payload !== link.payload
      : outcome.code === 'payin.resource.already.exists'
    if (isInVain) platform.waitUntil(cancelUnused(platform, connector, siteId, link))
    return counted(platform, siteId, unwrap(outcome))
  }

  // A client that disconnects does not leave a link at the bank without its QR code.
  return (connector: Connector, ...request: Parameters<Service['createQrCode']>) =>
    toEnd(platform, create(connector, ...request))
}

/** Cancels a link that was registered in vain, because another request came first; unless a QR code of the site has it. */
async function cancelUnused(
  platform: Platform,
  connector: Connector,
  siteId: string,
  link: NewRegisteredLink,
): Promise<void> {
  const found = await callSiteObject(platform, siteId, (object) =>
    object.readForPayer({ linkId: link.qrcId }),
  )
  if (!found.ok && found.code === 'payin.resource.not.found') {
    const { cancelRegistered } = await bankLinks()
    await cancelRegistered(platform, connector, siteId, link)
  }
}
