// What every page and every form of the console owes: found in the table of routes, so that a new one is covered.
import { describe, expect, it } from 'vitest'
import { ROUTES } from '../../src/console/console.ts'
import { ownPath } from '../../src/console/locations.ts'
import { EventsAnswer } from '../../src/contract/event.ts'
import { freshSite } from '../support/admin.ts'
import { type Browser, browserOf } from '../support/console.ts'
import { refundingSite } from '../support/refunds.ts'
import { tokenOf } from '../support/service.ts'

const OPERATORS = '/operator/'
const MERCHANTS = ROUTES.filter(({ path }) => !path.startsWith(OPERATORS))
const PAGES = MERCHANTS.filter(({ method }) => method === 'get')
const FORMS = ROUTES.filter(({ method }) => method === 'post')

/** The address of a route. @param names the parameters of its path, by default those of nothing */
const addressOf = (path: string, names: Record<string, string> = {}): string =>
  path.replaceAll(/:(\w+)(\{[^}]*\})?/g, (_, name: string) =>
    encodeURIComponent(name === 'file' ? 'picture.svg' : (names[name] ?? 'none')),
  )

const HOSTILE = `<img src=x onerror=alert(1)>"'`

/** A site in which every text that can be hostile is. */
async function hostileSite() {
  const site = refundingSite()
  const at = (below: string, body: unknown, method = 'POST') => site.ask(below, { method, body })
  await at(
    '/settings',
    { name: HOSTILE, supportContact: HOSTILE, callbackUrl: 'https://shop.example/a' },
    'PUT',
  )
  await at('/settings/notificationKeys', undefined)
  const { linkId, qrCodeUid } = await site.make({ qrCodeUid: HOSTILE, paymentPurpose: HOSTILE })
  const { paymentUid } = await site.pay(linkId)
  const refunded = await site.refund(paymentUid, 1, 'refund', { comment: HOSTILE })
  expect([linkId !== '', refunded.status]).toEqual([true, 200])
  const till = await site.make({ qrCodeUid: `till ${HOSTILE}`, amount: undefined }, { type: 'COUNTER' })
  await at('/apiKeys', { label: HOSTILE, scope: 'merchant', days: 1 })
  const admin = browserOf()
  await admin.signIn({ sub: site.siteId, jti: HOSTILE, scope: 'merchant:admin' })
  return { site, admin, qrCodeUid, paymentUid, till: till.qrCodeUid }
}

const eventsOf = async ({ ask }: Pick<ReturnType<typeof freshSite>, 'ask'>) =>
  EventsAnswer.parse(await (await ask('/events')).json()).events.length

describe('without a session', () => {
  it.each(ROUTES.map(({ method, path }) => [method, path] as const))(
    '%s %s asks to sign in',
    async (method, path) => {
      const address = path.startsWith(OPERATORS) ? addressOf(path) : `/sites/shop${addressOf(path)}`
      const answer = method === 'get' ? await browserOf().get(address) : await browserOf().post(address)
      if (method === 'get') {
        const { pathname, searchParams } = new URL(
          answer.headers.get('Location') ?? '',
          `http://qr.test/console${address}`,
        )
        expect([answer.status, pathname]).toEqual([303, '/console/sign-in'])
        expect(searchParams.get('next') ?? '').toBe(address.slice(1))
      } else expect(answer.status).toBe(401)
    },
  )
})

describe('a form of another site', () => {
  const foreign: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
    { 'Sec-Fetch-Site': 'same-site', Origin: 'http://other.qr.test' },
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://qr.test' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: '' },
    {},
  ]
  const paths = [...FORMS.map(({ path }) => path), '/sign-in', '/sign-out', '/operator/sign-out']
  it.each(paths)('is refused by %s, whoever is signed in', async (path) => {
    const browser = browserOf()
    const isOperator = path.startsWith(OPERATORS)
    await browser.signIn(
      isOperator ? { sub: '*', scope: 'operator' } : { sub: freshSite().siteId, scope: 'merchant:admin' },
    )
    for (const headers of foreign) {
      const answer = await browser.send(addressOf(path), {
        method: 'POST',
        headers,
        body: new URLSearchParams({ token: 'a' }),
      })
      expect([headers, answer.status]).toEqual([headers, 403])
    }
    // Signing out did not happen either.
    expect((await browser.get(isOperator ? '/operator/stuck' : '/')).status).toBe(200)
  })
})

