// The pages of API keys and of signing keys: shown once, rotated, revoked with the sessions that the key made.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiKeysAnswer } from '../../src/contract/api-key.ts'
import { NotificationKeysAnswer } from '../../src/contract/notification-key.ts'
import { freshSite } from '../support/admin.ts'
import { browserOf } from '../support/console.ts'
import { call, serviceWith } from '../support/service.ts'

afterEach(() => void vi.useRealTimers())

async function admin(jti = 'boss') {
  const site = freshSite()
  const browser = browserOf()
  await browser.signIn({ sub: site.siteId, jti, scope: 'merchant:admin' })
  const apiKeys = async () => ApiKeysAnswer.parse(await (await site.ask('/apiKeys')).json()).apiKeys
  const signingKeys = async () =>
    NotificationKeysAnswer.parse(await (await site.ask('/settings/notificationKeys')).json()).notificationKeys
  return { site, browser, apiKeys, signingKeys }
}
const made = async (response: Response) => {
  const text = await response.text()
  const [, secret = ''] = /<textarea[^>]*>([^<]+)<\/textarea>/.exec(text) ?? []
  return { status: response.status, secret, text }
}

it('a use of a key is shown by its hour, because no more is known', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2031-11-20T20:59:00+03:00') })
  const service = serviceWith({ now: () => Date.now() })
  const site = freshSite(service)
  const browser = browserOf(service)
  const signIn = () => browser.signIn({ sub: site.siteId, jti: 'boss', scope: 'merchant:admin' })
  await signIn()
  const shown = async () =>
    /<code class="uid">clerk<\/code>.*?data-label="Использован">(.*?)<\/td>/s
      .exec(await (await browser.get('/keys')).text())?.[1]
      ?.replaceAll(/<[^>]*>/g, '')
  await site.ask('/sbp/qrCodes', { claims: { jti: 'clerk' } })
  expect(await shown()).toBe('в течение часа')
  vi.setSystemTime(Date.parse('2031-11-20T21:00:00+03:00'))
  expect(await shown()).toBe('20:00–21:00')
  vi.setSystemTime(Date.parse('2031-11-20T23:59:59+03:00'))
  await site.ask('/sbp/qrCodes', { claims: { jti: 'clerk' } })
  vi.setSystemTime(Date.parse('2031-11-21T01:00:00+03:00'))
  await signIn()
  expect(await shown()).toBe('20 нояб., 23:00–00:00')
})

