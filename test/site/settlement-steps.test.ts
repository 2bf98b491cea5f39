// What a step of an import or a deletion writes: a cluster limits the pages that a commit changes (decision 125).
import { expect, it } from 'vitest'
import { unwrap } from '../../src/gateway/site-client.ts'
import { workOnSettlements } from '../../src/site/settlements/alarm.ts'
import {
  appendEntries,
  beginImport,
  completeImport,
  continueImport,
  deleteSettlement,
} from '../../src/site/settlements/imports.ts'
import { nextSettlementWork } from '../../src/site/settlements/next-work.ts'
import { milliseconds } from '../../src/site/time.ts'
import { cleaned } from '../support/settlement/alarm.ts'
import { DAY, imported, line, NOON, paid, summaryOf } from '../support/settlement/imports.ts'
import { contextOf, inNewSite, rowsReadBy } from '../support/site.ts'

type Cursor = SqlStorageCursor<Record<string, SqlStorageValue>>

/** A database that counts what is written: rows of tables and of indexes. */
function counted(sql: SqlStorage) {
  let cursors: Cursor[] = []
  const exec = (query: string, ...bindings: SqlStorageValue[]) => {
    const cursor = sql.exec(query, ...bindings)
    cursors.push(cursor)
    return cursor
  }
  return {
    sql: new Proxy(sql, { get: (target, name) => (name === 'exec' ? exec : Reflect.get(target, name)) }),
    /** Since the last call. */
    written: () => {
      const rows = cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0)
      cursors = []
      return rows
    },
  }
}

it('a step writes at most 300 rows of tables and indexes, also of a printed code with many equal payments', () =>
  inNewSite(async (storage, site) => {
    const equal = Array.from({ length: 250 }, (_, i) => i)
    for (const i of equal.slice(0, 200))
      await paid(site, storage.sql, {
        ...{ uid: `p${i}`, qrcId: 'c1', networkUid: undefined, at: NOON + i },
        bank: 'raiffeisen',
      })
    const entries = [
      ...Array.from({ length: 300 }, (_, i) =>
        line(`${i}`, { bankIds: { paymentId: `${i}`, order: `o${i}` } }),
      ),
      ...equal.map((i) =>
        line(`c${i}`, { operatedAt: NOON + 60 * i, bankIds: { qrcId: 'c1', order: 'all' } }),
      ),
    ].map((each, i) => ({ ...each, line: i + 1 }))
    const { sql, written } = counted(storage.sql)
    const context = contextOf(sql, NOON + 10 * DAY)
    unwrap(beginImport(context, { settlementUid: 'a', bank: 'raiffeisen', format: 'registry' }, 't'))
    for (let from = 0; from < entries.length; from += 100) {
      unwrap(appendEntries(context, 't', entries.slice(from, from + 100)))
    }
    const steps: number[] = []
    const summary = summaryOf(entries)
    let step = unwrap(completeImport(context, 't', { sha256: 'a', summary }))
    written()
    for (; !step.isDone; steps.push(written())) step = unwrap(continueImport(context, 't'))
    expect(step.settlement).toMatchObject({ entries: 550, matched: 200, unknown: 350 })
    const importing = steps.length
    let end = unwrap(deleteSettlement(context, 'a', { newToken: 'd' }))
    for (; !end.isDone; steps.push(written()))
      end = unwrap(deleteSettlement(context, 'a', { newToken: 'd', token: end.token }))
    for (let turn = 1; nextSettlementWork(sql) !== undefined; turn++, steps.push(written()))
      workOnSettlements(context, milliseconds(turn * 20_000))
    expect(sql.exec('SELECT entry FROM settlement_matches').toArray()).toEqual([])
    expect(importing).toBeGreaterThan(15)
    // The step that empties the table of staged entries: SQLite frees its pages, and writes none of them.
    expect(steps.filter((rows) => rows > 300)).toEqual([entries.length + 1])
  }))

it('a write of the site asks for the next work in two questions, which read as much of many files as of one', () =>
  inNewSite(async ({ sql }, site) => {
    const asked = () => {
      let questions = 0
      const counting = new Proxy(sql, {
        get: (target, name) => {
          if (name === 'exec') questions++
          const value: unknown = Reflect.get(target, name)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
      expect(nextSettlementWork(counting)).toBeUndefined()
      return { questions, rows: rowsReadBy(sql, nextSettlementWork).rowsRead }
    }
    const importFile = async (name: string) => {
      unwrap(await imported(site, { settlementUid: name, entries: [line(name)] }))
      cleaned(sql)
    }
    await importFile('0')
    const one = asked()
    expect(one.questions).toBeLessThanOrEqual(2)
    for (let i = 1; i <= 20; i++) await importFile(`${i}`)
    expect(asked()).toEqual(one)
  }))

it('a site whose tables are of the first version has the index with its next import, and works before', () =>
  inNewSite(async ({ sql }, site) => {
    const index = () =>
      sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'settlements_ended'").toArray().length
    unwrap(await imported(site, { settlementUid: 'a', entries: [line('1')] }))
    sql.exec('DROP INDEX settlements_ended')
    sql.exec('UPDATE settlement_state SET schema_version = 1')
    cleaned(sql)
    expect([nextSettlementWork(sql), index()]).toEqual([undefined, 0])
    unwrap(await imported(site, { settlementUid: 'b', entries: [line('2')] }))
    expect([index(), sql.exec('SELECT schema_version FROM settlement_state').toArray()]).toEqual([
      1,
      [{ schema_version: 2 }],
    ])
  }))
