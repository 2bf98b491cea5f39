// The settings of a site and its notification keys (contract, section 12).
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import {
  NewNotificationKeyAnswer,
  NotificationKeyAnswer,
  NotificationKeysAnswer,
} from '../../src/contract/notification-key.ts'
import { SettingsAnswer } from '../../src/contract/settings.ts'
import { hasTables } from '../../src/site/database/schema.ts'
import { settingsVersion } from '../../src/site/settings/settings.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { type Call, qrCodeBody } from '../support/client.ts'
import { PICTURES } from '../support/pictures.ts'
import { call, errorOf, serviceWith, tokenOf } from '../support/service.ts'
import { activeKeys } from '../support/site.ts'
import { strict } from '../support/strict.ts'

const DEFAULTS = { notificationTypes: ['PAYMENT', 'REFUND', 'TOKEN'] }
const FULL = {
  name: 'Чайная на Садовой',
  supportContact: '+7 800 555-01-00',
  callbackUrl: 'https://shop.example/notifications?a=1',
  notificationTypes: ['PAYMENT', 'QR_CODE'],
}

const put = ({ ask }: FreshSite, body: unknown, headers: Record<string, string> = {}) =>
  ask('/settings', { method: 'PUT', body, headers })

async function read({ ask }: FreshSite) {
  const response = await ask('/settings')
  return {
    settings: strict(SettingsAnswer).parse(await response.json()),
    etag: response.headers.get('ETag') ?? '',
  }
}

describe('the settings', () => {
  it('have defaults before they are set, and reading them writes nothing', async () => {
    const site = freshSite()
    expect((await read(site)).settings).toEqual(DEFAULTS)
    expect(await runInDurableObject(site.stub, (_, { storage }) => hasTables(storage))).toBe(false)
  })

  it('are replaced as a whole: an absent field gets its default', async () => {
    const site = freshSite()
    const answer = await put(site, FULL)
    expect([answer.status, await answer.json()]).toEqual([200, FULL])
    expect(await read(site)).toEqual({ settings: FULL, etag: answer.headers.get('ETag') })
    expect(await (await put(site, { name: 'Tea', callbackUrl: null })).json()).toEqual({
      ...DEFAULTS,
      name: 'Tea',
    })
    expect((await read(site)).settings).toEqual({ ...DEFAULTS, name: 'Tea' })
    expect(
      await runInDurableObject(site.stub, (_, { storage }) => settingsVersion(storage.sql).settings),
    ).toEqual({
      ...DEFAULTS,
      name: 'Tea',
    })
  })

  it.each([
    ['a name of 60 characters outside the BMP', { name: '🫖'.repeat(60) }],
    ['a hostile name', { name: '<script>alert("1")</script>\u202e&amp;' }],
    ['a contact of 100 characters', { supportContact: 'ё'.repeat(100) }],
    ['a URL of 500 characters', { callbackUrl: 'https://shop.example/'.padEnd(500, 'a') }],
    ['a URL with a port', { callbackUrl: 'https://shop.example:8443/' }],
    ['no types', { notificationTypes: [] }],
    ['all types', { notificationTypes: ['PAYMENT', 'REFUND', 'TOKEN', 'QR_CODE'] }],
  ])('take %s, and answer it as it was sent', async (_, fields) => {
    const site = freshSite()
    expect(await (await put(site, fields)).json()).toEqual({ ...DEFAULTS, ...fields })
  })

  it('have each type once, in one order', async () => {
    const types = ['TOKEN', 'PAYMENT', 'TOKEN']
    expect(await (await put(freshSite(), { notificationTypes: types })).json()).toEqual({
      notificationTypes: ['PAYMENT', 'TOKEN'],
    })
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['an empty name', { name: '' }, 'name'],
    ['a blank name', { name: ' \u00a0' }, 'name'],
    ['a name of 61 characters', { name: '🫖'.repeat(61) }, 'name'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['a name with a line separator', { name: 'a\u2028b' }, 'name'],
    ['a name with NUL', { name: 'a\u0000b' }, 'name'],
    ['a name with an unpaired surrogate', { name: '\ud800' }, 'name'],
    ['a name that is a number', { name: 1 }, 'name'],
    ['a contact of 101 characters', { supportContact: 'a'.repeat(101) }, 'supportContact'],
    ['an http URL', { callbackUrl: 'http://shop.example/' }, 'callbackUrl'],
    ['another scheme', { callbackUrl: 'ftp://shop.example/' }, 'callbackUrl'],
    ['a relative URL', { callbackUrl: '/notifications' }, 'callbackUrl'],
    ['user info', { callbackUrl: 'https://a:b@shop.example/' }, 'callbackUrl'],
    ['an empty user info', { callbackUrl: 'https://@shop.example/' }, 'callbackUrl'],
    ['a fragment', { callbackUrl: 'https://shop.example/#a' }, 'callbackUrl'],
    ['an empty fragment', { callbackUrl: 'https://shop.example/#' }, 'callbackUrl'],
    ['a URL with white space', { callbackUrl: 'https://shop.example/a b' }, 'callbackUrl'],
    ['a URL of 501 characters', { callbackUrl: 'https://shop.example/'.padEnd(501, 'a') }, 'callbackUrl'],
    ['a URL that is an object', { callbackUrl: {} }, 'callbackUrl'],
    ['an unknown type', { notificationTypes: ['PAYMENT', 'EVENT'] }, 'notificationTypes.1'],
    ['types that are a text', { notificationTypes: 'PAYMENT' }, 'notificationTypes'],
    ['an unknown field', { nmae: 'Tea' }, 'nmae'],
  ])('refuse %s by name, and stay', async (_, wrong, field) => {
    const site = freshSite()
    await put(site, FULL)
    const response = await put(site, { ...FULL, ...wrong })
    expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, [field]])
    expect((await read(site)).settings).toEqual(FULL)
  })

  it.each([
    ['merchant', 403, 403],
    ['merchant:read', 403, 403],
    ['network', 403, 403],
    ['merchant:read network merchant', 403, 403],
    ['merchant:admin', 200, 200],
    ['merchant:admin merchant:read', 200, 200],
  ])('are for the scope merchant:admin: %s', async (scope, reading, writing) => {
    const { ask } = freshSite()
    expect((await ask('/settings', { claims: { scope } })).status).toBe(reading)
    expect((await ask('/settings', { claims: { scope }, method: 'PUT', body: FULL })).status).toBe(writing)
  })
})

