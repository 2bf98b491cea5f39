// What stands around every page: the language switch, and what the navigation says.
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshSite } from '../support/admin.ts'
import { browserOf } from '../support/console.ts'
import { logOf, merchantServer } from '../support/merchant.ts'
import { notifiedSite, until } from '../support/notified-site.ts'
import { serviceWith } from '../support/service.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** A service whose sites cannot read their notifications. */
const withoutLog = serviceWith({
  site: (siteId) => {
    const stub = env.SITES.getByName(siteId)
    return new Proxy(stub, {
      get: (target, name) => {
        if (name === 'notifications') throw new Error('SQLITE_FULL')
        return Reflect.get(target, name)
      },
    })
  },
})

async function signedIn(siteId: string, scope = 'merchant:admin') {
  const browser = browserOf()
  await browser.signIn({ sub: siteId, scope })
  return { ...browser, page: async (path: string) => (await browser.get(path)).text() }
}

describe('the page of an error', () => {
  it.each([
    ['ru', 'Для поддержки', 'форму отправил другой сайт'],
    ['en', 'For support', 'another site sent the form'],
  ])(
    'names in %s what is for support, and another site only for a form',
    async (language, support, foreign) => {
      const operator = browserOf()
      await operator.signIn({ sub: '*', scope: 'operator' })
      const read = await operator.get(`/payments?lang=${language}`)
      const page = await read.text()
      expect([read.status, page.includes(foreign)]).toEqual([403, false])
      expect(page).toContain(`${support}: <code>auth.forbidden</code> <code>`)
      const sent = await operator.post('/new', {}, { 'Sec-Fetch-Site': 'cross-site' })
      const answer = await sent.text()
      expect([sent.status, answer.includes(foreign), answer.includes('hreflang')]).toEqual([403, true, false])
      const unknown = await (await operator.get('/nothing')).text()
      expect(unknown).toContain(`${support}: <code>http.url.not.found</code> <code>`)
    },
  )
})

describe('the language switch', () => {
  it.each([
    ['/qr', '?lang=en'],
    ['/qr?status=PAYED&q=a%26b', '?status=PAYED&amp;q=a%26b&amp;lang=en'],
    ['/settings?done=saved', '?lang=en'],
    ['/payments?lang=ru&applied=false', '?lang=en&amp;applied=false'],
  ])('of %s leads to %s: with its filters, without what a form did', async (path, address) => {
    const { page } = await signedIn(freshSite().siteId)
    expect(await page(path)).toContain(`<a href="${address}" lang="en"`)
  })

  it.each(['next=qr%3Fstatus%3DPAYED', 'link=once'])('of signing in keeps %s', async (query) => {
    const page = await (await browserOf().get(`/sign-in?${query}`)).text()
    expect(page).toContain(`<a href="?${query}&amp;lang=en" lang="en"`)
  })

  it('is not on the answer to a form, whose secret the other page would not have', async () => {
    const { post, page } = await signedIn(freshSite().siteId)
    const made = await (await post('/keys', { label: 'Till', scope: 'merchant', days: '1' })).text()
    expect([made.includes('<textarea'), made.includes('hreflang')]).toEqual([true, false])
    expect(await page('/keys')).toContain('hreflang')
  })
})

const DOT = 'есть недоставленные'

/** A site whose server answers every notification with a status, until the first one of the page is delivered again. */
async function siteWithReceiver(failing: number) {
  let status = failing
  merchantServer(() => new Response(null, { status }))
  const site = await notifiedSite()
  const { page, post } = await signedIn(site.siteId)
  return {
    site,
    page,
    pay: async () => site.pay((await site.make()).linkId),
    /** The pages that have the dot. */
    dotted: async () => {
      const texts = ['/', '/qr', '/settings'].map(async (path) =>
        (await page(path)).includes(DOT) ? [path] : [],
      )
      return (await Promise.all(texts)).flat()
    },
    async deliver() {
      const [, id = ''] = /notifications\/([^"/]+)"/.exec(await page('/notifications')) ?? []
      status = 204
      await post(`/notifications/${id}`)
    },
  }
}

describe('a notification that failed', () => {
  it('has a dot on every page, until it is delivered', async () => {
    const { site, pay, dotted, deliver } = await siteWithReceiver(410)
    expect(await dotted()).toEqual([])
    await pay()
    await until(site, { status: 'FAILED' })
    expect(await dotted()).toEqual(['/', '/qr', '/settings'])
    await deliver()
    expect(await dotted()).toEqual([])
  })
})

describe('a notification that is to be repeated', () => {
  const WARNING =
    /<p class="warn"><a href="[^"]*notifications[^"]*">Сервер магазина не принимает уведомления</

  it('has the same dot, and a warning on the first page, until it is delivered', async () => {
    const { site, page, pay, dotted, deliver } = await siteWithReceiver(500)
    expect(await page('/')).not.toMatch(WARNING)
    await pay()
    await until(site, { status: 'PENDING', attempts: [{ httpStatus: 500 }] })
    expect(await dotted()).toEqual(['/', '/qr', '/settings'])
    expect(await page('/')).toMatch(WARNING)
    await deliver()
    expect(await dotted()).toEqual([])
    expect(await page('/')).not.toMatch(WARNING)
  })

  it('is seen behind twenty new ones that the failing receiver was not sent yet', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { site, page, pay } = await siteWithReceiver(500)
    for (let i = 0; i < 3; i++) {
      await pay()
      await until(site, { attempts: [{ httpStatus: 500 }] })
    }
    for (let i = 0; i < 20; i++) await pay()
    const { notifications } = await logOf(site, 'limit=20')
    expect(notifications.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 20 }, () => []))
    expect(await page('/')).toMatch(WARNING)
  })

  it('is no reason to refuse a page where the notifications cannot be read', async () => {
    const site = freshSite(withoutLog)
    const browser = browserOf(withoutLog)
    await browser.signIn({ sub: site.siteId, scope: 'merchant:admin' })
    for (const path of ['/', '/qr', '/settings'])
      expect([path, (await browser.get(path)).status]).toEqual([path, 200])
    expect((await browser.get('/notifications')).status).toBe(503)
  })

  it.each([
    ['/keys', { label: 'Till', scope: 'merchant', days: '1' }],
    ['/notification-keys', {}],
  ])('does not take the page of a new key of %s away, which alone shows it', async (path, form) => {
    const site = freshSite(withoutLog)
    const browser = browserOf(withoutLog)
    await browser.signIn({ sub: site.siteId, scope: 'merchant:admin' })
    const made = await browser.post(path, form)
    expect([made.status, await made.text()]).toEqual([200, expect.stringMatching(/<textarea[^>]*>[^<]+</)])
  })
})

describe('where there was no notification', () => {
  it.each([
    ['an administrator', 'merchant:admin', {}, 'укажите его адрес'],
    [
      'an administrator who has set an address',
      'merchant:admin',
      { callbackUrl: 'https://shop.example/' },
      'Здесь будет',
    ],
    ['a clerk, who sets none', 'merchant', {}, 'Здесь будет'],
  ])('%s is told so', async (_, scope, settings, said) => {
    const site = freshSite()
    await site.ask('/settings', { method: 'PUT', body: settings })
    const { page } = await signedIn(site.siteId, scope)
    expect(await page('/notifications')).toContain(said)
  })
})
