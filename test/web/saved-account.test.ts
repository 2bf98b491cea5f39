// The payer ends a saved account on the page of the link by which it was saved (contract, section 13).
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AuditAnswer } from '../../src/contract/audit.ts'
import { TokensAnswer } from '../../src/contract/token.ts'
import { leaseDue } from '../../src/site/outbox/outbox.ts'
import { recordResult } from '../../src/site/outbox/results.ts'
import { milliseconds } from '../../src/site/time.ts'
import { configure, logOf } from '../support/merchant.ts'
import { operator } from '../support/operator.ts'
import {
  CONNECTOR,
  call,
  errorOf,
  FORM,
  ORIGIN,
  refusalIn,
  sandbox,
  serviceWith,
  tokenOf,
} from '../support/service.ts'
import { ACCOUNT, type TokenSite, tokenSite } from '../support/tokens.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** A site with a saved account, and the address of its page. */
async function saved(more: Record<string, unknown> = {}) {
  const site = tokenSite()
  const code = await site.bound({ tokenizationPurpose: 'Подписка на чай', ...more })
  await site.rest()
  return { site, ...code, pageUrl: await pageUrlOf(site, code.qrCodeUid) }
}

const pageUrlOf = async (site: TokenSite, qrCodeUid: string) =>
  (await (await site.ask(`/sbp/qrCodes/${qrCodeUid}`)).json<{ pageUrl: string }>()).pageUrl

/** A charge of 5.00 RUB; sent, if not said otherwise. */
async function charge(site: TokenSite, value: string, isSent = true) {
  const { qrCodeUid } = await site.make()
  const response = await site.charge(qrCodeUid, value)
  expect(response.status).toBe(200)
  const { payment } = await response.json<{ payment: { paymentUid: string } }>()
  if (isSent) await site.attempt()
  return { qrCodeUid, paymentUid: payment.paymentUid }
}

const textOf = async (
  site: TokenSite,
  pageUrl: string,
  language = 'en',
  fetch = undefined as typeof sandbox | undefined,
) =>
  (await (await site.page(pageUrl, { 'Accept-Language': language }, fetch)).text())
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

const statusOf = async (site: TokenSite) =>
  TokensAnswer.parse(await (await site.ask('/tokens?account=any')).json()).tokens[0]?.status
const ends = async (site: TokenSite) => (await site.feed()).filter(({ type }) => type === 'token.deleted')
const acts = async ({ siteId }: TokenSite) =>
  AuditAnswer.parse(
    await (
      await call(`/operator/v1/audit?siteId=${siteId}`, {
        token: await tokenOf({ sub: '*', scope: 'operator' }),
      })
    ).json(),
  ).rows