describe('the scope merchant:admin', () => {
  it('includes merchant, and so reading, but not the network', async () => {
    const { ask, siteId } = freshSite()
    const body = qrCodeBody()
    expect((await ask('/sbp/qrCodes', { body })).status).toBe(200)
    expect((await ask(`/sbp/qrCodes/${body.qrCodeUid}`)).status).toBe(200)
    expect((await ask(`/sbp/qrCodes/${body.qrCodeUid}`, { method: 'DELETE' })).status).toBe(200)
    expect((await ask('/events')).status).toBe(200)
    const token = await tokenOf({ sub: siteId, scope: 'merchant:admin' })
    const report = `/network/v1/sites/${siteId}/qrCodes/x/payments/1`
    expect((await call(report, { method: 'PUT', body: {}, token })).status).toBe(403)
  })
})

const pictureOf = (width: number) => Uint8Array.from(PICTURES['image/png']?.(width, 8) ?? [])
const [PICTURE, OTHER_PICTURE] = [pictureOf(8), pictureOf(9)]

describe('If-Match', () => {
  it('replaces the version that it names', async () => {
    const site = freshSite()
    const initial = (await read(site)).etag
    expect((await put(site, FULL, { 'If-Match': initial })).status).toBe(200)
    const { etag } = await read(site)
    expect((await put(site, { name: 'Tea' }, { 'If-Match': `"other", ${etag}` })).status).toBe(200)
    expect((await put(site, { name: 'Two' }, { 'If-Match': '*' })).status).toBe(200)
  })

  it.each<[string, (stale: string, current: string) => string]>([
    ['an earlier version', (stale) => stale],
    ['an unknown version', () => '"other"'],
    ['a weak tag', (_, current) => `W/${current}`],
    ['no tag at all', () => 'other'],
    ['a tag that is a quoted *', () => '"*"'],
    ['* among others', () => '*, "other"'],
  ])('that names %s: 412, and the settings stay', async (_, tagOf) => {
    const site = freshSite()
    const { etag: stale } = await read(site)
    await put(site, FULL)
    const { etag } = await read(site)
    const response = await put(site, { name: 'Tea' }, { 'If-Match': tagOf(stale, etag) })
    expect([response.status, (await errorOf(response)).errorCode]).toEqual([412, 'http.precondition.failed'])
    expect(await read(site)).toEqual({ settings: FULL, etag })
  })

  it.each<[string, string, Call]>([
    ['PUT', '/settings', { body: { name: 'New' } }],
    ['PATCH', '/settings', { body: { name: 'New' } }],
    ['PUT', '/settings/logo', { body: PICTURE, headers: { 'Content-Type': 'image/png' } }],
    ['DELETE', '/settings/logo', {}],
  ])(
    'can be left out of %s %s: then the settings change, whatever version they have',
    async (method, below, more) => {
      const site = freshSite()
      const logo = { method: 'PUT', body: method === 'DELETE' ? PICTURE : OTHER_PICTURE }
      await site.ask('/settings/logo', { ...logo, headers: { 'Content-Type': 'image/png' } })
      const { etag } = await read(site)
      const headers = { ...more.headers, 'If-Match': '"other"' }
      expect((await site.ask(below, { ...more, method, headers })).status).toBe(412)
      expect((await read(site)).etag).toBe(etag)
      expect((await site.ask(below, { ...more, method })).status).toBe(200)
      expect((await read(site)).etag).not.toBe(etag)
    },
  )

  it('that is * is any version, also that of settings that nobody has set', async () => {
    expect((await put(freshSite(), FULL, { 'If-Match': '*' })).status).toBe(200)
  })

  it('that is empty counts as left out: the runtime does not pass it on', async () => {
    const site = freshSite()
    expect((await put(site, FULL, { 'If-Match': ' ' })).status).toBe(200)
  })

  it('lets one of simultaneous requests replace the settings', async () => {
    const site = freshSite()
    await put(site, FULL)
    const { etag } = await read(site)
    const names = Array.from({ length: 10 }, (_, n) => `${n}`)
    const statuses = await Promise.all(
      names.map(async (name) => (await put(site, { name }, { 'If-Match': etag })).status),
    )
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 412)])
    expect(await site.events()).toHaveLength(2)
  })

  it('lets the same request be sent again where its answer was lost', async () => {
    const site = freshSite()
    await put(site, { name: 'One' })
    const { etag: first } = await read(site)
    const answer = await put(site, FULL, { 'If-Match': first })
    const again = await put(site, FULL, { 'If-Match': first })
    expect([again.status, again.headers.get('ETag')]).toEqual([200, answer.headers.get('ETag')])
    expect(await site.events()).toHaveLength(2)
    await put(site, { name: 'Three' })
    expect((await put(site, FULL, { 'If-Match': first })).status).toBe(412)
  })
})

