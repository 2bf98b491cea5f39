// The header Test-Site, for each route and status: the path decides, whether or not the request reaches a site (contract, section 10).
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ROUTES } from '../../src/console/console.ts'
import { Metrics } from '../../src/gateway/metrics.ts'
import { makeSignInLink } from '../../src/http/sign-in-links.ts'
import { freshSite } from '../support/admin.ts'
import type { Call, Fetch } from '../support/client.ts'
import { browserOf } from '../support/console.ts'
import { CONNECTOR, call, ORIGIN, serviceWith, siteThat, tokenOf } from '../support/service.ts'
import { MARK, open } from '../support/test-sites.ts'

const settings = { TEST_SITES: 'on', ...CONNECTOR }
const ON = serviceWith({ settings })
const failing = serviceWith({ settings, site: () => siteThat(() => Promise.reject(new Error('a defect'))) })
const overloaded = serviceWith({
  settings,
  site: () => siteThat(() => Promise.reject(Object.assign(new Error('busy'), { overloaded: true }))),
})
const limited = serviceWith({ settings, limiter: { limit: async () => ({ success: false }) } })
const foreign = serviceWith({ settings: { ...settings, ALLOWED_HOSTS: 'other.example' } })
const services = { failing, overloaded, limited, foreign }

const [TEST, LIVE] = ['tea-test', 'tea']
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
const { paths } = Document.parse(await (await call('/openapi.json', {}, ON)).json())
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The path of a route, of a site; what else it names does not exist. */
const pathOf = (template: string, siteId: string) =>
  template.replace('{siteId}', siteId).replaceAll(/\{\w+\}/g, 'none')

/** Requests of each kind that a check refuses, and one that passes them all. */
const KINDS: [string, (claims: { sub: string; scope: string }) => Promise<Call>][] = [
  ['as its caller', async (claims) => ({ token: await tokenOf(claims) })],
  ['with a body', async (claims) => ({ token: await tokenOf(claims), body: {} })],
  ['with too large a body', async (claims) => ({ token: await tokenOf(claims), body: 'x'.repeat(300_000) })],
  [
    'in another media type',
    async (claims) => ({
      token: await tokenOf(claims),
      body: 'x',
      headers: { 'Content-Type': 'text/plain' },
    }),
  ],
  [
    'accepting nothing',
    async (claims) => ({ token: await tokenOf(claims), headers: { Accept: 'video/mp4' } }),
  ],
  ['of another site', async (claims) => ({ token: await tokenOf({ ...claims, sub: 'other' }) })],
  ['without a scope', async (claims) => ({ token: await tokenOf({ ...claims, scope: 'none' }) })],
  ['with an expired token', async (claims) => ({ token: await tokenOf({ ...claims, exp: 1 }) })],
  ['without a token', async () => ({ token: null })],
]

const claimsFor = (template: string, siteId: string) => {
  if (template.startsWith('/operator/')) return { sub: '*', scope: 'operator' }
  return { sub: siteId, scope: template.startsWith('/network/') ? 'network' : 'merchant:admin' }
}

/** Sends a request; the status, and the header of the answer. */
async function answer(path: string, { method = 'GET', body, ...more }: Call, fetch: Fetch) {
  const withoutBody = method === 'GET' || method === 'OPTIONS' ? {} : { body }
  const { status, headers } = await call(path, { ...more, ...withoutBody, method }, fetch)
  return { status, header: headers.get('Test-Site') }
}

const isSitesPath = (path: string) => path.includes('{siteId}')
const TEMPLATES = [
  ...Object.keys(paths).filter(isSitesPath),
  '/payin/v1/sites/{siteId}/none',
  '/network/v1/sites/{siteId}',
]
const PREFIXED = TEMPLATES.flatMap((path) =>
  path.startsWith('/payin/') ? [path, `/partner${path}`] : [path],
)

