// Test sites beside live ones, in a deployment whose links come from a bank (contract, section 10).
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { logoPath } from '../../src/gateway/logo-path.ts'
import { Metrics } from '../../src/gateway/metrics.ts'
import { freshSite } from '../support/admin.ts'
import { qrCodeIn } from '../support/client.ts'
import { browserOf } from '../support/console.ts'
import { logOf, merchantServer } from '../support/merchant.ts'
import { notifiedSite } from '../support/notified-site.ts'
import { healthOf, operator, sitePage } from '../support/operator.ts'
import { CONNECTOR, call, errorOf, ORIGIN, serviceWith, tokenOf } from '../support/service.ts'
import { type AnySite, bothKinds, inSandbox, MARK, networksOf, open, submit } from '../support/test-sites.ts'

afterEach(() => void vi.restoreAllMocks())

const amount = { value: 5 }
const AMOUNT_OF = { DYNAMIC: amount, TOKEN: amount, STATIC: amount, COUNTER: undefined }
const TYPES = ['DYNAMIC', 'TOKEN', 'STATIC', 'COUNTER'] as const
const ON = serviceWith({ settings: { TEST_SITES: 'on' } })
const OFF = serviceWith({})

describe('a test site', () => {
  it.each(TYPES)('has links of the service, whatever LINKS and LINK_BASE_URL say: %s', async (type) => {
    const { test, live, asked } = bothKinds()
    const { answer } = await test.make({ amount: AMOUNT_OF[type] }, { type, ttl: undefined })
    expect(answer.qrCode.payload).toBe(answer.pageUrl)
    expect(answer.pageUrl).toMatch(new RegExp(`^${ORIGIN}/pay/${test.siteId}/`))
    expect(asked).toEqual([])
    const made = await live.make({ amount: AMOUNT_OF[type] }, { type, ttl: undefined })
    expect(made.answer.qrCode.payload).toMatch(/^https:\/\/qr\.nspk\.ru\//)
    expect(asked.map(({ data }) => data.siteId)).toEqual([live.siteId])
  })

  it('arms a code for a sale, cancels the sale and the code, and no connector hears of it', async () => {
    const { test, asked } = bothKinds()
    const { qrCodeUid } = await test.make({ amount: undefined }, { type: 'COUNTER', ttl: undefined })
    const [code, sale] = [`/sbp/qrCodes/${qrCodeUid}`, `/sbp/qrCodes/${qrCodeUid}/sales/receipt-1`]
    expect((await test.ask(sale, { method: 'PUT', body: { amount } })).status).toBe(200)
    for (const path of [sale, code]) expect((await test.ask(path, { method: 'DELETE' })).status).toBe(200)
    expect([asked, await networksOf(test)]).toEqual([[], []])
  })

  it('is paid, bound, charged and refunded in the sandbox, also where the deployment has no connector', async () => {
    const [test, live] = [freshSite(ON, '-test'), freshSite(ON)]
    const order = await test.make()
    const { payment } = await qrCodeIn(await inSandbox(test, ON, `/${order.qrCodeUid}/payments`))
    const asked = await test.make({ amount: undefined }, { type: 'TOKEN' })
    const { token } = await qrCodeIn(await inSandbox(test, ON, `/${asked.qrCodeUid}/bindings`))
    const { qrCodeUid } = await test.make()
    const charge = await test.ask(`/sbp/qrCodes/${qrCodeUid}/payments`, { body: { token: token?.value } })
    const refund = await test.refund(payment?.paymentUid ?? '', 1)
    expect([charge.status, refund.status, await networksOf(test)]).toEqual([200, 200, ['sandbox']])

    const { linkId } = await live.make()
    const { paymentUid } = await live.pay(linkId)
    expect((await errorOf(await live.refund(paymentUid, 1))).errorCode).toBe('network.not.connected')
    expect(await networksOf(live)).toEqual(['external'])
  })

  it('is one whose siteId ends with -test, and no other', async () => {
    const isTest = async (siteId: string) => {
      const token = await tokenOf({ sub: siteId })
      const response = await call(`/payin/v1/sites/${siteId}/sbp/qrCodes?limit=1`, { token }, ON)
      expect(response.status).toBe(200)
      return response.headers.get('Test-Site')
    }
    const name = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/).filter((text) => !/^\.\.?$/.test(text))
    const near = fc.constantFrom('test', 'x-TEST', 'x-tests', 'x_test', 'x-test-', '-test.', 'x.test', 'Test')
    await fc.assert(
      fc.asyncProperty(fc.oneof(name, near), async (siteId) => {
        expect(await isTest(siteId)).toBe(siteId.endsWith('-test') ? 'true' : null)
        expect(await isTest(`${siteId}-test`)).toBe('true')
      }),
      { numRuns: 30 },
    )
    expect(await isTest('-test')).toBe('true')
  })
})

