// A site of its own for a test, in the same workerd.
import { env } from 'cloudflare:workers'
import { EventsAnswer, FeedAnswer } from '../../src/contract/event.ts'
import { PaymentAnswer } from '../../src/contract/payment.ts'
import { type Call, type Fetch, qrCodeIn, siteClient } from './client.ts'
import { inProcess, tokenOf } from './service.ts'
import { strict } from './strict.ts'

/**
 * A site that no other test uses.
 * @param fetch what its requests reach, by default the deployed Worker
 * @param suffix what its siteId ends with
 * @param prefix what it begins with
 */
export function freshSite(fetch?: Fetch, suffix = '', prefix = `site-${crypto.randomUUID()}`) {
  const siteId = prefix + suffix
  const client = siteClient(siteId, inProcess(siteId, fetch))
  /** Sends a request below the site's path, with a token of it: by default of the key `admin`, for merchant:admin. */
  const ask = async (
    below: string,
    { claims, ...more }: Call & { claims?: Record<string, unknown> } = {},
    other?: Fetch,
  ): Promise<Response> => {
    const admin = { sub: siteId, jti: 'admin', scope: 'merchant:admin' }
    const token = more.token ?? (await tokenOf({ ...admin, ...claims }))
    return (other ? siteClient(siteId, inProcess(siteId, other)) : client).ask(below, { ...more, token })
  }
  return {
    ...client,
    ask,
    read: async (qrCodeUid: string, options?: Parameters<typeof ask>[1]) =>
      qrCodeIn(await ask(`/sbp/qrCodes/${qrCodeUid}`, options)),
    paymentOf: async (paymentUid: string) =>
      strict(PaymentAnswer).parse(await (await ask(`/payments/${paymentUid}`)).json()),
    /** All events of a QR code, if there are at most 100. */
    eventsOf: async (qrCodeUid: string) =>
      strict(EventsAnswer).parse(await (await ask(`/sbp/qrCodes/${qrCodeUid}/events`)).json()).events,
    /** All events of the site, if there are at most 1000. */
    feed: async () => strict(FeedAnswer).parse(await (await ask('/events?limit=1000')).json()).events,
    /** The site as another deployment serves it. */
    at: (other: Fetch) => siteClient(siteId, inProcess(siteId, other)),
    /** The site's events but those of QR codes. */
    events: async () => {
      const { events } = EventsAnswer.parse(await (await ask('/events')).json())
      return events.filter(({ qrCodeUid }) => qrCodeUid === undefined)
    },
    /** A new one: after the end of an instance, an earlier one refuses every call. */
    get stub() {
      return env.SITES.getByName(siteId)
    },
  }
}
export type FreshSite = ReturnType<typeof freshSite>
