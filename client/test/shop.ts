// A merchant's shop with the sandbox bank, for the client's tests: the running service, and its side that no client has.
import type * as z from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import { EventsAnswer } from '../../src/contract/event.ts'
import { RefundsAnswer } from '../../src/contract/refund.ts'
import { bareWorkerd } from '../../test/support/bare-workerd.ts'
import { type FaultProxy, faultProxy } from '../../test/support/fault-proxy.ts'
import { siteAt } from '../../test/support/site-at.ts'
import { FpsQr, type FpsQrOptions } from '../src/index.ts'

export interface Shop {
  token: string
  /** The service's own address; it can change with a start. */
  address(): string
  start(): Promise<void>
  kill(): Promise<void>
  /** The sandbox bank pays the QR code. */
  pay(qrCodeUid: string, body?: object): Promise<unknown>
  /** The sandbox bank binds the customer's account. */
  bind(qrCodeUid: string): Promise<unknown>
  /** The refunds of a payment. */
  refunds(paymentId: string): Promise<z.infer<typeof RefundsAnswer>>
  /** The types of all events of the QR code. */
  eventsOf(qrCodeUid: string): Promise<string[]>
  /** A client behind a proxy of its own; its repeats come at once. */
  client(options?: Partial<FpsQrOptions>): Promise<{ fps: FpsQr; proxy: FaultProxy }>
  close(): Promise<void>
}

export async function openShop(): Promise<Shop> {
  const service = bareWorkerd({ PAYMENT_NETWORK: 'sandbox', CALLBACK_HOSTS: 'any' }, 'any')
  const proxies: FaultProxy[] = []
  const token = await mintToken(service.secret, { siteId: 'demo', scope: 'merchant', days: 1 })
  let address = ''
  const site = siteAt(() => address, service.secret, 'demo')
  const atBank = (path: string, body: object) =>
    site.value(`/sandbox/v1/sites/demo/qrCodes/${path}`, { body })
  const shop: Shop = {
    token,
    address: () => address,
    async start() {
      address = `http://127.0.0.1:${await service.start()}`
    },
    kill: service.kill,
    pay: (qrCodeUid, body = {}) => atBank(`${qrCodeUid}/payments`, body),
    bind: (qrCodeUid) => atBank(`${qrCodeUid}/bindings`, {}),
    async refunds(paymentId) {
      return RefundsAnswer.parse(await site.value(`/payments/${paymentId}/refunds`))
    },
    async eventsOf(qrCodeUid) {
      const page = await site.value(`/sbp/qrCodes/${qrCodeUid}/events`)
      return EventsAnswer.parse(page).events.map(({ type }) => type)
    },
    async client(options = {}) {
      const proxy = await faultProxy(() => address)
      proxies.push(proxy)
      const fps = new FpsQr({ baseUrl: proxy.url, siteId: 'demo', token, retryDelayMs: 1, ...options })
      return { fps, proxy }
    },
    async close() {
      for (const proxy of proxies) proxy.close()
      await service.dispose()
    },
  }
  await shop.start()
  return shop
}
