// The one alarm of a site's object: set for the next wake, and only while there is one.
import { type Milliseconds, milliseconds, plus } from '../time.ts'

/** Until the next alarm, if one fails. */
const RETRY = milliseconds(60_000)

export class Alarm {
  readonly #storage: DurableObjectStorage
  /** The wake for which it is set; undefined while that is not known. */
  #at: Milliseconds | null | undefined
  /** The platform's alarm when the object started. */
  #found: number | null = null

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Reads what the platform has, for the object's start. */
  async open(): Promise<void> {
    this.#found = await this.#storage.getAlarm()
  }

  /** The platform calls the object: its alarm is gone. */
  rang(): void {
    this.#at = null
  }

  /**
   * Sets the alarm, or deletes it where there is no next wake. After the start of the object it is always set: the
   * platform can have lost an alarm that `getAlarm` still returns.
   */
  set(next: Milliseconds | undefined): void {
    const at = next ?? null
    if (at === this.#at) return
    const isFound = this.#at === undefined && at === this.#found
    this.#at = at
    if (at === null) {
      if (!isFound) this.#storage.deleteAlarm()
    } else {
      // An alarm at an equal time changes nothing, so the platform's scheduler would not get it.
      this.#storage.setAlarm(isFound ? at - 1 : at)
    }
  }

  /** Sets the alarm again after one that failed. */
  retry(now: Milliseconds): void {
    this.set(plus(now, RETRY))
  }
}
