// What stands around every page: the language switch, and what the navigation says.
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshSite } from '../support/admin.ts'
import { browserOf } from '../support/console.ts'
import { callbackUrl, configure, logOf, makeKey, merchantServer } from '../support/merchant.ts'
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
      const clerk = browserOf()
      await clerk.signIn({ sub: freshSite().siteId, scope: 'merchant:read' })
      const read = await clerk.get(`/new?lang=${language}`)
      const page = await read.text()
      expect([read.status, page.includes(foreign)]).toEqual([403, false])
      expect(page).toContain(`${support}: <code>auth.forbidden</code> <code>`)
      const sent = await clerk.post('/new', {}, { 'Sec-Fetch-Site': 'cross-site' })
      const answer = await sent.text()
      expect([sent.status, answer.includes(foreign), answer.includes('hreflang')]).toEqual([403, true, false])
      const unknown = await (await clerk.get('/nothing')).text()
      expect(unknown).toContain(`${support}: <code>http.url.not.found</code> <code>`)
    },
  )
})

describe('the language switch', () => {
  it.each([
    ['/qr', '?lang=en'],
    ['/qr?status=PAYED&q=a%26b', '?status=PAYED&amp;q=a%26b&amp;lang=en'],
    ['/settings?done=saved', '?lang=en'],
    ['/payments?lang=ru&which=open', '?lang=en&amp;which=open'],
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

describe('the colour of the shop', () => {
  it.each(['/new', '/settings'])(
    'is that of the preview of %s, by rules that its policy names',
    async (path) => {
      const site = freshSite()
      const { get } = await signedIn(site.siteId)
      const rulesOf = async () => {
        const response = await get(path)
        const [, rules] = /<style>([^<]*)<\/style>/.exec(await response.text()) ?? []
        return { rules, policy: response.headers.get('Content-Security-Policy') }
      }
      const plain = await rulesOf()
      expect(plain).toEqual({ rules: undefined, policy: expect.stringContaining("style-src 'self';") })
      await configure(site, { color: '#7a1fa2' })
      const { rules = '', policy } = await rulesOf()
      expect(rules).toContain('.preview{--act:#7a1fa2;--on-act:#ffffff')
      const hash = new Uint8Array(
        await crypto.subtle.digest('SHA-256', new TextEncoder().encode(rules)),
      ).toBase64()
      expect(policy).toContain(`style-src 'self' 'sha256-${hash}';`)
    },
  )
})

describe('the filters of a list', () => {
  const RESET = '<a href="?">Сбросить</a>'

  it.each([
    ['merchant', '/qr', ['status=PAYED', 'type=STATIC', 'from=2026-11-01', 'to=2026-11-01', 'from=never']],
    ['merchant', '/payments', ['status=DECLINED', 'which=open', 'from=2026-11-01', 'to=2026-11-01']],
    ['merchant:admin', '/notifications', ['status=FAILED']],
    ['operator', '/operator/sites', ['q=tea', 'deleted=true']],
    ['operator', '/operator/settlement', ['month=2026-11']],
    ['operator', '/operator/audit', ['siteId=tea', 'key=k', 'from=2026-11-01', 'to=2026-11-01']],
  ])('a %s of %s can reset them where one is set, and only there', async (scope, path, queries) => {
    const { page } = await signedIn(scope === 'operator' ? '*' : freshSite().siteId, scope)
    const canReset = async (query: string) => (await page(`${path}?${query}`)).includes(RESET)
    expect(await Promise.all(['', 'status=', 'q=', ...queries].map(canReset))).toEqual([
      ...[false, false, false],
      ...queries.map(() => true),
    ])
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

it.each([
  ['', ''],
  ['qr', 'qr'],
  ['new', 'qr'],
  ['payments', 'payments'],
  ['tills', 'tills'],
  ['notifications', 'notifications'],
  ['events', 'events'],
  ['settings', 'settings'],
  ['notification-keys', 'notification-keys'],
  ['keys', 'keys'],
])('on /%s the navigation marks /%s alone', async (path, section) => {
  const site = freshSite()
  await site.make()
  const { page, base } = await signedIn(site.siteId)
  const shown = await page(`/${path}`)
  const marked = Array.from(
    shown.matchAll(/<a href="([^"]*)" aria-current="page"/g),
    ([, href = '']) => new URL(href, `http://qr.example/console${base()}/${path}`).pathname,
  )
  expect(marked).toEqual([`/console${base()}/${section}`])
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
    const shown = await page('/notifications')
    expect(shown).toContain(said)
    expect(shown).not.toContain('<h2>Не доставлены')
  })
})

describe('an address without a signing key', () => {
  const SAID = 'Уведомления не отправляются: адрес указан, а ключа подписи нет.'
  const LINK = /<p class="warn">[^<]*<a href="[^"]*notification-keys">Создать ключ</

  it.each([
    ['an administrator, with the way to one', 'merchant:admin', true],
    ['a clerk, who makes none', 'merchant', false],
  ])('is said at the top of every page to %s, until there is one', async (_, scope, hasLink) => {
    const site = freshSite()
    const { page } = await signedIn(site.siteId, scope)
    const paths = ['/', '/qr', '/payments', '/notifications']
    const said = async () => {
      const pages = await Promise.all(paths.map(page))
      return pages.map((text) => [text.includes(SAID), LINK.test(text)])
    }
    const none = paths.map(() => [false, false])
    expect(await said()).toEqual(none)
    await configure(site, { callbackUrl: 'https://shop.example/' })
    expect(await said()).toEqual(paths.map(() => [true, hasLink]))
    await makeKey(site)
    expect(await said()).toEqual(none)
  })

  it('is not said on the page that makes the first key', async () => {
    const site = freshSite()
    await configure(site, { callbackUrl: 'https://shop.example/' })
    const { page, post } = await signedIn(site.siteId)
    expect(await page('/notification-keys')).toContain(SAID)
    expect(await (await post('/notification-keys')).text()).not.toContain(SAID)
  })
})

describe('what is not delivered', () => {
  it.each([
    [500, 'В вашем сервере ошибка', 'Найдите её в его журнале', 'ждут: 1'],
    [404, 'На вашем сервере нет такой страницы', 'Проверьте адрес в настройках', 'ждут: 1'],
    [302, 'Ваш сервер перенаправляет на другой адрес', 'Укажите в настройках конечный адрес', 'ждут: 1'],
    [418, 'Ваш сервер не принимает уведомления', 'Отправьте тестовое и посмотрите его журнал', 'ждут: 1'],
    [
      410,
      'Ваш сервер ответил, что адреса больше нет',
      'Укажите в настройках другой адрес',
      'не доставлены: 1',
    ],
  ])('because the server answers %i has its cause and what to do', async (status, cause, todo, count) => {
    const { site, page, pay } = await siteWithReceiver(status)
    expect(await page('/notifications')).not.toContain('Почему не доходят')
    await pay()
    await until(site, { attempts: [{ httpStatus: status }] })
    const shown = await page('/notifications')
    for (const text of [
      'Почему не доходят',
      cause,
      todo,
      count,
      `HTTP ${status}`,
      new URL(callbackUrl()).origin,
    ])
      expect([text, shown.includes(text)]).toEqual([text, true])
    expect(await page('/notifications?status=PENDING')).not.toContain('Почему не доходят')
  })

  it.each([
    ['ru', 'соединиться с ним не удаётся</strong> <small>нет соединения</small>'],
    ['en', 'there is no connection</strong> <small>no connection</small>'],
  ])('because there is no connection says so in %s, in no other language', async (language, said) => {
    merchantServer(() => {
      throw new TypeError('refused')
    })
    const site = await notifiedSite()
    const { page } = await signedIn(site.siteId)
    await site.pay((await site.make()).linkId)
    await until(site, { attempts: [{ error: 'no connection' }] })
    const shown = await page(`/notifications?lang=${language}`)
    expect(shown).toContain(said)
    if (language === 'ru') expect(shown).not.toContain('no connection')
  })

  it('because there is no key has the way to one, with the origin of the address', async () => {
    const site = freshSite()
    await configure(site, { callbackUrl: 'https://shop.example:8443/hook' })
    await site.pay((await site.make()).linkId)
    const shown = await (await signedIn(site.siteId)).page('/notifications')
    expect(shown).toContain('Нет ключа подписи, поэтому ничего не отправляется')
    expect(shown).toContain('<bdi>https://shop.example:8443</bdi>, с')
    expect(shown).toMatch(/уйдёт сразу\. <a href="[^"]*notification-keys">Ключи подписи</)
  })

  it('has where each attempt went to on the page of the notification', async () => {
    const { site, page, pay } = await siteWithReceiver(410)
    await pay()
    await until(site, { status: 'FAILED' })
    const { id } = (await logOf(site)).notifications[0] ?? {}
    expect(await page(`/notifications/${id}`)).toContain(new URL(callbackUrl()).origin)
  })
})
