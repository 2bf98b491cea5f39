import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/gateway/site-client.ts'
import { createQrCode } from '../../src/site/creations.ts'
import { feedPage } from '../../src/site/events.ts'
import { MIGRATIONS, migrate } from '../../src/site/migrations.ts'
import { reportPayment } from '../../src/site/payments/reports.ts'
import { listQrCodes } from '../../src/site/qr-code-list.ts'
import { COLLECTION, call } from '../support/service.ts'
import { contextOf, creation, NETWORK } from '../support/site.ts'

const inSite = <T>(name: string, work: (storage: DurableObjectStorage) => T | Promise<T>) =>
  runInDurableObject(env.SITES.getByName(name), (_, { storage }) => work(storage))

const tables = ({ sql }: DurableObjectStorage) =>
  sql
    .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .toArray()
    .map(({ name }) => name)

describe('migrations', () => {
  it('are applied once, in their order, however often they are asked for', async () => {
    await inSite('once', (storage) => {
      const history = [...MIGRATIONS, 'CREATE TABLE a (x)', 'INSERT INTO a VALUES (1)']
      for (let i = 0; i < 3; i++) migrate(storage, history)
      expect(storage.sql.exec('SELECT x FROM a').toArray()).toEqual([{ x: 1 }])
      expect(storage.sql.exec('SELECT statement FROM migrations ORDER BY version').toArray()).toEqual(
        history.map((statement) => ({ statement })),
      )
    })
  })

  it('that are new are applied to a site that has the old ones', async () => {
    await inSite('new', (storage) => {
      migrate(storage, ['CREATE TABLE a (x)'])
      storage.sql.exec('INSERT INTO a VALUES (1)')
      migrate(storage, ['CREATE TABLE a (x)', 'CREATE TABLE b (y)'])
      expect(tables(storage)).toEqual(['a', 'b', 'migrations'])
      expect(storage.sql.exec('SELECT x FROM a').toArray()).toEqual([{ x: 1 }])
    })
  })

  it.each([
    ['changed', ['CREATE TABLE a (x, z)', 'CREATE TABLE b (y)'], 'migration 1 differs'],
    ['changed at the end', ['CREATE TABLE a (x)', 'CREATE TABLE b (y, z)'], 'migration 2 differs'],
    ['changed, and a later one removed', ['CREATE TABLE a (x, z)'], 'migration 1 differs'],
    ['removed from the middle', ['CREATE TABLE b (y)'], 'migration 1 differs'],
    ['reordered', ['CREATE TABLE b (y)', 'CREATE TABLE a (x)'], 'migration 1 differs'],
  ])('that were applied and then %s stop the site', async (what, history, fault) => {
    await inSite(what, (storage) => {
      migrate(storage, ['CREATE TABLE a (x)', 'CREATE TABLE b (y)'])
      expect(() => migrate(storage, history)).toThrow(fault)
      expect(tables(storage)).toEqual(['a', 'b', 'migrations'])
    })
  })

  it('that the code does not know yet are accepted, because they only add: an older version works on', async () => {
    await inSite('newer', async (storage) => {
      const { sql } = storage
      migrate(storage, [
        ...MIGRATIONS,
        "ALTER TABLE qr_codes ADD COLUMN note TEXT NOT NULL DEFAULT ''",
        'CREATE TABLE chargebacks (number INTEGER PRIMARY KEY)',
      ])
      migrate(storage)
      expect(tables(storage)).toContain('chargebacks')
      expect(sql.exec('SELECT count(*) AS count FROM migrations').one()).toEqual({
        count: MIGRATIONS.length + 2,
      })
      const context = contextOf(sql, 1000, NETWORK)
      unwrap(createQrCode(context, creation('a')))
      expect(unwrap(createQrCode(context, { ...creation('a'), link: creation('b').link }))).toMatchObject({
        isReplayed: true,
        qrCode: { qrCodeUid: 'a', status: 'CREATED' },
      })
      const report = {
        paymentUid: 'p',
        status: 'COMPLETED',
        amount: { minorUnits: 1, currency: 'RUB' },
      } as const
      const origin = { network: 'external', currencies: ['RUB'] } as const
      unwrap(reportPayment({ ...context, ...origin }, { qrCodeUid: 'a' }, report))
      expect(listQrCodes(context, { limit: 9 }).qrCodes.map(({ status }) => status)).toEqual(['PAYED'])
      expect(unwrap(feedPage(sql, { limit: 9 })).events.map(({ type }) => type)).toEqual([
        'qrCode.created',
        'payment.completed',
      ])
    })
  })

  it('of another version of the code do not stop a site that is read and written over HTTP', async () => {
    const path = `${COLLECTION}/newer`
    expect((await call(path, { method: 'PUT', body: { qrCode: { type: 'DYNAMIC' } } })).status).toBe(200)
    const demo = env.SITES.getByName('demo')
    await runInDurableObject(demo, (_, { storage }) =>
      migrate(storage, [...MIGRATIONS, "ALTER TABLE events ADD COLUMN note TEXT DEFAULT ''"]),
    )
    await evictDurableObject(demo)
    expect((await call(path)).status).toBe(200)
    expect((await call(path, { method: 'DELETE' })).status).toBe(200)
    const { events } = await (await call(`${path}/events`)).json<{ events: { type: string }[] }>()
    expect(events.map(({ type }) => type)).toEqual(['qrCode.created', 'qrCode.cancelled'])
  })

  it('leave nothing behind where one fails', async () => {
    await inSite('failing', (storage) => {
      expect(() => migrate(storage, ['CREATE TABLE a (x)', 'CREATE TABLE a (x)'])).toThrow()
      expect(tables(storage)).toEqual([])
    })
  })
})
