// The retention of a deployment in tests: what it is, what a site has learnt of it, and a sweep without the object around it.
import { runInDurableObject } from 'cloudflare:test'
import { expect, vi } from 'vitest'
import { settings } from '../../src/entry/deployment.ts'
import { nextWake } from '../../src/site/clock.ts'
import { TableMemory } from '../../src/site/database/memory.ts'
import { sweep } from '../../src/site/qr-codes/retention.ts'
import { milliseconds } from '../../src/site/time.ts'
import type { FreshSite } from './admin.ts'

/** The deployment's setting, as objects that start from now on learn it. */
export function retain(days: number | null): void {
  if (!settings.ok) throw new Error('the settings of the tests are invalid')
  settings.config.retentionDays = days ?? undefined
}

/** Resolves when a site has stored the setting, which it does after a write. */
export async function learnt({ stub }: Pick<FreshSite, 'stub'>, days: number): Promise<void> {
  const now = Date.now()
  const stored = () =>
    runInDurableObject(stub, (_, { storage }) => storage.sql.exec('SELECT retention_days FROM site').one())
  await vi.waitFor(async () => expect(await stored()).toEqual({ retention_days: days }), 30_000)
  // The wait moves a faked clock with each attempt.
  vi.setSystemTime(now)
}

export const retentionDeleted = (sql: SqlStorage, now: number): void =>
  sweep({ sql, memory: new TableMemory(sql, nextWake) }, milliseconds(now))
