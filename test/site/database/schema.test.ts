// Versions of the schema: how tables are made, brought up to date, and refused.
import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { unwrap } from '../../../src/gateway/site-client.ts'
import {
  areUpToDate,
  hasTables,
  migrate,
  type Schema,
  SITE,
  versionIn,
} from '../../../src/site/database/schema.ts'
import { feedPage } from '../../../src/site/events/events.ts'
import { reportPayment } from '../../../src/site/payments/reports.ts'
import { listQrCodes } from '../../../src/site/qr-codes/list.ts'
import { EARLIER_BUILD } from '../../support/earlier-build.ts'
import { COLLECTION, call } from '../../support/service.ts'
import { contextOf, createIn, creation, NETWORK, ORIGIN } from '../../support/site.ts'

const [operations = ''] = Object.values(
  import.meta.glob<string>('../../../docs/operations.md', { query: '?raw', import: 'default', eager: true }),
)

const inSite = <T>(name: string, work: (storage: DurableObjectStorage) => T | Promise<T>) =>
  runInDurableObject(env.SITES.getByName(name), (_, { storage }) => work(storage))

const tables = ({ sql }: DurableObjectStorage) =>
  sql
    .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .toArray()
    .map(({ name }) => name)

/** A schema with these versions, of which the first makes its table. */
const schemaOf = (...later: string[]): Schema => ({
  table: 'one',
  versions: ['CREATE TABLE one (schema_version INTEGER); INSERT INTO one VALUES (0)', ...later],
})
const A = 'CREATE TABLE a (x)'

/** The schema of a site with newer versions. */
const later = (...versions: string[]): Schema => ({ ...SITE, versions: [...SITE.versions, ...versions] })

describe('the versions of a schema', () => {
  it('are applied once, in their order, however often that is asked for', async () => {
    await inSite('once', (storage) => {
      const schema = schemaOf(A, 'INSERT INTO a VALUES (1)')
      for (let i = 0; i < 3; i++) migrate(storage, schema)
      expect(storage.sql.exec('SELECT x FROM a').toArray()).toEqual([{ x: 1 }])
      expect(versionIn(storage, schema)).toBe(3)
    })
  })

  it('that are new are applied to a database that has the old ones', async () => {
    await inSite('new', (storage) => {
      migrate(storage, schemaOf(A))
      storage.sql.exec('INSERT INTO a VALUES (1)')
      expect(areUpToDate(storage, schemaOf(A, 'CREATE TABLE b (y)'))).toBe(false)
      migrate(storage, schemaOf(A, 'CREATE TABLE b (y)'))
      expect(tables(storage)).toEqual(['a', 'b', 'one'])
      expect(storage.sql.exec('SELECT x FROM a').toArray()).toEqual([{ x: 1 }])
    })
  })

  it('of an earlier build are refused, with its version and the way out, and stay as they are', async () => {
    await inSite('earlier', (storage) => {
      storage.sql.exec(EARLIER_BUILD)
      const before = tables(storage)
      for (const ask of [migrate, hasTables, areUpToDate]) {
        expect(() => ask(storage)).toThrow(
          /is of version 2 of a build before 0\.3\.0.*run 0\.2\.0 to read it/,
        )
      }
      expect(tables(storage)).toEqual(before)
    })
  })

  it('that the code does not know yet are accepted, because they only add: an older version works on', async () => {
    await inSite('newer', async (storage) => {
      const { sql } = storage
      migrate(
        storage,
        later(
          "ALTER TABLE qr_codes ADD COLUMN note TEXT NOT NULL DEFAULT ''",
          'CREATE TABLE chargebacks (number INTEGER PRIMARY KEY)',
        ),
      )
      migrate(storage)
      expect(tables(storage)).toContain('chargebacks')
      expect(versionIn(storage)).toBe(SITE.versions.length + 2)
      const context = contextOf(sql, 1000, NETWORK)
      unwrap(createIn(context, creation('a')))
      expect(unwrap(createIn(context, { ...creation('a'), link: creation('b').link }))).toMatchObject({
        isReplayed: true,
        qrCode: { qrCodeUid: 'a', status: 'CREATED' },
      })
      const report = {
        paymentUid: 'p',
        status: 'COMPLETED',
        amount: { minorUnits: 1, currency: 'RUB' },
      } as const
      unwrap(reportPayment({ ...context, ...ORIGIN }, { qrCodeUid: 'a' }, report))
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
      migrate(storage, later("ALTER TABLE events ADD COLUMN note TEXT DEFAULT ''")),
    )
    await abortAllDurableObjects()
    expect((await call(path)).status).toBe(200)
    expect((await call(path, { method: 'DELETE' })).status).toBe(200)
    const { events } = await (await call(`${path}/events`)).json<{ events: { type: string }[] }>()
    expect(events.map(({ type }) => type)).toEqual(['qrCode.created', 'qrCode.cancelled'])
  })

  it('that are made at once have other indexes than those of the first', async () => {
    const { versions } = schemaOf(A)
    const first = `${versions[0]}; CREATE INDEX x ON a (x)`
    const inNew = { leavesOut: 'CREATE INDEX x ON a (x)', adds: 'CREATE INDEX x ON a (x) WHERE x > 1' }
    const schema: Schema = { table: 'one', versions: [`${A}; ${first}`, 'CREATE TABLE b (y)'], inNew }
    const indexes = ({ sql }: DurableObjectStorage) =>
      sql.exec("SELECT sql FROM sqlite_master WHERE type = 'index'").toArray()
    await inSite('made at once', (storage) => {
      migrate(storage, schema)
      expect(indexes(storage)).toEqual([{ sql: inNew.adds }])
    })
    await inSite('brought up to date', (storage) => {
      migrate(storage, { table: 'one', versions: [schema.versions[0]] })
      migrate(storage, schema)
      expect(indexes(storage)).toEqual([{ sql: inNew.leavesOut }])
      expect(versionIn(storage, schema)).toBe(2)
    })
  })

  it('of a site have the indexes that a new one has not, and so has what an operator runs before the way back', () => {
    const { leavesOut = '' } = SITE.inNew ?? {}
    expect(SITE.versions[0]).toContain(leavesOut)
    expect(operations).toContain(leavesOut)
  })

  it('leave nothing behind where one fails', async () => {
    await inSite('failing', (storage) => {
      expect(() => migrate(storage, schemaOf(A, A))).toThrow()
      expect(tables(storage)).toEqual([])
    })
  })
})