describe('the page of a saved account', () => {
  it.each([
    [
      'ru',
      [
        'Сохранённый счёт',
        'Подписка на чай',
        'любую сумму',
        'Согласие до',
        '5,00 ₽',
        'отправлено в банк',
        'Запретить списания',
      ],
    ],
    [
      'en',
      [
        'Saved account',
        'Подписка на чай',
        'any amount',
        'Allowed until',
        '₽5.00',
        'sent to the bank',
        'Stop charges',
      ],
    ],
  ])(
    'says in %s who may charge what until when, the charges, and how it is ended',
    async (language, texts) => {
      const { site, value, pageUrl } = await saved()
      await charge(site, value)
      const text = await textOf(site, pageUrl, language)
      for (const each of [...texts, pageUrl.replaceAll('&', '&amp;')]) expect(text).toContain(each)
    },
  )

  it('asks before it ends anything, with or without script', async () => {
    const { site, pageUrl } = await saved()
    const page = await (await site.page(`${pageUrl}&end=1`)).text()
    expect(page).toContain('Stop charges?')
    expect(page).toMatch(
      /<form class="bar" method="post">\s*<button class="button primary" name="action" value="end">/,
    )
    expect(await statusOf(site)).toBe('CREATED')
  })

  it('shows the 100 newest charges of this account, and nothing else of the customer', async () => {
    const { site, value, pageUrl } = await saved()
    const other = await site.bound({ tokenizationPurpose: 'Тайный кофе' })
    await charge(site, other.value)
    const paid = await site.make({ amount: { value: 77.7 }, paymentPurpose: 'Тайный чай' })
    await site.pay(paid.linkId, { amount: { value: 77.7 } })
    for (let i = 0; i < 101; i++) await charge(site, value, false)
    const page = await (await site.page(pageUrl)).text()
    expect(page.match(/<li>/g)).toHaveLength(100)
    for (const secret of [ACCOUNT, value, 'Тайный', '77.70', other.qrCodeUid])
      expect(page).not.toContain(secret)
  })

  it.each(['STATIC', 'COUNTER'])('of a %s code shows none: its link is everybody’s', async (type) => {
    const site = tokenSite()
    const { qrCodeUid, linkId } = await site.make({
      qrCode: { type },
      ...(type === 'COUNTER' && { amount: undefined }),
    })
    await site.bind(linkId, {}, 'binding')
    const pageUrl = await pageUrlOf(site, qrCodeUid)
    expect(await textOf(site, pageUrl)).not.toMatch(/Saved account|Stop charges/)
    expect((await site.stop(pageUrl)).status).toBe(303)
    expect(await statusOf(site)).toBe('CREATED')
  })

  it('of a code with two saved accounts shows and ends none, and names the shop', async () => {
    const { site, linkId, pageUrl } = await saved()
    await site.bind(linkId, {}, 'another')
    const text = await textOf(site, pageUrl)
    expect(text).toContain(`ask the shop “ ${site.siteId} ”`)
    expect(text).not.toContain('Stop charges')
    expect((await site.stop(pageUrl)).status).toBe(303)
    expect((await site.tokens()).map(({ status }) => status)).toEqual(['CREATED', 'CREATED'])
    // One is left: it is the only one that can be charged.
    await site.bind(linkId, { status: 'DELETED' }, 'another')
    await site.stop(pageUrl)
    expect((await site.tokens()).map(({ endedBy }) => endedBy)).toEqual(['network', 'payer'])
  })

  it('of a payment is below its receipt', async () => {
    const site = tokenSite()
    const { linkId, qrCodeUid } = await site.make({ flags: ['CREATE_TOKEN'] })
    await site.pay(linkId, { binding: { bindingUid: 'binding', status: 'CREATED' } })
    const text = await textOf(site, await pageUrlOf(site, qrCodeUid))
    expect(text).toMatch(/Payment received.*Saved account.*Stop charges/)
  })
})

