// The creation of QR codes at a site: their links, and the calls to the site's object that they share.
import { newQrCode, type QrCode, type QrCodeOrder } from '../contract/qr-code.ts'
import { ApiError } from '../errors.ts'
import { sharedCalls } from './batch.ts'
import type { Service } from './context.ts'
import { issueLink } from './links.ts'
import { reachSite, unwrap } from './site-client.ts'

/** What is created, and the origin that the request came to. */
interface Asked {
  order: QrCodeOrder
  origin: string
}

/** Creates a QR code at a site, or replays it; see createQrCode. */
export type Create = (siteId: string, asked: Asked) => Promise<{ qrCode: QrCode; isReplayed: boolean }>

/** Makes it. Creations at one site share calls: see sharedCalls. */
export function creation(service: Service): Create {
  const create = sharedCalls({
    ...service,
    async send(siteId, all: readonly Asked[]) {
      const creations = all.map(({ order, origin }) => ({
        order,
        payload: issueLink(service, siteId, order, origin),
      }))
      const outcomes = await reachSite(service, siteId, (site) => site.create(creations))
      return creations.flatMap(({ payload }, index) => {
        const outcome = outcomes[index]
        return outcome ? [{ payload, outcome }] : []
      })
    },
  })

  return async (siteId, asked) => {
    const result = await create(siteId, asked)
    if (!result) throw new ApiError('service.unavailable', `site ${siteId} did not answer in time`)
    const { outcome, payload } = result
    if (outcome instanceof Error) throw outcome
    const created = unwrap(outcome)
    return created.created
      ? { qrCode: newQrCode(asked.order, payload, created.createdAt), isReplayed: false }
      : { qrCode: created.qrCode, isReplayed: true }
  }
}
