// What the object adds to the operations on its database: transactions, commits that are shared, the alarm, long polls.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { UNNAMED } from '../../src/contract/site-id.ts'
import type { Outcome } from '../../src/errors.ts'
import { unwrap } from '../../src/gateway/site-client.ts'
import { hasTables } from '../../src/site/database/schema.ts'
import type { QrCodeKey } from '../../src/site/qr-codes/rows.ts'
import type { Site } from '../../src/site/site.ts'
import { createAll, creation, inNewSite, MERCHANT, NETWORK, ORIGIN } from '../support/site.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const newSite = () => env.SITES.getByName(crypto.randomUUID())
type Stub = ReturnType<typeof newSite>

const key = (qrCodeUid: string): QrCodeKey => ({ qrCodeUid })
const completed = {
  paymentUid: 'p',
  status: 'COMPLETED',
  amount: { minorUnits: 500, currency: 'RUB' },
} as const
const statusOf = async (site: Stub, qrCodeUid: string) =>
  unwrap(await site.read(MERCHANT, key(qrCodeUid))).status
const feedOf = async (site: Stub) =>
  unwrap(await site.feed(MERCHANT, { limit: 100 })).value.events.map(({ number, type, qrCodeUid }) => [
    number,
    type,
    qrCodeUid,
  ])

/** Makes the storage refuse an event, as a full disk would: the last statement of every change. */
const refuseEvents = (site: Stub, condition: string) =>
  runInDurableObject(site, (_, { storage }) => {
    storage.sql.exec(
      `CREATE TRIGGER refusal BEFORE INSERT ON events WHEN ${condition}
       BEGIN SELECT RAISE(ABORT, 'the storage is full'); END`,
    )
  })
const acceptEvents = (site: Stub) =>
  runInDurableObject(site, (_, { storage }) => void storage.sql.exec('DROP TRIGGER refusal'))

/** Runs a method inside the object, where its failure does not become an uncaught error of an RPC. */
const attempt = <T>(site: Stub, method: (site: Site) => Promise<Outcome<T>>): Promise<string> =>
  runInDurableObject(site, (object) => method(object).then(() => 'done', String))

describe('a change that fails at its last statement leaves nothing of itself', () => {
  it('a creation, and the others of its flush stay', async () => {
    const site = newSite()
    unwrap(await site.create(creation('a')))
    await refuseEvents(site, 'NEW.qr_code = 2')
    const outcomes = await runInDurableObject(site, (object) =>
      Promise.allSettled(['b', 'a', 'b'].map((uid) => object.create(creation(uid)))),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
    expect(await site.read(MERCHANT, key('b'))).toMatchObject({ code: 'payin.resource.not.found' })
    await acceptEvents(site)
    expect(unwrap(await site.create(creation('b')))).toMatchObject({ isReplayed: false })
    expect(await feedOf(site)).toEqual([
      [1, 'qrCode.created', 'a'],
      [2, 'qrCode.created', 'b'],
    ])
  })

  it('a cancellation', async () => {
    const site = newSite()
    unwrap(await site.create(creation('a')))
    await refuseEvents(site, 'TRUE')
    expect(await attempt(site, (object) => object.cancel(MERCHANT, key('a')))).toContain('storage is full')
    expect(await statusOf(site, 'a')).toBe('CREATED')
    await acceptEvents(site)
    expect(unwrap(await site.cancel(MERCHANT, key('a')))).toMatchObject({ version: 1 })
    expect(await feedOf(site)).toEqual([
      [1, 'qrCode.created', 'a'],
      [2, 'qrCode.cancelled', 'a'],
    ])
  })

  it('a report: neither the payment nor the status', async () => {
    const site = newSite()
    unwrap(await site.create(creation('a')))
    await refuseEvents(site, 'TRUE')
    const report = () => site.report(NETWORK, key('a'), completed, ORIGIN)
    expect(await attempt(site, (object) => object.report(NETWORK, key('a'), completed, ORIGIN))).toContain(
      'storage is full',
    )
    expect(await statusOf(site, 'a')).toBe('CREATED')
    expect(await site.payment(MERCHANT, 'p')).toMatchObject({ code: 'payin.resource.not.found' })
    await acceptEvents(site)
    expect(unwrap(await report())).toMatchObject({ isReplayed: false, qrCode: { status: 'PAYED' } })
    expect(await feedOf(site)).toHaveLength(2)
  })

  it('the alarm: no QR code expires without its event', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const site = newSite()
    await createAll(
      site,
      ['a', 'b', 'c'].map((uid) => creation(uid)),
    )
    vi.setSystemTime(Date.now() + 600_000)
    await refuseEvents(site, 'NEW.qr_code = 2')
    // The platform would give it up, if it failed six times.
    await runInDurableObject(site, (object) => object.alarm())
    const alarm = await runInDurableObject(site, (_, { storage }) => storage.getAlarm())
    expect(alarm).toBe(Date.now() + 60_000)
    expect(await feedOf(site).catch(String)).toContain('storage is full')
    await acceptEvents(site)
    await runInDurableObject(site, (object) => object.alarm())
    expect((await feedOf(site)).slice(3)).toEqual([
      [4, 'qrCode.expired', 'a'],
      [5, 'qrCode.expired', 'b'],
      [6, 'qrCode.expired', 'c'],
    ])
  })
})

