// The running service with the sandbox bank, and a relay between its notifications and a shop.
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import * as z from 'zod'
import { mintToken } from '../../../bin/mint-token.ts'
import { QrCodeAnswer } from '../../../src/contract/qr-code-answer.ts'
import { RefundsAnswer } from '../../../src/contract/refund.ts'
import { bareWorkerd } from '../../support/bare-workerd.ts'
import { type FaultProxy, faultProxy } from '../../support/fault-proxy.ts'
import { portOf } from '../../support/ports.ts'
import { siteAt } from '../../support/site-at.ts'

/** A delivery as it came from the service. */
export interface Delivered {
  headers: Record<string, string>
  body: string
}

export interface Relay {
  url: string
  deliveries: Delivered[]
  /** Answers deliveries 503 itself: the shop does not get them, and the service sends them again. */
  isHeld: boolean
  /** Answers deliveries 204 itself: the shop gets only those of `deliver`. */
  isTaken: boolean
  /** Sends a delivery to the shop. @returns the status of its answer */
  deliver(delivered: Delivered): Promise<number>
  close(): void
}

/** @param target the address of the shop's endpoint */
export async function relayTo(target: () => string): Promise<Relay> {
  const relay: Relay = {
    url: '',
    deliveries: [],
    isHeld: false,
    isTaken: false,
    async deliver({ headers, body }) {
      const { status } = await fetch(target(), { method: 'POST', headers, body })
      return status
    },
    close: () => server.close(),
  }
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString()
    const names = ['content-type', 'signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature']
    const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name] ?? '')]))
    relay.deliveries.push({ headers, body })
    if (relay.isHeld || relay.isTaken) response.writeHead(relay.isHeld ? 503 : 204).end()
    else response.writeHead(await relay.deliver({ headers, body }).catch(() => 502)).end()
  })
  relay.url = `http://127.0.0.1:${await portOf(server)}/`
  return relay
}

export type Service = Awaited<ReturnType<typeof openService>>

export async function openService(siteId: string) {
  const service = bareWorkerd({ PAYMENT_NETWORK: 'sandbox', CALLBACK_HOSTS: 'any' }, 'any')
  const address = `http://127.0.0.1:${await service.start()}`
  const site = siteAt(() => address, service.secret, siteId)
  const proxy: FaultProxy = await faultProxy(() => address)
  return {
    address,
    siteId,
    site,
    secret: service.secret,
    /** What the shop calls: its answers can be lost. */
    proxy,
    token: await mintToken(service.secret, { siteId, scope: 'merchant', days: 1 }),
    /** Sets the address for notifications. @returns its key */
    async notify(callbackUrl: string): Promise<string> {
      await site.value('/settings', { method: 'PATCH', body: { callbackUrl } })
      const made = await site.value('/settings/notificationKeys', { method: 'POST' })
      return z.object({ key: z.string() }).parse(made).key
    },
    /** The sandbox bank pays, or declines. */
    pay: (qrCodeUid: string, body: object = {}) =>
      site.value(`/sandbox/v1/sites/${siteId}/qrCodes/${encodeURIComponent(qrCodeUid)}/payments`, { body }),
    code: async (qrCodeUid: string) =>
      QrCodeAnswer.parse(await site.value(`/sbp/qrCodes/${encodeURIComponent(qrCodeUid)}`)),
    /** The identifiers of the completed payments of a code, oldest first. */
    async payments(qrCodeUid: string): Promise<string[]> {
      const page = z.object({ payments: z.array(z.object({ paymentId: z.string() })) })
      return page
        .parse(await site.value(`/sbp/qrCodes/${encodeURIComponent(qrCodeUid)}/payments`))
        .payments.map(({ paymentId }) => paymentId)
    },
    refunds: async (paymentId: string) =>
      RefundsAnswer.parse(await site.value(`/payments/${paymentId}/refunds`)),
    async dispose() {
      proxy.close()
      await service.dispose()
    },
  }
}
