// The list of sites: each tells the registry what it is once, and again when its name changes.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { NO_FIGURES } from '../../src/contract/registry-entry.ts'
import { REGISTRY } from '../../src/contract/site-id.ts'
import { unwrap } from '../../src/gateway/site-client.ts'
import { Registry } from '../../src/registry/registry.ts'
import type { Site } from '../../src/site/site.ts'
import { creation, MERCHANT } from '../support/site.ts'

const registry = () => exports.Registry.getByName(REGISTRY)
const rowOf = (siteId: string) =>
  runInDurableObject(registry(), (_, { storage }) => {
    const exists = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'sites'").toArray().length > 0
    const sql = 'SELECT name, created_at, epoch, deleted_at FROM sites WHERE site_id = ?'
    return exists ? storage.sql.exec(sql, siteId).toArray()[0] : undefined
  })
const listed = (siteId: string, name: string | null) =>
  vi.waitFor(async () => expect(await rowOf(siteId)).toMatchObject({ name }), 30_000)

/** Whether the site's own tables have the change. */
const isStored = (stub: DurableObjectStub<Site>, what: string): Promise<boolean> =>
  runInDurableObject(stub, (_, { storage: { sql } }) =>
    what === 'a deletion'
      ? sql.exec('SELECT deleted_at FROM site').one().deleted_at !== null
      : sql.exec('SELECT 1 FROM settings').toArray().length > 0,
  )

/** A site of the test's own. */
function newSite() {
  const siteId = crypto.randomUUID()
  const stub = env.SITES.getByName(siteId)
  return {
    siteId,
    stub,
    create: async (uid = 'a') => unwrap(await stub.create(creation(uid))),
    setName: async (name: string) =>
      unwrap(await stub.replaceSettings(MERCHANT, { name, notificationTypes: [] }, undefined)),
    query: (sql: string) =>
      runInDurableObject(stub, (_, { storage }) => storage.sql.exec(sql).toArray().at(0)),
    /** Waits until the site's tables say that the registry has it. */
    recorded: (name: string | null = null) =>
      vi.waitFor(async () => {
        const row = await runInDurableObject(stub, (_, { storage }) =>
          storage.sql
            .exec(
              "SELECT registry_entry IS NOT NULL AS is_recorded, registry_entry ->> 'name' AS name FROM site",
            )
            .one(),
        )
        expect(row).toEqual({ is_recorded: 1, name })
      }, 30_000),
  }
}

it('a site is listed after its first write, with its creation and its epoch, and its own tables have its name', async () => {
  const { siteId, create, query } = newSite()
  await create()
  await listed(siteId, null)
  const { created_at, epoch } = (await rowOf(siteId)) ?? {}
  expect(await query('SELECT epoch, site_id FROM site')).toEqual({ epoch, site_id: siteId })
  expect(await query('SELECT at FROM events WHERE number = 1')).toEqual({ at: created_at })
})

it('a site that is only read is not listed', async () => {
  const { siteId, stub } = newSite()
  expect(unwrap(await stub.list(MERCHANT, { limit: 9 }))).toEqual({ qrCodes: [] })
  await scheduler.wait(50)
  expect(await rowOf(siteId)).toBeUndefined()
})

