// Collects entries of a settlement file into batches for the site's object.
import type { Entry } from '../settlement/formats/entry.ts'

/** So much JSON a batch has at most, in bytes: other requests wait while one is parsed, sent and stored. */
const MAX_BATCH = 64 * 1024
/** A site ends an import that is silent for a minute: a client whose file arrives slowly sends a batch before. */
const MAX_SILENCE_MS = 20_000

/** Of an array without an entry, and one more, because its last entry has no comma. */
const BRACKETS = 1

const utf8 = new TextEncoder()

export class EntryBatches {
  readonly #now: () => number
  readonly #send: (entries: Entry[]) => Promise<void>
  #entries: Entry[] = []
  #size = BRACKETS
  #sentAt: number

  /** @param now Unix milliseconds */
  constructor(now: () => number, send: (entries: Entry[]) => Promise<void>) {
    this.#now = now
    this.#send = send
    this.#sentAt = now()
  }

  /** Takes entries, and sends what is a batch. */
  async add(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      const size = utf8.encode(`${JSON.stringify(entry)},`).length
      if (this.#size + size > MAX_BATCH) await this.flush()
      this.#entries.push(entry)
      this.#size += size
    }
  }

  /** Sends what there is, if nothing was sent for long. */
  async keepAlive(): Promise<void> {
    if (this.#now() - this.#sentAt >= MAX_SILENCE_MS) await this.#sendAll()
  }

  /** Sends what is left. */
  async flush(): Promise<void> {
    if (this.#entries.length > 0) await this.#sendAll()
  }

  #sendAll(): Promise<void> {
    const entries = this.#entries
    this.#entries = []
    this.#size = BRACKETS
    this.#sentAt = this.#now()
    return this.#send(entries)
  }
}
