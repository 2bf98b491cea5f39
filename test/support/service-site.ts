// Site demo of a running service, for its merchant and for the payment network.
import * as z from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import { NotificationsAnswer } from '../../src/contract/delivery.ts'
import { FeedAnswer } from '../../src/contract/event.ts'
import { parseLink } from '../../src/fps/link.ts'
import type { BareWorkerd } from './bare-workerd.ts'
import type { MerchantReceiver } from './merchant-receiver.ts'

export type ServiceSite = Awaited<ReturnType<typeof serviceSite>>

export async function serviceSite(service: Pick<BareWorkerd, 'secret' | 'start'>) {
  let base = ''
  const tokenFor = (scope: string) => mintToken(service.secret, { siteId: 'demo', scope, days: 1 })
  const [admin, network] = [await tokenFor('merchant:admin'), await tokenFor('network')]
  const ask = async (token: string, path: string, method = 'GET', body?: object) => {
    const response = await fetch(base + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    const answer: unknown = response.status === 204 ? undefined : await response.json()
    return answer
  }
  const merchant = (below: string, method?: string, body?: object) =>
    ask(admin, `/payin/v1/sites/demo${below}`, method, body)
  return {
    merchant,
    /** An access token of the scope `network`. */
    networkToken: network,
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
      const created = await merchant('/sbp/qrCodes', 'POST', {
        qrCodeUid: `order-${uid}`,
        qrCode: { type: 'DYNAMIC' },
        amount: { value: 1.5 },
      })
      const { qrCode } = z.object({ qrCode: z.object({ payload: z.string() }) }).parse(created)
      const linkId = parseLink(qrCode.payload)?.id
      await ask(network, `/network/v1/sites/demo/qrCodes/${linkId}/payments/payment-${uid}`, 'PUT', {
        status: 'COMPLETED',
        amount: { value: 1.5 },
      })
    },
    /** Creates a QR code that binds an account, and reports the binding; the value of the token. */
    async bind(uid: string): Promise<string> {
      const created = await merchant('/sbp/qrCodes', 'POST', {
        qrCodeUid: `bind-${uid}`,
        qrCode: { type: 'TOKEN' },
      })
      const { qrCode } = z.object({ qrCode: z.object({ payload: z.string() }) }).parse(created)
      const linkId = parseLink(qrCode.payload)?.id
      const path = `/network/v1/sites/demo/qrCodes/${linkId}/bindings/binding-${uid}`
      await ask(network, path, 'PUT', { status: 'CREATED' })
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
