// Whether this process can do its work: a write of an object reaches the disk. An instance of a cluster holds its lease, for
// which it writes to the bucket; an object could live in another instance, whose loss is not that of this one.
import { PROBE_OBJECT } from '../contract/site-id.ts'
import type { Platform } from './context.ts'

/** A result is reused for these milliseconds, so that unauthenticated requests cause few writes. */
const MAX_AGE_MS = 1000
const TIMEOUT_MS = 5000

/** Makes the check; it resolves to false where the write fails, or takes longer than 5 seconds. */
export function readiness({
  site,
  now,
  within,
  holdsLease,
}: Pick<Platform, 'site' | 'now' | 'within' | 'holdsLease'>): () => Promise<boolean> {
  const writes = async () => {
    await site(PROBE_OBJECT).probe()
    return true
  }
  const check = holdsLease ?? writes
  let latest: { at: number; isReady: boolean } | undefined
  return async () => {
    const at = now()
    if (latest && Math.abs(at - latest.at) < MAX_AGE_MS) return latest.isReady
    // Meanwhile the others get the result before.
    if (latest) latest.at = at
    const isReady =
      (await within(
        TIMEOUT_MS,
        check().catch(() => false),
      )) ?? false
    latest = { at, isReady }
    return isReady
  }
}