describe('the header Test-Site', () => {
  const met = new Set<number>()

  it.each(PREFIXED)('is in each answer of %s but the 401 of a token that is not valid', async (template) => {
    for (const method of METHODS)
      for (const [kind, request] of KINDS)
        for (const siteId of [TEST, LIVE]) {
          const claims = claimsFor(template.replace('/partner', ''), siteId)
          const asked = { ...(await request(claims)), method }
          const { status, header } = await answer(pathOf(template, siteId), asked, ON)
          met.add(status)
          const expected = siteId === TEST && status !== 401 ? 'true' : null
          expect(header, `${method} ${kind} ${siteId}: ${status}`).toBe(expected)
        }
  })

  it.each(Object.entries(services))('is there where the service is %s', async (_, service) => {
    for (const template of PREFIXED) {
      const claims = claimsFor(template.replace('/partner', ''), TEST)
      const { status, header } = await answer(
        pathOf(template, TEST),
        { token: await tokenOf(claims), method: 'GET' },
        service,
      )
      met.add(status)
      expect(header, `${template}: ${status}`).toBe('true')
    }
  })

  it('was seen with each status of a request that reaches no QR code', () => {
    for (const status of [200, 400, 401, 403, 404, 405, 406, 413, 415, 421, 429, 500, 503])
      expect(met).toContain(status)
  })

  it('is for siteIds as they are decoded, and not for what is no siteId', async () => {
    const headerOf = async (path: string) =>
      (await call(path, { token: await tokenOf({ sub: TEST }) }, ON)).headers.get('Test-Site')
    const text = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/).filter((name) => !/^\.\.?$/.test(name))
    const encoded = (siteId: string) =>
      Array.from(siteId, (each) => `%${each.charCodeAt(0).toString(16)}`).join('')
    await fc.assert(
      fc.asyncProperty(text, async (name) => {
        for (const path of [`/pay/${encoded(`${name}-test`)}/x`, `/payin/v1/sites/${name}-test/none`])
          expect(await headerOf(path)).toBe('true')
        expect(await headerOf(`/pay/${name}/${name}-test`)).toBe(name.endsWith('-test') ? 'true' : null)
      }),
      { numRuns: 50 },
    )
    for (const path of [
      '/pay/a%20-test/x',
      `/pay/${'x'.repeat(60)}-test/x`,
      '/none/tea-test',
      '/tea-test',
      '/pay',
    ])
      expect(await headerOf(path), path).toBeNull()
  })

  it('is not where the deployment has no test sites, except at the operator’s addresses', async () => {
    const off = serviceWith({})
    for (const template of PREFIXED) {
      const claims = claimsFor(template.replace('/partner', ''), TEST)
      for (const method of ['GET', 'PATCH']) {
        const asked = { token: await tokenOf(claims), method }
        const { header } = await answer(pathOf(template, TEST), asked, off)
        expect(header, `${method} ${template}`).toBe(template.startsWith('/operator/') ? 'true' : null)
      }
    }
    expect((await open(`${ORIGIN}/pay/${TEST}/none`, off)).headers.get('Test-Site')).toBeNull()
  })
})

const site = freshSite(ON, '-test')
const live = freshSite(ON)
const linkOf = async ({ make }: typeof site) => new URL((await make()).answer.pageUrl)
const [ofTest, ofLive] = await Promise.all([linkOf(site), linkOf(live)])

