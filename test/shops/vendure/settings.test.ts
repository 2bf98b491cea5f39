// The settings in the shop's own admin: what is wrong is named, and no secret is shown again or logged.
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { mintToken } from '../../../bin/mint-token.ts'
import { portOf } from '../../support/ports.ts'
import { enable, methodOf, saveSettings } from './admin.ts'
import { openShop, Session, type Shop } from './shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop?.dispose())

const method = () => methodOf(shop)
const save = (changed: Record<string, string>) => saveSettings(shop, changed)
const check = async () =>
  shop.admin.ask(
    z.object({ setting: z.string().nullable(), reason: z.string().nullable(), notificationPath: z.string() }),
    `mutation($id: ID!) { fpsQrCheckSettings(paymentMethodId: $id) { setting reason notificationPath } }`,
    { id: (await method()).id },
  )

it('good settings are saved and checked; the check leaves no code that can be paid', async () => {
  const saved = await save({ minutes: '30' })
  expect(saved.handler.args).toContainEqual({ name: 'minutes', value: '30' })
  expect(await check()).toEqual({ setting: null, reason: null, notificationPath: '/fps-qr/sbp' })
  const Codes = z.object({ qrCodes: z.array(z.object({ qrCode: z.object({ status: z.string() }) })) })
  const { qrCodes } = Codes.parse(await shop.service.site.value('/sbp/qrCodes?q=check-'))
  expect(qrCodes.length).toBeGreaterThan(1)
  expect(new Set(qrCodes.map(({ qrCode }) => qrCode.status))).toEqual(new Set(['CANCELLED']))
})

it.each<[string, Record<string, string>, RegExp]>([
  ['the address', { baseUrl: 'qr.example' }, /^baseUrl is "qr.example", must be an http or https URL/],
  ['another server', { baseUrl: 'SHOP', token: 'TOKEN' }, /^baseUrl: /],
  ['the site', { siteId: 'a shop' }, /^siteId: /],
  ['the token', { token: 'secret-of-nobody' }, /^token: /],
  ['the token of another site', { token: 'OTHER' }, /^token: /],
  ['the notification key', { notificationKey: 'secret-of-nobody' }, /^notificationKey must be/],
  ['the test site', { testSite: 'true' }, /^testSite: the site tea is no test site/],
  ['the page after the payment', { returnUrl: 'javascript:1' }, /^returnUrl is/],
  ['the minutes', { minutes: '0' }, /^minutes is 0, must be from 1 to 129600/],
])('%s is named where it is wrong, and nothing is saved', async (_what, changed, message) => {
  const before = await method()
  const values = {
    SHOP: shop.origin,
    TOKEN: shop.service.token,
    OTHER: await mintToken(shop.service.secret, { siteId: 'other', scope: 'merchant', days: 1 }),
  }
  const stated = Object.fromEntries(
    Object.entries(changed).map(([name, value]) => [
      name,
      Object.entries(values).find(([key]) => key === value)?.[1] ?? value,
    ]),
  )
  const refused = save(stated)
  await expect(refused).rejects.toThrow(message)
  await expect(refused).rejects.not.toThrow(/secret-of-nobody/)
  expect(await method()).toEqual(before)
  expect(await check()).toMatchObject({ setting: null })
})

it('the stored token goes to no other address: there it is entered again', async () => {
  const before = await method()
  let requests = 0
  const other = createServer((_request, response) => {
    requests++
    response.writeHead(404).end()
  })
  const baseUrl = `http://127.0.0.1:${await portOf(other)}`
  await expect(save({ baseUrl })).rejects.toThrow(/^token must be entered again/)
  await expect(save({ baseUrl, token: '', checkOnSave: 'false' })).rejects.toThrow(/^token must be/)
  expect(requests).toBe(0)
  expect(await method()).toEqual(before)
  await expect(save({ baseUrl, token: 'of-the-new-address' })).rejects.toThrow(/^baseUrl: /)
  expect(requests).toBeGreaterThan(0)
  other.close()
  expect(await check()).toMatchObject({ setting: null })
})