describe('an API key', () => {
  it('is made with its scope, its token is shown once, and the token works', async () => {
    const { site, browser, apiKeys } = await admin()
    const page = await browser.post('/keys', { label: 'Till 3', scope: 'merchant:read', days: '30' })
    expect(page.headers.get('Cache-Control')).toBe('no-store')
    const { status, secret, text } = await made(page)
    expect([status, text]).toEqual([200, expect.stringContaining('Till 3')])
    const read = { token: secret }
    expect((await call(`${site.path}/events`, read)).status).toBe(200)
    expect((await call(`${site.path}/apiKeys`, read)).status).toBe(403)
    const list = await (await browser.get('/keys')).text()
    expect([list.includes('Till 3'), list.includes(secret)]).toEqual([true, false])
    expect((await apiKeys()).find(({ label }) => label === 'Till 3')?.scope).toBe('merchant:read')
  })

  it.each([
    ['no name', { label: '', scope: 'merchant', days: '30' }],
    ['a lifetime that is too long', { label: 'a', scope: 'merchant', days: '9999' }],
    ['a lifetime that is no number', { label: 'a', scope: 'merchant', days: 'x' }],
    ['an unknown scope', { label: 'a', scope: 'root', days: '30' }],
    ['the scope of the network', { label: 'a', scope: 'network', days: '30' }],
    ['no fields', {}],
  ])('with %s is refused, the form has what was typed, and nothing is made', async (_, fields) => {
    const { browser, apiKeys } = await admin()
    const before = (await apiKeys()).length
    const refused = await browser.post('/keys', fields)
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(await refused.text()).toContain('role="alert"')
    expect(await apiKeys()).toHaveLength(before)
  })

  it('is revoked after a question, and the session that it made ends; that of the administrator goes on', async () => {
    const { site, browser } = await admin()
    const { secret } = await made(
      await browser.post('/keys', { label: 'Clerk', scope: 'merchant:read', days: '1' }),
    )
    const clerk = browserOf()
    expect((await clerk.post('/sign-in', { token: secret })).status).toBe(303)
    expect((await clerk.get('/')).status).toBe(200)
    const list = await (await browser.get('/keys')).text()
    const [, id = ''] = /keys\/([0-9a-f]{32})\/revoke/.exec(list) ?? []
    expect(await (await browser.get(`/keys/${id}/revoke`)).text()).toContain('Clerk')
    expect((await clerk.get('/')).status).toBe(200)
    const done = await browser.post(`/keys/${id}/revoke`)
    expect([done.status, done.headers.get('Location')]).toEqual([303, '../../keys?done=revoked'])
    expect((await clerk.get('/')).headers.get('Location')).toContain('/sign-in?next=sites%2F')
    expect((await call(`${site.path}/events`, { token: secret })).status).toBe(401)
    expect(await (await browser.get('/keys?done=revoked')).text()).toContain('role="status"')
  })

  it('that is one’s own signs out when it is revoked', async () => {
    const { browser } = await admin('own')
    await browser.get('/keys')
    expect(await (await browser.get('/keys/own/revoke')).text()).toContain('вы тоже выйдете')
    const done = await browser.post('/keys/own/revoke')
    expect([done.headers.get('Location'), browser.cookies.size]).toEqual(['../../../../sign-in', 0])
  })

  it('that the site does not have is 404', async () => {
    const { browser } = await admin()
    expect((await browser.get('/keys/none/revoke')).status).toBe(404)
  })
})

describe('a signing key', () => {
  it('is made, shown once, and rotated: the new one is active, and the old one is gone', async () => {
    const { browser, signingKeys } = await admin()
    expect(await (await browser.get('/notification-keys')).text()).toContain('Ключа ещё нет')
    const first = await made(await browser.post('/notification-keys'))
    expect(first.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const second = await made(await browser.post('/notification-keys'))
    const list = await (await browser.get('/notification-keys')).text()
    expect([list.includes(first.secret), list.includes(second.secret)]).toEqual([false, false])
    const [active, waiting] = await signingKeys()
    expect([active?.active, waiting?.active]).toEqual([true, false])
    const done = await browser.post(`/notification-keys/${waiting?.id}/activate`)
    expect(done.headers.get('Location')).toBe('../../notification-keys?done=activated')
    expect((await signingKeys()).map(({ id, active }) => [id, active])).toEqual([[waiting?.id, true]])
  })
})

it.each(['merchant', 'merchant:read'])('with the scope %s no key is seen, made or revoked', async (scope) => {
  const { site, apiKeys, signingKeys } = await admin()
  const browser = browserOf()
  await browser.signIn({ sub: site.siteId, jti: 'clerk', scope })
  await apiKeys()
  const before = await apiKeys()
  for (const path of ['/keys', '/keys/admin/revoke', '/notification-keys']) {
    expect([path, (await browser.get(path)).status]).toEqual([path, 403])
  }
  for (const path of ['/keys', '/keys/admin/revoke', '/notification-keys', '/notification-keys/a/activate']) {
    const answer = await browser.post(path, { label: 'a', scope: 'merchant', days: '1' })
    expect([path, answer.status]).toEqual([path, 403])
  }
  expect(await (await browser.get('/')).text()).not.toContain('href="./keys"')
  expect([(await apiKeys()).map(({ id, revoked }) => [id, revoked]), await signingKeys()]).toEqual([
    before.map(({ id, revoked }) => [id, revoked]),
    [],
  ])
})
