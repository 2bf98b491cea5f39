// Several sites in one browser: a session of each, and pages that name their site (contract, section 17).

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ROUTES } from '../../src/console/console.ts'
import { freshSite } from '../support/admin.ts'
import { type Browser, browserOf, sessionName } from '../support/console.ts'
import { refundingSite } from '../support/refunds.ts'
import { CONNECTOR, serviceWith, tokenOf } from '../support/service.ts'

/** Refunds go by the connector. */
const connected = serviceWith({ settings: CONNECTOR })
const OLD = 'console-session'
const OF_SITES = ROUTES.filter(({ path }) => !path.startsWith('/operator/') && path !== '/')
/** The address of a route. @param name what each parameter of its path is */
const belowOf = (path: string, name = 'none'): string =>
  path.replace(/:file\{[^}]*\}/, 'picture.svg').replaceAll(/:\w+/g, name)

const newSite = () => `several-${crypto.randomUUID()}`

/** A browser that is signed in to each site in turn, a second apart. */
async function signedInTo(...siteIds: string[]): Promise<Browser> {
  const browser = browserOf(connected)
  for (const sub of siteIds) await nextSignIn(browser, sub)
  return browser
}

async function nextSignIn(browser: Browser, sub: string): Promise<Response> {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + 1000)
  return browser.signIn({ sub, scope: sub === '*' ? 'operator' : 'merchant:admin' })
}

/** The cookie that 0.3.0 made of a session which a browser has now. */
function withOldCookie({ cookies }: Browser, sub: string): Browser {
  const [id = ''] = (cookies.get(sessionName(sub)) ?? '').split('.')
  const mac = createHmac('sha256', env.TOKEN_SECRET).update(`session\0${sub}\0${id}`).digest('hex')
  const old = browserOf()
  old.cookies.set(OLD, `${sub}.${id}.${mac}`)
  return old
}

const hasSession = async (siteId: string) =>
  runInDurableObject(
    env.SITES.getByName(siteId),
    (_, { storage }) => storage.sql.exec('SELECT id FROM sessions WHERE ended = 0').toArray().length > 0,
  )

/** Where a response leads, below /console. @param path that of the request */
const targetOf = (answer: Response, path: string) => {
  const { pathname, search } = new URL(answer.headers.get('Location') ?? '', `http://qr.test/console${path}`)
  return [answer.status, pathname.replace('/console', '') + search]
}

afterEach(() => void vi.useRealTimers())

describe('two tabs of two sites', () => {
  it('never act on the wrong one: a refund posted in one while the other was signed in later', async () => {
    const [first, second] = [refundingSite(), refundingSite()]
    const one = await first.paid()
    await second.paid()
    const browser = await signedInTo(first.siteId)
    const form = `/sites/${first.siteId}/payments/${one.paymentUid}/refund`
    const page = await (await browser.get(form)).text()
    const [, refundId = ''] = /name="refundId" value="([^"]*)"/.exec(page) ?? []
    await nextSignIn(browser, second.siteId)
    const fields = { amount: '1', refundId, confirmed: 'yes' }
    const sent = await browser.post(form, fields)
    expect([sent.status, sent.headers.get('Location')?.includes('done=')]).toEqual([303, true])
    const refundsOf = async (site: typeof first) =>
      (await (await site.ask('/events')).text()).match(/"refund\.\w+"/g)?.length ?? 0
    expect([await refundsOf(first), await refundsOf(second)]).toEqual([1, 0])
  })

  it('each show their own site, whichever was signed in last', async () => {
    const [first, second] = [freshSite(), freshSite()]
    await first.make({ qrCodeUid: 'of-the-first' })
    await second.make({ qrCodeUid: 'of-the-second' })
    const browser = await signedInTo(first.siteId, second.siteId)
    const shown = async (siteId: string) => (await browser.get(`/sites/${siteId}/qr`)).text()
    for (const [siteId, own, foreign] of [
      [first.siteId, 'of-the-first', 'of-the-second'],
      [second.siteId, 'of-the-second', 'of-the-first'],
    ] as const) {
      const page = await shown(siteId)
      expect([page.includes(own), page.includes(foreign)]).toEqual([true, false])
    }
  })
})

