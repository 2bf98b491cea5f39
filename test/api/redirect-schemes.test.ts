// Addresses in the shop's own app: which schemes the settings take, and which redirectUrl they allow (contract, sections 3 and 12).
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { appSchemeOf, isAppScheme } from '../../src/contract/app-url.ts'
import { SettingsAnswer } from '../../src/contract/settings.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { bankSite } from '../support/bank-links.ts'
import { qrCodeBody } from '../support/client.ts'
import { REFUSED_ROWS } from '../support/refused-redirects.ts'
import { errorOf } from '../support/service.ts'

const patch = ({ ask }: Pick<FreshSite, 'ask'>, redirectSchemes: unknown) =>
  ask('/settings', { method: 'PATCH', body: { redirectSchemes } })
const create = ({ ask }: Pick<FreshSite, 'ask'>, redirectUrl: string, uid: string = crypto.randomUUID()) =>
  ask('/sbp/qrCodes', { body: qrCodeBody({ qrCodeUid: uid, redirectUrl }) })
async function siteWith(...schemes: string[]) {
  const site = freshSite()
  expect((await patch(site, schemes)).status).toBe(200)
  return site
}

describe('redirectSchemes in the settings', () => {
  it('are kept once each, in one order, and an empty list is as none', async () => {
    const site = await siteWith('teashop', 'com.example.tea', 'teashop')
    const stored = async () => SettingsAnswer.parse(await (await site.ask('/settings')).json())
    expect((await stored()).redirectSchemes).toEqual(['com.example.tea', 'teashop'])
    const etag = (await site.ask('/settings')).headers.get('ETag')
    const again = await patch(site, ['teashop', 'com.example.tea'])
    expect(again.headers.get('ETag')).toBe(etag)
    // Another setting leaves them.
    await site.ask('/settings', { method: 'PATCH', body: { name: 'Чай' } })
    expect((await stored()).redirectSchemes).toHaveLength(2)
    for (const none of [[], null]) {
      await patch(site, ['teashop'])
      await patch(site, none)
      expect(await stored()).not.toHaveProperty('redirectSchemes')
    }
    await patch(site, ['teashop'])
    await site.ask('/settings', { method: 'PUT', body: { redirectSchemes: [] } })
    expect(await stored()).not.toHaveProperty('redirectSchemes')
  })

  it.each(['tea', 'a+b.c-1', `a${'b'.repeat(31)}`, 'mailtox', 'bank', 'bankshop', 'msn', 'wsx'])(
    'take %s',
    async (scheme) => expect((await patch(freshSite(), [scheme])).status).toBe(200),
  )

  it.each([
    ...'http https javascript data file blob vbscript about intent content filesystem'.split(' '),
    ...'view-source ws wss ftp mailto tel sms android-app chrome search-ms shell market jar'.split(' '),
    ...['bank100000000111', 'bank1', 'ms-settings', 'ms-', 'itms', 'itms-apps', 'itmss'],
    ...['ab', `a${'b'.repeat(32)}`, '1shop', '-shop', '.shop', 'Teashop', 'TEASHOP', 'tea_shop', 'tea shop'],
    ...['teashop:', 'teashop://', ' teashop', 'teashop\n', 'чай', 'tea%73hop', '', 'teaѕhop'],
  ])('refuse %j', async (scheme) => {
    const site = freshSite()
    const refused = await patch(site, ['teashop', scheme])
    const { errorCode, cause } = await errorOf(refused)
    expect([refused.status, errorCode, Object.keys(cause ?? {})]).toEqual([
      400,
      'validation.error',
      ['redirectSchemes.1'],
    ])
    expect(await (await site.ask('/settings')).json()).not.toHaveProperty('redirectSchemes')
  })

  it.each([[['a', 'b', 'c', 'd', 'e', 'f'].map((each) => `shop-${each}`)], ['teashop'], [{ 0: 'teashop' }]])(
    'refuse %j, which is no array of at most 5',
    async (value) => expect((await patch(freshSite(), value)).status).toBe(400),
  )
})

describe('a redirectUrl', () => {
  it.each([
    'teashop://orders/1',
    'teashop://x',
    'teashop:///orders/1?a=1&b=2#c@d',
    'teashop://заказ/1',
    'teashop://orders/javascript:alert(1)',
    `teashop://${'x'.repeat(990)}`,
  ])('can be %s, whose scheme the settings have', async (text) => {
    expect((await create(await siteWith('teashop'), text)).status).toBe(200)
  })

  it('cannot be one of 60 and more texts, and nothing is created', async () => {
    const site = await siteWith('teashop')
    expect(REFUSED_ROWS.length).toBeGreaterThanOrEqual(60)
    for (const [why, text] of REFUSED_ROWS) {
      const refused = await create(site, text, 'order-1')
      const { errorCode, cause } = await errorOf(refused)
      expect([refused.status, errorCode, Object.keys(cause ?? {})], `${why}: ${text}`).toEqual([
        400,
        'validation.error',
        ['redirectUrl'],
      ])
      expect(JSON.stringify(cause), text).toContain('redirectSchemes')
    }
    expect((await site.ask('/sbp/qrCodes/order-1')).status).toBe(404)
  })

  it('of an app is 400 where the settings have no such scheme, and says which they have', async () => {
    const site = freshSite()
    expect((await errorOf(await create(site, 'teashop://x'))).description).toBe(
      'redirectUrl has the scheme teashop, must have http or https: redirectSchemes in the settings is empty',
    )
    await patch(site, ['teashop', 'tea-club'])
    expect((await errorOf(await create(site, 'coffee://x'))).description).toBe(
      'redirectUrl has the scheme coffee, must have http, https or one of redirectSchemes in the settings: tea-club, teashop',
    )
  })

  it('of a scheme that was removed is refused in a new request, and a replay is answered as before', async () => {
    const site = await siteWith('teashop')
    expect((await create(site, 'teashop://x', 'order-1')).status).toBe(200)
    await patch(site, null)
    const again = await create(site, 'teashop://x', 'order-1')
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect((await create(site, 'teashop://x', 'order-2')).status).toBe(400)
    expect((await create(site, 'teashop://y', 'order-1')).status).toBe(409)
  })

  it('is refused before a bank makes a link', async () => {
    const site = bankSite()
    expect([(await create(site, 'teashop://x')).status, site.asked.length]).toEqual([400, 0])
    await patch(site, ['teashop'])
    expect((await create(site, 'teashop://x')).status).toBe(200)
    expect(site.asked[0]?.data.redirectUrl).toBe('teashop://x')
  })

  it('of an app has a scheme that a shop may name, and neither user info nor white space, whatever the text is', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc
        .tuple(
          fc.constantFrom('teashop', 'intent', 'javascript', 'Tea', 'bank7'),
          fc.string({ maxLength: 30 }),
        )
        .map(([scheme, rest]) => `${scheme}://${rest}`),
      fc.webUrl().map((url) => url.replace(/^https?/, 'teashop')),
    )
    fc.assert(
      fc.property(text, (url) => {
        const scheme = appSchemeOf(url)
        if (scheme === undefined) return
        expect(isAppScheme(scheme)).toBe(true)
        const { protocol, username, password } = new URL(url)
        expect([protocol, username, password]).toEqual([`${scheme}:`, '', ''])
        expect(url).not.toMatch(/[\s\p{Cc}]/u)
      }),
      { numRuns: 2000 },
    )
  })
})