describe('the 401 of a revoked key', () => {
  const statusOf = async (path: string, claims: Record<string, unknown>, service = ON) => {
    const { status, headers } = await call(path, { token: await tokenOf(claims) }, service)
    return [status, headers.get('Test-Site')]
  }
  const path = `/payin/v1/sites/${site.siteId}/sbp/qrCodes`

  it('has the header where a call revoked it: the site says so', async () => {
    expect((await site.ask('/apiKeys/key-1', { method: 'DELETE' })).status).toBe(204)
    expect(await statusOf(path, { sub: site.siteId, jti: 'key-1' })).toEqual([401, 'true'])
    const signedIn = await browserOf(ON).signIn({ sub: site.siteId, jti: 'key-1' })
    expect([signedIn.status, signedIn.headers.get('Test-Site')]).toEqual([401, 'true'])
  })

  it('has it where it is the operator’s', async () => {
    const [one, other] = ['one', 'other'].map((jti) => ({ sub: '*', scope: 'operator', jti }))
    const token = await tokenOf(other)
    expect((await call('/operator/v1/keys/one', { method: 'DELETE', token }, ON)).status).toBe(204)
    expect(await statusOf(`/operator/v1/sites/${site.siteId}`, { ...one })).toEqual([401, 'true'])
  })

  it('has it not where REVOKED_KEYS names it: the token is not valid', async () => {
    const service = serviceWith({ settings: { ...settings, REVOKED_KEYS: 'key-2' } })
    expect(await statusOf(path, { sub: site.siteId, jti: 'key-2' }, service)).toEqual([401, null])
    const signedIn = await browserOf(service).signIn({ sub: site.siteId, jti: 'key-2' })
    expect([signedIn.status, signedIn.headers.get('Test-Site')]).toEqual([401, null])
  })
})

