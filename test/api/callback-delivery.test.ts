// Notifications to several addresses: each has its own, and one that fails delays no other (contract, section 11).
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NotificationGroupsAnswer } from '../../src/contract/notifications/groups.ts'
import { migrate, SITE } from '../../src/site/database/schema.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { notifiedShops, rowsIn, setCallback, shopOf } from '../support/callbacks-of.ts'
import { configure, logOf, makeKey, merchantServer, type Received, shopUrl } from '../support/merchant.ts'
import { pass, paymentIn } from '../support/notified-site.ts'
import { errorOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const OK = () => new Response(null, { status: 204 })
const DOWN = () => new Response(null, { status: 500 })

/** Lets what is due be sent, until a condition holds. */
const sentUntil = (site: FreshSite, condition: () => unknown) =>
  vi.waitFor(
    async () => {
      await pass(site, 0)
      await condition()
    },
    { timeout: 50_000, interval: 5 },
  )

const statusesOf = async (site: FreshSite, callback: string) =>
  (await logOf(site, `limit=100&callback=${callback}`)).notifications.map(({ status }) => status)

const groupsOf = async ({ ask }: FreshSite) =>
  strict(NotificationGroupsAnswer).parse(await (await ask('/notifications/groups')).json()).groups

const verifies = (key: string, { body, headers }: Received): boolean => {
  try {
    return Boolean(new Webhook(key).verify(body, Object.fromEntries(headers)))
  } catch {
    return false
  }
}

/** Waits in the server for a gate: a promise of the test's own context would be of another object. */
async function opened(gate: { isOpen: boolean }): Promise<void> {
  while (!gate.isOpen) await scheduler.wait(1)
}

const isOf = (shop: string) => (received: Received) => shopOf(received) === shop
const remove = ({ ask }: FreshSite, id: string) => ask(`/settings/callbacks/${id}`, { method: 'DELETE' })

describe('a change', () => {
  it('makes a notification for each address that takes its type: own webhook-id, own key, the same body', async () => {
    vi.useRealTimers()
    const server = merchantServer()
    const site = freshSite()
    const keys = await notifiedShops(site, 'default', 'shop-2', 'shop-3')
    await setCallback(site, 'shop-3', { types: ['QR_CODE'] })
    const { qrCodeUid, linkId } = await site.make()
    await site.pay(linkId)
    const received = (await server.got(2)).toSorted((a, b) => a.url.localeCompare(b.url))
    expect(received.map(shopOf)).toEqual(['default', 'shop-2'])
    expect(new Set(received.map(({ id }) => id)).size).toBe(2)
    expect(new Set(received.map(({ body }) => body)).size).toBe(1)
    for (const each of received) {
      const verified = Object.entries(keys).filter(([, key]) => verifies(key, each))
      expect(verified.map(([id]) => id)).toEqual([shopOf(each)])
    }
    await site.ask(`/sbp/qrCodes/${(await site.make()).qrCodeUid}`, { method: 'DELETE' })
    expect((await server.got(3)).slice(2).map(shopOf)).toEqual(['shop-3'])
    const { notifications } = await logOf(site)
    expect(
      notifications.map(({ callback, type, qrCodeUid: uid }) => [callback, type, uid === qrCodeUid]),
    ).toEqual([
      ['shop-3', 'QR_CODE', false],
      ['shop-2', 'PAYMENT', true],
      ['default', 'PAYMENT', true],
    ])
  })

  it('leaves rows of which 0.3.0 sees those of callbackUrl alone: it reads the queue `merchant`, and two kinds', async () => {
    merchantServer()
    const site = freshSite()
    await configure(site, { callbackUrl: shopUrl('default') })
    await setCallback(site, 'shop-2')
    await site.pay((await site.make()).linkId)
    expect(await rowsIn(site, 'SELECT queue, kind FROM outbox ORDER BY queue')).toEqual([
      { queue: 'merchant', kind: 'notification' },
      { queue: 'merchant:shop-2', kind: 'notification:shop-2' },
    ])
    expect(await rowsIn(site, 'SELECT * FROM notification_keys')).toEqual([])
  })

  it('makes none where no address takes its type', async () => {
    merchantServer()
    const site = freshSite()
    await setCallback(site, 'shop-2', { types: ['REFUND'] })
    await site.pay((await site.make()).linkId)
    expect((await logOf(site)).notifications).toEqual([])
  })
})

describe('the log', () => {
  it('has those of all addresses in pages of any size, of one address by its name, and each by its id', async () => {
    merchantServer()
    const site = freshSite()
    await configure(site, { callbackUrl: shopUrl('default') })
    for (const id of ['shop-2', 'a']) await setCallback(site, id)
    for (let i = 0; i < 3; i++) await site.pay((await site.make()).linkId)
    const all = (await logOf(site)).notifications
    expect(all.map(({ callback }) => callback)).toEqual(Array(3).fill(['shop-2', 'a', 'default']).flat())
    for (const limit of [1, 2, 4]) {
      const found: unknown[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const page = await logOf(site, `limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
        found.push(...page.notifications)
        cursor = page.nextCursor
      }
      expect(found).toEqual(all)
    }
    for (const name of ['default', 'a', 'shop-2'])
      expect((await logOf(site, `callback=${name}`)).notifications).toEqual(
        all.filter(({ callback }) => callback === name),
      )
    expect((await logOf(site, 'callback=shop-9')).notifications).toEqual([])
    for (const each of all)
      expect(await (await site.ask(`/notifications/${each.id}`)).json()).toMatchObject(each)
    expect((await site.ask(`/notifications/${all[2]?.id}-at-shop-9`)).status).toBe(404)
    expect((await site.ask('/notifications?callback=A')).status).toBe(400)
  })
})

describe('an address that', () => {
  it('fails is probed alone: the others get everything at once, and the groups say which one waits', async () => {
    const server = merchantServer((received) => (shopOf(received) === 'shop-2' ? DOWN() : OK()))
    const site = freshSite()
    await notifiedShops(site, 'default', 'shop-2', 'shop-3')
    for (let i = 1; i <= 8; i++) {
      await site.pay((await site.make()).linkId)
      await sentUntil(site, () => {
        for (const shop of ['default', 'shop-3']) expect(server.received.filter(isOf(shop)).length).toBe(i)
      })
    }
    // Three failures, and none until the probe.
    expect(server.received.filter(isOf('shop-2')).length).toBe(3)
    expect(await groupsOf(site)).toMatchObject([
      { callback: 'shop-2', cause: 'HTTP 500', waiting: 3, failed: 0 },
      { callback: 'shop-2', cause: 'waits behind others', waiting: 5, failed: 0 },
    ])
    server.answer = OK
    await pass(site, 5000)
    await sentUntil(site, async () => {
      expect(await statusesOf(site, 'shop-2')).toEqual(Array(8).fill('DELIVERED'))
    })
    expect(await groupsOf(site)).toEqual([])
  })

  it('does not answer holds up no other, however many wait for it', async () => {
    const gate = { isOpen: false }
    const server = merchantServer(async (received) => {
      if (shopOf(received) === 'shop-2') await opened(gate)
      return OK()
    })
    const site = freshSite()
    await notifiedShops(site, 'default', 'shop-2')
    for (let i = 0; i < 40; i++) await site.pay((await site.make()).linkId)
    await sentUntil(site, () => expect(server.received.filter(isOf('default')).length).toBe(40))
    gate.isOpen = true
    await sentUntil(site, async () => {
      expect(await statusesOf(site, 'shop-2')).toEqual(Array(40).fill('DELIVERED'))
    })
  })

  it('has no key keeps its notifications PENDING, and the others are sent', async () => {
    const server = merchantServer()
    const site = freshSite()
    await notifiedShops(site, 'default')
    await setCallback(site, 'shop-2')
    await site.pay((await site.make()).linkId)
    await sentUntil(site, () => expect(server.received.map(shopOf)).toEqual(['default']))
    expect(await groupsOf(site)).toMatchObject([
      { callback: 'shop-2', origin: new URL(shopUrl('shop-2')).origin, cause: 'no key', waiting: 1 },
    ])
    await makeKey(site, '/callbacks/shop-2')
    await sentUntil(site, () => expect(server.received.map(shopOf)).toEqual(['default', 'shop-2']))
  })

  it('moves gets what waited at once, at its new place', async () => {
    const server = merchantServer(DOWN)
    const site = freshSite()
    await notifiedShops(site, 'shop-2')
    await site.pay((await site.make()).linkId)
    await sentUntil(site, () => expect(server.received.length).toBe(1))
    server.answer = OK
    await sentUntil(site, async () => expect((await logOf(site)).notifications[0]?.attempts).toHaveLength(1))
    await setCallback(site, 'shop-2', { url: shopUrl('new') })
    const [row] = await rowsIn(site, 'SELECT send_at FROM outbox')
    expect(row?.send_at).toBeLessThanOrEqual(Date.now())
    await sentUntil(site, () => expect(server.received.map(shopOf)).toEqual(['shop-2', 'new']))
  })

  it('is removed has FAILED for what was pending, and the others go on; that of the settings goes on waiting', async () => {
    const server = merchantServer(DOWN)
    const site = freshSite()
    await notifiedShops(site, 'default', 'shop-2')
    await site.pay((await site.make()).linkId)
    await sentUntil(site, async () => {
      for (const { attempts } of (await logOf(site)).notifications) expect(attempts.length).toBe(1)
    })
    for (const id of ['shop-2', 'default']) expect((await remove(site, id)).status).toBe(204)
    const { notifications } = await logOf(site)
    expect(notifications).toMatchObject([
      { callback: 'shop-2', status: 'FAILED', attempts: [{ httpStatus: 500 }, { error: 'address removed' }] },
      { callback: 'default', status: 'PENDING', attempts: [{ httpStatus: 500 }] },
    ])
    expect(await groupsOf(site)).toMatchObject([
      { callback: 'default', cause: 'no address', waiting: 1 },
      { callback: 'shop-2', cause: 'address removed', failed: 1 },
    ])
    const again = await site.ask(`/notifications/${notifications[0]?.id}/redeliver`, { method: 'POST' })
    expect((await errorOf(again)).errorCode).toBe('payin.incorrect-method-invocation')
    await pass(site, 3_600_000)
    expect(server.received.length).toBe(2)
    // One of the same name is told what it missed, when it is asked for.
    server.answer = OK
    await setCallback(site, 'shop-2')
    await makeKey(site, '/callbacks/shop-2')
    const redelivered = await site.ask(`/notifications/${notifications[0]?.id}/redeliver`, { method: 'POST' })
    expect(await redelivered.json()).toMatchObject({ httpStatus: 204 })
    await setCallback(site, 'default')
    await sentUntil(site, async () => {
      expect((await logOf(site)).notifications.map(({ status }) => status)).toEqual([
        'DELIVERED',
        'DELIVERED',
      ])
    })
  })

  it('takes what was on its way when it was removed has got it', async () => {
    const gate = { isOpen: false }
    const server = merchantServer(async () => {
      await opened(gate)
      return OK()
    })
    const site = freshSite()
    await notifiedShops(site, 'shop-2')
    await site.pay((await site.make()).linkId)
    await sentUntil(site, () => expect(server.received.length).toBe(1))
    await remove(site, 'shop-2')
    expect(await statusesOf(site, 'shop-2')).toEqual(['FAILED'])
    gate.isOpen = true
    await sentUntil(site, async () => expect(await statusesOf(site, 'shop-2')).toEqual(['DELIVERED']))
  })
})

it('a test goes to the address that is named, and is refused where it has no key or is not there', async () => {
  const server = merchantServer()
  const site = freshSite()
  await notifiedShops(site, 'default', 'shop-2')
  await setCallback(site, 'shop-3')
  const test = (query: string) => site.ask(`/notifications/test${query}`, { method: 'POST' })
  for (const query of ['', '?callback=default', '?callback=shop-2'])
    expect((await test(query)).status).toBe(200)
  expect(server.received.map(shopOf)).toEqual(['default', 'default', 'shop-2'])
  for (const id of ['shop-3', 'shop-4']) expect((await test(`?callback=${id}`)).status).toBe(409)
})

it('while each address alone fails, is slow, is removed or gets another key, each of 1,000 payments reaches every other in the order of its code', async () => {
  /** Of the slow server, by round: each opens two rounds later. */
  const gates: { isOpen: boolean }[] = []
  const failing = new Set<string>()
  const accepted: Received[] = []
  merchantServer(async (received) => {
    const shop = shopOf(received)
    if (failing.has(shop)) return DOWN()
    const gate = gates.at(-1)
    if (shop === 'slow' && gate) await opened(gate)
    accepted.push(received)
    return OK()
  })
  const site = freshSite()
  const keys = await notifiedShops(site, 'default', 'fails', 'slow', 'removed', 'rotated')
  const codes = await Promise.all(
    Array.from({ length: 20 }, () => site.make({ amount: undefined }, { type: 'STATIC' })),
  )
  /** The shops that are asked for each payment. */
  const expected: Record<string, string[]> = { default: [], fails: [], slow: [], removed: [], rotated: [] }
  const validKeys = [keys.rotated ?? '']
  const paid: Record<string, string[]> = {}
  const round = async (number: number) => {
    gates.push({ isOpen: false })
    if (number === 5) failing.add('fails')
    if (number === 20) failing.delete('fails')
    if (number === 25) failing.add('default')
    if (number === 35) failing.delete('default')
    if (number === 15 || number === 40) {
      const { id, key } = await makeKey(site, '/callbacks/rotated')
      validKeys.push(key)
      if (number === 40) validKeys.splice(0, validKeys.length - 1)
      await site.ask(`/settings/callbacks/rotated/notificationKeys/${id}/activate`, { method: 'POST' })
    }
    if (number === 30) await remove(site, 'removed')
    await Promise.all(
      codes.map(async ({ qrCodeUid, linkId }) => {
        const uid = `${qrCodeUid}-${number}`
        await site.pay(linkId, {}, uid)
        paid[qrCodeUid] = [...(paid[qrCodeUid] ?? []), uid]
        for (const shop of Object.keys(expected))
          if (shop !== 'removed' || number < 30) expected[shop]?.push(uid)
      }),
    )
    for (const gate of gates.slice(0, -1)) gate.isOpen = true
    await pass(site, 1000)
  }
  for (let number = 0; number < 50; number++) await round(number)
  for (const gate of gates) gate.isOpen = true
  await vi.waitFor(
    async () => {
      await pass(site, 1000)
      expect(await rowsIn(site, "SELECT 1 FROM outbox WHERE status = 'PENDING' LIMIT 1")).toEqual([])
    },
    { timeout: 50_000, interval: 1 },
  )
  const counts = await rowsIn(
    site,
    "SELECT queue, count(*) AS n, count(*) FILTER (WHERE status = 'FAILED') > 0 AS hasFailed FROM outbox GROUP BY queue ORDER BY queue",
  )
  expect(counts).toEqual([
    { queue: 'merchant', n: 1000, hasFailed: 0 },
    { queue: 'merchant:fails', n: 1000, hasFailed: 0 },
    { queue: 'merchant:removed', n: 600, hasFailed: 1 },
    { queue: 'merchant:rotated', n: 1000, hasFailed: 0 },
    { queue: 'merchant:slow', n: 1000, hasFailed: 0 },
  ])
  for (const shop of ['default', 'fails', 'slow', 'rotated']) {
    const got = accepted.filter(isOf(shop)).map((each) => paymentIn(each).paymentId)
    expect([shop, new Set(got)]).toEqual([shop, new Set(expected[shop])])
    if (shop === 'slow' || shop === 'rotated') {
      for (const uids of Object.values(paid)) {
        const ofCode = new Set(got.filter((uid) => uids.includes(uid)))
        expect([...ofCode]).toEqual(uids)
      }
    }
  }
  for (const each of accepted.filter(isOf('rotated')).slice(-20))
    expect(validKeys.some((key) => verifies(key, each))).toBe(true)
}, 120_000)

it('a database of 0.3.0 with pending notifications goes on: all are delivered, with their webhook-id', async () => {
  const server = merchantServer()
  const site = freshSite()
  const pending = [7, 9]
  await runInDurableObject(site.stub, (_, { storage }) => {
    migrate(storage, { table: SITE.table, versions: [SITE.versions[0]] })
    const { sql } = storage
    sql.exec(`UPDATE site SET site_id = ?, created_at = 1;`, site.siteId)
    sql.exec(
      "INSERT INTO settings (number, settings, revision, replaced) VALUES (1, ?, 'a', 'b')",
      JSON.stringify({ callbackUrl: shopUrl('default'), notificationTypes: ['PAYMENT'] }),
    )
    sql.exec(
      "INSERT INTO notification_keys VALUES ('k', ?, 1, 1)",
      'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
    )
    sql.exec("INSERT INTO callers VALUES (1, 'network', 'n')")
    for (const number of pending) {
      sql.exec(`INSERT INTO events (number, type, at, caller) VALUES (?, 'payment.declined', 1, 1)`, number)
      sql.exec(
        `INSERT INTO outbox (event, kind, queue, content, status, attempts, used, created_at, due_at, send_at, set_at)
         VALUES (?, 'notification', 'merchant', ?, 'PENDING', '[]', 0, 1, 1, 1, 1)`,
        number,
        JSON.stringify({
          type: 'PAYMENT',
          paymentUid: `p-${number}`,
          createdAt: 1,
          changedAt: 1,
          amount: { minorUnits: 500, currency: 'RUB' },
          status: 'COMPLETED',
          applied: false,
        }),
      )
    }
  })
  const [{ epoch = '' } = {}] = await rowsIn(site, 'SELECT epoch FROM site')
  // The first write brings the tables up to date.
  await notifiedShops(site, 'shop-2')
  await runDurableObjectAlarm(site.stub)
  await sentUntil(site, async () =>
    expect(await statusesOf(site, 'default')).toEqual(['DELIVERED', 'DELIVERED']),
  )
  expect(server.received.map(({ id }) => id).toSorted()).toEqual(
    pending.map((number) => `${epoch}-${number}`),
  )
})