it('a method that is removed from one channel keeps its secrets for the others', async () => {
  const Ids = z.object({ items: z.array(z.object({ id: z.string() })) })
  const { items } = await shop.admin.ask(Ids, '{ zones { items { id } } }')
  const zone = items[0]?.id
  const Channel = z.object({ id: z.string() })
  const { id: channelId } = await shop.admin.ask(
    Channel,
    'mutation($input: CreateChannelInput!) { createChannel(input: $input) { ... on Channel { id } } }',
    {
      input: {
        ...{ code: 'second', token: 'second', defaultLanguageCode: 'ru', defaultCurrencyCode: 'RUB' },
        ...{ pricesIncludeTax: true, defaultTaxZoneId: zone, defaultShippingZoneId: zone },
      },
    },
  )
  const { id } = await method()
  const input = { paymentMethodIds: [id], channelId }
  await shop.admin.ask(
    z.unknown(),
    `mutation($input: AssignPaymentMethodsToChannelInput!) {
      assignPaymentMethodsToChannel(input: $input) { id } }`,
    { input },
  )
  const second = new Session(`${shop.origin}/admin-api?vendure-token=second`)
  await second.ask(
    z.unknown(),
    'mutation { login(username: "superadmin", password: "superadmin") { __typename } }',
  )
  const Deleted = z.object({ result: z.string() })
  const remove = 'mutation($id: ID!) { deletePaymentMethod(id: $id) { result } }'
  expect(await second.ask(Deleted, remove, { id })).toEqual({ result: 'DELETED' })
  expect(await check()).toMatchObject({ setting: null })
})

it('a key that is not the site’s is found by the service’s test notification', async () => {
  await save({ notificationKey: 'whsec_c2VjcmV0LW9mLW5vYm9keQ==' })
  expect(await check()).toMatchObject({ setting: 'notificationKey' })
  await save({ notificationKey: shop.key })
  expect(await check()).toMatchObject({ setting: null })
})

it('no secret is shown again, in no answer of either API, and in no log', async () => {
  expect((await method()).handler.args).toEqual(
    expect.arrayContaining([
      { name: 'token', value: '(saved)' },
      { name: 'notificationKey', value: '(saved)' },
    ]),
  )
  // What was shown in place of the secrets was saved again above, and the shop still has them.
  const { id, qrCodeUid } = await shop.customer().order()
  await shop.service.pay(qrCodeUid)
  await expect.poll(async () => (await shop.order(id)).state).toBe('PaymentSettled')
  for (const secret of [shop.service.token, shop.key, 'secret-of-nobody']) {
    expect(shop.log()).not.toContain(secret)
    expect(JSON.stringify([await method(), await shop.order(id)])).not.toContain(secret)
  }
})

it('the method can be switched off while the service does not answer', async () => {
  shop.service.proxy.faults.push(...Array<'503'>(20).fill('503'))
  expect(await enable(shop, false)).toEqual({ enabled: false })
  shop.service.proxy.faults.length = 0
  expect(await enable(shop, true)).toEqual({ enabled: true })
})

it('the receipt has the lines and the delivery of the order, and adds up to it', async () => {
  await save({ receipts: 'true', vatFromTaxes: 'true' })
  await shop.service.site.value('/settings', {
    method: 'PATCH',
    body: { receipts: { taxation: 'usnIncome', vat: 'none' } },
  })
  const { id, qrCodeUid } = await shop.customer().order(3)
  await shop.service.pay(qrCodeUid)
  await expect.poll(async () => (await shop.order(id)).state).toBe('PaymentSettled')
  const [paymentId = ''] = await shop.service.payments(qrCodeUid)
  const Receipts = z.object({
    receipts: z.array(z.object({ contact: z.unknown(), amount: z.unknown(), items: z.array(z.unknown()) })),
  })
  expect(
    Receipts.parse(await shop.service.site.value(`/payments/${paymentId}/receipts`)).receipts,
  ).toMatchObject([
    {
      contact: { email: 'a…@shop.example' },
      amount: { value: '800.00' },
      items: [
        { name: 'Зелёный чай, 100 г', price: '250.00', quantity: '3', vat: '22' },
        { name: 'Доставка', price: '50.00', object: 'service', vat: '22' },
      ],
    },
  ])
})

it('a code expires by itself, and then nobody is told how to pay it', async () => {
  await save({ minutes: '1' })
  const customer = shop.customer()
  const { code } = await customer.order()
  expect(await customer.shown(code)).toMatchObject({ state: 'open', pageUrl: expect.any(String) })
  await expect
    .poll(() => customer.shown(code), { timeout: 90_000, interval: 2_000 })
    .toEqual({ state: 'ended', pageUrl: null, link: null, picture: null })
})
