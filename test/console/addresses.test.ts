// The console's pages of addresses for notifications: what a form that is refused says, and that it changes nothing.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { setCallback } from '../support/callbacks-of.ts'
import { browserOf } from '../support/console.ts'
import { merchantServer, shopUrl } from '../support/merchant.ts'
import { connected, refundingSite } from '../support/refunds.ts'
import { tokenOf } from '../support/service.ts'

beforeEach(() => void merchantServer())
afterEach(() => void vi.restoreAllMocks())

async function signedIn(scope = 'merchant:admin') {
  const site = refundingSite()
  const browser = browserOf(connected)
  await browser.post('/sign-in', { token: await tokenOf({ sub: site.siteId, scope }) })
  const etag = async () => (await site.ask('/settings')).headers.get('ETag') ?? ''
  const stored = async () =>
    (await (await site.ask('/settings/callbacks')).json<{ callbacks: object[] }>()).callbacks
  return { site, browser, etag, stored }
}

const typed = (id: string, more: Record<string, string> = {}) => ({
  id,
  url: shopUrl(id),
  label: '',
  types: 'PAYMENT',
  ...more,
})

it('an address is added, changed, and removed after a question', async () => {
  const { browser, etag, stored } = await signedIn()
  const added = await browser.post('/addresses', { ...typed('second'), etag: await etag() })
  expect([added.status, added.headers.get('Location')]).toEqual([303, './addresses/second?done=saved'])
  await browser.post('/addresses/second', { ...typed('second', { label: 'Second' }), etag: await etag() })
  expect(await stored()).toEqual([
    { id: 'second', url: shopUrl('second'), types: ['PAYMENT'], label: 'Second' },
  ])
  await browser.get('/addresses/second/remove')
  expect((await stored()).length).toBe(1)
  expect((await browser.post('/addresses/second/remove', {})).status).toBe(303)
  expect(await stored()).toEqual([])
})

it.each<[string, Record<string, string>, number, string]>([
  ['an identifier that is taken', { id: 'taken' }, 400, 'Адрес с таким именем уже есть'],
  ['an identifier of other characters', { id: 'Second' }, 400, 'Строчные латинские буквы'],
  ['another address than https', { url: 'http://shop.example/' }, 400, 'Адрес начинается с https://'],
  ['settings that somebody changed meanwhile', { etag: '"other"' }, 412, 'Настройки тем временем изменил'],
])('%s is refused, and nothing changes', async (_, more, status, text) => {
  const { site, browser, etag, stored } = await signedIn()
  await setCallback(site, 'taken')
  const before = await stored()
  const answer = await browser.post('/addresses', { ...typed('second'), etag: await etag(), ...more })
  expect([answer.status, await stored()]).toEqual([status, before])
  expect(await answer.text()).toContain(text)
})

it('a sixth address is refused, and the settings have no button for it', async () => {
  const { site, browser, etag } = await signedIn()
  for (const id of ['a', 'b', 'c', 'd', 'e']) await setCallback(site, id)
  const answer = await browser.post('/addresses', { ...typed('f'), etag: await etag() })
  expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining('Адресов пять')])
  expect(await (await browser.get('/settings')).text()).not.toContain('Добавить адрес')
})

it('who cannot read the settings sees where a notification goes, and no list of addresses', async () => {
  const { site, browser } = await signedIn('merchant:read')
  await setCallback(site, 'second')
  await site.pay((await site.make()).linkId)
  const page = await (await browser.get('/notifications')).text()
  expect(page).toContain('<code>second</code>')
  expect(page).not.toContain('name="callback"')
  for (const path of ['/addresses', '/addresses/second', '/addresses/second/keys'])
    expect([path, (await browser.get(path)).status]).toEqual([path, 403])
})