describe('a cookie of one site', () => {
  it.each(OF_SITES.map(({ method, path }) => [method, path] as const))(
    'does not count at the address of another: %s %s',
    async (method, path) => {
      const [own, foreign] = [newSite(), newSite()]
      const browser = await signedInTo(own)
      const address = `/sites/${foreign}${belowOf(path)}`
      const answer = await browser[method](address)
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([method === 'get' ? 303 : 401, []])
      if (method === 'get') expect(targetOf(answer, address)[1]).toContain('/sign-in?next=sites')
    },
  )

  it('is in no log line as one of another site', async () => {
    const lines: string[] = []
    const browser = browserOf(serviceWith({ log: (line) => void lines.push(line) }))
    const [own, foreign] = [newSite(), newSite()]
    await browser.signIn({ sub: own })
    await browser.get(`/sites/${own}/qr/order-1`)
    await browser.get(`/sites/${foreign}/qr/order-1`)
    await browser.raw('/qr/order-1')
    expect(lines.slice(1).map((line) => JSON.parse(line))).toMatchObject([
      { route: '/console/sites/:siteId/qr/:uid', site: own },
      { route: '/console/sites/:siteId/qr/:uid', status: 303 },
      { route: '/console/qr/:uid', status: 303 },
    ])
    expect(JSON.parse(lines[2] ?? '').site).toBeUndefined()
  })
})

describe('one browser', () => {
  it('has at most eight sessions: the oldest ends, in its object too, whatever was signed in to again', async () => {
    const [oldest = '', ...rest] = Array.from({ length: 8 }, newSite)
    const browser = await signedInTo(oldest, ...rest)
    await nextSignIn(browser, oldest)
    expect(browser.cookies.size).toBe(8)
    const ninth = await nextSignIn(browser, '*')
    // Now the second is the oldest.
    const [gone = '', ...left] = rest
    expect(ninth.headers.getSetCookie()[0]).toMatch(new RegExp(`^${sessionName(gone)}=; .*Max-Age=0`))
    expect(browser.cookies.has(sessionName(gone))).toBe(false)
    expect(await Promise.all([gone, oldest, ...left].map(hasSession))).toEqual([
      false,
      ...Array.from({ length: 7 }, () => true),
    ])
  })

  it('cannot move its oldest session up by a start of its own: that cookie is none', async () => {
    const siteIds = Array.from({ length: 8 }, newSite)
    const browser = await signedInTo(...siteIds)
    const name = sessionName(siteIds[0] ?? '')
    browser.cookies.set(name, (browser.cookies.get(name) ?? '').replace(/\.\d+\./, '.999999999999.'))
    await nextSignIn(browser, newSite())
    expect((await browser.get(`/sites/${siteIds[0]}/`)).status).toBe(303)
    expect((await browser.get(`/sites/${siteIds[1]}/`)).status).toBe(200)
  })

  it('signs out of one site alone, and is led to another one', async () => {
    const [one, two, three] = [newSite(), newSite(), newSite()]
    const browser = await signedInTo(one, two, three)
    const path = `/sites/${three}/sign-out`
    expect(targetOf(await browser.post(path), path)).toEqual([303, `/sites/${two}/`])
    expect(await Promise.all([one, two, three].map(hasSession))).toEqual([true, true, false])
    expect(browser.cookies.size).toBe(2)
  })

  it('signs out of the operator’s console alone', async () => {
    const site = newSite()
    const browser = await signedInTo(site, '*')
    const path = '/operator/sign-out'
    expect(targetOf(await browser.post(path), path)).toEqual([303, `/sites/${site}/`])
    expect([(await browser.get('/operator/sites')).status, await hasSession(site)]).toEqual([303, true])
  })

  it('forgets a session that has ended, and goes on with the others', async () => {
    const [kept, ended] = [newSite(), newSite()]
    const browser = await signedInTo(kept, ended)
    await runInDurableObject(env.SITES.getByName(ended), (_, { storage }) =>
      storage.sql.exec('UPDATE sessions SET ended = 1').toArray(),
    )
    expect(targetOf(await browser.raw('/'), '/')).toEqual([303, `/sites/${ended}/`])
    // A poll that is answered behind a new sign-in would remove the new cookie.
    const poll = await browser.get(`/sites/${ended}/feed?after=a`, { 'Sec-Fetch-Mode': 'cors' })
    expect([poll.status, poll.headers.getSetCookie()]).toEqual([303, []])
    expect((await browser.get(`/sites/${ended}/`)).status).toBe(303)
    expect(targetOf(await browser.raw('/'), '/')).toEqual([303, `/sites/${kept}/`])
  })
})

