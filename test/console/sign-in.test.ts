// Signing in to the console and out: the cookie, its session, and the one-time link.
import { runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { consoleLink } from '../../bin/start/console-link.ts'
import { REGISTRY } from '../../src/contract/site-id.ts'
import { makeSignInLink } from '../../src/http/sign-in-links.ts'
import { freshSite } from '../support/admin.ts'
import { browserOf, sessionName } from '../support/console.ts'
import { call, ORIGIN, serviceWith, siteThat, tokenOf } from '../support/service.ts'

const newSite = () => `console-${crypto.randomUUID()}`
const HOUR = 3_600_000

const sessionsOf = (siteId: string) =>
  runInDurableObject(env.SITES.getByName(siteId), (_, { storage }) =>
    storage.sql.exec('SELECT id, key_id, ended FROM sessions ORDER BY number').toArray(),
  )

afterEach(() => void vi.useRealTimers())

describe('a token', () => {
  it.each([
    ['merchant', 200],
    ['merchant:read', 200],
    ['merchant:admin', 200],
    ['merchant:read network', 200],
  ])('with the scope %s begins a session, whose page shows the site', async (scope, status) => {
    const browser = browserOf()
    const sub = newSite()
    const signedIn = await browser.signIn({ sub, scope })
    expect([signedIn.status, signedIn.headers.get('Location')]).toEqual([303, `./sites/${sub}/`])
    const page = await browser.get('/')
    expect([page.status, await page.text()]).toEqual([status, expect.stringContaining(sub)])
  })

  it('with an end that no date has begins a session of the usual length', async () => {
    const browser = browserOf()
    const signedIn = await browser.signIn({ sub: newSite(), exp: 2 ** 53 - 1 })
    expect([signedIn.status, (await browser.get('/')).status]).toEqual([303, 200])
    expect(signedIn.headers.get('Set-Cookie')).toMatch(/Max-Age=(43(200|1\d\d)|3(600|5\d\d));/)
  })

  it('of the operator begins a session of the operator, kept by the registry', async () => {
    const browser = browserOf()
    await browser.signIn({ sub: '*', scope: 'operator', jti: 'operator' })
    expect((await browser.get('/')).headers.get('Location')).toBe('./operator/sites')
    expect((await browser.get('/operator/sites')).status).toBe(200)
    const rows = await runInDurableObject(exports.Registry.getByName(REGISTRY), (_, { storage }) =>
      storage.sql.exec("SELECT key_id FROM sessions WHERE key_id = 'operator'").toArray(),
    )
    expect(rows.length).toBeGreaterThan(0)
  })

  const hour = Math.floor(Date.now() / 1000)
  it.each<[string, Record<string, unknown>, string]>([
    ['that has expired', { exp: hour - 1 }, 'срок'],
    ['that is not valid yet', { nbf: hour + 1000 }, 'не подходит'],
    ['of the payment network', { scope: 'network' }, 'прав'],
    ['of all sites without the scope operator', { sub: '*', scope: 'merchant' }, 'прав'],
    ['with a siteId that no site can have', { sub: '../x' }, 'не подходит'],
  ])('%s begins none, and the page says why', async (_, claims, said) => {
    const browser = browserOf()
    const refused = await browser.signIn({ sub: newSite(), ...claims })
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([401, []])
    expect((await refused.text()).toLowerCase()).toContain(said)
  })

  it.each(['', 'nonsense', 'a.b.c'])('that is %j begins none, and is not in the page', async (token) => {
    const refused = await browserOf().post('/sign-in', { token })
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([401, []])
    if (token) expect(await refused.text()).not.toContain(token)
  })

  it('signed by another deployment begins none', async () => {
    const token = await tokenOf({ sub: newSite() }, 'another secret, of 32 characters and more')
    expect((await browserOf().post('/sign-in', { token })).status).toBe(401)
  })

  it.each(['REVOKED_KEYS', 'the site'])('that %s has revoked begins none', async (by) => {
    const site = freshSite()
    const claims = { sub: site.siteId, jti: 'gone' }
    if (by === 'the site') await site.ask('/apiKeys/gone', { method: 'DELETE' })
    const fetch = serviceWith(by === 'the site' ? {} : { settings: { REVOKED_KEYS: 'gone' } })
    expect((await browserOf(fetch).signIn(claims)).status).toBe(401)
  })
})

describe('the cookie', () => {
  const cookieOf = async (settings: Record<string, string>, origin: string, headers = {}) => {
    const browser = browserOf(serviceWith({ settings }), origin)
    const token = await tokenOf({ sub: newSite() })
    const [cookie = ''] = (await browser.post('/sign-in', { token }, headers)).headers.getSetCookie()
    return cookie
  }

  it.each<[string, Record<string, string>, string, Record<string, string>, string]>([
    ['by http', {}, 'http://qr.test', {}, 'Path=/console; Max-Age=3600; HttpOnly; SameSite=Strict'],
    ['by https', {}, 'https://qr.test', {}, 'Path=/console; Max-Age=3600; HttpOnly; SameSite=Strict; Secure'],
    [
      'by a proxy that names https',
      {},
      'http://qr.test',
      { 'X-Forwarded-Proto': 'https' },
      'Path=/console; Max-Age=3600; HttpOnly; SameSite=Strict; Secure',
    ],
    [
      'by the proxy of PUBLIC_URL',
      { PUBLIC_URL: 'https://qr.test/fps' },
      'http://qr.test',
      {},
      'Path=/fps/console; Max-Age=3600; HttpOnly; SameSite=Strict; Secure',
    ],
    [
      'by http, beside a PUBLIC_URL of another host',
      { PUBLIC_URL: 'https://elsewhere.test' },
      'http://qr.test',
      {},
      'Path=/console; Max-Age=3600; HttpOnly; SameSite=Strict',
    ],
  ])('that came %s has the right flags', async (_, settings, origin, headers, flags) => {
    // The token of the test is a few seconds old on a slow machine.
    const cookie = (await cookieOf(settings, origin, headers)).replace(/Max-Age=35[89]\d;/, 'Max-Age=3600;')
    expect(cookie).toMatch(
      new RegExp(`^console-session-console-[\\w-]+=[0-9a-f]{32}\\.\\d{10}\\.[0-9a-f]{64}; ${flags}$`),
    )
  })

  it('is another one at each sign-in, whatever cookie the browser had: nobody can fix the session beforehand', async () => {
    const sub = newSite()
    const attacker = browserOf()
    await attacker.signIn({ sub })
    const [before] = attacker.cookies.values()
    const victim = browserOf()
    victim.cookies.set(sessionName(sub), before ?? '')
    await victim.signIn({ sub })
    expect(victim.cookies.get(sessionName(sub))).not.toBe(before)
    expect(new Set((await sessionsOf(sub)).map(({ id }) => id)).size).toBe(2)
    // The session that was planted has ended.
    expect([(await attacker.get('/')).status, (await victim.get('/')).status]).toEqual([303, 200])
  })

  const untouchable = serviceWith({
    site: () => siteThat(() => Promise.reject(new Error('a site was asked'))),
    registry: () => {
      throw new Error('the registry was asked')
    },
  })
  const id = 'ab'.repeat(16)
  it.each([
    ['without a MAC', 'shop', `${id}.1700000000`],
    ['with a MAC of zeros', 'shop', `${id}.1700000000.${'0'.repeat(64)}`],
    ['with an empty MAC', 'shop', `${id}.1700000000.`],
    ['with a short MAC', 'shop', `${id}.1700000000.ab`],
    ['without a start', 'shop', `${id}.${'0'.repeat(64)}`],
    ['of the operator, forged', '*', `${id}.1700000000.${'0'.repeat(64)}`],
    ['of no site', '/readyz', `${id}.1700000000.${'0'.repeat(64)}`],
    ['of nothing', 'shop', ''],
    ['of nonsense', 'shop', '%00.%00'],
  ])('%s reaches no object, and nobody is signed in', async (_, siteId, value) => {
    for (const [name, each] of [
      [sessionName(siteId), value],
      ['console-session', `${siteId}.${value.replace('.1700000000', '')}`],
    ] as const) {
      const browser = browserOf(untouchable)
      browser.cookies.set(name, each)
      const paths = ['/', `/sites/${siteId}/`, '/operator/sites']
      const answers = await Promise.all(paths.map((path) => browser.raw(path)))
      expect(answers.map(({ status }) => status)).toEqual([303, siteId === '/readyz' ? 404 : 303, 303])
      expect(answers[0]?.headers.get('Location')).toBe('./sign-in')
    }
  })

  it.each<[string, (value: string) => string]>([
    ['the random part', (value) => value.replace(/^./, (digit) => (digit === 'a' ? 'b' : 'a'))],
    ['the start', (value) => value.replace(/\d(?=\.[0-9a-f]+$)/, (digit) => `${9 - Number(digit)}`)],
    ['the spelling of the start', (value) => value.replace('.', '.0')],
    ['the MAC', (value) => value.replace(/.$/, (digit) => (digit === 'a' ? 'b' : 'a'))],
    ['the spelling of the MAC', (value) => `${value}0`],
  ])('of which %s was changed reaches no object', async (_, change) => {
    const sub = newSite()
    const honest = browserOf()
    await honest.signIn({ sub })
    const value = honest.cookies.get(sessionName(sub)) ?? ''
    const forged = browserOf(untouchable)
    forged.cookies.set(sessionName(sub), change(value))
    expect([change(value) === value, (await forged.get('/')).status]).toEqual([false, 303])
  })

  it.each([
    ['another site', 'another', '/sites/another/'],
    ['the operator', '*', '/operator/sites'],
  ])('renamed to that of %s reaches no object', async (_, siteId, path) => {
    const sub = newSite()
    const honest = browserOf()
    await honest.signIn({ sub })
    const forged = browserOf(untouchable)
    forged.cookies.set(sessionName(siteId), honest.cookies.get(sessionName(sub)) ?? '')
    expect((await forged.get(path)).status).toBe(303)
  })

  it('of another deployment’s secret signs nobody in, and that of the previous secret does', async () => {
    const sub = newSite()
    const [old, fresh] = [env.TOKEN_SECRET, 'the next secret, of 32 characters and more']
    const browser = browserOf()
    await browser.signIn({ sub })
    const at = (settings: Record<string, string>) => {
      const other = browserOf(serviceWith({ settings }))
      other.cookies.set(sessionName(sub), browser.cookies.get(sessionName(sub)) ?? '')
      return other.get('/')
    }
    expect((await at({ TOKEN_SECRET: fresh })).status).toBe(303)
    expect((await at({ TOKEN_SECRET: fresh, TOKEN_SECRET_PREVIOUS: old })).status).toBe(200)
  })
})

describe('a session', () => {
  const signedIn = async (claims: Record<string, unknown> = {}) => {
    const browser = browserOf()
    const sub = newSite()
    await browser.signIn({ sub, ...claims })
    return { browser, sub }
  }

  it('ends after 12 hours, though its token lives longer', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const now = Date.now()
    const { browser } = await signedIn({ exp: Math.floor(now / 1000) + 86_400 })
    vi.setSystemTime(now + 12 * HOUR - 2000)
    expect((await browser.get('/')).status).toBe(200)
    vi.setSystemTime(now + 12 * HOUR + 1000)
    expect((await browser.get('/')).status).toBe(303)
  })

  it('ends with the token that made it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const now = Date.now()
    const { browser } = await signedIn({ exp: Math.floor(now / 1000) + 600 })
    vi.setSystemTime(now + 601_000)
    expect((await browser.get('/')).status).toBe(303)
  })

  it('that has expired is removed at the next sign-in', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { sub } = await signedIn()
    const [first] = await sessionsOf(sub)
    vi.setSystemTime(Date.now() + 2 * HOUR)
    await browserOf().signIn({ sub, exp: Math.floor(Date.now() / 1000) + 600 })
    const left = await sessionsOf(sub)
    expect([left.length, left.some(({ id }) => id === first?.id)]).toEqual([1, false])
  })

  it('that has expired is removed by the clock of its site', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { sub } = await signedIn()
    vi.setSystemTime(Date.now() + 2 * HOUR)
    await runInDurableObject(env.SITES.getByName(sub), (site) => site.alarm())
    expect(await sessionsOf(sub)).toEqual([])
  })

  it('ends by signing out, and its cookie is worth nothing afterwards', async () => {
    const { browser, sub } = await signedIn()
    const cookie = browser.cookies.get(sessionName(sub)) ?? ''
    const left = await browser.post('/sign-out')
    expect([left.status, left.headers.get('Location'), left.headers.getSetCookie()]).toEqual([
      303,
      '../../sign-in',
      [`${sessionName(sub)}=; Path=/console; Max-Age=0; HttpOnly; SameSite=Strict`],
    ])
    const thief = browserOf()
    thief.cookies.set(sessionName(sub), cookie)
    expect((await thief.get('/')).status).toBe(303)
  })

  it('of the operator ends by signing out', async () => {
    const browser = browserOf()
    await browser.signIn({ sub: '*', scope: 'operator' })
    const cookie = browser.cookies.get(sessionName('*')) ?? ''
    await browser.post('/sign-out')
    const thief = browserOf()
    thief.cookies.set(sessionName('*'), cookie)
    expect((await thief.get('/operator/sites')).headers.get('Location')).toContain('sign-in')
  })

  it('ends when its key is revoked by the API, and the sessions of other keys go on', async () => {
    const site = freshSite()
    const [gone, other] = [browserOf(), browserOf()]
    await gone.signIn({ sub: site.siteId, jti: 'gone' })
    await other.signIn({ sub: site.siteId, jti: 'other' })
    expect((await site.ask('/apiKeys/gone', { method: 'DELETE' })).status).toBe(204)
    expect([(await gone.get('/')).status, (await other.get('/')).status]).toEqual([303, 200])
  })

  it('of a key of REVOKED_KEYS is none', async () => {
    const { browser, sub } = await signedIn({ jti: 'revoked-by-the-operator' })
    const later = browserOf(serviceWith({ settings: { REVOKED_KEYS: 'revoked-by-the-operator' } }))
    later.cookies.set(sessionName(sub), browser.cookies.get(sessionName(sub)) ?? '')
    expect((await later.get('/')).status).toBe(303)
  })

  it('is one of at most 100 of its key: the oldest end', async () => {
    const { browser, sub } = await signedIn({ jti: 'many' })
    const token = await tokenOf({ sub, jti: 'many' })
    for (let i = 0; i < 100; i++) await browserOf().post('/sign-in', { token })
    expect([(await sessionsOf(sub)).length, (await browser.get('/')).status]).toEqual([100, 303])
  })

  it.each([
    ['ends when its browser signs in to the same site', (sub: string) => ({ sub }), 303],
    ['goes on when its browser signs in to another site', () => ({ sub: newSite() }), 200],
    ['goes on when its browser signs in to the operator', () => ({ sub: '*', scope: 'operator' }), 200],
  ])('%s', async (_, next, status) => {
    const { browser, sub } = await signedIn()
    const thief = browserOf()
    thief.cookies.set(sessionName(sub), browser.cookies.get(sessionName(sub)) ?? '')
    expect((await thief.get('/qr')).status).toBe(200)
    expect((await browser.signIn(next(sub))).status).toBe(303)
    expect((await thief.get('/qr')).status).toBe(status)
  })

  it('goes on if its browser fails to sign in again', async () => {
    const { browser } = await signedIn()
    const refused = await browser.post('/sign-in', { token: 'nonsense' })
    expect([refused.status, (await browser.get('/')).status]).toEqual([401, 200])
  })

  it('of a site that cannot end it keeps nobody from signing in to it again, and the log says so', async () => {
    const { browser, sub } = await signedIn()
    const lines: string[] = []
    const fetch = serviceWith({
      log: (line) => void lines.push(line),
      site: (siteId) =>
        new Proxy(env.SITES.getByName(siteId), {
          get: (target, name) => {
            if (name === 'endSession') throw new Error('SQLITE_FULL')
            return Reflect.get(target, name)
          },
        }),
    })
    const later = browserOf(fetch)
    later.cookies.set(sessionName(sub), browser.cookies.get(sessionName(sub)) ?? '')
    const signedInTo = await later.signIn({ sub })
    expect([signedInTo.status, (await later.get('/')).status]).toEqual([303, 200])
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ errorCode: 'service.unavailable' })
  })

  it('of a deleted site shows that it is deleted', async () => {
    const { browser, sub } = await signedIn()
    const token = await tokenOf({ sub: '*', scope: 'operator' })
    await call(`/operator/v1/sites/${sub}`, { method: 'DELETE', token, body: { siteId: sub } })
    const gone = await browser.get('/')
    expect([gone.status, await gone.text()]).toEqual([410, expect.stringContaining('href="../../sign-in"')])
    // Another site that is signed in is to be the first page then.
    expect(browser.cookies.has(sessionName(sub))).toBe(false)
  })

  it.each([
    ['ru', 'Выйти не получилось'],
    ['en', 'You are still signed in'],
  ])('goes on if its site cannot end it: the page says so in %s, and can try again', async (lang, said) => {
    const { browser, sub } = await signedIn()
    const silent = browserOf(
      serviceWith({ site: () => siteThat(() => Promise.reject(new Error('SQLITE_FULL'))) }),
    )
    const cookie = browser.cookies.get(sessionName(sub)) ?? ''
    silent.cookies.set(sessionName(sub), cookie)
    const left = await silent.post(`/sign-out?lang=${lang}`)
    expect([left.status, silent.cookies.get(sessionName(sub))]).toEqual([503, cookie])
    const page = await left.text()
    for (const part of [`<h1>${said}`, 'role="alert"', 'action="sign-out"']) expect(page).toContain(part)
    expect(page).not.toContain('hreflang')
    const again = await browser.post('/sign-out')
    expect([again.status, browser.cookies.has(sessionName(sub))]).toEqual([303, false])
  })

  it('can be the first write of a site, which is listed as created then', async () => {
    const { sub } = await signedIn()
    const token = await tokenOf({ sub: '*', scope: 'operator' })
    const site = await call(`/operator/v1/sites/${sub}`, { token })
    const { createdOn } = await site.json<{ createdOn: string }>()
    expect(Math.abs(Date.parse(createdOn) - Date.now())).toBeLessThan(600_000)
  })

  it('costs a site that has none nothing but its empty table', async () => {
    const site = freshSite()
    await site.make()
    const rows = await runInDurableObject(site.stub, (_, { storage }) =>
      storage.sql.exec('SELECT count(*) AS sessions FROM sessions').one(),
    )
    expect(rows).toEqual({ sessions: 0 })
  })
})

