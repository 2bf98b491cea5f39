// The long polls of this process. A stop of a self-hosted service answers them, because workerd would wait for their end. It also
// answers the long polls that other instances of a cluster sent to the objects of this process.
import type { Metrics } from './metrics.ts'

/** For so many milliseconds nothing waits after a stop was announced; workerd ends long before. */
const DRAIN_MS = 30_000

/** What ends long polls: stubs of sites' objects, and the clock in Unix milliseconds. */
interface Stops {
  site(siteId: string): { stopListening(id: string): Promise<void>; stopAllListening(): Promise<void> }
  now(): number
  /** The listeners of the objects of this process. */
  listeners: { readonly sites: ReadonlySet<string>; drainsUntil: number }
}

export class LongPolls {
  /** The site of each, by the id of its listener. */
  readonly #sites = new Map<string, string>()
  readonly #metrics: Metrics
  #drainsUntil = 0

  constructor(metrics: Metrics) {
    this.#metrics = metrics
  }

  add(id: string, siteId: string): void {
    this.#sites.set(id, siteId)
    this.#metrics.add('long_polls')
  }

  /** A second call changes nothing. */
  delete(id: string): void {
    if (this.#sites.delete(id)) this.#metrics.add('long_polls', {}, -1)
  }

  /** Whether nothing waits now. @param now Unix milliseconds */
  isDraining(now: number): boolean {
    return now < this.#drainsUntil
  }

  /** Answers all long polls as things stand; for a while others are answered at once. */
  async drain({ site, now, listeners }: Stops): Promise<void> {
    this.#drainsUntil = listeners.drainsUntil = now() + DRAIN_MS
    await Promise.allSettled([
      // In a cluster the object can live in another instance.
      ...[...this.#sites].map(([id, siteId]) => site(siteId).stopListening(id)),
      ...[...listeners.sites].map((siteId) => site(siteId).stopAllListening()),
    ])
  }
}
