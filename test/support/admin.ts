// A site of its own for a test, and its merchant's keys.
import { env } from 'cloudflare:workers'
import { EventsAnswer } from '../../src/contract/event.ts'
import { type Call, call, tokenOf } from './service.ts'

/** A site that no other test uses. */
export function freshSite() {
  const siteId = `site-${crypto.randomUUID()}`
  const path = `/payin/v1/sites/${siteId}`
  /** Sends a request below the site's path, with a token of it: by default of the key `admin`, for merchant:admin. */
  const ask = async (
    below: string,
    { claims, ...more }: Call & { claims?: Record<string, unknown> } = {},
    fetch?: Parameters<typeof call>[2],
  ): Promise<Response> => {
    const token =
      more.token ?? (await tokenOf({ sub: siteId, jti: 'admin', scope: 'merchant:admin', ...claims }))
    return call(path + below, { ...more, token }, fetch)
  }
  return {
    siteId,
    path,
    ask,
    /** The site's events but those of QR codes. */
    events: async () => {
      const { events } = EventsAnswer.parse(await (await ask('/events')).json())
      return events.filter(({ qrCodeUid }) => qrCodeUid === undefined)
    },
    stub: env.SITES.getByName(siteId),
  }
}
export type FreshSite = ReturnType<typeof freshSite>
