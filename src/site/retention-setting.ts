// The deployment's retention, stored in the site: the alarm, and `bin`, read it from the table.

import type { Store } from './database/store.ts'
import { retentionOf, setRetention } from './qr-codes/retention.ts'

/** Stores the setting once in the life of the object. */
export class RetentionSetting {
  readonly #store: Store
  readonly #days: number | null | undefined
  readonly #waitUntil: (work: Promise<void>) => void
  #isStored = false

  /**
   * @param days the setting: null, for ever; undefined, not known
   * @param waitUntil keeps the object in memory until the setting is stored
   */
  constructor(store: Store, days: number | null | undefined, waitUntil: (work: Promise<void>) => void) {
    this.#store = store
    this.#days = days
    this.#waitUntil = waitUntil
  }

  /** Runs after a write, when nothing has to wait for it. */
  run(): void {
    if (this.#isStored) return
    this.#isStored = true
    const days = this.#days
    if (days === undefined || days === retentionOf(this.#store.sql)) return
    this.#waitUntil(this.#set(days))
  }

  async #set(days: number | null): Promise<void> {
    try {
      await this.#store.writeOwn(({ sql }) => setRetention(sql, days))
    } catch (error) {
      this.#store.warn('the retention was not stored', { fault: String(error) })
    }
  }
}