describe('a message that the registry has taken', () => {
  const counted = async (siteId: string, work: (count: () => number) => Promise<void>) => {
    const record = vi.spyOn(Registry.prototype, 'record')
    await work(() => record.mock.calls.filter(([each]) => each === siteId).length)
    record.mockRestore()
  }

  it('is recorded with the next write, and repeated for another name alone', async () => {
    const { siteId, stub, create, setName, recorded } = newSite()
    await counted(siteId, async (messages) => {
      await create()
      await listed(siteId, null)
      await create('b')
      await recorded()
      await setName('Tea shop')
      await listed(siteId, 'Tea shop')
      expect(messages()).toBe(2)
      const settings = { name: 'Tea shop', supportContact: '+7', notificationTypes: [] }
      unwrap(await stub.replaceSettings(MERCHANT, settings, undefined))
      await recorded('Tea shop')
      await evictDurableObject(stub)
      await create('c')
      await scheduler.wait(50)
      expect(messages()).toBe(2)
    })
  })

  it('is repeated for a name that changes before it is recorded', async () => {
    const { siteId, create, setName } = newSite()
    await create()
    await listed(siteId, null)
    await setName('Tea shop')
    await listed(siteId, 'Tea shop')
    expect(await rowOf(siteId)).toMatchObject({ name: 'Tea shop' })
  })

  it.each(['another name', 'a deletion'])(
    'is repeated for %s that came while it was on its way',
    async (what) => {
      const { siteId, stub, create, setName } = newSite()
      const answer = Promise.withResolvers<void>()
      const record = vi.spyOn(Registry.prototype, 'record').mockReturnValue(answer.promise)
      await create()
      await vi.waitFor(() => expect(record.mock.calls.some(([each]) => each === siteId)).toBe(true), 30_000)
      const changed =
        what === 'a deletion'
          ? stub.remove({ actor: 'operator', keyId: 'test', scopes: [] }, true)
          : setName('Tea shop')
      await vi.waitFor(async () => expect(await isStored(stub, what)).toBe(true), 30_000)
      record.mockRestore()
      answer.resolve()
      await changed
      // A deletion is answered once the registry has it.
      if (what === 'a deletion') expect(await rowOf(siteId)).toMatchObject({ deleted_at: expect.any(Number) })
      else await listed(siteId, 'Tea shop')
    },
  )

  it('is repeated once by the next object, if no write followed: that object records it', async () => {
    const { siteId, stub, create, recorded, query } = newSite()
    await counted(siteId, async (messages) => {
      await create()
      await recorded()
      await query('UPDATE site SET registry_entry = NULL')
      const restart = async () => {
        await evictDurableObject(stub)
        unwrap(await stub.list(MERCHANT, { limit: 9 }))
      }
      await restart()
      await recorded()
      expect(messages()).toBe(2)
      await restart()
      await scheduler.wait(50)
      expect(messages()).toBe(2)
    })
  })
})

describe('a message that the registry does not take', () => {
  it('is repeated by the alarm, until it is taken, and delays no write', async () => {
    const record = vi.spyOn(Registry.prototype, 'record').mockRejectedValue(new Error('not now'))
    vi.useFakeTimers({ toFake: ['Date'] })
    const { siteId, stub, create } = newSite()
    await create()
    const alarm = () => runInDurableObject(stub, (_, { storage }) => storage.getAlarm())
    await vi.waitFor(async () => expect(await alarm()).toBeLessThanOrEqual(Date.now() + 60_000), 30_000)
    expect(await rowOf(siteId)).toBeUndefined()
    await create('b')
    await scheduler.wait(20)
    expect(record.mock.calls.filter(([each]) => each === siteId)).toHaveLength(1)
    record.mockRestore()
    vi.setSystemTime(Date.now() + 61_000)
    await runInDurableObject(stub, (site) => site.alarm())
    await listed(siteId, null)
    vi.useRealTimers()
  })

  it('sets no alarm while the registry does not answer', async () => {
    const record = vi.spyOn(Registry.prototype, 'record').mockRejectedValue(new Error('not now'))
    vi.useFakeTimers({ toFake: ['Date'] })
    const { stub, create } = newSite()
    await create()
    const alarm = () => runInDurableObject(stub, (_, { storage }) => storage.getAlarm())
    await vi.waitFor(async () => expect(await alarm()).toBeLessThanOrEqual(Date.now() + 60_000), 30_000)
    const answer = Promise.withResolvers<void>()
    record.mockReset()
    record.mockReturnValue(answer.promise)
    vi.setSystemTime(Date.now() + 61_000)
    await runInDurableObject(stub, (site) => site.alarm())
    await vi.waitFor(() => expect(record).toHaveBeenCalled(), 30_000)
    // The QR code's end, nine minutes from here.
    expect(await alarm()).toBeGreaterThan(Date.now() + 60_000)
    answer.resolve()
    record.mockRestore()
    vi.useRealTimers()
  })

  it('is repeated by the next object, if that one ended before', async () => {
    const record = vi.spyOn(Registry.prototype, 'record').mockRejectedValue(new Error('not now'))
    const { siteId, stub, create } = newSite()
    await create()
    await vi.waitFor(() => expect(record).toHaveBeenCalled(), 30_000)
    record.mockRestore()
    await evictDurableObject(stub)
    // A read is enough.
    unwrap(await stub.list(MERCHANT, { limit: 9 }))
    await listed(siteId, null)
  })
})

