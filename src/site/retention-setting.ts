// The deployment's retention, stored in the site: the alarm, and `bin`, read it from the table.

import type { Store } from './database/store.ts'
import { deployment, retentionOf, setRetention } from './qr-codes/retention.ts'

/** Stores the setting once in the life of the object. */
export class RetentionSetting {
  readonly #store: Store
  readonly #waitUntil: (work: Promise<void>) => void
  #isStored = false

  /** @param waitUntil keeps the object in memory until the setting is stored */
  constructor(store: Store, waitUntil: (work: Promise<void>) => void) {
    this.#store = store
    this.#waitUntil = waitUntil
  }

  /** Runs after a write, when nothing has to wait for it. */
  run(): void {
    if (this.#isStored) return
    this.#isStored = true
    const { retentionDays } = deployment
    if (retentionDays === undefined || retentionDays === retentionOf(this.#store.sql)) return
    this.#waitUntil(this.#set(retentionDays))
  }

  async #set(days: number | null): Promise<void> {
    try {
      await this.#store.writeOwn(({ sql }) => setRetention(sql, days))
    } catch (error) {
      this.#store.warn('the retention was not stored', { fault: String(error) })
    }
  }
}