it('a call is admitted by the keys as they were before it, though its flush is rolled back', () =>
  inNewSite(async (storage, site) => {
    await createAll(
      site,
      ['a', 'b', 'c'].map((uid) => creation(uid)),
    )
    storage.sql.exec(
      `CREATE TRIGGER refusal BEFORE INSERT ON events WHEN NEW.qr_code = 3
       BEGIN SELECT RAISE(ABORT, 'the storage is full'); END`,
    )
    const till = { ...MERCHANT, keyId: 'till' }
    await site.revokeApiKey(MERCHANT, 'another')
    await storage.sync()
    await scheduler.wait(0)
    // The first write is committed alone, the others are one flush.
    const before = [
      site.cancel(MERCHANT, key('a')),
      site.cancel(till, key('b')),
      site.revokeApiKey(MERCHANT, 'till'),
    ]
    // A revocation has its functions of a module, which is loaded: it is in the queue some microtasks later.
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    const [, ...calls] = await Promise.allSettled([
      ...before,
      site.cancel(MERCHANT, key('c')),
      site.cancel(till, key('c')),
    ])
    expect(calls).toMatchObject([
      { value: { ok: true } },
      { value: { ok: true } },
      { status: 'rejected' },
      { value: { ok: false, code: 'auth.unauthorized' } },
    ])
  }))

describe('a commit in flight', () => {
  /** A site whose QR codes are a to d, and a commit of a cancelled a that ends when the test says so. */
  const committing = (
    work: (site: Site, storage: DurableObjectStorage, commit: () => void) => Promise<void>,
  ) =>
    inNewSite(async (storage, site) => {
      await createAll(
        site,
        ['a', 'b', 'c', 'd'].map((uid) => creation(uid)),
      )
      await storage.sync()
      await scheduler.wait(0)
      const { promise, resolve } = Promise.withResolvers<void>()
      vi.spyOn(storage, 'sync').mockReturnValue(promise)
      await site.cancel(MERCHANT, key('a'))
      await work(site, storage, resolve)
      resolve()
    })
  const statuses = async (site: Site) =>
    unwrap(await site.list(MERCHANT, { limit: 9 }))
      .qrCodes.map(({ status }) => status)
      .toReversed()

  it('lets the next writes gather, and all of them are applied together', async () => {
    await committing(async (site) => {
      const writes = ['b', 'c'].map((uid) => site.cancel(MERCHANT, key(uid)))
      expect(await statuses(site)).toEqual(['CANCELLED', 'CREATED', 'CREATED', 'CREATED'])
      const { next } = unwrap(await site.feed(MERCHANT, { limit: 100 })).value
      const listener = site.feed(MERCHANT, { after: next, limit: 100 }, { id: 'feed', milliseconds: 60_000 })
      await Promise.all(writes)
      // The listener is notified of the flush, not of its first write.
      const late = scheduler.wait(5000).then(() => undefined)
      const outcome = await Promise.race([listener, late])
      expect(outcome && unwrap(outcome)).toMatchObject({ waited: true, value: { events: [{}, {}] } })
    })
  })

  it('that has ended lets the next write be applied at once', async () => {
    await committing(async (site, _, commit) => {
      commit()
      await scheduler.wait(0)
      const write = site.cancel(MERCHANT, key('b'))
      expect(await statuses(site)).toEqual(['CANCELLED', 'CANCELLED', 'CREATED', 'CREATED'])
      await write
    })
  })
})

describe('events that are due for recording', () => {
  it.each<[string, (site: Site) => Promise<Outcome<unknown>>]>([
    ['the feed', (site) => site.feed(MERCHANT, { limit: 10 })],
    ['the events of a QR code', (site) => site.events(MERCHANT, key('a'), { limit: 10 })],
  ])('are 503 where the write queue is full, and there when it is not: %s', async (_, read) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    await inNewSite(async (_, site) => {
      await createAll(site, [creation('a'), creation('b', { ttl: 60 })])
      vi.setSystemTime(Date.now() + 600_000)
      const writes = Array.from({ length: 1001 }, () => site.cancel(MERCHANT, key('b')))
      expect(await read(site)).toMatchObject({ ok: false, code: 'service.unavailable' })
      await Promise.all(writes)
      expect(JSON.stringify(await read(site))).toContain('qrCode.expired')
    })
  })
})

