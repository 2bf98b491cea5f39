// Site demo of a running service, for its merchant and for the payment network.
import * as z from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import { FeedAnswer } from '../../src/contract/event.ts'
import { NotificationsAnswer } from '../../src/contract/notifications/log.ts'
import type { BareWorkerd } from './bare-workerd.ts'
import { siteClient } from './client.ts'
import type { MerchantReceiver } from './merchant-receiver.ts'
import { overHttp } from './over-http.ts'

export async function serviceSite(service: Pick<BareWorkerd, 'secret' | 'start'>) {
  let base = ''
  const site = siteClient(
    'demo',
    overHttp(() => base, service.secret, 'demo'),
  )
  /** The value of an answer, which must be a success. */
  const valueIn = async (response: Response): Promise<unknown> => {
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return response.status === 204 ? undefined : response.json()
  }
  const merchant = async (below: string, method = 'GET', body?: object) =>
    valueIn(await site.ask(below, { method, body }))
  return {
    merchant,
    /** An access token of the scope `network`. */
    networkToken: await mintToken(service.secret, { siteId: 'demo', scope: 'network', days: 1 }),
    /** Starts the service; its port. */
    async start(): Promise<number> {
      const port = await service.start()
      base = `http://127.0.0.1:${port}`
      return port
    },
    /** Sets the callbackUrl and makes a key. */
    async notify(receiver: MerchantReceiver, callbackUrl = receiver.url) {
      await merchant('/settings', 'PUT', { callbackUrl })
      const made = await merchant('/settings/notificationKeys', 'POST')
      receiver.key = z.object({ key: z.string() }).parse(made).key
    },
    /** Creates a QR code of 1.50 and reports its payment. */
    async pay(uid: string) {
      const amount = { value: 1.5 }
      const { linkId } = await site.make({ qrCodeUid: `order-${uid}`, amount })
      await valueIn(await site.report(linkId, `payment-${uid}`, { amount }))
    },
    /** Creates a QR code that binds an account, and reports the binding; the value of the token. */
    async bind(uid: string): Promise<string> {
      const code = { qrCodeUid: `bind-${uid}`, amount: undefined }
      const { linkId } = await site.make(code, { type: 'TOKEN' })
      await valueIn(await site.bind(linkId, {}, `binding-${uid}`))
      const bound = await merchant(`/sbp/qrCodes/bind-${uid}`)
      return z.object({ token: z.object({ value: z.string() }) }).parse(bound).token.value
    },
    /** The events of the feed, all of them. */
    async feed(): Promise<FeedAnswer['events']> {
      const all: FeedAnswer['events'] = []
      for (let after = ''; ; ) {
        const { events, nextCursor } = FeedAnswer.parse(await merchant(`/events?limit=1000${after}`))
        if (events.length === 0) return all
        all.push(...events)
        after = `&after=${nextCursor}`
      }
    },
    async log(query = '') {
      return NotificationsAnswer.parse(await merchant(`/notifications?${query}`)).notifications
    },
  }
}
