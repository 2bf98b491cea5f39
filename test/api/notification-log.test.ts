// The log of notifications, redelivery and tests of the address (contract, section 11).
import { runInDurableObject } from 'cloudflare:test'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DeliveryAnswer, NotificationAnswer } from '../../src/contract/notifications/log.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { callbackUrl, configure, logOf, makeKey, merchantServer } from '../support/merchant.ts'
import { notifiedSite, paymentIn, until } from '../support/notified-site.ts'
import { call, errorOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('the log', () => {
  it('has all notifications, newest first, page by page, by status', async () => {
    const server = merchantServer(
      () => new Response(null, { status: server.received.length === 1 ? 410 : 204 }),
    )
    const site = await notifiedSite()
    const uids: string[] = []
    for (let i = 0; i < 5; i++) {
      const { qrCodeUid, linkId } = await site.make()
      uids.unshift(qrCodeUid)
      await site.pay(linkId)
      await server.got(i + 1)
      await until(site, { attempts: [{}] })
    }
    const all = (await logOf(site)).notifications
    expect(all.map(({ qrCodeUid }) => qrCodeUid)).toEqual(uids)
    const pages: string[][] = []
    for (let query: string | undefined = 'limit=2'; query !== undefined; ) {
      const page = await logOf(site, query)
      pages.push(page.notifications.map(({ id }) => id))
      query = page.nextCursor === undefined ? undefined : `limit=2&cursor=${page.nextCursor}`
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1])
    expect(pages.flat()).toEqual(all.map(({ id }) => id))
    for (const uid of uids) {
      const { notifications } = await logOf(site, `qrCodeUid=${uid}`)
      expect(notifications.map(({ qrCodeUid }) => qrCodeUid)).toEqual([uid])
    }
    expect(await logOf(site, 'qrCodeUid=none')).toEqual({ notifications: [] })
    const ofStatus = async (status: string) => (await logOf(site, `status=${status}`)).notifications.length
    expect(await Promise.all(['PENDING', 'DELIVERED', 'FAILED'].map(ofStatus))).toEqual([0, 4, 1])
    const first = await logOf(site, 'status=DELIVERED&limit=3')
    const second = await logOf(site, `status=DELIVERED&limit=3&cursor=${first.nextCursor}`)
    expect([...first.notifications, ...second.notifications].map(({ qrCodeUid }) => qrCodeUid)).toEqual(
      uids.slice(0, 4),
    )
    expect(second).not.toHaveProperty('nextCursor')
  })

  it('has both notifications of one event, page by page', async () => {
    const server = merchantServer(() => new Response(null, { status: 204 }))
    const site = await notifiedSite()
    for (let i = 0; i < 2; i++) {
      await site.pay((await site.make()).linkId)
      await server.got(i + 1)
    }
    await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
      const columns = sql.exec("SELECT name FROM pragma_table_info('outbox') WHERE name <> 'kind'").toArray()
      const names = columns.map(({ name }) => name).join()
      sql.exec(
        `INSERT INTO outbox (kind, ${names}) SELECT 'token', ${names} FROM outbox WHERE queue = 'merchant'`,
      )
    })
    const ids: string[] = []
    for (let query: string | undefined = 'limit=1'; query !== undefined; ) {
      const page = await logOf(site, query)
      ids.push(...page.notifications.map(({ id }) => id))
      query = page.nextCursor === undefined ? undefined : `limit=1&cursor=${page.nextCursor}`
    }
    expect(ids).toHaveLength(4)
    expect(ids).toEqual((await logOf(site)).notifications.map(({ id }) => id))
  })

  it('names no next attempt before the next probe, while the address fails', async () => {
    merchantServer(() => new Response(null, { status: 500 }))
    const site = await notifiedSite()
    const { linkId } = await site.make()
    await site.pay(linkId)
    await until(site, { attempts: [{}] })
    const probe = Date.now() + 40_000
    await runInDurableObject(site.stub, (_, { storage }) => {
      storage.sql.exec(
        "INSERT OR REPLACE INTO endpoints VALUES ('merchant', 5, ?1, ?2, ?2)",
        probe,
        Date.now(),
      )
      storage.sql.exec('UPDATE outbox SET send_at = ?', Date.now() - 1000)
    })
    const [notification] = (await logOf(site)).notifications
    expect(Date.parse(notification?.nextAttempt ?? '')).toBe(Math.floor(probe / 1000) * 1000)
  })

  it('of a site that nobody wrote to is empty', async () =>
    expect(await logOf(freshSite())).toEqual({ notifications: [] }))

  it.each([
    'status=WAITING',
    'status=PENDING,FAILED',
    'limit=0',
    'limit=101',
    'limit=a',
    'cursor=a',
    'offset=1',
  ])('refuses %s', async (query) => {
    const response = await freshSite().ask(`/notifications?${query}`)
    expect(response.status).toBe(400)
    expect((await errorOf(response)).errorCode).toBe('validation.error')
  })

  it('has one notification with the body as it is sent', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    await site.pay((await site.make()).linkId)
    const [received] = await server.got(1)
    await until(site, { status: 'DELIVERED' })
    const response = await site.ask(`/notifications/${received?.id}`, { claims: { scope: 'merchant:read' } })
    const answer = strict(NotificationAnswer).parse(await response.json())
    expect(answer).toEqual({ ...(await logOf(site)).notifications[0], body: received?.body })
  })
})