it('If-None-Match: 304 while the settings stay, 200 after a change', async () => {
  const { ask, ...site } = freshSite()
  const { etag } = await read({ ask, ...site })
  const known = () => ask('/settings', { headers: { 'If-None-Match': etag } })
  expect((await known()).status).toBe(304)
  await put({ ask, ...site }, FULL)
  expect((await known()).status).toBe(200)
})

it('a change is an event that says who, and never a value; equal settings are no change', async () => {
  const site = freshSite()
  await put(site, FULL)
  const { etag } = await read(site)
  const { name, ...rest } = FULL
  expect((await put(site, { ...rest, name })).headers.get('ETag')).toBe(etag)
  expect(await site.events()).toEqual([
    {
      id: 1,
      type: 'settings.changed',
      dateTime: expect.any(String),
      by: { actor: 'merchant', keyId: 'admin' },
    },
  ])
})

describe('notification keys', () => {
  const make = async ({ ask }: FreshSite) => {
    const response = await ask('/settings/notificationKeys', { method: 'POST' })
    return { response, key: strict(NewNotificationKeyAnswer).parse(await response.json()) }
  }
  const list = async ({ ask }: FreshSite) =>
    NotificationKeysAnswer.parse(await (await ask('/settings/notificationKeys')).json()).notificationKeys
  const activate = ({ ask }: FreshSite, id: string) =>
    ask(`/settings/notificationKeys/${encodeURIComponent(id)}/activate`, { method: 'POST' })
  const inSite = ({ stub }: FreshSite) =>
    runInDurableObject(stub, (_, { storage }) => activeKeys(storage.sql))

  it('are 32 random bytes, shown once; the first is active at once', async () => {
    const site = freshSite()
    expect(await list(site)).toEqual([])
    const { key, response } = await make(site)
    expect(response.status).toBe(200)
    expect(key.active).toBe(true)
    expect(atob(key.key.slice('whsec_'.length))).toHaveLength(32)
    const { key: text, ...shown } = key
    expect(await list(site)).toEqual([shown])
    const listed = await (await site.ask('/settings/notificationKeys')).text()
    expect(listed).not.toContain(text)
    expect((await make(site)).key.key).not.toBe(text)
  })

  it('are rotated: the next one is inactive until it is activated, which ends the other', async () => {
    const site = freshSite()
    const { key: first } = await make(site)
    const { key: second } = await make(site)
    expect(second.active).toBe(false)
    expect(await inSite(site)).toEqual({ active: first.key, all: [first.key, second.key] })

    const answer = await activate(site, second.id)
    const { key: _, ...shown } = second
    expect(strict(NotificationKeyAnswer).parse(await answer.json())).toEqual({ ...shown, active: true })
    expect(await list(site)).toEqual([{ ...shown, active: true }])
    expect(await inSite(site)).toEqual({ active: second.key, all: [second.key] })
    expect((await activate(site, first.id)).status).toBe(404)
    expect((await make(site)).key.active).toBe(false)
  })

  it('are at most one inactive: 409, and nothing is made', async () => {
    const site = freshSite()
    const made = [(await make(site)).key.key, (await make(site)).key.key]
    const response = await site.ask('/settings/notificationKeys', { method: 'POST' })
    expect([response.status, (await errorOf(response)).errorCode]).toEqual([
      409,
      'payin.incorrect-method-invocation',
    ])
    expect((await inSite(site)).all).toEqual(made)
  })

  it('are one active and one inactive after simultaneous requests', async () => {
    const site = freshSite()
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => {
        return (await site.ask('/settings/notificationKeys', { method: 'POST' })).status
      }),
    )
    expect(statuses.toSorted()).toEqual([200, 200, 409, 409, 409, 409, 409, 409])
    expect((await list(site)).map(({ active }) => active)).toEqual([true, false])
  })

  it('are activated twice like once, and an inactive one stays', async () => {
    const site = freshSite()
    const { key: first } = await make(site)
    await make(site)
    expect((await activate(site, first.id)).status).toBe(200)
    expect(await list(site)).toHaveLength(2)
    expect(await site.events()).toHaveLength(2)
  })

  it.each(['nothing', '..%2f', 'ключ'])('%s is unknown: 404', async (id) => {
    const site = freshSite()
    await make(site)
    const response = await activate(site, id)
    expect([response.status, (await errorOf(response)).errorCode]).toEqual([404, 'payin.resource.not.found'])
  })

  it('of another site are unknown', async () => {
    const { key } = await make(freshSite())
    expect((await activate(freshSite(), key.id)).status).toBe(404)
  })

  it('make events that say who, and their texts are in no event and no log line', async () => {
    const site = freshSite()
    const lines: string[] = []
    const logged = serviceWith({ log: (line) => lines.push(line) })
    const response = await site.ask('/settings/notificationKeys', { method: 'POST' }, logged)
    const { key } = await response.json<{ key: string }>()
    const { key: second } = await make(site)
    await activate(site, second.id)
    expect((await site.events()).map(({ type, by }) => [type, by])).toEqual(
      Array.from({ length: 3 }, () => ['settings.changed', { actor: 'merchant', keyId: 'admin' }]),
    )
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.join() + (await (await site.ask('/events')).text())).not.toContain(key.slice(6))
  })
})

