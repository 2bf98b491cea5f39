// A running shop with the sandbox service behind it: what a customer and an administrator do there.
import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { z } from 'zod'
import { mintToken } from '../../../bin/mint-token.ts'
import { ADMIN } from '../../../shops/medusa/demo/admin.ts'
import { makeDatabase } from '../../../shops/medusa/demo/postgres.ts'
import { bareWorkerd } from '../../support/bare-workerd.ts'
import { type FaultProxy, faultProxy } from '../../support/fault-proxy.ts'
import { freePort } from '../../support/ports.ts'
import { type Site, siteAt } from '../../support/site-at.ts'
import {
  IdOf,
  Income,
  Notifications,
  Options,
  Order,
  Payments,
  Products,
  Regions,
  Sessions,
} from './answers.ts'
import { type ShopProcess, startShop, TEMPLATE } from './program.ts'

/** What a customer has at the end of the checkout. */
export interface Checkout {
  cart: string
  collection: string
  session: string
}

export interface Medusa {
  site: Site
  proxy: FaultProxy
  /** The service's own address. */
  service: string
  database: string
  shop(): ShopProcess
  /** Settings that nobody may see. */
  secrets: string[]
  /** Sends a request to the shop. @returns the answer, whatever its status */
  send(
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: unknown }>
  store(path: string, body?: object): Promise<unknown>
  admin(path: string, body?: object): Promise<unknown>
  authorization(): Promise<{ Authorization: string }>
  /** As admin, for a request that is refused: the message. */
  refusal(path: string, body: object): Promise<string>
  /** Fills a cart and chooses SBP. */
  checkout(quantity?: number): Promise<Checkout>
  session(collection: string): Promise<string>
  complete(cart: string): Promise<string>
  /** Places an order that waits for its payment. */
  order(quantity?: number): Promise<Checkout & { order: string }>
  read(order: string): Promise<Order>
  /** How many orders there are. */
  orders(): Promise<number>
  /** The sandbox bank pays a code. */
  pay(qrCodeUid: string, body?: object): Promise<string>
  /** Cancels an order as a timer of the shop does: by Medusa's workflow, without the admin. */
  cancelByTimer(order: string): Promise<void>
  /** The status of a code at the service. */
  status(qrCodeUid: string): Promise<string>
  /** The money that came for an order, as its page in the admin has it. */
  income(order: string): Promise<z.infer<typeof Income>[]>
  /** While it works, the service has another address for its notifications. */
  withoutNotifications<T>(work: () => Promise<T>): Promise<T>
  state(session: string): Promise<Record<string, unknown>>
  /** Sends a notification of the service once more, as often as stated, at once. @returns the statuses */
  redeliver(qrCodeUid: string, times?: number): Promise<(number | undefined)[]>
  start(env?: Record<string, string>): Promise<void>
  close(): Promise<void>
}

