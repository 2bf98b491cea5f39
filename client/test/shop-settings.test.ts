// The check of a shop's settings, at the running service.
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import { bareWorkerd } from '../../test/support/bare-workerd.ts'
import { freePort, portOf } from '../../test/support/ports.ts'
import { siteAt } from '../../test/support/site-at.ts'
import {
  checkSettings,
  InvalidRequestError,
  type ShopSettings,
  shopClient,
  verifyNotification,
} from '../src/index.ts'

const service = bareWorkerd({ PAYMENT_NETWORK: 'sandbox', CALLBACK_HOSTS: 'any', TEST_SITES: 'on' }, 'any')
let settings: ShopSettings
let shopUrl = ''
const tokenOf = (siteId: string, scope = 'merchant') => mintToken(service.secret, { siteId, scope, days: 1 })

/** The shop: it verifies by the key that it has stored. */
let stored = ''
const shop = createServer(async (request, response) => {
  const body = await buffer(request)
  const { headers } = request
  await verifyNotification({ body, headers, keys: stored }).then(
    () => response.writeHead(204).end(),
    () => response.writeHead(401).end(),
  )
})

const Key = z.object({ key: z.string() })
beforeAll(async () => {
  const baseUrl = `http://127.0.0.1:${await service.start()}`
  const site = siteAt(() => baseUrl, service.secret, 'demo')
  shopUrl = `http://127.0.0.1:${await portOf(shop)}/`
  await site.value('/settings', { method: 'PATCH', body: { callbackUrl: shopUrl } })
  const { key } = Key.parse(await site.value('/settings/notificationKeys', { method: 'POST' }))
  stored = key
  settings = { baseUrl, siteId: 'demo', token: await tokenOf('demo'), notificationKey: key, testSite: false }
})
afterAll(async () => {
  shop.close()
  await service.dispose()
})

it('good settings have no fault', async () => {
  expect(await checkSettings(settings)).toBeUndefined()
  const twoKeys = { ...settings, notificationKey: `${settings.notificationKey}, whsec_b2xk` }
  expect(await checkSettings(twoKeys)).toBeUndefined()
})

it.each<[string, string, () => Partial<ShopSettings> | Promise<Partial<ShopSettings>>]>([
  ['baseUrl', 'an address that is none', () => ({ baseUrl: 'qr.example' })],
  ['baseUrl', 'where nothing listens', async () => ({ baseUrl: `http://127.0.0.1:${await freePort()}` })],
  ['baseUrl', 'another server', () => ({ baseUrl: shopUrl })],
  ['baseUrl', 'a path too much', () => ({ baseUrl: `${settings.baseUrl}/payin` })],
  ['siteId', 'no name', () => ({ siteId: '' })],
  ['siteId', 'a name that no site has', () => ({ siteId: 'a shop' })],
  ['token', 'white space', () => ({ token: 'a b' })],
  ['token', 'not a token', () => ({ token: 'secret-of-nobody' })],
  ['token', 'of another site', async () => ({ token: await tokenOf('tea') })],
  ['token', 'that only reads', async () => ({ token: await tokenOf('demo', 'merchant:read') })],
  ['notificationKey', 'none', () => ({ notificationKey: '' })],
  ['notificationKey', 'of another form', () => ({ notificationKey: 'secret-of-nobody' })],
  ['testSite', 'a site that is no test site', () => ({ testSite: true })],
  ['testSite', 'a test site', async () => ({ siteId: 'tea-test', token: await tokenOf('tea-test') })],
  [
    'notifications',
    'a site without an address',
    async () => ({ siteId: 'tea', token: await tokenOf('tea') }),
  ],
])('%s is named: %s', async (setting, _what, wrong) => {
  const each = { ...settings, ...(await wrong()) }
  const fault = await checkSettings(each)
  expect(fault).toMatchObject({ setting })
  for (const secret of [each.token, each.notificationKey, 'secret-of-nobody'])
    if (secret) expect(fault?.reason).not.toContain(secret)
})

it('a shop that has stored another key is told so', async () => {
  stored = 'whsec_b2xk'
  expect(await checkSettings(settings)).toMatchObject({ setting: 'notificationKey' })
})

it('the client of a shop takes no answer of a test site as one of a live site, and the other way round', async () => {
  const testSite = { ...settings, siteId: 'tea-test', token: await tokenOf('tea-test') }
  const code = { qrCodeUid: 'a', qrCode: { type: 'DYNAMIC' as const }, amount: { value: '1.00' } }
  await expect(shopClient(testSite).createQrCode(code)).rejects.toThrow(InvalidRequestError)
  await expect(shopClient(testSite).getQrCode('a')).rejects.toThrow(/is a test site/)
  await expect(shopClient({ ...settings, testSite: true }).getQrCode('a')).rejects.not.toThrow(/test site/)
  expect(await shopClient({ ...testSite, testSite: true }).getQrCode('a')).toMatchObject({ qrCodeUid: 'a' })
  await expect(shopClient({ ...settings, testSite: true }).createQrCode(code)).rejects.toThrow(
    /is no test site/,
  )
})

it('a check leaves no code that can be paid', async () => {
  const site = siteAt(() => settings.baseUrl, service.secret, 'demo')
  const codes = z.object({ qrCodes: z.array(z.object({ qrCode: z.object({ status: z.string() }) })) })
  const { qrCodes } = codes.parse(await site.value('/sbp/qrCodes?q=check-'))
  expect(qrCodes.length).toBeGreaterThan(0)
  expect(qrCodes.filter(({ qrCode }) => qrCode.status !== 'CANCELLED')).toEqual([])
})
