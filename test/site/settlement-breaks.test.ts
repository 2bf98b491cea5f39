// Deletions of settlements that break, and what goes on after them.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { DeletionStep } from '../../src/contract/settlement.ts'
import { unwrap } from '../../src/gateway/site-client.ts'
import type { Site } from '../../src/site/site.ts'
import { alarmTurn, cleaned } from '../support/settlement/alarm.ts'
import { deleted, imported, line, NOVEMBER, paid } from '../support/settlement/imports.ts'
import { inNewSite, MERCHANT } from '../support/site.ts'

afterEach(() => void vi.useRealTimers())

/** What a reader sees. */
const seenIn = async (site: Site) => [
  unwrap(await site.settlements(MERCHANT, { limit: 100 })).settlements,
  unwrap(await site.settlementEntries(MERCHANT, { ...NOVEMBER, limit: 100 })).entries,
]

/** Two lines about one payment, of a file each: the one of the first is matched when the second is gone. */
async function wanted(site: Site, sql: SqlStorage): Promise<void> {
  await paid(site, sql, { uid: 'ours', networkUid: '1' })
  unwrap(await imported(site, { settlementUid: 'first', entries: [line('1')] }))
  unwrap(await imported(site, { settlementUid: 'second', entries: [line('1', { identity: 'again' })] }))
}

/** Begins a deletion. @returns whether it is done after so many calls */
async function isDeletedIn(calls: number, site: Site, settlementUid: string): Promise<boolean> {
  let step: DeletionStep = { isDone: false, token: '' }
  for (let call = 1; call <= calls && !step.isDone; call++)
    step = unwrap(await site.deleteSettlement(MERCHANT, settlementUid, step.token || undefined))
  return step.isDone
}

describe('a deletion that breaks at any call', () => {
  it.each<[string, (sql: SqlStorage) => void]>([
    ['leaves nothing, when the alarm has cleaned', cleaned],
    ['leaves nothing to the next job, which cleans', () => {}],
    ['leaves nothing to the next job, when the alarm has begun to clean', alarmTurn],
  ])('%s', (_, clean) =>
    inNewSite(async ({ sql }, site) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 10, 20) })
      await wanted(site, sql)
      const seen = await seenIn(site)
      expect(seen[0]).toMatchObject([
        { settlementUid: 'second', matched: 1, unknown: 0 },
        { settlementUid: 'first', matched: 0, unknown: 1 },
      ])
      let calls = 1
      for (; !(await isDeletedIn(calls, site, 'second')); calls++) {
        expect(await seenIn(site)).toEqual(seen)
        vi.setSystemTime(Date.now() + 61_000)
        clean(sql)
        unwrap(await imported(site, { settlementUid: 'other', entries: [] }))
        await deleted(site, 'other')
        expect(await seenIn(site)).toEqual(seen)
      }
      expect(calls).toBeGreaterThan(3)
      expect(await seenIn(site)).toMatchObject([[{ settlementUid: 'first', matched: 1, unknown: 0 }], [{}]])
    }),
  )
})