describe('an address without its site', () => {
  it.each(OF_SITES.filter(({ method }) => method === 'get').map(({ path }) => path))(
    'leads to the same page of the site that was signed in to last: %s',
    async (path) => {
      const [first, second] = [newSite(), newSite()]
      const browser = await signedInTo(first, second, '*')
      const below = belowOf(path, 'a%2Fb')
      const answer = await browser.raw(`${below}?status=PAYED`)
      expect(targetOf(answer, below)).toEqual([303, `/sites/${second}${below}?status=PAYED`])
    },
  )

  it.each([...OF_SITES.filter(({ method }) => method === 'post').map(({ path }) => path), '/sign-out'])(
    'is no address of a form, and the page says what to do: %s',
    async (path) => {
      const browser = await signedInTo(newSite())
      for (const [lang, said] of [
        ['ru', 'Откройте её заново'],
        ['en', 'Open it again'],
      ] as const) {
        const address = `${path.replaceAll(/:\w+/g, 'none')}?lang=${lang}`
        const answer = await browser.raw(address, {
          method: 'POST',
          headers: { Origin: 'http://qr.test', 'Sec-Fetch-Site': 'same-origin' },
          body: new URLSearchParams({ amount: '1' }),
        })
        expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining(said)])
      }
    },
  )

  it.each([
    ['/', './sign-in'],
    ['/qr?status=PAYED', './sign-in?next=qr%3Fstatus%3DPAYED'],
  ])('asks to sign in without a session: %s', async (path, location) => {
    expect((await browserOf().raw(path)).headers.get('Location')).toBe(location)
  })

  it.each([
    ['/sites/shop', '/sites/shop/'],
    ['/sites/%2F%2Fevil.example', '/sites/%2F%2Fevil.example/'],
    ['/sites/..%5Cevil.example', '/sites/..%5Cevil.example/'],
  ])('or without its last slash leads to itself: %s', async (path, target) => {
    expect(targetOf(await browserOf().raw(path), path)).toEqual([303, target])
  })
})

describe('after signing in, next', () => {
  it.each<[string, string, string]>([
    ['own', 'sites/own/qr?a=b', './sites/own/qr?a=b'],
    ['own', 'qr?a=b', './sites/own/qr?a=b'],
    ['own', 'sites/own', './sites/own/'],
    ['own', 'sites/another/payments', './sites/own/'],
    ['own', 'sites/own/../another/payments', './sites/own/'],
    ['own', 'sites/own%2F..%2Fanother/payments', './sites/own/'],
    ['own', 'operator/sites', './sites/own/'],
    ['*', 'operator/audit?key=a', './operator/audit?key=a'],
    ['*', 'sites/own/qr', './operator/sites'],
    ['*', 'qr', './operator/sites'],
    ['*', '', './operator/sites'],
  ])('of %s=%j leads to a page of this site: %s', async (sub, next, location) => {
    const browser = browserOf()
    const token = await tokenOf({ sub, scope: sub === '*' ? 'operator' : 'merchant' })
    expect((await browser.post('/sign-in', { token, next })).headers.get('Location')).toBe(location)
  })
})

