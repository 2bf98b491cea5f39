// Why notifications are not delivered: groups by origin and cause (contract, section 11).
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type * as z from 'zod'
import { MAX_GROUPED, NotificationGroupsAnswer } from '../../src/contract/notifications/groups.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { callbackUrl, configure, logOf, makeKey, merchantServer } from '../support/merchant.ts'
import { notifiedSite, pass, until } from '../support/notified-site.ts'
import { strict } from '../support/strict.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

type Groups = z.infer<typeof NotificationGroupsAnswer>

/** The groups of a site that has one address. */
async function groupsOf({ ask }: FreshSite) {
  const response = await ask('/notifications/groups', { claims: { scope: 'merchant:read' } })
  const { groups, ...rest }: Groups = strict(NotificationGroupsAnswer).parse(await response.json())
  return {
    ...rest,
    groups: groups.map(({ callback, ...group }) => {
      expect(callback).toBe('default')
      return group
    }),
  }
}

const origin = () => new URL(callbackUrl()).origin

/** Pays codes, and waits until the first attempt of each has its result, if it is tried. */
async function pay(site: FreshSite, count: number, isTried = true): Promise<void> {
  for (let i = 0; i < count; i++) {
    await site.pay((await site.make()).linkId)
    if (isTried) await tried(site)
  }
}

/** Waits until the newest notification was tried; an alarm of the faked clock does not ring by itself. */
const tried = (site: FreshSite) =>
  vi.waitFor(
    async () => {
      await pass(site, 0)
      expect((await logOf(site)).notifications[0]?.attempts).toHaveLength(1)
    },
    { timeout: 50_000, interval: 5 },
  )

/** When the first attempt of the notification at a place of the log was made. */
const attemptedOn = async (site: FreshSite, place: number) =>
  (await logOf(site)).notifications.at(place)?.attempts[0]?.dateTime

/** A site whose server has answered three notifications with a status: it is probed. */
async function failingSite(status: number) {
  const server = merchantServer(() => new Response(null, { status }))
  const site = await notifiedSite()
  await pay(site, 3)
  return { site, server, since: await attemptedOn(site, -1) }
}