describe('a stop', () => {
  it('ends the token: one event and one notification say that the payer ended it; again it changes nothing', async () => {
    const { site, qrCodeUid, linkId, bindingUid, pageUrl } = await saved()
    await configure(site, { callbackUrl: 'https://shop.example/', notificationTypes: ['TOKEN'] })
    for (const _ of [1, 2, 3]) expect((await site.stop(pageUrl)).status).toBe(303)
    expect(await ends(site)).toMatchObject([
      { by: { actor: 'payer' }, qrCodeUid, token: { status: 'DELETED' } },
    ])
    const { token } = await site.read(qrCodeUid)
    expect(token).toMatchObject({ status: 'DELETED', endedBy: 'payer', endedOn: expect.any(String) })
    expect((await site.instructions()).map(({ content }) => content)).toEqual([
      { type: 'token.delete', linkId, bindingUid },
    ])
    const { notifications } = await logOf(site)
    expect(notifications).toHaveLength(1)
    const { body = '' } = await (await site.ask(`/notifications/${notifications[0]?.id}`)).json<{
      body?: string
    }>()
    expect(JSON.parse(body).token).toMatchObject({ endedBy: 'payer', status: { value: 'DELETED' } })
    expect((await acts(site)).map(({ act, result, details }) => [act, result, details])).toEqual([
      ['token.end', 'DONE', { qrCodeUid, bindingUid, network: 'external' }],
      ['token.end', 'STARTED', { qrCodeUid, bindingUid, network: 'external' }],
    ])
  })

  it('withdraws the charge that was not sent, and names the one that was, until its report', async () => {
    const { site, value, pageUrl } = await saved()
    const sent = await charge(site, value)
    const unsent = await charge(site, value, false)
    await site.stop(pageUrl)
    expect((await site.paymentOf(unsent.paymentUid)).status).toMatchObject({
      value: 'DECLINED',
      reason: 'TOKEN_DELETED',
    })
    expect((await site.paymentOf(sent.paymentUid)).status.value).toBe('WAITING')
    expect(await textOf(site, pageUrl)).toMatch(/₽5\.00 was sent to your bank on .*, it may still be charged/)
    await site.report(sent.qrCodeUid, sent.paymentUid)
    const charged = (await site.instructions()).map(({ content }) => content.type)
    expect(charged).toContain('token.delete')
  })

  it('has a charge that was perhaps sent wait until the network has taken the end', async () => {
    const { site, value, pageUrl } = await saved()
    await charge(site, value)
    await site.stop(pageUrl)
    const types = await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
      sql.exec('DELETE FROM endpoints')
      const now = milliseconds(Date.now())
      const first = leaseDue(sql, 'external', now)
      for (const row of first) recordResult(sql, row, { httpStatus: 200, ms: 1, at: now }, () => undefined)
      const second = leaseDue(sql, 'external', now)
      return [first, second].map((rows) => rows.map(({ content }) => content.type))
    })
    expect(types).toEqual([['token.delete'], ['payment.charge']])
  })

  it('says before and after it which charge was sent, and which was not', async () => {
    const { site, value, pageUrl } = await saved()
    await charge(site, value, false)
    expect(await textOf(site, pageUrl)).toContain('not sent to the bank yet')
    expect(await textOf(site, `${pageUrl}&end=1`)).not.toContain('it may still be charged')
    await site.attempt()
    expect(await textOf(site, `${pageUrl}&end=1`)).toContain('it may still be charged')
  })

  it('lets no charge begin: the merchant gets one clear refusal, again and again', async () => {
    const { site, value, pageUrl } = await saved()
    await site.stop(pageUrl)
    const { qrCodeUid } = await site.make()
    for (const _ of [1, 2]) {
      const { errorCode, cause } = await errorOf(await site.charge(qrCodeUid, value))
      expect([errorCode, cause]).toEqual([
        'validation.error',
        { token: [expect.stringContaining('cannot be charged')] },
      ])
    }
  })

  it.each([
    ['without a connector', serviceWith({}), () => {}],
    ['after a change of the network', sandbox, () => {}],
    [
      'of a restored site, before it is resumed',
      serviceWith({ settings: { ...CONNECTOR } }),
      (sql: SqlStorage) => void sql.exec('UPDATE site SET restored = 1'),
    ],
  ])('%s is recorded too', async (_, service, prepare) => {
    const { site, pageUrl } = await saved()
    await runInDurableObject(site.stub, (_site, { storage }) => prepare(storage.sql))
    expect((await site.stop(pageUrl, {}, service)).status).toBe(303)
    expect((await ends(site)).map(({ by }) => by.actor)).toEqual(['payer'])
  })

  it('of a deleted site is taken until the data are deleted, and its page shows nothing else', async () => {
    const week = serviceWith({ settings: { ...CONNECTOR, DELETION_DAYS: '7' } })
    const site = tokenSite()
    const { linkId, qrCodeUid } = await site.make({ flags: ['CREATE_TOKEN'], paymentPurpose: 'Чай' })
    await site.pay(linkId, { binding: { bindingUid: 'binding', status: 'CREATED' } })
    const pageUrl = await pageUrlOf(site, qrCodeUid)
    const plain = await pageUrlOf(site, (await site.make()).qrCodeUid)
    const { siteId } = site
    const removed = await operator(`/${siteId}`, { method: 'DELETE', body: { siteId, force: true } }, week)
    expect(removed.status).toBe(202)
    expect((await site.page(plain, {}, week)).status).toBe(410)
    for (const below of ['/state', '/print', '/banks'])
      expect((await site.page(pageUrl.replace('?', `${below}?`), {}, week)).status, below).toBe(410)
    const text = await textOf(site, pageUrl, 'en', week)
    expect(text).toContain('Stop charges')
    expect(text).not.toMatch(/Payment received|Чай/)
    expect((await site.stop(pageUrl, {}, week)).status).toBe(303)
    expect(await textOf(site, pageUrl, 'en', week)).toContain('You stopped them on')
    vi.setSystemTime(Date.now() + 8 * 86_400_000)
    expect((await site.page(pageUrl, {}, week)).status).toBe(410)
  })

  it.each([
    ['a form of another origin', { Origin: 'https://evil.example' }, 403],
    ['a form without an origin', { Origin: '' }, 403],
    ['a form that a browser marks as another site’s', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['a body that is no form', { 'Content-Type': 'application/json' }, 405],
  ])('by %s changes nothing: %j is %i', async (_, headers, status) => {
    const { site, pageUrl } = await saved()
    expect((await site.stop(pageUrl, headers)).status).toBe(status)
    expect(await statusOf(site)).toBe('CREATED')
    expect(await acts(site)).toEqual([])
  })

  it.each(['pay', 'decline', '', 'END'])(
    'is no other action: "%s" is 405 outside the sandbox',
    async (action) => {
      const { site, pageUrl } = await saved()
      const body = new URLSearchParams({ action }).toString()
      const response = await call(
        pageUrl.slice(ORIGIN.length),
        { token: null, body, headers: FORM },
        serviceWith({}),
      )
      expect(await refusalIn(response)).toEqual([405, 'http.method.not.supported'])
      expect(await statusOf(site)).toBe('CREATED')
    },
  )

  it.each(['GET', 'HEAD'])('is not made by %s, also of a browser that prefetches', async (method) => {
    const { site, pageUrl } = await saved()
    for (const query of ['&end=1', '&lang=en&end=1']) {
      const path = pageUrl.slice(ORIGIN.length) + query
      const response = await call(path, { token: null, method, headers: { 'Sec-Purpose': 'prefetch' } })
      expect(response.status).toBe(200)
    }
    expect((await site.page(`${pageUrl}&end=2`)).status).toBe(404)
    expect(await statusOf(site)).toBe('CREATED')
  })

  it('by a link whose id was made up, or whose parameters were altered, is 404', async () => {
    const { site, pageUrl } = await saved()
    for (const wrong of [pageUrl.replace('crc=', 'crc=0'), pageUrl.replace(/(pay\/[^/]+\/)./, '$1X')])
      expect((await site.stop(wrong)).status).toBe(404)
    expect(await statusOf(site)).toBe('CREATED')
  })
})

