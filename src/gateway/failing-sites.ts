// Which sites fail while others work: an operation of a site that has answered nothing but 5xx for a minute.
import { setBounded } from './bounded-map.ts'

const MIN_MS = 60_000
/** A failure of a site that nobody asks any more is forgotten. */
const MAX_QUIET_MS = 300_000
const MAX_ENTRIES = 10_000

export class FailingSites {
  /** By site and operation: since when it fails, and when it failed last; Unix milliseconds. */
  readonly #failures = new Map<string, { siteId: string; since: number; last: number }>()

  /** Notes how a request of a site ended. Another operation that works does not hide one that fails. */
  note(siteId: string, operation: string, status: number, now: number): void {
    const key = `${siteId} ${operation}`
    if (status < 500) this.#failures.delete(key)
    else {
      const since = this.#failures.get(key)?.since ?? now
      setBounded(this.#failures, key, { siteId, since, last: now }, MAX_ENTRIES)
    }
  }

  /** How many sites fail. */
  count(now: number): number {
    const failing = new Set<string>()
    for (const [key, { siteId, since, last }] of this.#failures) {
      if (now - last > MAX_QUIET_MS) this.#failures.delete(key)
      else if (last - since >= MIN_MS) failing.add(siteId)
    }
    return failing.size
  }
}
