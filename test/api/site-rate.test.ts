// The rate of one site on a self-hosted service: who counts, who does not, and what is refused (contract, section 2).
import { expect, it } from 'vitest'
import { SiteRate } from '../../src/gateway/site-rate.ts'
import { freshSite } from '../support/admin.ts'
import { qrCodeBody, qrCodeIn } from '../support/client.ts'
import { browserOf } from '../support/console.ts'
import { operator } from '../support/operator.ts'
import { call, errorOf, ORIGIN, serviceWith, tokenOf } from '../support/service.ts'

/** A service in which a site has one request a second, two at once; `pass` lets seconds pass. */
function limited() {
  let now = Date.now()
  const service = serviceWith({
    settings: { PAYMENT_NETWORK: 'sandbox' },
    siteRate: new SiteRate(1, () => now),
  })
  const pass = (seconds: number) => {
    now += seconds * 1000
  }
  return { service, pass }
}

const statuses = async (requests: (() => Promise<Response>)[]) => {
  const all: number[] = []
  for (const request of requests) all.push((await request()).status)
  return all
}
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)

it('a create beyond it is 429 with Retry-After: 1, and writes nothing; it works a second later', async () => {
  const { service, pass } = limited()
  const site = freshSite(service)
  const body = qrCodeBody()
  expect(await statuses(times(2, () => site.create()))).toEqual([200, 200])
  const refused = await site.ask('/sbp/qrCodes', { body })
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '1'])
  expect(await errorOf(refused)).toMatchObject({
    errorCode: 'http.too.many.requests',
    description: 'too many requests of the site, must be fewer a second',
  })
  pass(1)
  const created = await site.ask('/sbp/qrCodes', { body })
  expect(created.headers.get('Idempotent-Replayed')).toBeNull()
  await qrCodeIn(created)
})

it('is of all keys of a site together, and of the console; unknown endpoints count, and another site has its own', async () => {
  const { service } = limited()
  const [site, other] = [freshSite(service), freshSite(service)]
  const by = (jti: string) => site.ask('/sbp/qrCodes', { claims: { jti, scope: 'merchant:read' } })
  expect(await statuses([() => by('a'), () => site.ask('/none'), () => by('b')])).toEqual([200, 404, 429])
  const browser = browserOf(service)
  expect((await browser.signIn({ sub: site.siteId })).status).toBe(429)
  expect((await other.ask('/sbp/qrCodes')).status).toBe(200)
})

it('counts nobody whose token is not the site’s', async () => {
  const { service } = limited()
  const site = freshSite(service)
  const foreign = await tokenOf({ sub: 'demo' })
  const path = `${site.path}/sbp/qrCodes`
  const strangers = [null, 'none', foreign].map((token) => () => call(path, { token }, service))
  expect(await statuses([...strangers, ...strangers])).toEqual([401, 401, 403, 401, 401, 403])
  expect((await site.ask('/sbp/qrCodes')).status).toBe(200)
})

it('counts neither the network’s reports nor the operator, who are answered beyond it', async () => {
  const { service } = limited()
  const site = freshSite(service)
  const { linkId } = await site.make()
  expect(await statuses(times(2, () => site.ask('/sbp/qrCodes')))).toEqual([200, 429])
  const report = () => site.report(linkId, 'payment-1')
  const look = () => operator(`/${site.siteId}`, {}, service)
  expect(await statuses([...times(5, report), ...times(5, look)])).toEqual(times(10, 200))
  expect((await site.ask('/sbp/qrCodes')).status).toBe(429)
})

it('payers are counted by link: neither another link nor the merchant pays for them', async () => {
  const { service } = limited()
  const site = freshSite(service)
  const [one, two] = [await site.make(), await site.make()]
  const open = ({ answer }: typeof one) =>
    call(answer.pageUrl.slice(ORIGIN.length), { token: null, headers: { 'Accept-Language': 'en' } }, service)
  expect((await site.ask('/sbp/qrCodes')).status).toBe(429)
  expect(await statuses(times(3, () => open(one)))).toEqual([200, 200, 429])
  expect(await statuses(times(2, () => open(two)))).toEqual([200, 200])
  const page = await open(one)
  expect([page.status, page.headers.get('Retry-After')]).toEqual([429, '1'])
  expect(page.headers.get('Content-Type')).toMatch(/^text\/html/)
})

it('without it, as on Cloudflare, the service itself limits nothing', async () => {
  const site = freshSite(serviceWith({ settings: { SITE_RATE: '1' } }))
  expect(await statuses(times(5, () => site.ask('/sbp/qrCodes')))).toEqual(times(5, 200))
})