describe('the header Test-Site', () => {
  /** The answers to requests that reach a site, and that it refuses. */
  async function answersOf(site: AnySite, service: typeof ON): Promise<Record<string, Response>> {
    const { qrCodeUid, answer } = await site.make()
    const browser = browserOf(service)
    const item = `/sbp/qrCodes/${qrCodeUid}`
    return {
      created: await site.create(),
      read: await site.ask(item),
      'not modified': await site.ask(item, { headers: { 'If-None-Match': '*' } }),
      picture: await site.ask(`${item}/image`),
      events: await site.ask('/events'),
      unknown: await site.ask('/sbp/qrCodes/none'),
      invalid: await site.ask('/sbp/qrCodes', { body: {} }),
      'no endpoint': await site.ask('/none'),
      'no method': await site.ask('/sbp/qrCodes', { method: 'DELETE' }),
      report: await site.report(site.siteId, 'payment-1'),
      "the payer's page": await open(answer.pageUrl, service),
      'its state': await open(answer.pageUrl.replace('?', '/state?'), service),
      'an altered link': await open(answer.pageUrl.replace('sum=500', 'sum=501'), service),
      'signing in': await browser.signIn({ sub: site.siteId }),
      console: await browser.get('/'),
      'no page of the console': await browser.get('/qr/none'),
      operator: await operator(`/${site.siteId}`, {}, service),
    }
  }
  const marked = async (answers: Promise<Record<string, Response>>) =>
    Object.entries(await answers).flatMap(([name, { headers }]) => (headers.has('Test-Site') ? [name] : []))

  it('is in all answers of a test site, and in none of a live one', async () => {
    const { test, live, service } = bothKinds()
    const answers = answersOf(test, service)
    expect(await marked(answers)).toEqual(Object.keys(await answers))
    expect((await answers).read?.headers.get('Test-Site')).toBe('true')
    expect(await marked(answersOf(live, service))).toEqual([])
  })

  it('is not for unauthenticated callers', async () => {
    const path = '/payin/v1/sites/shop-test/sbp/qrCodes'
    for (const token of [null, 'none']) {
      const response = await call(path, { token }, ON)
      expect([response.status, response.headers.get('Test-Site')]).toEqual([401, null])
    }
  })
})