describe('a one-time link', () => {
  const linkOf = async (siteId: string) => {
    const link = await consoleLink(ORIGIN, env.TOKEN_SECRET, siteId, { role: 'owner', label: 'anna' })
    return {
      path: link.slice(`${ORIGIN}/console`.length),
      code: new URL(link).searchParams.get('link') ?? '',
    }
  }

  it('shows a button and changes nothing; the button signs in as the administrator, once', async () => {
    const sub = newSite()
    const { path, code } = await linkOf(sub)
    const [browser, second] = [browserOf(), browserOf()]
    for (let i = 0; i < 2; i++) {
      const page = await browser.get(path)
      expect([page.status, page.headers.getSetCookie(), await page.text()]).toEqual([
        200,
        [],
        expect.stringContaining(sub),
      ])
    }
    expect((await browser.post('/sign-in', { link: code })).status).toBe(303)
    expect((await browser.get('/keys')).status).toBe(200)
    const again = await second.post('/sign-in', { link: code })
    expect([again.status, again.headers.getSetCookie()]).toEqual([401, []])
    expect(await again.text()).toContain('уже использована')
  })

  it('stays used after signing out', async () => {
    const { code } = await linkOf(newSite())
    const browser = browserOf()
    await browser.post('/sign-in', { link: code })
    await browser.post('/sign-out')
    expect((await browser.post('/sign-in', { link: code })).status).toBe(401)
  })

  it('stays used after 101 other sessions of its key, which end its own', async () => {
    const sub = newSite()
    const { code } = await linkOf(sub)
    const browser = browserOf()
    await browser.post('/sign-in', { link: code })
    const [made] = await sessionsOf(sub)
    const token = await tokenOf({ sub, jti: `${made?.key_id}` })
    for (let i = 0; i < 101; i++) await browserOf().post('/sign-in', { token })
    expect((await browser.get('/')).status).toBe(303)
    expect((await browserOf().post('/sign-in', { link: code })).status).toBe(401)
  })

  it('that is pressed twice signs in once, and that session goes on', async () => {
    const { code } = await linkOf(newSite())
    const browser = browserOf()
    await browser.post('/sign-in', { link: code })
    expect((await browser.post('/sign-in', { link: code })).status).toBe(401)
    expect((await browser.get('/')).status).toBe(200)
  })

  it('is used by one of two that send it at the same time', async () => {
    const { code } = await linkOf(newSite())
    const answers = await Promise.all([1, 2, 3].map(() => browserOf().post('/sign-in', { link: code })))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401, 401])
  })

  it('ends after ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { path, code } = await linkOf(newSite())
    vi.setSystemTime(Date.now() + 600_000)
    expect((await browserOf().get(path)).status).toBe(401)
    expect((await browserOf().post('/sign-in', { link: code })).status).toBe(401)
  })

  it('is no access token, and an access token is no link', async () => {
    const sub = newSite()
    const { code } = await linkOf(sub)
    expect((await call(`/payin/v1/sites/${sub}/events`, { token: code })).status).toBe(401)
    expect((await browserOf().post('/sign-in', { token: code })).status).toBe(401)
    expect((await browserOf().post('/sign-in', { link: await tokenOf({ sub }) })).status).toBe(401)
  })

  const soon = () => Math.floor(Date.now() / 1000) + 600

  it.each<[string, (code: string) => string, object, string, number]>([
    ['as it was made', (code) => code, {}, env.TOKEN_SECRET, 303],
    ['of another secret', (code) => code, {}, 'another secret, of 32 characters and more', 401],
    ['of another spelling', (code) => `${code}=`, {}, env.TOKEN_SECRET, 401],
    ['with an id of 129 characters', (code) => code, { id: 'x'.repeat(129) }, env.TOKEN_SECRET, 401],
    ['with an end within a second', (code) => code, { exp: soon() + 0.5 }, env.TOKEN_SECRET, 401],
  ])('%s: %5$i', async (_, spell, more, secret, status) => {
    const claims = { sub: newSite(), jti: 'a', iat: 0, exp: 9e9, scope: 'merchant:admin' }
    const code = await makeSignInLink(secret, { claims, id: crypto.randomUUID(), exp: soon(), ...more })
    expect((await browserOf().post('/sign-in', { link: spell(code) })).status).toBe(status)
  })

  it('is in no line of the log', async () => {
    const lines: string[] = []
    const fetch = serviceWith({ log: (line) => void lines.push(line) })
    const sub = newSite()
    const { path, code } = await linkOf(sub)
    const browser = browserOf(fetch)
    await browser.get(path)
    await browser.post('/sign-in', { link: code })
    await browser.get('/')
    await browserOf(fetch).signIn({ sub: newSite() })
    const secrets = [code, browser.cookies.get(sessionName(sub)) ?? 'none', 'eyJ']
    expect(lines.length).toBe(4)
    for (const secret of secrets) expect(lines.join('\n')).not.toContain(secret)
    expect(lines.map((line) => JSON.parse(line).route)).toEqual([
      '/console/sign-in',
      '/console/sign-in',
      '/console/sites/:siteId/',
      '/console/sign-in',
    ])
  })
})
