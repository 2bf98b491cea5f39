// The addresses of a site for notifications: set, changed, removed, with keys of their own (contract, section 12).
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CallbacksAnswer } from '../../src/contract/callback.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { notifiedShops, putCallback, rowsIn, setCallback } from '../support/callbacks-of.ts'
import { callbackUrl, configure, makeKey, merchantServer, shopUrl } from '../support/merchant.ts'
import { errorOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

beforeEach(() => void merchantServer())
afterEach(() => void vi.restoreAllMocks())

async function callbacksOf({ ask }: FreshSite) {
  const response = await ask('/settings/callbacks')
  const { callbacks } = strict(CallbacksAnswer).parse(await response.json())
  return { callbacks, etag: response.headers.get('ETag') ?? '' }
}

const idsOf = async (site: FreshSite) => (await callbacksOf(site)).callbacks.map(({ id }) => id)
const etagOfSettings = async ({ ask }: FreshSite) => (await ask('/settings')).headers.get('ETag') ?? ''
const remove = ({ ask }: FreshSite, id: string, headers: Record<string, string> = {}) =>
  ask(`/settings/callbacks/${id}`, { method: 'DELETE', headers })

describe('the address `default`', () => {
  it('is callbackUrl of the settings with notificationTypes, and either shows the change of the other', async () => {
    const site = freshSite()
    expect((await callbacksOf(site)).callbacks).toEqual([])
    expect((await site.ask('/settings/callbacks/default')).status).toBe(404)
    await configure(site, { callbackUrl: callbackUrl(), notificationTypes: ['REFUND'] })
    expect((await callbacksOf(site)).callbacks).toEqual([
      { id: 'default', url: callbackUrl(), types: ['REFUND'] },
    ])
    await setCallback(site, 'default', { url: callbackUrl('/2'), types: ['TOKEN', 'PAYMENT'], label: 'Till' })
    expect(await (await site.ask('/settings')).json()).toEqual({
      callbackUrl: callbackUrl('/2'),
      notificationTypes: ['PAYMENT', 'TOKEN'],
    })
    await site.ask('/settings', { method: 'PATCH', body: { callbackUrl: callbackUrl('/3'), name: 'Shop' } })
    expect(await (await site.ask('/settings/callbacks/default')).json()).toEqual({
      id: 'default',
      url: callbackUrl('/3'),
      types: ['PAYMENT', 'TOKEN'],
      label: 'Till',
    })
    expect((await remove(site, 'default')).status).toBe(204)
    expect(await (await site.ask('/settings')).json()).toEqual({
      name: 'Shop',
      notificationTypes: ['PAYMENT', 'TOKEN'],
    })
  })

  it('has the keys of the settings', async () => {
    const site = freshSite()
    const { id } = await makeKey(site)
    const keys = await (await site.ask('/settings/callbacks/default/notificationKeys')).json()
    expect(keys).toMatchObject({ notificationKeys: [{ id, active: true }] })
  })
})

describe('another address', () => {
  it('is set, read, listed after the default one, replaced and removed; its label is gone where it is left out', async () => {
    const site = freshSite()
    await configure(site, { callbackUrl: callbackUrl() })
    const first = await setCallback(site, 'shop-2', { types: ['QR_CODE', 'PAYMENT'], label: 'Second' })
    expect(first).toEqual({
      id: 'shop-2',
      url: shopUrl('shop-2'),
      types: ['PAYMENT', 'QR_CODE'],
      label: 'Second',
    })
    expect(await (await site.ask('/settings/callbacks/shop-2')).json()).toEqual(first)
    await setCallback(site, 'shop-2', { url: shopUrl('other'), types: [] })
    expect((await callbacksOf(site)).callbacks).toEqual([
      { id: 'default', url: callbackUrl(), types: ['PAYMENT', 'REFUND', 'TOKEN'] },
      { id: 'shop-2', url: shopUrl('other'), types: [] },
    ])
    for (let i = 0; i < 2; i++) expect((await remove(site, 'shop-2')).status).toBe(204)
    expect(await idsOf(site)).toEqual(['default'])
    expect((await site.ask('/settings/callbacks/shop-2')).status).toBe(404)
  })

  it('has the entity tag of the settings: a change of either refuses the other with an old If-Match', async () => {
    const site = freshSite()
    await configure(site, { callbackUrl: callbackUrl() })
    const before = await etagOfSettings(site)
    expect((await callbacksOf(site)).etag).toBe(before)
    const put = (etag: string, label: string) => putCallback(site, 'shop-2', { label }, { 'If-Match': etag })
    const added = await put(before, 'Second')
    const after = await etagOfSettings(site)
    expect([added.status, added.headers.get('ETag')]).toEqual([200, after])
    expect(after).not.toBe(before)
    // The same request again has its effect already.
    expect((await put(before, 'Second')).status).toBe(200)
    expect(await etagOfSettings(site)).toBe(after)
    expect((await put(before, 'Third')).status).toBe(412)
    expect((await remove(site, 'shop-2', { 'If-Match': before })).status).toBe(412)
    const patched = { method: 'PATCH', body: { name: 'Shop' }, headers: { 'If-Match': before } }
    expect((await site.ask('/settings', patched)).status).toBe(412)
    for (let i = 0; i < 2; i++) expect((await remove(site, 'shop-2', { 'If-Match': after })).status).toBe(204)
    const unchanged = await site.ask('/settings/callbacks', {
      headers: { 'If-None-Match': await etagOfSettings(site) },
    })
    expect(unchanged.status).toBe(304)
  })

  it('makes one event of each change, which says nothing of it, and none of an equal one', async () => {
    const site = freshSite()
    for (let i = 0; i < 2; i++) await setCallback(site, 'shop-2')
    for (let i = 0; i < 2; i++) await remove(site, 'shop-2')
    const events = await site.events()
    expect(events.map(({ type }) => type)).toEqual(['settings.changed', 'settings.changed'])
    expect(JSON.stringify(events)).not.toContain('shop-2')
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['a private host', { url: 'https://10.0.0.1/' }, 'url'],
    ['http', { url: 'http://shop.example/' }, 'url'],
    ['a fragment', { url: 'https://shop.example/#a' }, 'url'],
    ['user info', { url: 'https://a:b@shop.example/' }, 'url'],
    ['no URL', { url: undefined }, 'url'],
    ['no types', { types: undefined }, 'types'],
    ['an unknown type', { types: ['SALE'] }, 'types.0'],
    ['a blank label', { label: ' ' }, 'label'],
    ['an unknown field', { key: 'whsec_' }, 'key'],
  ])('is refused with %s', async (_, body, field) => {
    const site = freshSite()
    const response = await putCallback(site, 'shop-2', body)
    expect(response.status).toBe(400)
    expect(Object.keys((await errorOf(response)).cause ?? {})).toEqual([field])
    expect(await idsOf(site)).toEqual([])
  })

  it.each(['Shop', 'a_b', 'a.b', 'a:b', 'x'.repeat(65), '%20'])('has no identifier %s', async (id) => {
    expect((await putCallback(freshSite(), id, { url: shopUrl('a') })).status).toBe(400)
  })
})

describe('a site', () => {
  it.each(['default', 'shop-5'])('has at most five addresses, also with the last one %s', async (last) => {
    const site = freshSite()
    const others = ['shop-1', 'shop-2', 'shop-3', 'shop-4']
    for (const id of others) await setCallback(site, id)
    await setCallback(site, last)
    expect((await putCallback(site, 'shop-6')).status).toBe(409)
    // Those that are there can be changed.
    for (const id of [last, ...others]) await setCallback(site, id, { types: [] })
    if (last !== 'default') {
      const body = { callbackUrl: callbackUrl() }
      expect((await site.ask('/settings', { method: 'PATCH', body })).status).toBe(409)
    }
    expect((await idsOf(site)).toSorted()).toEqual([...others, last].toSorted())
    await remove(site, 'shop-1')
    await setCallback(site, 'shop-6')
  })

  it('has keys for each address: a rotation of one leaves the others, and an unknown one has none', async () => {
    const site = freshSite()
    await notifiedShops(site, 'default', 'shop-2', 'shop-3')
    const keysOf = async (id: string) =>
      (await site.ask(`/settings/callbacks/${id}/notificationKeys`)).json<{ notificationKeys: object[] }>()
    const [own, third] = [await keysOf('default'), await keysOf('shop-3')]
    const next = await makeKey(site, '/callbacks/shop-2')
    const again = await site.ask('/settings/callbacks/shop-2/notificationKeys', { method: 'POST' })
    expect(again.status).toBe(409)
    const activate = (id: string) =>
      site.ask(`/settings/callbacks/${id}/notificationKeys/${next.id}/activate`, { method: 'POST' })
    expect((await activate('shop-3')).status).toBe(404)
    expect((await activate('default')).status).toBe(404)
    expect((await activate('shop-2')).status).toBe(200)
    expect(await keysOf('shop-2')).toMatchObject({ notificationKeys: [{ id: next.id, active: true }] })
    expect([await keysOf('default'), await keysOf('shop-3')]).toEqual([own, third])
    for (const method of ['GET', 'POST'])
      expect((await site.ask('/settings/callbacks/shop-9/notificationKeys', { method })).status).toBe(404)
  })

  it('has no key of an address that was removed: one of the same name begins without', async () => {
    const site = freshSite()
    await notifiedShops(site, 'shop-2')
    await remove(site, 'shop-2')
    expect(await rowsIn(site, 'SELECT * FROM callback_keys')).toEqual([])
    await setCallback(site, 'shop-2')
    const response = await site.ask('/settings/callbacks/shop-2/notificationKeys')
    expect(await response.json()).toEqual({ notificationKeys: [] })
  })
})