describe('the sandbox’s operations of a live site', () => {
  it('are 404 as in a deployment without test sites, for each method and caller', async () => {
    const site = freshSite(ON)
    const { qrCodeUid } = await site.make()
    const requests = ['payments', 'bindings', 'none'].flatMap((what) =>
      ['GET', 'POST', 'PUT'].flatMap((method) =>
        ['merchant', 'network', null, 'other'].map((scope) => ({ what, method, scope })),
      ),
    )
    for (const { what, method, scope } of requests) {
      const claims = { sub: scope === 'other' ? 'demo' : site.siteId, scope: scope ?? '' }
      const token = scope && (await tokenOf({ ...claims, ...(scope === 'other' && { scope: 'merchant' }) }))
      const body = method === 'GET' ? undefined : {}
      const answers = [ON, OFF].map(async (service) => {
        const response = await inSandbox(site, service, `/${qrCodeUid}/${what}`, { method, body, token })
        const { errorCode, description } = await errorOf(response)
        return { status: response.status, allow: response.headers.get('Allow'), errorCode, description }
      })
      const [on, off] = await Promise.all(answers)
      expect(on, `${method} ${what} ${scope}`).toEqual(off)
      if (scope === 'merchant') expect(on).toMatchObject({ status: 404, errorCode: 'http.url.not.found' })
    }
    expect(await networksOf(site)).toEqual([])
  })

  it('pass no form of its payer’s page, which offers no test payment; that of a test site does', async () => {
    const { test, live, service } = bothKinds()
    const [ofTest, ofLive] = [await test.make(), await live.make()]
    const refused = await submit(ofLive.answer.pageUrl, service)
    expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
    expect(await (await open(ofLive.answer.pageUrl, service)).text()).not.toContain('name="action"')
    expect(await (await open(ofTest.answer.pageUrl, service)).text()).toContain('name="action"')
    expect((await submit(ofTest.answer.pageUrl, service)).status).toBe(303)
    const status = async (site: AnySite, uid: string) => (await site.read(uid)).qrCode.status
    expect(await status(test, ofTest.qrCodeUid)).toBe('PAYED')
    expect(await status(live, ofLive.qrCodeUid)).toBe('CREATED')
  })

  it('are in the OpenAPI document where some sites have them', async () => {
    const document = async (service: typeof ON) => (await call('/openapi.json', {}, service)).text()
    expect(await document(ON)).toContain('"/sandbox/v1/sites/{siteId}/qrCodes/{qrCodeUid}/payments"')
    expect(await document(OFF)).not.toContain('sandbox/v1')
  })
})

describe('the mark of the sandbox', () => {
  /** The pages that people see of a site, whatever they show. */
  async function pagesOf(site: AnySite, service: typeof ON): Promise<Record<string, string>> {
    const { answer } = await site.make()
    const printed = await site.make({ amount: undefined }, { type: 'STATIC', ttl: undefined })
    const paid = await site.make()
    await site.pay(paid.linkId)
    const cancelled = await site.make()
    await site.ask(`/sbp/qrCodes/${cancelled.qrCodeUid}`, { method: 'DELETE' })
    const browser = browserOf(service)
    await browser.signIn({ sub: site.siteId, scope: 'merchant:admin' })
    const pages = {
      open: await open(answer.pageUrl, service),
      paid: await open(paid.answer.pageUrl, service),
      cancelled: await open(cancelled.answer.pageUrl, service),
      sheet: await open(printed.answer.pageUrl.replace('?', '/print?'), service),
      altered: await open(answer.pageUrl.replace('sum=500', 'sum=501'), service),
    }
    const texts: Record<string, string> = {}
    for (const [name, page] of Object.entries(pages)) texts[name] = await page.text()
    for (const path of ['/', '/qr', '/payments', '/settings', '/keys', '/qr/none']) {
      texts[`console ${path}`] = await (await browser.get(path, { 'Accept-Language': 'ru' })).text()
    }
    return texts
  }

  it('is on every page and sheet of a test site, and on none of a live one', async () => {
    const { test, live, service } = bothKinds()
    const marked = (pages: Record<string, string>) =>
      Object.keys(pages).filter((name) => pages[name]?.includes(MARK))
    const pages = await pagesOf(test, service)
    expect(marked(pages)).toEqual(Object.keys(pages))
    expect(marked(await pagesOf(live, service))).toEqual([])
  })

  it('is neither on the start page nor on the operator’s pages, which are the deployment’s', async () => {
    const { test, service } = bothKinds()
    await test.make()
    const browser = browserOf(service)
    await browser.signIn({ sub: '*', scope: 'operator' })
    const site = await (await browser.get(`/operator/sites/${test.siteId}`)).text()
    expect([site.includes(MARK), site.includes('<span class="badge">')]).toEqual([false, true])
    expect(await (await open(`${ORIGIN}/`, service)).text()).not.toContain(MARK)
    const json = await call('/', { token: null, headers: { Accept: 'application/json' } }, service)
    expect(await json.json()).toMatchObject({ sandbox: false })
    expect((await call('/', { method: 'POST', token: null }, service)).status).toBe(405)
  })
})

