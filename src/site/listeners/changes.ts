// Ends long polls when their subject has changed: after each flush it reads the events that the flush has written.

import type { Memory } from '../context.ts'
import { changedSince } from '../events/events.ts'
import type { SiteName } from '../rows/site-id.ts'
import type { Milliseconds } from '../time.ts'
import { createListeners, FEED, type Listener } from './listeners.ts'
import { processListeners } from './process.ts'

interface ChangesOf {
  name: Pick<SiteName, 'value'>
  /** Unix milliseconds. */
  clock(): number
}

export class Changes {
  readonly #sql: SqlStorage
  readonly #memory: Memory
  readonly #site: ChangesOf
  readonly #listeners = createListeners()
  /** The number of the latest event that listeners were notified of. */
  #notified = 0

  constructor(sql: SqlStorage, memory: Memory, site: ChangesOf) {
    this.#sql = sql
    this.#memory = memory
    this.#site = site
  }

  /** Reads where the events end, for the object's start. */
  open(): void {
    this.#notified = this.#memory.lastEvent
  }

  /** Every change has an event, so the latest events say which listeners to notify. */
  notify(): void {
    const latest = this.#memory.lastEvent
    if (this.#listeners.count() > 0) {
      for (const { number, version } of changedSince(this.#sql, this.#notified)) {
        this.#listeners.notify(number, version)
      }
      this.#listeners.notify(FEED, latest)
    }
    this.#notified = latest
  }

  /**
   * Waits until the listener's subject has another version, or until the time is over.
   * @returns false where it did not wait: at the listener limit, or before a stop of the process
   */
  async listen(listener: Listener, duration: Milliseconds): Promise<boolean> {
    const { name, clock } = this.#site
    if (duration <= 0 || clock() < processListeners.drainsUntil) return false
    const siteId = name.value
    const change = this.#listeners.listen(listener, duration)
    processListeners.sites.add(siteId)
    await change
    if (this.#listeners.count() === 0) processListeners.sites.delete(siteId)
    return change !== undefined
  }

  /** Ends all listeners: they find what has become of the site. */
  stopAll(): void {
    this.#listeners.stopAll()
  }

  stopListening(id: string): void {
    this.#listeners.stop(id)
  }
}
