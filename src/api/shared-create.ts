// Creations at a site, which share calls to its object.
import { ApiError } from '../errors.ts'
import type { Created, Creation } from '../site/qr-codes.ts'
import type { Service } from './service.ts'
import { sharedCalls } from './shared-calls.ts'
import { reachSite, unwrap } from './sites.ts'

/**
 * Makes the call that creates a QR code at a site; see createQrCode.
 * Creations share calls: see sharedCalls.
 */
export function sharedCreate(service: Service): (siteId: string, creation: Creation) => Promise<Created> {
  const send = (siteId: string, creations: readonly Creation[]) =>
    reachSite(service, siteId, (site) => site.create(creations))
  const create = sharedCalls({ ...service, send })

  return async (siteId, creation) => {
    const outcome = await create(siteId, creation)
    if (!outcome) throw new ApiError('service.unavailable', 'too many calls wait for the site')
    if (outcome instanceof Error) throw outcome
    return unwrap(outcome)
  }
}