describe('the alarm', () => {
  const alarmOf = (site: Stub) => runInDurableObject(site, (_, { storage }) => storage.getAlarm())

  it('is deleted when nothing can expire any more: cancelled or paid', async () => {
    const site = newSite()
    await createAll(site, [creation('a'), creation('b', { ttl: 20 })])
    const expiryOf = async (id: string) => unwrap(await site.read(MERCHANT, key(id))).expiresAt
    const [first = 0, second = 0] = [await expiryOf('a'), await expiryOf('b')]
    expect(await alarmOf(site)).toBe(first * 1000)
    unwrap(await site.cancel(MERCHANT, key('a')))
    expect(await alarmOf(site)).toBe(second * 1000)
    unwrap(await site.report(NETWORK, key('b'), completed, ORIGIN))
    expect(await alarmOf(site)).toBeNull()
    expect(await runDurableObjectAlarm(site)).toBe(false)
  })

  it('is set for the second of the expiry, and the expiry is recorded with that time, however late it is', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const site = newSite()
    unwrap(await site.create(creation('a')))
    const { expiresAt = 0 } = unwrap(await site.read(MERCHANT, key('a')))
    vi.setSystemTime((expiresAt + 5000) * 1000)
    expect(await runDurableObjectAlarm(site)).toBe(true)
    const { events } = unwrap(await site.feed(MERCHANT, { limit: 10 })).value
    expect(events.at(-1)).toMatchObject({ type: 'qrCode.expired', actor: 'clock', at: expiresAt })
  })
})

describe('a long poll', () => {
  const TIMERS = { toFake: ['Date', 'setTimeout', 'clearTimeout'] } as const

  /** A long poll of a new QR code of a minute, and whether it has ended. */
  const polling = (milliseconds: number, work: (poll: { ended(): string | undefined }) => Promise<void>) =>
    inNewSite(async ({ sql }, site) => {
      unwrap(await site.create(creation('a', { ttl: 1 })))
      // Nothing of the object's own is in flight when its timers are taken over.
      await vi.waitFor(
        () => expect(sql.exec('SELECT registry_entry FROM site').one().registry_entry).not.toBeNull(),
        30_000,
      )
      const { createdAt } = unwrap(await site.read(MERCHANT, key('a')))
      vi.useFakeTimers({ toFake: [...TIMERS.toFake], now: createdAt * 1000 + 250 })
      let status: string | undefined
      const poll = site
        .longPoll(MERCHANT, key('a'), { id: 'poll', version: 0, milliseconds })
        .then((outcome) => {
          status = unwrap(outcome).value.status
        })
      await work({ ended: () => status })
      vi.useRealTimers()
      await poll
    })

  it('ends in the second of the expiry, as EXPIRED, though no alarm comes', () =>
    polling(600_000, async ({ ended }) => {
      await vi.advanceTimersByTimeAsync(59_749)
      expect(ended()).toBeUndefined()
      await vi.advanceTimersByTimeAsync(1)
      expect(ended()).toBe('EXPIRED')
    }))

  it('ends at its own time before that, with the present status', () =>
    polling(7000, async ({ ended }) => {
      await vi.advanceTimersByTimeAsync(6999)
      expect(ended()).toBeUndefined()
      await vi.advanceTimersByTimeAsync(1)
      expect(ended()).toBe('CREATED')
    }))
})

describe('an object that is reached by its id alone', () => {
  /** Works in the object as a cluster reaches it while it hands it over: an error that crosses RPC is logged as uncaught. */
  const reached = (id: DurableObjectId, work: (site: Site, storage: DurableObjectStorage) => Promise<void>) =>
    runInDurableObject(env.SITES.get(env.SITES.idFromString(`${id}`)), (site, { storage }) =>
      work(site, storage),
    )
  const named = (siteId: string) => env.SITES.idFromName(siteId)

  it.each([
    ['a unique id', () => env.SITES.newUniqueId()],
    ['the id of a name', () => named(crypto.randomUUID())],
  ])('and has no tables refuses reads and writes, and stays without tables: %s', (_, newId) =>
    reached(newId(), async (site, storage) => {
      await expect(site.health(MERCHANT)).rejects.toThrow(UNNAMED)
      await expect(site.create(creation('a'))).rejects.toThrow(UNNAMED)
      await expect(site.resume(MERCHANT)).rejects.toThrow(UNNAMED)
      expect(hasTables(storage)).toBe(false)
    }),
  )

  it('works after it was told its name, and takes no other', () => {
    const siteId = crypto.randomUUID()
    return reached(named(siteId), async (site) => {
      await expect(site.introduce(`${siteId}-other`)).rejects.toThrow('is not the one of site')
      await expect(site.health(MERCHANT)).rejects.toThrow(UNNAMED)
      await site.introduce(siteId)
      expect(await site.create(creation('a'))).toMatchObject({ ok: true })
      expect(await site.health(MERCHANT)).toMatchObject({ ok: true, value: { siteId } })
    })
  })
})
