// Which banks do not answer: one that is down is not asked until its pause has ended.
import { Unavailable, waitOf } from '../banks/bank-errors.ts'
import type { Core } from '../core.ts'
import { isDue, retryDelay } from '../work/schedule.ts'

/** So many codes in a row without an answer are a bank that is down; fewer are asked again at their own times. */
const DOWN = 3
/** The bank can ask for as long a pause. */
const LONGEST_MS = 3_600_000

/** What a bank has left unanswered since its last answer. */
interface Silence {
  /** The codes and sales that it was asked about. */
  about: Set<string>
  /** How often it was found down. */
  pauses: number
  /** When it is asked again. */
  until: number
}

/** A bank that refuses a code is not down. */
const isRefusal = ({ status }: Unavailable): boolean => status !== undefined && status < 500 && status !== 429

export class Silences {
  readonly #core: Core
  readonly #silences = new Map<string, Silence>()

  constructor(core: Core) {
    this.#core = core
  }

  /** Whether the bank is down, and its pause has not ended. */
  isPaused(name: string, now: number): boolean {
    return !isDue(this.#silences.get(name)?.until ?? 0, now, LONGEST_MS)
  }

  /** The bank has answered. */
  end(name: string): void {
    this.#silences.delete(name)
  }

  /** Counts a failure, and pauses a bank that is down. @returns until when; undefined for a bank that is not down */
  pauseAfter(error: unknown, name: string, id: string): number | undefined {
    if (!(error instanceof Unavailable) || isRefusal(error)) return
    const wait = waitOf(error)
    const now = this.#core.platform.now()
    const silence = this.#silences.get(name) ?? { about: new Set(), pauses: 0, until: 0 }
    this.#silences.set(name, silence)
    silence.about.add(id)
    if (silence.about.size < DOWN && wait === 0) return
    // Of the calls in flight the first one decides how long.
    if (isDue(silence.until, now, LONGEST_MS)) silence.until = now + retryDelay(Math.min(silence.pauses++, 4))
    silence.until = Math.max(silence.until, now + wait)
    return silence.until
  }
}
