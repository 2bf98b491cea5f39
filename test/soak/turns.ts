// Which fault comes next: each once, in an order of the seed, before one comes again.
import type { Random } from '../support/random.ts'

export type Fault = () => Promise<unknown>

/** The last third, but no more than this: so the memory of a process is seen over hours. */
const MAX_ENDING_MS = 30 * 60_000
/** For how long of a run no process may end, in milliseconds. */
export const calmMsOf = (wholeMs: number): number => wholeMs - Math.min(wholeMs / 3, MAX_ENDING_MS)

export class Turns {
  /** How often each has happened. */
  readonly counts = new Map<string, number>()
  readonly #lasting: Readonly<Record<string, Fault>>
  readonly #ends: Readonly<Record<string, Fault>>
  readonly #random: Random
  #next: string[] = []
  #canEnd = false

  /** @param lasting those in which processes go on @param ends those in which processes end */
  constructor(lasting: Record<string, Fault>, ends: Record<string, Fault>, random: Random) {
    this.#lasting = lasting
    this.#ends = ends
    this.#random = random
  }

  /** Something goes wrong. @param canEnd whether processes may end */
  async happen(canEnd: boolean): Promise<void> {
    const faults = { ...this.#lasting, ...(canEnd && this.#ends) }
    // Ends come first, once they may come.
    if (canEnd && !this.#canEnd) this.#next = Object.keys(this.#ends)
    this.#canEnd = canEnd
    if (this.#next.length === 0) {
      const missing = this.missing().filter((name) => name in faults)
      this.#next = missing.length > 0 ? missing : Object.keys(faults)
    }
    const [name = ''] = this.#next.splice(this.#random.below(this.#next.length), 1)
    await faults[name]?.()
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }

  /** Those that have not happened. */
  missing(): string[] {
    return Object.keys({ ...this.#lasting, ...this.#ends }).filter((name) => !this.counts.has(name))
  }
}