describe('the metrics of requests', () => {
  it('leave out what names a test site and does not reach it, but not its 500, and not who has no token', async () => {
    const metrics = new Metrics()
    const service = serviceWith({
      settings,
      metrics,
      site: () => siteThat(() => Promise.reject(new Error('a defect'))),
    })
    for (const path of [
      `/pay/${TEST}/none`,
      `/logo/${TEST}/0/0`,
      `/payin/v1/sites/${TEST}/none`,
      `${ofTest.pathname}${ofTest.search}`,
    ])
      await call(path, { token: await tokenOf({ sub: TEST }) }, service)
    expect(metrics.text()).not.toMatch(/^fps_qr_requests_total\{/m)
    expect(metrics.text()).toMatch(/^fps_qr_errors_total 1$/m)
    await call(`/payin/v1/sites/${TEST}/none`, { token: null }, service)
    expect(metrics.text()).toMatch(/^fps_qr_requests_total\{.*status="401"\} 1$/m)
  })
})

describe('of an address for people, Test-Site', () => {
  /** Addresses below /pay and /logo: those of a QR code, of an altered link, of a made-up one, and of nothing. */
  const addressesOf = ({ pathname, search }: URL, siteId: string) =>
    ['', '/state', '/banks', '/print', '/none', '/none/none']
      .flatMap((below) =>
        [search, `${search}&x=1`, search.replace(/crc=.*/, 'crc=0000'), ''].flatMap((query) => [
          `${pathname}${below}${query}`,
          `/pay/${siteId}/${'A'.repeat(32)}${below}${query}`,
        ]),
      )
      .concat(
        `/pay/${siteId}`,
        `/pay/${siteId}/`,
        `/logo/${siteId}`,
        `/logo/${siteId}/0/0`,
        `/logo/${siteId}/0/0/0`,
      )

  it.each(METHODS)('is in each answer to %s, and each page says that no money moves', async (method) => {
    const statuses = new Set<number>()
    const cases = [
      ...addressesOf(ofTest, site.siteId).map((address) => ({ address, expected: 'true' })),
      ...addressesOf(ofLive, live.siteId).map((address) => ({ address, expected: null })),
    ]
    for (const { address, expected } of cases)
      for (const service of [ON, foreign, limited, failing]) {
        const response = await open(ORIGIN + address, service, { method })
        statuses.add(response.status)
        expect(response.headers.get('Test-Site'), `${method} ${address} ${response.status}`).toBe(expected)
        const isPage = response.headers.get('Content-Type')?.startsWith('text/html') === true
        const hasMark = (await response.text()).includes(MARK)
        expect(hasMark, `${method} ${address} ${response.status}`).toBe(isPage && expected === 'true')
      }
    const expected =
      method === 'GET' ? [200, 404, 421, 429, 500] : method === 'POST' ? [403, 404, 421] : [404, 405, 421]
    for (const status of expected) expect(statuses).toContain(status)
  })

  it('is in each answer of the console to a session of it, and to the operator about it', async () => {
    const browser = browserOf(ON)
    const headerOf = async (response: Promise<Response>) => (await response).headers.get('Test-Site')
    expect(await headerOf(browser.signIn({ sub: site.siteId, scope: 'merchant:admin' }))).toBe('true')
    for (const { method, path } of ROUTES) {
      if (path.startsWith('/operator/')) continue
      const address = path.replaceAll(/:file\{[^}]*\}+/g, 'picture.png').replaceAll(/:\w+/g, 'none')
      if (address === '/feed') continue
      const response = method === 'get' ? browser.get(address) : browser.post(address)
      expect(await headerOf(response), `${method} ${path}`).toBe('true')
    }
    expect(await headerOf(browser.post('/sign-out'))).toBe('true')
    const nobody = browserOf(ON)
    expect(await headerOf(nobody.get(`/sites/${site.siteId}/qr`))).toBe('true')
    expect(await headerOf(nobody.get(`/sites/${live.siteId}/qr`))).toBeNull()
    const unknown = await nobody.get(`/sites/${site.siteId}/none`, { 'Accept-Language': 'ru' })
    expect([unknown.status, (await unknown.text()).includes(MARK)]).toEqual([404, true])
    const operator = browserOf(ON)
    await operator.signIn({ sub: '*', scope: 'operator' })
    for (const [siteId, expected] of [
      [site.siteId, 'true'],
      [live.siteId, null],
    ] as const)
      for (const below of ['', '/none', '/instructions/none/send']) {
        const address = `/operator/sites/${siteId}${below}`
        expect(await headerOf(operator.get(address)), address).toBe(expected)
        expect(await headerOf(operator.post(address)), address).toBe(expected)
      }
    expect((await operator.get('/operator/sites')).headers.get('Test-Site')).toBeNull()
  })

  it('is in the answers to a one-time link, and its question says that no money moves', async () => {
    for (const [each, expected] of [
      [site, 'true'],
      [live, null],
    ] as const) {
      const now = Math.floor(Date.now() / 1000)
      const times = { iat: now, exp: now + 600 }
      const claims = { sub: each.siteId, jti: 'link', scope: 'merchant', ...times }
      const code = await makeSignInLink(env.TOKEN_SECRET, { claims, id: crypto.randomUUID(), exp: times.exp })
      const browser = browserOf(ON)
      const question = await browser.get(`/sign-in?link=${code}`, { 'Accept-Language': 'ru' })
      expect([question.status, question.headers.get('Test-Site')]).toEqual([200, expected])
      expect((await question.text()).includes(MARK)).toBe(expected === 'true')
      const signedIn = await browser.post('/sign-in', { link: code })
      expect([signedIn.status, signedIn.headers.get('Test-Site')]).toEqual([303, expected])
    }
  })

  it('is in the answers of the console where the site of the session is deleted, or fails', async () => {
    const gone = freshSite(ON, '-test')
    await gone.make()
    const browser = browserOf(ON)
    await browser.signIn({ sub: gone.siteId })
    const cookies = [...browser.cookies]
    const broken = browserOf(failing)
    for (const [name, value] of cookies) broken.cookies.set(name, value)
    const failed = await broken.get('/')
    expect([failed.status, failed.headers.get('Test-Site')]).toEqual([500, 'true'])
    expect(await failed.text()).toContain(MARK)
    await call(
      `/operator/v1/sites/${gone.siteId}`,
      {
        method: 'DELETE',
        token: await tokenOf({ sub: '*', scope: 'operator' }),
        body: { siteId: gone.siteId, force: true },
      },
      ON,
    )
    const deleted = await browser.get('/')
    expect([deleted.status, deleted.headers.get('Test-Site')]).toEqual([410, 'true'])
  })
})
