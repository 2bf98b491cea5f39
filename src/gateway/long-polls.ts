// The long polls of this process: a stop of a self-hosted service answers them, because workerd would wait for their end.
import type { Metrics } from './metrics.ts'

/** For so many milliseconds nothing waits after a stop was announced; workerd ends long before. */
const DRAIN_MS = 30_000

/** What ends long polls: a stub of a site's object, and the clock in Unix milliseconds. */
interface Stops {
  site(siteId: string): { stopListening(id: string): Promise<void> }
  now(): number
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
  async drain({ site, now }: Stops): Promise<void> {
    this.#drainsUntil = now() + DRAIN_MS
    await Promise.allSettled([...this.#sites].map(([id, siteId]) => site(siteId).stopListening(id)))
  }
}
