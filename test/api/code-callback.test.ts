// callbackUrl of one QR code: in the place of the addresses of the site (contract, sections 3 and 11).
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { bankSite } from '../support/bank-links.ts'
import { notifiedShops, setCallback, shopOf } from '../support/callbacks-of.ts'
import { logOf, merchantServer, shopUrl } from '../support/merchant.ts'
import { errorOf } from '../support/service.ts'
import { tokenSite } from '../support/tokens.ts'

afterEach(() => void vi.restoreAllMocks())

const callbacksIn = async (site: FreshSite) =>
  (await logOf(site)).notifications.map(({ callback, type }) => `${callback} ${type}`)
const removeCallback = ({ ask }: FreshSite, id: string) =>
  ask(`/settings/callbacks/${id}`, { method: 'DELETE' })

describe('callbackUrl of a create', () => {
  it.each<[string, () => string]>([
    ['another host', () => 'https://evil.example/notifications'],
    ['another port', () => shopUrl('shop-2').replace('/notifications', ':8443/notifications')],
    ['another scheme', () => shopUrl('shop-2').replace('https:', 'http:')],
    ['a subdomain', () => shopUrl('a.shop-2')],
    ['the host as user info', () => `${shopUrl('shop-2', '')}@evil.example/`],
    ['the host as a beginning', () => `${shopUrl('shop-2', '')}.evil.example/`],
    ['a fragment', () => `${shopUrl('shop-2')}#a`],
    ['white space', () => `${shopUrl('shop-2')}/a b`],
    ['no URL', () => '/notifications'],
    ['501 characters', () => shopUrl('shop-2', `/${'x'.repeat(480)}`)],
  ])('with %s than an address of the settings is refused, and nothing is created', async (_, url) => {
    merchantServer()
    const site = freshSite()
    await notifiedShops(site, 'default', 'shop-2')
    const response = await site.create({ qrCodeUid: 'a', callbackUrl: url() })
    expect(response.status).toBe(400)
    expect(Object.keys((await errorOf(response)).cause ?? {})).toEqual(['callbackUrl'])
    expect((await site.ask('/sbp/qrCodes/a')).status).toBe(404)
  })

  it('is refused where the settings have no address', async () => {
    expect((await freshSite().create({ callbackUrl: 'https://shop.example/' })).status).toBe(400)
  })

  it('that is refused asks no bank for a link', async () => {
    merchantServer()
    const site = bankSite()
    await notifiedShops(site, 'shop-2')
    expect((await site.create({ callbackUrl: 'https://evil.example/' })).status).toBe(400)
    expect(site.asked).toEqual([])
    await site.make({ callbackUrl: shopUrl('shop-2', '/own') })
    expect(JSON.stringify(site.asked)).not.toContain('/own')
  })

  it('is of the identity: with another one, or none, the same qrCodeUid is 409; its own is a replay, also later', async () => {
    merchantServer()
    const site = freshSite()
    await notifiedShops(site, 'default', 'shop-2')
    const own = { qrCodeUid: 'a', callbackUrl: shopUrl('shop-2', '/a') }
    const first = await site.make(own)
    for (const callbackUrl of [undefined, shopUrl('shop-2', '/b')]) {
      const response = await site.create({ ...own, callbackUrl })
      expect(response.status).toBe(409)
      expect(Object.keys((await errorOf(response)).cause ?? {})).toEqual(['callbackUrl'])
    }
    await removeCallback(site, 'shop-2')
    expect((await site.make(own)).linkId).toBe(first.linkId)
    expect((await site.create({ ...own, qrCodeUid: 'b' })).status).toBe(400)
    expect(JSON.stringify(first.answer)).not.toContain('callbackUrl')
  })

  it('gets what becomes of the code, of its refunds and of its token, with the key of its address', async () => {
    const server = merchantServer()
    const site = tokenSite()
    const keys = await notifiedShops(site, 'default', 'shop-2')
    await setCallback(site, 'shop-2', { types: ['PAYMENT', 'REFUND', 'TOKEN', 'QR_CODE'] })
    await setCallback(site, 'default', { url: shopUrl('default'), types: ['PAYMENT'] })
    const own = { callbackUrl: shopUrl('shop-2', '/own?shop=2') }
    const { linkId } = await site.make(own)
    const { paymentUid } = await site.pay(linkId)
    await site.refund(paymentUid, 1, 'r')
    await site.reportRefund(paymentUid, 'r', { status: 'COMPLETED' })
    await site.bound(own)
    await site.ask(`/sbp/qrCodes/${(await site.make(own)).qrCodeUid}`, { method: 'DELETE' })
    const received = await server.got(4)
    expect(new Set(received.map(({ url }) => url))).toEqual(new Set([own.callbackUrl]))
    for (const { body, headers } of received)
      expect(new Webhook(keys['shop-2'] ?? '').verify(body, Object.fromEntries(headers))).toBeTruthy()
    expect(await callbacksIn(site)).toEqual(
      ['QR_CODE', 'TOKEN', 'REFUND', 'PAYMENT'].map((type) => `shop-2 ${type}`),
    )
    await site.pay((await site.make()).linkId)
    expect((await server.got(6)).slice(4).map(shopOf).toSorted()).toEqual(['default', 'shop-2'])
  })

  it('is told of the types of its address, whatever the default address takes', async () => {
    const server = merchantServer()
    const site = freshSite()
    await notifiedShops(site, 'default', 'shop-2')
    await setCallback(site, 'default', { url: shopUrl('default'), types: [] })
    await site.pay((await site.make({ callbackUrl: shopUrl('shop-2') })).linkId)
    expect((await server.got(1)).map(shopOf)).toEqual(['shop-2'])
    await setCallback(site, 'shop-2', { types: ['REFUND'] })
    await site.pay((await site.make({ callbackUrl: shopUrl('shop-2') })).linkId)
    expect(await callbacksIn(site)).toHaveLength(1)
  })

  it('is of the address with the same URL, where several have its origin', async () => {
    merchantServer()
    const site = freshSite()
    await notifiedShops(site, 'default', 'a', 'b')
    await setCallback(site, 'a', { url: shopUrl('shop', '/a') })
    await setCallback(site, 'b', { url: shopUrl('shop', '/b') })
    for (const path of ['/b', '/c'])
      await site.pay((await site.make({ callbackUrl: shopUrl('shop', path) })).linkId)
    expect(await callbacksIn(site)).toEqual(['a PAYMENT', 'b PAYMENT'])
  })

  it('goes nowhere after its address was removed, or has another origin: the addresses that are there are told', async () => {
    const server = merchantServer()
    const site = freshSite()
    await notifiedShops(site, 'default', 'shop-2', 'shop-3')
    const removed = await site.make({ callbackUrl: shopUrl('shop-2', '/own') })
    const moved = await site.make({ callbackUrl: shopUrl('shop-3', '/own') })
    await removeCallback(site, 'shop-2')
    await site.pay(removed.linkId)
    expect((await server.got(2)).map(shopOf).toSorted()).toEqual(['default', 'shop-3'])
    await setCallback(site, 'shop-3', { url: shopUrl('elsewhere') })
    await site.pay(moved.linkId)
    expect((await server.got(4)).slice(2).map(shopOf).toSorted()).toEqual(['default', 'elsewhere'])
  })

  it('that waits while its address moves goes to the new place of the address', async () => {
    const server = merchantServer(() => new Response(null, { status: 500 }))
    const site = freshSite()
    await notifiedShops(site, 'shop-2')
    await site.pay((await site.make({ callbackUrl: shopUrl('shop-2', '/own') })).linkId)
    expect((await server.got(1)).map(({ url }) => url)).toEqual([shopUrl('shop-2', '/own')])
    await vi.waitFor(async () => expect((await logOf(site)).notifications[0]?.attempts).toHaveLength(1))
    await setCallback(site, 'shop-2', { url: shopUrl('elsewhere') })
    expect((await server.got(2)).slice(1).map(({ url }) => url)).toEqual([shopUrl('elsewhere')])
  })
})

it('two shops of one site each hear of their own payments, while the server of one is down', async () => {
  const server = merchantServer(
    (received) => new Response(null, { status: shopOf(received) === 'first' ? 500 : 204 }),
  )
  const site = freshSite()
  await notifiedShops(site, 'first', 'second')
  const paid: Record<string, string[]> = { first: [], second: [] }
  for (let i = 0; i < 6; i++) {
    for (const shop of ['first', 'second']) {
      const { linkId } = await site.make({ callbackUrl: shopUrl(shop) })
      paid[shop]?.push((await site.pay(linkId)).paymentUid)
    }
  }
  const paidIn = (shop: string) =>
    server.received.flatMap((each) =>
      shopOf(each) === shop ? [JSON.parse(each.body).payment.paymentId as string] : [],
    )
  await vi.waitFor(() => expect(paidIn('second').toSorted()).toEqual(paid.second?.toSorted()), {
    timeout: 50_000,
  })
  await vi.waitFor(() => expect(paidIn('first').length).toBeGreaterThanOrEqual(3), { timeout: 50_000 })
  for (const uid of paidIn('first')) expect(paid.first).toContain(uid)
})