describe('the cookie of 0.3.0', () => {
  it('counts for its own site, and at no other one', async () => {
    const [own, other] = [newSite(), newSite()]
    const old = withOldCookie(await signedInTo(own), own)
    expect((await old.raw(`/sites/${own}/qr`)).status).toBe(200)
    expect((await old.raw(`/sites/${other}/qr`)).status).toBe(303)
    expect((await old.raw('/operator/sites')).status).toBe(303)
  })

  it('of the operator counts for the operator’s console', async () => {
    const old = withOldCookie(await signedInTo('*'), '*')
    expect((await old.raw('/operator/sites')).status).toBe(200)
  })

  it('says where an address without its site leads, though another site was signed in to later', async () => {
    const [own, other] = [newSite(), newSite()]
    const old = withOldCookie(await signedInTo(own), own)
    await nextSignIn(old, other)
    expect(old.cookies.has(OLD)).toBe(true)
    expect(targetOf(await old.raw('/qr'), '/qr')).toEqual([303, `/sites/${own}/qr`])
    expect(targetOf(await old.raw('/'), '/')).toEqual([303, `/sites/${other}/`])
  })

  it('is removed, and its session ends, by signing in to its site and by signing out of it', async () => {
    const own = newSite()
    for (const leave of ['sign in', 'sign out']) {
      const browser = await signedInTo(own)
      const old = withOldCookie(browser, own)
      await (leave === 'sign in' ? nextSignIn(old, own) : old.post(`/sites/${own}/sign-out`))
      expect([leave, old.cookies.has(OLD), (await browser.get('/')).status]).toEqual([leave, false, 303])
    }
  })

  it('is the oldest session of all', async () => {
    const own = newSite()
    const old = withOldCookie(await signedInTo(own), own)
    for (let i = 0; i < 8; i++) await nextSignIn(old, newSite())
    expect([old.cookies.has(OLD), old.cookies.size, await hasSession(own)]).toEqual([false, 8, false])
  })
})

describe('the switcher', () => {
  it('is on no page of a browser with one session', async () => {
    const site = newSite()
    const page = await (await (await signedInTo(site)).get('/')).text()
    expect([page.includes('popovertarget="sites"'), page.includes('id="sites"')]).toEqual([false, false])
  })

  it('lists each site and the operator, marks the one of the page, and leads to signing in to another', async () => {
    const [one, two] = [newSite(), newSite()]
    const browser = await signedInTo(one, two, '*')
    for (const [path, present] of [
      [`/sites/${one}/qr/none`, `/sites/${one}/`],
      [`/sites/${one}/payments`, `/sites/${one}/`],
      [`/sites/${two}/`, `/sites/${two}/`],
      ['/operator/audit', '/operator/sites'],
      ['/sign-in', undefined],
    ] as const) {
      const page = await (await browser.get(path)).text()
      const [menu = ''] = /<nav class="sites".*?<\/nav>/s.exec(page) ?? []
      const links = Array.from(
        menu.matchAll(/<a href="([^"]*)"( aria-current="true")?>/g),
        ([, href = '', mark]) => {
          const { pathname } = new URL(href, `http://qr.test/console${path}`)
          return [pathname.replace('/console', ''), mark !== undefined]
        },
      )
      const expected = [
        '/operator/sites',
        ...[one, two].toSorted().map((each) => `/sites/${each}/`),
        '/sign-in',
      ]
      expect([path, links]).toEqual([path, expected.map((each) => [each, each === present])])
      expect(page).toContain('popovertarget="sites"')
    }
  })
})
