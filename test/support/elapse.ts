// Time that passes on a site that nobody calls, in tests with the clock of their own.
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { vi } from 'vitest'
import type { FreshSite } from './admin.ts'

/** Lets a time pass, in which every alarm rings when it is due. @returns how many did */
export async function elapse({ stub }: Pick<FreshSite, 'stub'>, milliseconds: number): Promise<number> {
  const end = Date.now() + milliseconds
  for (let rung = 0; ; rung++) {
    // What an alarm began has its result before the next one.
    await scheduler.wait(5)
    const alarm = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm())
    if (alarm === null || alarm > end) {
      vi.setSystemTime(end)
      return rung
    }
    vi.setSystemTime(Math.max(alarm, Date.now()))
    await runDurableObjectAlarm(stub)
  }
}