describe('the groups', () => {
  it('are none where everything is delivered, and of a site that nobody wrote to', async () => {
    merchantServer()
    const site = await notifiedSite()
    await pay(site, 1)
    await until(site, { status: 'DELIVERED' })
    expect(await groupsOf(site)).toEqual({ groups: [], complete: true })
    expect(await groupsOf(freshSite())).toEqual({ groups: [], complete: true })
  })

  it('say what the server answers, since when it fails, and what waits behind it', async () => {
    const { site, since } = await failingSite(500)
    vi.setSystemTime(Date.now() + 2000)
    await pay(site, 2, false)
    const expected = [
      { origin: origin(), cause: 'HTTP 500', since, failed: 0, waiting: 3 },
      { origin: origin(), cause: 'waits behind others', since, failed: 0, waiting: 2 },
    ]
    expect(await groupsOf(site)).toEqual({ groups: expected, complete: true })
  })

  it('keep since when the server fails, whatever it answers later, until it works', async () => {
    const { site, server, since } = await failingSite(500)
    server.answer = () => new Response(null, { status: 404 })
    await pass(site, 600_000)
    const group = (cause: string, waiting: number) => ({
      ...{ origin: origin(), cause, since, failed: 0, waiting },
    })
    await vi.waitFor(async () =>
      expect((await groupsOf(site)).groups).toEqual([group('HTTP 500', 2), group('HTTP 404', 1)]),
    )
    await pay(site, 1, false)
    expect((await groupsOf(site)).groups.at(-1)).toEqual(group('waits behind others', 1))
    server.answer = () => new Response(null, { status: 204 })
    await pass(site, 60_000)
    await vi.waitFor(async () => {
      await pass(site, 0)
      expect(await groupsOf(site)).toEqual({ groups: [], complete: true })
    })
    vi.setSystemTime(Date.now() + 3_600_000)
    server.answer = () => new Response(null, { status: 500 })
    await pay(site, 3)
    const again = await attemptedOn(site, 2)
    expect(again).not.toBe(since)
    expect((await groupsOf(site)).groups).toEqual([{ ...group('HTTP 500', 3), since: again }])
  })

  it('have those that failed, since their earliest attempt', async () => {
    merchantServer(() => new Response(null, { status: 410 }))
    const site = await notifiedSite()
    await pay(site, 1)
    vi.setSystemTime(Date.now() + 60_000)
    await pay(site, 1)
    const since = await attemptedOn(site, -1)
    expect(await attemptedOn(site, 0)).not.toBe(since)
    expect((await groupsOf(site)).groups).toEqual([
      { origin: origin(), cause: 'HTTP 410', since, failed: 2, waiting: 0 },
    ])
  })

  it('name the origin that an attempt went to, and not the address of now', async () => {
    const { site } = await failingSite(410)
    const before = origin()
    const now = 'https://other.example:8443/hook?secret=word'
    await configure(site, { callbackUrl: now })
    await pay(site, 1)
    const since = expect.any(String)
    expect((await groupsOf(site)).groups).toEqual([
      { origin: before, cause: 'HTTP 410', since, failed: 3, waiting: 0 },
      { origin: 'https://other.example:8443', cause: 'HTTP 410', since, failed: 1, waiting: 0 },
    ])
    const { notifications } = await logOf(site)
    expect(notifications.map(({ attempts }) => attempts.map((each) => each.origin))).toEqual([
      ['https://other.example:8443'],
      ...Array(3).fill([before]),
    ])
  })

  it.each([
    ['no key', {}],
    ['no address', { notificationTypes: ['PAYMENT'] }],
  ])('say that there is %s', async (cause, then) => {
    merchantServer()
    const site = freshSite()
    await configure(site, { callbackUrl: callbackUrl() })
    await pay(site, 2, false)
    if (cause === 'no address') await configure(site, then)
    const [group, ...others] = (await groupsOf(site)).groups
    expect([group, others]).toEqual([
      {
        ...(cause === 'no key' && { origin: origin() }),
        ...{ cause, since: expect.any(String), failed: 0, waiting: 2 },
      },
      [],
    ])
    await configure(site, { callbackUrl: callbackUrl() })
    await makeKey(site)
    await until(site, { status: 'DELIVERED' })
    await vi.waitFor(async () => expect((await groupsOf(site)).groups).toEqual([]))
  })

  it('have a later notification of a code by its own result, while an earlier one waits after a failure', async () => {
    const answers: Record<string, number> = {}
    const server = merchantServer(({ body }) => {
      const { paymentId = '' } = JSON.parse(body).payment
      return new Response(null, { status: answers[paymentId] ?? 204 })
    })
    const site = await notifiedSite()
    const { linkId } = await site.make()
    const since = expect.any(String)
    const failing = { origin: origin(), cause: 'HTTP 500', since, failed: 0, waiting: 1 }
    answers.first = 500
    await site.pay(linkId, {}, 'first')
    await tried(site)
    expect((await groupsOf(site)).groups).toEqual([failing])
    // It is sent at once: what was tried and waits holds no later one back.
    await site.pay(linkId, {}, 'second')
    await server.got(2)
    await until(site, { status: 'DELIVERED' })
    expect((await groupsOf(site)).groups).toEqual([failing])
    answers.third = 404
    await site.pay(linkId, {}, 'third')
    await tried(site)
    const { groups } = await groupsOf(site)
    expect(new Set(groups)).toEqual(new Set([failing, { ...failing, cause: 'HTTP 404' }]))
  })

  it('have it among those that wait while an earlier one is being sent, and in none while itself is', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    const server = merchantServer(() => promise)
    const site = await notifiedSite()
    const { linkId } = await site.make()
    await site.pay(linkId)
    await server.got(1)
    expect((await groupsOf(site)).groups).toEqual([])
    await site.pay(linkId)
    await vi.waitFor(async () =>
      expect((await groupsOf(site)).groups).toEqual([
        { origin: origin(), cause: 'waits behind others', since: expect.any(String), failed: 0, waiting: 1 },
      ]),
    )
    server.answer = () => new Response(null, { status: 204 })
    resolve(new Response(null, { status: 204 }))
    await until(site, { status: 'DELIVERED' })
    await vi.waitFor(async () => expect((await groupsOf(site)).groups).toEqual([]))
  })

  it('without address and key say that there is no address, and those that failed keep their origin', async () => {
    merchantServer(() => new Response(null, { status: 410 }))
    const site = await notifiedSite()
    await pay(site, 1)
    const failed = { origin: origin(), cause: 'HTTP 410', since: expect.any(String), failed: 1, waiting: 0 }
    expect((await groupsOf(site)).groups).toEqual([failed])
    await configure(site, { notificationTypes: ['PAYMENT'] })
    expect((await groupsOf(site)).groups).toEqual([failed])
    const bare = freshSite()
    await configure(bare, { callbackUrl: callbackUrl() })
    await pay(bare, 1, false)
    await configure(bare, { notificationTypes: ['PAYMENT'] })
    const waiting = { cause: 'no address', since: expect.any(String), failed: 0, waiting: 1 }
    expect((await groupsOf(bare)).groups).toEqual([waiting])
  })

  it('say where they are not complete: the oldest that wait are counted, with those that were tried', async () => {
    const { site } = await failingSite(500)
    const add = (count: number) =>
      runInDurableObject(site.stub, (_, { storage }) => {
        storage.sql.exec(
          `INSERT INTO outbox (event, kind, queue, content, status, attempts, used, created_at, set_at)
           WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
           SELECT 1000000 + i, 'notification', 'merchant', '{}', 'PENDING', '[]', 0, 0, 0 FROM n`,
          count,
        )
      })
    await add(MAX_GROUPED)
    const { groups, complete } = await groupsOf(site)
    expect([complete, groups.map(({ cause, waiting }) => [cause, waiting])]).toEqual([
      false,
      [
        ['HTTP 500', 3],
        ['waits behind others', MAX_GROUPED - 3],
      ],
    ])
  })

  it('are for a merchant of the site alone, by GET', async () => {
    const site = freshSite()
    expect((await site.ask('/notifications/groups', { claims: { scope: 'network' } })).status).toBe(403)
    expect((await site.ask('/notifications/groups', { claims: { sub: 'another' } })).status).toBe(403)
    expect((await site.ask('/notifications/groups?limit=1')).status).toBe(400)
    expect((await site.ask('/notifications/groups', { method: 'POST' })).status).toBe(405)
  })
})