const ENTRY = { ...NO_FIGURES, epoch: 'first', createdAt: 1, bytes: 4096 }

it('a site with another epoch does not replace the row: its database is not the one that is listed', async () => {
  const siteId = crypto.randomUUID()
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  await registry().record(siteId, ENTRY)
  await registry().record(siteId, { ...ENTRY, epoch: 'second', name: 'Tea shop', createdAt: 2 })
  expect(await rowOf(siteId)).toEqual({ name: null, created_at: 1, epoch: 'first', deleted_at: null })
  expect(log.mock.calls.flat().join()).toContain('another database than the registry knows')
  log.mockRestore()
})

it('what is stuck in a site is recorded, whatever its database is', async () => {
  const siteId = crypto.randomUUID()
  vi.spyOn(console, 'log').mockImplementation(() => {})
  await registry().record(siteId, ENTRY)
  await registry().record(siteId, { ...ENTRY, epoch: 'second', failedNotifications: 1 })
  const [row] = await registry().list({ q: siteId, limit: 1 })
  expect(row?.stuck).toMatchObject({ failedNotifications: 1 })
  vi.restoreAllMocks()
})

it('a deletion stays, with nothing stuck, though a message of before it comes late', async () => {
  const siteId = crypto.randomUUID()
  const before = { ...ENTRY, name: 'Tea shop', failedNotifications: 1 }
  await registry().record(siteId, before)
  await registry().record(siteId, { ...ENTRY, ...NO_FIGURES, deletedAt: 2 })
  const after = { name: null, created_at: 1, epoch: 'first', deleted_at: 2 }
  expect(await rowOf(siteId)).toEqual(after)
  const { failedNotifications, sites } = await registry().totals({ test: true })
  await registry().record(siteId, before)
  expect(await rowOf(siteId)).toEqual(after)
  expect(await registry().totals({ test: true })).toMatchObject({ failedNotifications, sites })
})

it('a site above 5 GB is counted and listed, one of 5 GB is not', async () => {
  const siteId = crypto.randomUUID()
  const stuck = async () => (await registry().list({ q: siteId, limit: 1, stuck: true }))[0]?.stuck
  const { largeSites } = await registry().totals({ test: true })
  await registry().record(siteId, { ...ENTRY, bytes: 5_000_000_000 })
  expect([await stuck(), (await registry().totals({ test: true })).largeSites]).toEqual([
    undefined,
    largeSites,
  ])
  await registry().record(siteId, { ...ENTRY, bytes: 5_000_000_001 })
  expect(await stuck()).toMatchObject({ isLarge: true, lacksKey: false })
  expect((await registry().totals({ test: true })).largeSites).toBe(largeSites + 1)
})

it('a start counts as unplanned unless a stop preceded it, each process once', async () => {
  const starts = async () => (await registry().totals({ test: true })).unplannedStarts
  const before = await starts()
  await registry().recordStop()
  await registry().recordStop()
  await registry().recordStart(1)
  await registry().recordStart(1)
  expect(await starts()).toBe(before)
  for (const process of [2, 2, 3, 3]) await registry().recordStart(process)
  expect(await starts()).toBe(before + 2)
})

it('a backup is known by its time', async () => {
  const from = Date.now()
  await registry().recordBackup()
  const { backedUpAt = 0 } = await registry().totals({ test: true })
  expect(backedUpAt).toBeGreaterThanOrEqual(from)
  expect(backedUpAt).toBeLessThanOrEqual(Date.now())
})

it('a user handle keeps its site, and an unknown one has none', async () => {
  expect(await registry().siteOfHandle('h')).toBeUndefined()
  await registry().recordHandle('h', 'shop-1')
  await registry().recordHandle('h', 'shop-2')
  expect(await registry().siteOfHandle('h')).toBe('shop-1')
})
