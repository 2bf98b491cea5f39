// Counts the operations of a file, and gives each entry its identity.
import { type Entry, type Summary, TooLarge } from './entry.ts'
import type { Faults } from './faults.ts'
import { roubles } from './money.ts'

export const MAX_OPERATIONS = 100_000
/** Kopecks: the sums of a month of many files stay exact numbers. */
const MAX_SUM = 10 ** 14

/** An entry without what the file as a whole decides. */
export type NewEntry = Omit<Entry, 'identity' | 'currency'>

export class Tally {
  readonly #faults: Faults
  readonly #numbered = new Map<string, number>()
  readonly #lineOf = new Map<string, number>()
  readonly #skippedNet: Record<string, number> = {}
  #batch: Entry[] = []
  #sum = 0
  #entries = 0
  #skipped = 0
  #from: string | undefined
  #to: string | undefined

  constructor(faults: Faults) {
    this.#faults = faults
  }

  /**
   * An entry that the bank has a number for, once in a file.
   * @param id names it among all of its bank; `place` is where the file has it
   */
  addNamed(entry: NewEntry, id: readonly string[], place: string): void {
    const identity = identityOf(id)
    const line = this.#lineOf.get(identity)
    if (line !== undefined)
      this.#faults.add(place, `is ${id.at(-1)}, which line ${line} has too, must be another one`)
    this.#lineOf.set(identity, entry.line)
    this.#add(entry, identity)
  }

  /** An entry without a number of its own: equal ones are numbered in the order of their lines. */
  addUnnamed(entry: NewEntry, stated: readonly (string | number)[]): void {
    const identity = identityOf(stated)
    const number = (this.#numbered.get(identity) ?? 0) + 1
    this.#numbered.set(identity, number)
    this.#add(entry, `${identity}\n${number}`)
  }

  /** An operation of another product. @param net kopecks, where the bank states them and the day of payout */
  skip(net?: number, paidOn?: string): void {
    this.#skipped++
    this.#limit()
    this.#addUp(net)
    if (net !== undefined && paidOn !== undefined)
      this.#skippedNet[paidOn] = (this.#skippedNet[paidOn] ?? 0) + net
  }

  /** The file is about that day, too. */
  cover(day: string): void {
    if (this.#from === undefined || day < this.#from) this.#from = day
    if (this.#to === undefined || day > this.#to) this.#to = day
  }

  /** The entries since the last call. */
  take(): Entry[] {
    const batch = this.#batch
    this.#batch = []
    return batch
  }

  summary(): Summary {
    return {
      lines: this.#entries + this.#skipped,
      entries: this.#entries,
      skipped: this.#skipped,
      skippedNet: this.#skippedNet,
      ...(this.#from !== undefined && { from: this.#from }),
      ...(this.#to !== undefined && { to: this.#to }),
    }
  }

  #add(entry: NewEntry, identity: string): void {
    this.#entries++
    this.#limit()
    for (const amount of [entry.gross, entry.fee, entry.net]) this.#addUp(amount)
    this.#batch.push({ ...entry, identity, currency: 'RUB' })
  }

  #addUp(amount = 0): void {
    this.#sum += Math.abs(amount)
    if (this.#sum > MAX_SUM)
      this.#faults.stop('file', `has amounts of more than ${roubles(MAX_SUM)} in all, must have less`)
  }

  #limit(): void {
    if (this.#entries + this.#skipped > MAX_OPERATIONS)
      throw new TooLarge(`the file has too many lines, must have at most ${MAX_OPERATIONS}`)
  }
}

/** No cell and no string of a file that is read has a line break. */
const identityOf = (parts: readonly (string | number)[]): string => parts.join('\n')
