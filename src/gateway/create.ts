// Creates QR codes: makes their links, and batches the calls to a site's object under load.
import { ApiError } from '../errors.ts'
import type { Creation } from '../site/creations.ts'
import { batched } from './batch.ts'
import type { Platform, Service } from './context.ts'
import { newLink } from './links.ts'
import { callSiteObject, unwrap } from './site-client.ts'

/** Makes the function that creates QR codes, or replays them; see createQrCode of the site. */
export function batchedCreate(platform: Platform): Service['createQrCode'] {
  const create = batched({
    ...platform,
    send: async (siteId, creations: readonly Creation[]) => {
      platform.metrics?.observe('batch_size', creations.length)
      return unwrap(await callSiteObject(platform, siteId, (object) => object.create(creations)))
    },
  })

  return async ({ siteId, caller, origin }, spec) => {
    const link = newLink(platform, siteId, spec, origin)
    const outcome = await create(siteId, {
      caller,
      spec,
      link: { base: link.base, bank: link.bank, id: link.id },
    })
    if (!outcome) throw new ApiError('service.unavailable', `site ${siteId} did not answer in time`)
    const created = unwrap(outcome)
    platform.metrics?.add('qr_codes', { replayed: created.isReplayed })
    return created
  }
}