describe('a notification that is not there', () => {
  it.each<[string, (id: string) => string]>([
    ['an unknown number', (id) => id.replace(/\d+$/, '99')],
    ['an event that has none', (id) => id.replace(/\d+$/, '1')],
    ['another epoch', (id) => id.replace(/^.{16}/, '0123456789abcdef')],
    ['a number with a zero before it', (id) => id.replace(/(\d+)$/, '0$1')],
    ['more behind the number', (id) => `${id}-1`],
    ['a number alone', (id) => id.replace(/.*-/, '')],
  ])('is 404: %s', async (_, change) => {
    merchantServer()
    const site = await notifiedSite()
    await site.pay((await site.make()).linkId)
    await until(site, { status: 'DELIVERED' })
    const id = change((await logOf(site)).notifications[0]?.id ?? '')
    for (const call of [{ method: 'GET' }, { method: 'POST', below: '/redeliver' }]) {
      const response = await site.ask(`/notifications/${id}${call.below ?? ''}`, { method: call.method })
      expect([response.status, (await errorOf(response)).errorCode]).toEqual([
        404,
        'payin.resource.not.found',
      ])
    }
  })

  it('is 404 on a site that nobody wrote to', async () => {
    const response = await freshSite().ask('/notifications/0123456789abcdef-1')
    expect(response.status).toBe(404)
  })
})

describe('a redelivery', () => {
  const redeliver = async (site: FreshSite) => {
    const { id } = (await logOf(site)).notifications[0] ?? {}
    const response = await site.ask(`/notifications/${id}/redeliver`, { method: 'POST' })
    expect(response.status).toBe(200)
    return strict(DeliveryAnswer).parse(await response.json())
  }

  it('of a delivered notification bears the same id, and is in the log', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    await site.pay((await site.make()).linkId)
    await until(site, { status: 'DELIVERED' })
    expect(await redeliver(site)).toMatchObject({ httpStatus: 204 })
    expect(server.received.map(({ id }) => id)).toEqual([server.received[0]?.id, server.received[0]?.id])
    expect(server.received[1]?.body).toBe(server.received[0]?.body)
    await until(site, { status: 'DELIVERED', attempts: [{}, {}] })
  })

  it('of a failed one delivers it, or says why not', async () => {
    const server = merchantServer(() => new Response(null, { status: 410 }))
    const site = await notifiedSite()
    await site.pay((await site.make()).linkId)
    await until(site, { status: 'FAILED' })
    server.answer = () => Promise.reject(new Error())
    expect(await redeliver(site)).toMatchObject({ error: 'no connection' })
    await until(site, { status: 'FAILED', attempts: [{}, { error: 'no connection' }] })
    server.answer = () => new Response()
    expect(await redeliver(site)).toMatchObject({ httpStatus: 200 })
    await until(site, { status: 'DELIVERED', attempts: [{}, {}, {}] })
  })

  it('of one that is in flight and fails after it changes nothing', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    const server = merchantServer(() => (server.received.length === 1 ? promise : new Response()))
    const site = await notifiedSite()
    await site.pay((await site.make()).linkId)
    await server.got(1)
    expect(await redeliver(site)).toMatchObject({ httpStatus: 200 })
    resolve(new Response(null, { status: 500 }))
    await until(site, { status: 'DELIVERED', attempts: [{ httpStatus: 200 }, { httpStatus: 500 }] })
    expect((await logOf(site)).notifications[0]).not.toHaveProperty('nextAttempt')
  })
})

describe('a test notification', () => {
  const test = (site: FreshSite) => site.ask('/notifications/test', { method: 'POST' })

  it('is a made-up payment of 1.00 that is signed, not applied and not stored', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    const answer = strict(DeliveryAnswer).parse(await (await test(site)).json())
    expect(answer).toMatchObject({ httpStatus: 204 })
    const [received] = server.received
    if (!received) throw new Error('nothing came')
    expect(paymentIn(received)).toMatchObject({
      customFields: { test: 'true' },
      amount: { value: 1 },
      applied: false,
    })
    expect(new Webhook(site.key).verify(received.body, Object.fromEntries(received.headers))).toBeTruthy()
    expect(await logOf(site)).toEqual({ notifications: [] })
    expect((await site.events()).map(({ type }) => type)).toEqual(['settings.changed', 'settings.changed'])
  })

  it('says what failed', async () => {
    merchantServer(() => new Response(null, { status: 401 }))
    expect(await (await test(await notifiedSite())).json()).toMatchObject({ httpStatus: 401 })
  })

  it.each<[string, (site: FreshSite) => Promise<unknown>]>([
    ['a site that nobody wrote to', async () => {}],
    ['a site without a key', (site) => configure(site, { callbackUrl: callbackUrl() })],
    ['a site without a callbackUrl', (site) => makeKey(site)],
  ])('to %s: 409', async (_, prepare) => {
    const site = freshSite()
    await prepare(site)
    const response = await test(site)
    expect(response.status).toBe(409)
    expect(await errorOf(response)).toMatchObject({
      errorCode: 'payin.incorrect-method-invocation',
      description: 'the site has no callbackUrl or no notification key, must have both',
    })
  })
})

it.each([
  ['POST', 'x', 405, 'GET, HEAD'],
  ['POST', 'tests', 405, 'GET, HEAD'],
  ['PUT', 'x', 405, 'GET, HEAD'],
  ['PUT', 'test', 405, 'GET, HEAD, POST'],
  ['POST', 'test/x', 404, null],
])(
  '%s of notifications/%s is %i, and Allow has the methods of that path',
  async (method, path, status, allow) => {
    const response = await call(`/payin/v1/sites/demo/notifications/${path}`, { method })
    expect([response.status, response.headers.get('Allow')]).toEqual([status, allow])
  },
)
