// Sees the clock go back, also while the connector did not run, and has the times corrected that it wrote while it was ahead.
import type { Core } from '../core.ts'

/** A shorter step delays nothing for long, and happens often. */
const STEP_MS = 60_000
const SEEN = 'clockSeenAt'

export class ClockWatch {
  readonly #core: Core
  /** The latest time that is known to the disk; undefined on one that no connector with this watch has used. */
  #seenAt: number | undefined
  #wasBack = false

  constructor(core: Core) {
    this.#core = core
    const seenAt = core.disk.meta.get(SEEN)
    this.#seenAt = seenAt === undefined ? undefined : Number(seenAt)
  }

  tick(): void {
    const { disk, platform, log } = this.#core
    const now = platform.now()
    const seenAt = this.#seenAt
    const isBack = seenAt === undefined || now < seenAt - STEP_MS
    if (!isBack && now < seenAt + STEP_MS) return
    const rows = disk.transaction(() => {
      disk.meta.set(SEEN, String(now))
      // Once more a minute later: a call that was in flight has stored times that it had computed before.
      return isBack || this.#wasBack ? disk.dueTimes.correct(now) : 0
    })
    this.#seenAt = now
    this.#wasBack = isBack && seenAt !== undefined
    if (!isBack || seenAt === undefined) return
    log('warning', 'the clock went back', { seconds: Math.round((seenAt - now) / 1000), rows })
  }

  async settled(): Promise<void> {}
}