describe('payoutAccounts in the settings', () => {
  const [first, second] = ['30233810600000000001', '30233810600000000002']
  const patch = (site: FreshSite, payoutAccounts: unknown) =>
    site.ask('/settings', { method: 'PATCH', body: { payoutAccounts } })

  it('are kept sorted, each once; an empty array, or null, removes them', async () => {
    const site = freshSite()
    expect((await patch(site, [second, first, second])).status).toBe(200)
    expect((await read(site)).settings.payoutAccounts).toEqual([first, second])
    for (const none of [[], null]) {
      await patch(site, [first])
      expect((await patch(site, none)).status).toBe(200)
      expect((await read(site)).settings).not.toHaveProperty('payoutAccounts')
    }
  })

  it('stay where a PUT does not name them', async () => {
    const site = freshSite()
    await put(site, { payoutAccounts: [first] })
    await put(site, { name: 'Tea' })
    expect((await read(site)).settings).toEqual({ ...DEFAULTS, name: 'Tea', payoutAccounts: [first] })
  })

  it.each<[unknown, string]>([
    [[`${first}0`], 'payoutAccounts.0'],
    [['3023381060000000000a'], 'payoutAccounts.0'],
    [[first, ' 0233810600000000001'], 'payoutAccounts.1'],
    [
      Array.from({ length: 11 }, (_, i) => `${30_233_810_600_000n * 1_000_000n + BigInt(i)}`),
      'payoutAccounts',
    ],
    [first, 'payoutAccounts'],
  ])('(%j) is refused by the name of %s', async (accounts, field) => {
    const response = await patch(freshSite(), accounts)
    expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, [field]])
  })
})
