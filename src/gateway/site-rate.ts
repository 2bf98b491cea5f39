// How often a site of a self-hosted service may be asked: a token bucket in memory (contract, section 2).
import { setBounded } from './bounded-map.ts'

/** Buckets that are kept. A bucket of a site without requests for two seconds is full: as good as none. */
const MAX_BUCKETS = 10_000

export class SiteRate {
  readonly #buckets = new Map<string, { tokens: number; at: number }>()
  readonly #rate: number
  readonly #now: () => number

  /** @param rate requests a second; twice as many at once. @param now Unix milliseconds */
  constructor(rate: number, now: () => number) {
    this.#rate = rate
    this.#now = now
  }

  /** Counts a request of a site or a link, unless it is refused. @returns whether it is allowed */
  allows(key: string): boolean {
    const at = this.#now()
    const burst = 2 * this.#rate
    const { tokens, at: since } = this.#buckets.get(key) ?? { tokens: burst, at }
    // A clock that is set back fills nothing.
    const filled = Math.min(burst, tokens + (Math.max(at - since, 0) * this.#rate) / 1000)
    const isAllowed = filled >= 1
    setBounded(this.#buckets, key, { tokens: isAllowed ? filled - 1 : filled, at }, MAX_BUCKETS)
    return isAllowed
  }
}