describe('an account that has ended', () => {
  it.each<[string, string, (of: Awaited<ReturnType<typeof saved>>) => Promise<void>]>([
    ['payer', 'You stopped them on', async ({ site, pageUrl }) => void (await site.stop(pageUrl))],
    [
      'merchant',
      'The shop deleted the saved account on',
      async ({ site, value }) => void (await site.deleteToken(value)),
    ],
    [
      'network',
      'The consent was ended at the bank on',
      async ({ site, linkId, bindingUid }) =>
        void (await site.bind(linkId, { status: 'DELETED' }, bindingUid)),
    ],
    ['clock', 'The consent expired on', async () => void vi.setSystemTime(Date.now() + 366 * 86_400_000)],
  ])('by the %s: its page says so, and no longer that it can be charged', async (endedBy, says, end) => {
    const of = await saved()
    await end(of)
    const text = await textOf(of.site, of.pageUrl)
    expect(text).toContain(says)
    expect(text).toContain('The account is no longer linked')
    expect(text).not.toMatch(/Account linked|can now charge|Stop charges/)
    const [token] = await of.site.tokens()
    expect([token?.endedBy, (await of.site.read(of.qrCodeUid)).token?.endedBy]).toEqual([endedBy, endedBy])
    expect((await of.site.page(`${of.pageUrl}&end=1`)).status).toBe(200)
  })

  it('of 0.3.0 says who ended it, too', async () => {
    const of = await saved()
    await of.site.deleteToken(of.value)
    const other = await of.site.bound()
    await of.site.bind(other.linkId, { status: 'DELETED' }, other.bindingUid)
    await runInDurableObject(
      of.site.stub,
      (_, { storage }) => void storage.sql.exec('UPDATE tokens SET ended_by = NULL'),
    )
    expect((await of.site.tokens()).map(({ endedBy }) => endedBy)).toEqual(['network', 'merchant'])
  })
})

it('the notification of a token has the page where its payer ends it, where the deployment has PUBLIC_URL', async () => {
  const site = tokenSite()
  await configure(site, { callbackUrl: 'https://shop.example/', notificationTypes: ['TOKEN'] })
  const { qrCodeUid } = await site.bound()
  const id = (await logOf(site)).notifications[0]?.id
  const bodyAt = async (PUBLIC_URL?: string) => {
    const service = serviceWith({ settings: { ...CONNECTOR, ...(PUBLIC_URL && { PUBLIC_URL }) } })
    const response = await site.ask(`/notifications/${encodeURIComponent(id ?? '')}`, {}, service)
    return JSON.parse((await response.json<{ body: string }>()).body).token
  }
  const pageUrl = await pageUrlOf(site, qrCodeUid)
  expect((await bodyAt('https://qr.acquirer.example')).pageUrl).toBe(
    pageUrl.replace(ORIGIN, 'https://qr.acquirer.example'),
  )
  expect(await bodyAt()).not.toHaveProperty('pageUrl')
})
