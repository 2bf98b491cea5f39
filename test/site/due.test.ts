// What the alarm of a site does in one write: a cluster limits the pages that a commit changes (decision 125).
import { describe, expect, it, vi } from 'vitest'
import type { Context } from '../../src/site/context.ts'
import { Due } from '../../src/site/due.ts'
import { ok } from '../../src/site/outcomes.ts'
import { type Milliseconds, seconds, toMilliseconds } from '../../src/site/time.ts'
import { cleaned } from '../support/settlement/alarm.ts'
import { deleted, imported, line } from '../support/settlement/imports.ts'
import { contextOf, creation, inNewSite } from '../support/site.ts'

it('a write that deletes old QR codes leaves what a settlement has to clean to the next one', () =>
  inNewSite(async ({ sql }, site) => {
    await site.create(creation('old'))
    await imported(site, { settlementUid: 'a', entries: [line('1')] })
    await deleted(site, 'a')
    sql.exec('UPDATE site SET retention_days = 1')
    const context = contextOf(sql, Math.floor(Date.now() / 1000) + 10 * 86_400)
    const due = new Due({
      read: (operation) => operation(context, toMilliseconds(context.now)),
      write: (operation) => Promise.resolve(ok(operation(context, toMilliseconds(context.now)))),
    })
    const left = () =>
      ['qr_codes', 'settlement_changes'].map(
        (table) => sql.exec(`SELECT count(*) AS n FROM ${table}`).one().n,
      )
    expect(left()).toEqual([1, 1])
    await due.record()
    expect(left()).toEqual([0, 1])
    await due.record()
    expect(left()).toEqual([0, 0])
  }))

describe('the module of settlements', () => {
  /** A site that has imported a file, with one QR code whose end is due. @param load of the module */
  const withImport = (load: () => Promise<never>, work: (due: Due, sql: SqlStorage) => Promise<void>) =>
    inNewSite(async (storage, site) => {
      const { sql } = storage
      await site.create(creation('old', { ttl: 1 }))
      await imported(site, { settlementUid: 'a', entries: [line('1')] })
      cleaned(sql)
      const at = Math.floor(Date.now() / 1000) + 120
      // A write that fails forgets what is in memory.
      const context = () => contextOf(sql, at)
      const now = toMilliseconds(seconds(at))
      const access = {
        read: <T>(operation: (context: Context, now: Milliseconds) => T) => operation(context(), now),
        write: async (operation: (context: Context, now: Milliseconds) => void) => {
          storage.transactionSync(() => operation(context(), now))
          return ok(undefined)
        },
      }
      await work(new Due(access, { settle: load, erase: load }), sql)
    })
  const statusIn = (sql: SqlStorage) => sql.exec('SELECT status FROM qr_codes').one().status

  it('is not loaded while it has no work', async () => {
    const load = vi.fn(() => Promise.reject(new Error('not needed')))
    await withImport(load, async (due, sql) => {
      await due.record()
      expect([load.mock.calls, statusIn(sql)]).toEqual([[], 'EXPIRED'])
    })
  })

  it('leaves all other parts done where it cannot be loaded', () =>
    withImport(
      () => Promise.reject(new Error('no module')),
      async (due, sql) => {
        sql.exec('UPDATE settlement_state SET anew_event = 0')
        await expect(due.record()).rejects.toThrow('no module')
        expect(statusIn(sql)).toBe('EXPIRED')
      },
    ))
})