describe('every page', () => {
  it('has the security headers, and forbids whatever is inline, framed or of another origin', async () => {
    const { admin, qrCodeUid, paymentUid, till } = await hostileSite()
    const pages = PAGES.map(({ path }) =>
      addressOf(path, { uid: path.includes('tills') ? till : qrCodeUid, id: paymentUid }),
    )
    for (const address of [...pages, '/sign-in', '/nothing', '/qr/none']) {
      const { headers } = await admin.get(address)
      const policy = headers.get('Content-Security-Policy') ?? ''
      for (const rule of ["default-src 'none'", "frame-ancestors 'none'"]) {
        expect([address, policy]).toEqual([address, expect.stringContaining(rule)])
      }
      expect([address, policy]).not.toEqual([address, expect.stringMatching(/unsafe|https?:|\*/)])
      expect([address, headers.get('X-Frame-Options')]).toEqual([address, 'DENY'])
      expect([address, headers.get('X-Content-Type-Options')]).toEqual([address, 'nosniff'])
      const isPage = headers.get('Content-Type')?.startsWith('text/html')
      const caching = isPage ? 'no-store' : expect.stringMatching(/no-store|private/)
      expect([address, headers.get('Cache-Control')]).toEqual([address, caching])
      expect([address, headers.get('Referrer-Policy')]).toEqual([
        address,
        expect.stringMatching(/^(no-referrer|same-origin)$/),
      ])
    }
  })

  it('shows no text of a merchant, a payer or an address as markup', async () => {
    const { site, admin, qrCodeUid, paymentUid, till } = await hostileSite()
    const operator = browserOf()
    await operator.signIn({ sub: '*', scope: 'operator' })
    const reflected = new URLSearchParams(
      [
        'q',
        'status',
        'type',
        'from',
        'to',
        'cursor',
        'done',
        'lang',
        'next',
        'link',
        'day',
        'after',
        'before',
      ].map((name) => [name, HOSTILE]),
    )
    const key = `/keys/${encodeURIComponent(HOSTILE)}/revoke`
    const addresses: [Browser, string][] = [
      ...PAGES.flatMap(({ path }): [Browser, string][] => {
        const address = addressOf(path, { uid: path.includes('tills') ? till : qrCodeUid, id: paymentUid })
        return [
          [admin, address],
          [admin, `${address}?${reflected}`],
        ]
      }),
      [admin, key],
      [browserOf(), `/sign-in?${reflected}`],
      [browserOf(), `/sign-in?next=${encodeURIComponent(HOSTILE)}`],
      [operator, `/operator/sites?${reflected}`],
      [operator, `/operator/stuck?${reflected}`],
      [operator, `/operator/sites/${site.siteId}?${reflected}`],
      [admin, `/${encodeURIComponent(HOSTILE)}`],
    ]
    let shown = 0
    for (const [browser, address] of addresses) {
      const answer = await browser.get(address)
      const text = await answer.text()
      if (!answer.headers.get('Content-Type')?.startsWith('text/html')) continue
      expect([address, text.includes('<img src=x')]).toEqual([address, false])
      // In a value of an attribute neither kind of quote ends it.
      expect([address, /alert\(1\)>?["']/.test(text)]).toEqual([address, false])
      if (text.includes('&lt;img src=x')) shown++
    }
    // Otherwise the texts were in none of the pages.
    expect(shown).toBeGreaterThan(PAGES.length / 2)
  })

  it('of a form that is refused shows what was typed as text', async () => {
    const { site, admin, qrCodeUid, paymentUid, till } = await hostileSite()
    const fields = [
      ...['amount', 'purpose', 'label', 'scope', 'days', 'name', 'supportContact', 'callbackUrl', 'siteId'],
      ...[
        'uid',
        'qrCodeUid',
        'ttl',
        'type',
        'action',
        'token',
        'link',
        'next',
        'comment',
        'color',
        'logoUrl',
      ],
    ]
    const typed = Object.fromEntries(fields.map((name) => [name, HOSTILE]))
    for (const { path } of FORMS.filter(({ path }) => !path.startsWith(OPERATORS))) {
      const address = addressOf(path, { uid: path.includes('tills') ? till : qrCodeUid, id: paymentUid })
      const text = await (await admin.post(address, typed)).text()
      expect([path, text.includes('<img src=x')]).toEqual([path, false])
    }
    const operator = browserOf()
    await operator.signIn({ sub: '*', scope: 'operator' })
    const refused = await operator.post(`/operator/sites/${site.siteId}/delete`, typed)
    expect((await refused.text()).includes('<img src=x')).toBe(false)
    const signIn = await browserOf().post('/sign-in', { token: HOSTILE, next: HOSTILE })
    expect((await signIn.text()).includes('<img src=x')).toBe(false)
  })
})

describe('a token that may only read', () => {
  it.each(FORMS.map(({ path }) => path))('is refused by the form %s', async (path) => {
    const site = freshSite()
    await site.make()
    const browser = browserOf()
    await browser.signIn({ sub: site.siteId, scope: 'merchant:read' })
    const before = await eventsOf(site)
    const answer = await browser.post(addressOf(path), { siteId: site.siteId })
    // It begins no session at the operator's pages.
    expect([answer.status, await eventsOf(site)]).toEqual([path.startsWith(OPERATORS) ? 401 : 403, before])
  })

  it('is shown no form but those of searches and of signing out', async () => {
    const { site, qrCodeUid, paymentUid, till } = await hostileSite()
    const browser = browserOf()
    await browser.signIn({ sub: site.siteId, scope: 'merchant:read' })
    for (const { path } of PAGES) {
      const address = addressOf(path, { uid: path.includes('tills') ? till : qrCodeUid, id: paymentUid })
      const text = await (await browser.get(address)).text()
      const forms = Array.from(text.matchAll(/<form[^>]*method="post"[^>]*>/g), ([form]) => form)
      expect([path, forms.filter((form) => !form.includes('sign-out'))]).toEqual([path, []])
    }
  })
})

describe('a token with scopes of the operator and of merchants', () => {
  const scope = 'operator merchant:admin'
  it.each(ROUTES.map(({ method, path }) => [method, path] as const))(
    'of the operator is refused by %s %s, unless it is the operator’s',
    async (method, path) => {
      const browser = browserOf()
      await browser.signIn({ sub: '*', scope })
      // Only a person has devices.
      const isOwn = path.startsWith('/operator/me')
      if (path.startsWith(OPERATORS))
        expect((await browser[method](addressOf(path))).status === 403).toBe(isOwn)
      for (const siteId of path.startsWith(OPERATORS) ? [] : [freshSite().siteId, '*', '%2a']) {
        const answer = await browser[method](`/sites/${siteId}${addressOf(path)}`)
        expect([siteId, answer.status]).toEqual([siteId, method === 'get' ? 303 : 401])
        if (method === 'get') expect(answer.headers.get('Location')).toContain('/sign-in?next=')
      }
    },
  )

  it.each(
    ROUTES.filter(({ path }) => path.startsWith(OPERATORS)).map(
      ({ method, path }) => [method, path] as const,
    ),
  )('of a site is refused by %s %s', async (method, path) => {
    const browser = browserOf()
    await browser.signIn({ sub: freshSite().siteId, scope })
    expect((await browser[method](addressOf(path))).status).toBe(method === 'get' ? 303 : 401)
  })
})

describe('the ids of another site', () => {
  it('are 404 in every address, and its forms change nothing', async () => {
    const { site, qrCodeUid, paymentUid, till } = await hostileSite()
    const stranger = browserOf()
    await stranger.signIn({ sub: freshSite().siteId, scope: 'merchant:admin' })
    const notifications = await (await site.ask('/notifications')).json<{ notifications: { id: string }[] }>()
    const ids = [paymentUid, notifications.notifications[0]?.id ?? 'none']
    const before = await eventsOf(site)
    for (const { method, path } of MERCHANTS.filter(({ path }) => path.includes(':'))) {
      for (const id of ids) {
        const address = addressOf(path, { uid: path.includes('tills') ? till : qrCodeUid, id })
        if (method === 'get') {
          const answer = await stranger.get(address)
          expect([path, answer.status]).toEqual([path, 404])
        } else {
          const fields = { amount: '1', action: 'cancel', refundUid: 'r' }
          const answer = await stranger.post(address, fields)
          // To revoke a key, its id alone is enough: it is one of the stranger's own site.
          if (!path.startsWith('/keys/')) expect([path, answer.status >= 400]).toEqual([path, true])
        }
      }
    }
    expect(await eventsOf(site)).toBe(before)
  })

  it.each(['..', '.', '%2e%2e', '..%2f..%2fother', ''])(
    'the name %j leads to no other address',
    async (name) => {
      const browser = browserOf()
      await browser.signIn({ sub: freshSite().siteId, scope: 'merchant:admin' })
      const answer = await browser.get(`/qr/${name}`)
      expect([200, 404]).toContain(answer.status)
      expect(await answer.text()).not.toContain('"qrCodes"')
    },
  )
})

describe('after signing in', () => {
  it.each([
    ['', './'],
    ['qr', './qr'],
    ['qr/a%2Fb?x=1&y=2', './qr/a%2Fb?x=1&y=2'],
    ['/console/payments', './payments'],
    ['https://evil.example/', './'],
    ['https://evil.example/console/with/a/path/that/is/long', './'],
    ['//evil.example/', './'],
    ['/\\evil.example', './'],
    ['\\\\evil.example', './'],
    ['///evil.example', './'],
    ['/console//evil.example', './/evil.example'],
    ['javascript:alert(1)', './'],
    ['data:text/html,a', './'],
    ['../pay/shop', './'],
    ['..\\..\\evil', './'],
    ['\t//evil.example', './'],
    ['/console/../../evil', './'],
    ['https://own.invalid/console/qr', './qr'],
    ['qr\r\n?Set-Cookie: a=b', './qr?Set-Cookie:%20a=b'],
  ])('next=%j leads to %j', async (next, location) => {
    expect(ownPath(next)).toBe(location)
    const browser = browserOf()
    const site = freshSite()
    const shown = location.replace('./', `./sites/${site.siteId}/`)
    const { searchParams } = new URL(`http://a/?next=${encodeURIComponent(next)}`)
    const page = await browser.get(`/sign-in?${searchParams}`)
    expect(page.status).toBe(200)
    const answer = await browser.post('/sign-in', { token: await tokenOf({ sub: site.siteId }), next })
    expect(answer.headers.get('Location')).toBe(shown)
    const target = new URL(answer.headers.get('Location') ?? '', 'http://qr.test/console/sign-in')
    expect([target.origin, target.pathname.startsWith(`/console/sites/${site.siteId}/`)]).toEqual([
      'http://qr.test',
      true,
    ])
  })
})

it('the language is chosen by the address once, and remembered', async () => {
  const browser = browserOf()
  expect(await (await browser.get('/sign-in')).text()).toContain('lang="ru"')
  const chosen = await browser.get('/sign-in?lang=en')
  expect(chosen.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^console-lang=en; Path=\/console; Max-Age=\d+; HttpOnly; SameSite=Strict$/),
  ])
  expect(await (await browser.get('/sign-in')).text()).toContain('<html lang="en">')
  expect((await browser.get('/sign-in?lang=xx')).headers.getSetCookie()).toEqual([])
})
