// The list of sites: each announces itself once, and again when its name changes.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
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
    create: async (uid = 'a') => unwrap(await stub.create([creation(uid)])),
    setName: async (name: string) =>
      unwrap(await stub.replaceSettings(MERCHANT, { name, notificationTypes: [] }, undefined)),
    query: (sql: string) =>
      runInDurableObject(stub, (_, { storage }) => storage.sql.exec(sql).toArray().at(0)),
    announced: () =>
      vi.waitFor(async () => {
        const row = await runInDurableObject(stub, (_, { storage }) =>
          storage.sql.exec('SELECT announced FROM site').one(),
        )
        expect(row).toEqual({ announced: 1 })
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

describe('an announcement that the registry has taken', () => {
  const counted = async (siteId: string, work: (count: () => number) => Promise<void>) => {
    const announce = vi.spyOn(Registry.prototype, 'announce')
    await work(() => announce.mock.calls.filter(([each]) => each.siteId === siteId).length)
    announce.mockRestore()
  }

  it('is recorded with the next write, and repeated for another name alone', async () => {
    const { siteId, stub, create, setName, announced } = newSite()
    await counted(siteId, async (announcements) => {
      await create()
      await listed(siteId, null)
      await create('b')
      await announced()
      await setName('Tea shop')
      await listed(siteId, 'Tea shop')
      expect(announcements()).toBe(2)
      const settings = { name: 'Tea shop', supportContact: '+7', notificationTypes: [] }
      unwrap(await stub.replaceSettings(MERCHANT, settings, undefined))
      await announced()
      await evictDurableObject(stub)
      await create('c')
      await scheduler.wait(50)
      expect(announcements()).toBe(2)
    })
  })

  it('is repeated for a name that changes before it is recorded', async () => {
    const { siteId, create, setName, announced } = newSite()
    await create()
    await listed(siteId, null)
    await setName('Tea shop')
    await listed(siteId, 'Tea shop')
    await announced()
    expect(await rowOf(siteId)).toMatchObject({ name: 'Tea shop' })
  })

  it.each(['another name', 'a deletion'])(
    'is repeated for %s that came while it was on its way',
    async (what) => {
      const { siteId, stub, create, setName } = newSite()
      const answer = Promise.withResolvers<void>()
      const announce = vi.spyOn(Registry.prototype, 'announce').mockReturnValue(answer.promise)
      await create()
      await vi.waitFor(
        () => expect(announce.mock.calls.some(([each]) => each.siteId === siteId)).toBe(true),
        30_000,
      )
      const changed =
        what === 'a deletion' ? stub.remove({ actor: 'operator', scopes: [] }, true) : setName('Tea shop')
      await vi.waitFor(async () => expect(await isStored(stub, what)).toBe(true), 30_000)
      announce.mockRestore()
      answer.resolve()
      await changed
      // A deletion is answered once the registry has it.
      if (what === 'a deletion') expect(await rowOf(siteId)).toMatchObject({ deleted_at: expect.any(Number) })
      else await listed(siteId, 'Tea shop')
    },
  )

  it('is repeated once by the next object, if no write followed: that object records it', async () => {
    const { siteId, stub, create, announced, query } = newSite()
    await counted(siteId, async (announcements) => {
      await create()
      await announced()
      await query('UPDATE site SET announced = 0')
      const restart = async () => {
        await evictDurableObject(stub)
        unwrap(await stub.list(MERCHANT, { limit: 9 }))
      }
      await restart()
      await announced()
      expect(announcements()).toBe(2)
      await restart()
      await scheduler.wait(50)
      expect(announcements()).toBe(2)
    })
  })
})

describe('an announcement that the registry does not take', () => {
  it('is repeated by the alarm, until it is taken, and delays no write', async () => {
    const announce = vi.spyOn(Registry.prototype, 'announce').mockRejectedValue(new Error('not now'))
    vi.useFakeTimers({ toFake: ['Date'] })
    const { siteId, stub, create } = newSite()
    await create()
    const alarm = () => runInDurableObject(stub, (_, { storage }) => storage.getAlarm())
    await vi.waitFor(async () => expect(await alarm()).toBeLessThanOrEqual(Date.now() + 60_000), 30_000)
    expect(await rowOf(siteId)).toBeUndefined()
    await create('b')
    await scheduler.wait(20)
    expect(announce.mock.calls.filter(([each]) => each.siteId === siteId)).toHaveLength(1)
    announce.mockRestore()
    vi.setSystemTime(Date.now() + 61_000)
    await runInDurableObject(stub, (site) => site.alarm())
    await listed(siteId, null)
    vi.useRealTimers()
  })

  it('sets no alarm while the registry does not answer', async () => {
    const announce = vi.spyOn(Registry.prototype, 'announce').mockRejectedValue(new Error('not now'))
    vi.useFakeTimers({ toFake: ['Date'] })
    const { stub, create } = newSite()
    await create()
    const alarm = () => runInDurableObject(stub, (_, { storage }) => storage.getAlarm())
    await vi.waitFor(async () => expect(await alarm()).toBeLessThanOrEqual(Date.now() + 60_000), 30_000)
    const answer = Promise.withResolvers<void>()
    announce.mockReset()
    announce.mockReturnValue(answer.promise)
    vi.setSystemTime(Date.now() + 61_000)
    await runInDurableObject(stub, (site) => site.alarm())
    await vi.waitFor(() => expect(announce).toHaveBeenCalled(), 30_000)
    // The QR code's end, nine minutes from here.
    expect(await alarm()).toBeGreaterThan(Date.now() + 60_000)
    answer.resolve()
    announce.mockRestore()
    vi.useRealTimers()
  })

  it('is repeated by the next object, if that one ended before', async () => {
    const announce = vi.spyOn(Registry.prototype, 'announce').mockRejectedValue(new Error('not now'))
    const { siteId, stub, create } = newSite()
    await create()
    await vi.waitFor(() => expect(announce).toHaveBeenCalled(), 30_000)
    announce.mockRestore()
    await evictDurableObject(stub)
    // A read is enough.
    unwrap(await stub.list(MERCHANT, { limit: 9 }))
    await listed(siteId, null)
  })
})

it('a site with another epoch does not replace the row: its database is not the one that is listed', async () => {
  const siteId = crypto.randomUUID()
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const announce = (epoch: string, name?: string) =>
    registry().announce({ siteId, name, createdAt: 1, epoch })
  await announce('first')
  await announce('second', 'Tea shop')
  expect(await rowOf(siteId)).toEqual({ name: null, created_at: 1, epoch: 'first', deleted_at: null })
  expect(log.mock.calls.flat().join()).toContain('another database than the registry knows')
  log.mockRestore()
})

it('a deletion stays, though an announcement of before it comes late', async () => {
  const siteId = crypto.randomUUID()
  const before = { siteId, name: 'Tea shop', createdAt: 1, epoch: 'first' }
  await registry().announce(before)
  await registry().announce({ ...before, name: undefined, deletedAt: 2 })
  await registry().announce(before)
  expect(await rowOf(siteId)).toMatchObject({ deleted_at: 2 })
})

it('figures of a site that the registry does not have are not taken', async () => {
  const figures = {
    ...{ notifications: 0, failedNotifications: 0, instructions: 0, overdueInstructions: 0 },
    ...{ isRestored: true, bytes: 4096 },
  }
  expect(await registry().tell(crypto.randomUUID(), figures)).toBe(false)
})