describe('notifications', () => {
  it('of a test site have "test": true, as they are sent and in the log; those of a live one have not', async () => {
    for (const [suffix, isTest] of [['-test', true] as const, ['', undefined] as const]) {
      const server = merchantServer()
      const site = await notifiedSite(
        { notificationTypes: ['PAYMENT', 'REFUND', 'TOKEN', 'QR_CODE'] },
        ON,
        suffix,
      )
      const { linkId, qrCodeUid } = await site.make()
      await site.pay(linkId)
      const cancelled = await site.make()
      await site.ask(`/sbp/qrCodes/${cancelled.qrCodeUid}`, { method: 'DELETE' })
      const bound = await site.make({ amount: undefined }, { type: 'TOKEN' })
      await site.bind(bound.linkId)
      const received = await server.got(3)
      const bodies = received.map(({ body }) => JSON.parse(body))
      expect(new Set(bodies.map(({ type }) => type))).toEqual(new Set(['PAYMENT', 'QR_CODE', 'TOKEN']))
      expect(bodies.map(({ test }) => test)).toEqual([isTest, isTest, isTest])
      const { notifications } = await logOf(site, `qrCodeUid=${qrCodeUid}`)
      const logged = await (await site.ask(`/notifications/${notifications[0]?.id}`)).text()
      expect(JSON.parse(JSON.parse(logged).body).test).toBe(isTest)
    }
  })
})

describe('the operator', () => {
  const list = async (query: string, service = ON) => (await sitePage(`?limit=100&${query}`, service)).sites

  it('sees which sites are test sites, and can leave them out; in a sandbox nothing is left out', async () => {
    const prefix = `listed-${crypto.randomUUID()}`
    const [live, test] = [freshSite(ON, '', prefix), freshSite(ON, '-test', prefix)]
    for (const site of [live, test]) await site.make()
    await vi.waitFor(async () => expect(await list(`q=${prefix}`)).toHaveLength(2))
    expect((await list(`q=${prefix}`)).map(({ siteId, test }) => [siteId, test])).toEqual([
      [live.siteId, undefined],
      [test.siteId, true],
    ])
    const ids = async (service?: typeof ON) =>
      (await list(`q=${prefix}&test=false`, service)).map(({ siteId }) => siteId)
    expect(await ids()).toEqual([live.siteId])
    expect(await ids(serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } }))).toEqual([
      live.siteId,
      test.siteId,
    ])
    const isTest = async (site: AnySite) => (await healthOf(site, ON)).test
    expect([await isTest(live), await isTest(test)]).toEqual([undefined, true])
  })

  it('is refused another value of test', async () => {
    const response = await operator('?test=true', {}, ON)
    expect([response.status, (await errorOf(response)).cause]).toEqual([
      400,
      { test: ['is "true", must be false, or absent'] },
    ])
  })
})

describe('the metrics', () => {
  it('count payments, refunds, bindings and QR codes of live sites alone', async () => {
    const counted = async (suffix: string) => {
      const metrics = new Metrics()
      const service = serviceWith({
        settings: { TEST_SITES: 'on', ...CONNECTOR },
        metrics,
      })
      const site = freshSite(service, suffix)
      const { linkId } = await site.make()
      const { paymentUid } = await site.pay(linkId)
      expect((await site.refund(paymentUid, 1, 'refund-1')).status).toBe(200)
      await site.reportRefund(paymentUid, 'refund-1', { status: 'COMPLETED' })
      const bound = await site.make({ amount: undefined }, { type: 'TOKEN' })
      await site.bind(bound.linkId)
      const { token } = await site.read(bound.qrCodeUid)
      const { qrCodeUid } = await site.make()
      const charge = { body: { token: token?.value } }
      expect((await site.ask(`/sbp/qrCodes/${qrCodeUid}/payments`, charge)).status).toBe(200)
      return Array.from(
        metrics.text().matchAll(/^fps_qr_(qr_codes|payments|refunds|bindings)_total/gm),
        ([, name]) => name,
      )
    }
    expect(new Set(await counted(''))).toEqual(new Set(['qr_codes', 'payments', 'refunds', 'bindings']))
    expect(await counted('-test')).toEqual([])
  })
})

