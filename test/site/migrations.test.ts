import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { MIGRATIONS, migrate } from '../../src/site/migrations.ts'

const inSite = <T>(name: string, work: (storage: DurableObjectStorage) => T) =>
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
    ['taken out', ['CREATE TABLE a (x)'], 'migration 2 differs'],
    ['reordered', ['CREATE TABLE b (y)', 'CREATE TABLE a (x)'], 'migration 1 differs'],
  ])('that were applied and then %s stop the site', async (what, history, fault) => {
    await inSite(what, (storage) => {
      migrate(storage, ['CREATE TABLE a (x)', 'CREATE TABLE b (y)'])
      expect(() => migrate(storage, history)).toThrow(fault)
      expect(tables(storage)).toEqual(['a', 'b', 'migrations'])
    })
  })

  it('leave nothing behind where one fails', async () => {
    await inSite('failing', (storage) => {
      expect(() => migrate(storage, ['CREATE TABLE a (x)', 'CREATE TABLE a (x)'])).toThrow()
      expect(tables(storage)).toEqual([])
    })
  })
})