/** Opens a shop with a product. @param env settings beside those of the shop */
export async function openMedusa(env: Record<string, string> = {}): Promise<Medusa> {
  const service = bareWorkerd({ PAYMENT_NETWORK: 'sandbox', CALLBACK_HOSTS: 'any' }, 'any')
  const address = `http://127.0.0.1:${await service.start()}`
  const site = siteAt(() => address, service.secret, 'demo')
  const proxy = await faultProxy(() => address)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const token = await mintToken(service.secret, { siteId: 'demo', scope: 'merchant', days: 1, label: 'shop' })
  const adminToken = await mintToken(service.secret, {
    siteId: 'demo',
    scope: 'merchant:admin',
    days: 1,
    label: 'admin',
  })
  const settings = `${address}/payin/v1/sites/demo/settings`
  const headers = { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' }
  const configure = async (body: object) => {
    const answer = await fetch(settings, { method: 'PATCH', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(await answer.text())
  }
  await configure({
    ...{ name: 'Tea shop', callbackUrl: `${url}/fps-qr/notifications` },
    receipts: { taxation: 'usnIncome', vat: 'none' },
  })
  const made = await fetch(`${settings}/notificationKeys`, { method: 'POST', headers })
  const { key: notificationKey } = z.object({ key: z.string() }).parse(await made.json())
  const name = `shop_${randomBytes(4).toString('hex')}`
  const shopEnv = {
    ...{ PORT: `${port}`, DATABASE_URL: makeDatabase(inject('postgresPort'), name, TEMPLATE), SHOP_URL: url },
    ...{ FPS_QR_URL: proxy.url, FPS_QR_SITE: 'demo', FPS_QR_TOKEN: token },
    ...{ FPS_QR_NOTIFICATION_KEY: notificationKey, FPS_QR_RECEIPTS: 'on', ...env },
  }
  let shop = await startShop(shopEnv)
  let bearer = ''

  const send: Medusa['send'] = async (path, body, more = {}) => {
    const response = await fetch(url + path, {
      headers: { 'Content-Type': 'application/json', ...more },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
  }
  const value = async (path: string, body: object | undefined, more: Record<string, string>) => {
    const answer = await send(path, body, more)
    if (answer.status !== 200)
      throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}\n${shop.errors()}`)
    return answer.body
  }
  const authorization = async () => {
    if (!bearer) {
      const answer = await value('/auth/user/emailpass', ADMIN, {})
      bearer = z.object({ token: z.string() }).parse(answer).token
    }
    return { Authorization: `Bearer ${bearer}` }
  }
  const store = (path: string, body?: object) =>
    value(`/store${path}`, body, { 'x-publishable-api-key': shop.key })
  const admin = async (path: string, body?: object) => value(`/admin${path}`, body, await authorization())

  let option: string | undefined
  let sold: { region_id: string | undefined; variant_id: string | undefined } | undefined
  /** What is sold, and where: read once. */
  async function goods() {
    if (sold) return sold
    const { regions } = Regions.parse(await store('/regions'))
    const { products } = Products.parse(await store('/products?fields=id,*variants'))
    sold = { region_id: regions[0]?.id, variant_id: products[0]?.variants[0]?.id }
    return sold
  }

  const medusa: Medusa = {
    ...{ site, proxy, send, store, admin, authorization },
    ...{ service: address, database: shopEnv.DATABASE_URL },
    secrets: [token, notificationKey],
    shop: () => shop,
    async refusal(path, body) {
      const answer = await send(`/admin${path}`, body, await authorization())
      if (answer.status < 400) throw new Error(`${path} was not refused: ${JSON.stringify(answer.body)}`)
      return z.object({ message: z.string() }).parse(answer.body).message
    },
    async checkout(quantity = 1) {
      const { region_id, variant_id } = await goods()
      const items = [{ variant_id, quantity }]
      const address = {
        ...{ first_name: 'A', last_name: 'B', address_1: 'C' },
        city: 'D',
        country_code: 'ru',
      }
      const body = { region_id, email: 'tea@shop.example', shipping_address: address, items }
      const cart = IdOf('cart').parse(await store('/carts', body)).cart.id
      option ??= Options.parse(await store(`/shipping-options?cart_id=${cart}`)).shipping_options[0]?.id
      await store(`/carts/${cart}/shipping-methods`, { option_id: option })
      const made = await store('/payment-collections', { cart_id: cart })
      const collection = IdOf('payment_collection').parse(made).payment_collection.id
      return { cart, collection, session: await medusa.session(collection) }
    },
    async session(collection) {
      const path = `/payment-collections/${collection}/payment-sessions`
      const answer = Sessions.parse(await store(path, { provider_id: 'pp_fps-qr_sbp' }))
      const [session] = answer.payment_collection.payment_sessions
      if (!session) throw new Error('no session was made')
      return session.id
    },
    async complete(cart) {
      return IdOf('order').parse(await store(`/carts/${cart}/complete`, {})).order.id
    },
    async order(quantity) {
      const checkout = await medusa.checkout(quantity)
      return { ...checkout, order: await medusa.complete(checkout.cart) }
    },
    async read(order) {
      const fields = [
        ...['id', 'display_id', 'status', 'payment_status', 'total', 'summary', '*payment_collections'],
        ...['*payment_collections.payments.captures', '*payment_collections.payments.refunds'],
        '*payment_collections.payment_sessions',
      ]
      return z.object({ order: Order }).parse(await admin(`/orders/${order}?fields=${fields}`)).order
    },
    async orders() {
      return z.object({ count: z.number() }).parse(await admin('/orders')).count
    },
    async pay(qrCodeUid, body = {}) {
      await site.value(`/sandbox/v1/sites/demo/qrCodes/${qrCodeUid}/payments`, { body })
      const { payments } = Payments.parse(await site.value(`/sbp/qrCodes/${qrCodeUid}/payments`))
      return payments.at(-1)?.paymentId ?? ''
    },
    async cancelByTimer(order) {
      const answer = await send('/demo/cancel', { order })
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    },
    async status(qrCodeUid) {
      const answer = await site.value(`/sbp/qrCodes/${qrCodeUid}`)
      return z.object({ qrCode: z.object({ status: z.string() }) }).parse(answer).qrCode.status
    },
    async income(order) {
      return z.object({ payments: z.array(Income) }).parse(await admin(`/fps-qr/orders/${order}`)).payments
    },
    async withoutNotifications(work) {
      // Nothing listens at port 9.
      await configure({ callbackUrl: 'http://127.0.0.1:9/' })
      try {
        return await work()
      } finally {
        await configure({ callbackUrl: `${url}/fps-qr/notifications` })
      }
    },
    async state(session) {
      return z.record(z.string(), z.unknown()).parse(await store(`/fps-qr/payments/${session}`))
    },
    async redeliver(qrCodeUid, times = 1) {
      const list = await fetch(`${address}/payin/v1/sites/demo/notifications?qrCodeUid=${qrCodeUid}`, {
        headers,
      })
      const { notifications } = Notifications.parse(await list.json())
      const each = notifications.flatMap((notification) =>
        Array.from({ length: times }, () => notification.id),
      )
      return Promise.all(
        each.map(async (id) => {
          const path = `${address}/payin/v1/sites/demo/notifications/${id}/redeliver`
          const answer = await fetch(path, { method: 'POST', headers })
          return z.object({ httpStatus: z.number().optional() }).parse(await answer.json()).httpStatus
        }),
      )
    },
    async start(more = {}) {
      shop = await startShop({ ...shopEnv, ...more })
    },
    async close() {
      await shop.kill()
      proxy.close()
      await service.dispose()
    },
  }
  return medusa
}