describe('without TEST_SITES', () => {
  /** A site that was a test site until now, with what its people still have. */
  async function formerTestSite() {
    const site = freshSite(ON, '-test')
    const { answer, qrCodeUid } = await site.make()
    const browser = browserOf(ON)
    await browser.signIn({ sub: site.siteId })
    return { ...site, pageUrl: answer.pageUrl, qrCodeUid, cookies: browser.cookies }
  }

  it('the addresses of a test site are 404 with its own token, and change nothing', async () => {
    const { siteId, qrCodeUid, at, stub: _ } = await formerTestSite()
    const off = at(OFF)
    const answers = [
      off.create(),
      off.ask(`/sbp/qrCodes/${qrCodeUid}`),
      off.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' }),
      off.ask('/settings'),
      off.ask('/none'),
      off.report(siteId, 'payment-1'),
      call(
        `/network/v1/sites/${siteId}/refunds`,
        { token: await tokenOf({ sub: siteId, scope: 'network' }) },
        OFF,
      ),
      call(`/partner${off.path}/sbp/qrCodes`, { token: await tokenOf({ sub: siteId }) }, OFF),
      call(
        `/sandbox/v1/sites/${siteId}/qrCodes/${qrCodeUid}/payments`,
        { body: {}, token: await tokenOf({ sub: siteId }) },
        OFF,
      ),
    ]
    for (const answer of answers) {
      const response = await answer
      expect([response.status, await errorOf(response)]).toMatchObject([
        404,
        {
          errorCode: 'http.url.not.found',
          description: expect.stringContaining('must not end with -test: the deployment has no test sites'),
        },
      ])
    }
    expect((await qrCodeIn(await at(ON).ask(`/sbp/qrCodes/${qrCodeUid}`))).qrCode.status).toBe('CREATED')
    expect((await call(`${off.path}/sbp/qrCodes`, { token: null }, OFF)).status).toBe(401)
  })

  it('its links, its logo and its payers’ forms are 404 pages, without a call to the site', async () => {
    const { pageUrl, siteId } = await formerTestSite()
    const unasked = serviceWith({
      site: () => {
        throw new Error('must not be asked')
      },
    })
    for (const path of ['?', '/state?', '/print?', '/banks?']) {
      expect((await open(pageUrl.replace('?', path), unasked)).status).toBe(404)
    }
    expect((await submit(pageUrl, unasked)).status).toBe(405)
    const logo = logoPath([env.TOKEN_SECRET], siteId, '0'.repeat(32))
    expect((await open(`${ORIGIN}/${logo}`, unasked)).status).toBe(404)
  })

  it('its tokens are 403 at other sites and in the console, where its sessions have ended', async () => {
    const { siteId, cookies } = await formerTestSite()
    const token = await tokenOf({ sub: siteId })
    expect((await call('/payin/v1/sites/demo/sbp/qrCodes', { token }, OFF)).status).toBe(403)
    const browser = browserOf(OFF)
    const refused = await browser.post('/sign-in', { token })
    expect([refused.status, refused.headers.get('Set-Cookie')]).toEqual([403, null])
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    expect((await browser.get('/')).headers.get('Location')).toContain('/sign-in?next=sites%2F')
  })

  it('the operator can still read, export and delete it', async () => {
    const { siteId } = await formerTestSite()
    const site = await operator(`/${siteId}`, {}, OFF)
    expect([site.status, await site.json()]).toMatchObject([200, { siteId, test: true }])
    expect((await operator(`/${siteId}/export`, {}, OFF)).status).toBe(200)
    const body = { siteId, force: true }
    expect((await operator(`/${siteId}`, { method: 'DELETE', body }, OFF)).ok).toBe(true)
  })

  it('a sandbox as a whole has no reserved siteIds', async () => {
    const LINK_BASE_URL = 'https://qr.nspk.ru'
    const settings = { PAYMENT_NETWORK: 'sandbox', LINK_BASE_URL }
    const [plain, both] = [
      serviceWith({ settings }),
      serviceWith({ settings: { ...settings, TEST_SITES: 'on' } }),
    ]
    const made = async (service: typeof ON) => {
      const response = await freshSite(service, '-test').create()
      const { qrCode } = await qrCodeIn(response.clone())
      return [response.headers.get('Test-Site'), new URL(qrCode.payload).origin]
    }
    expect(await made(plain)).toEqual([null, LINK_BASE_URL])
    expect(await made(both)).toEqual(['true', ORIGIN])
  })
})
