// Sends the site's dates and figures to the registry, whenever they differ from its entry in the list of sites (contract, section 16).
import { isStuck, NO_FIGURES, type RegistryEntry } from '../../contract/registry-entry.ts'
import type { Memory } from '../context.ts'
import { earliest, type Milliseconds, milliseconds, plus, toSeconds } from '../time.ts'
import {
  isNews,
  isOtherSite,
  mayDiffer,
  nextFigures,
  registryEntryIn,
  registryEntryOf,
  setRegistryEntry,
} from './registry-entry.ts'

/** The shortest time between two readings of the figures, and until the next attempt where the registry does not answer. */
const INTERVAL = milliseconds(60_000)
/** Until the registry counts as one that does not answer. */
const TIMEOUT = milliseconds(30_000)

/** What the sender needs of the site's object. */
interface Site {
  readonly sql: SqlStorage
  readonly milliseconds: Milliseconds
  readonly isDeleted: boolean
  readonly memory: Pick<Memory, 'hasReceipts'>
  /** Deletes the data of a deleted site. */
  empty(): Promise<void>
  /** Flushes, which sets the alarm. */
  writeOwn(operation: () => void): Promise<void>
  warn(message: string, more: object): void
}

interface RegistryOptions {
  site: Site
  /** Resolves when the registry has the entry on disk. */
  record(entry: RegistryEntry): Promise<void>
  /** Keeps the object in memory until the registry has answered. */
  waitUntil(work: Promise<void>): void
}

export class RegistryUpdates {
  readonly #options: RegistryOptions
  /** What the registry has; undefined: the table is to be read. */
  #taken: RegistryEntry | undefined
  /** The registry has it, and the table does not say so yet. */
  #isUnrecorded = false
  /** Whether the name, or whether the site is deleted, can differ from what the registry has. */
  #isOpen = true
  #sending: Promise<void> | undefined
  #hasFailed = false
  /** When the figures were read last. */
  #readAt: Milliseconds | undefined
  #wakeAt: Milliseconds | undefined

  constructor(options: RegistryOptions) {
    this.#options = options
  }

  /** When the alarm is to run `check`; undefined while the figures can only change by a write. */
  get wakeAt(): Milliseconds | undefined {
    return this.#wakeAt
  }

  /** At the object's start: the first flush comes later. */
  start(): void {
    if (!this.#options.site.isDeleted) this.#compareIdentity()
  }

  /** A write is done by which the site is deleted, or is not any more. Resolves when the registry was told, whatever became of it. */
  async deletionChanged(): Promise<void> {
    this.#compareIdentity()
    while (this.#sending) await this.#sending
  }

  /** A write stores settings, which can have another name. */
  settingsChange(): void {
    this.#isOpen = true
  }

  /**
   * Runs after each flush. What the registry has taken is recorded in this commit: one of its own would cost as much as the
   * registry's. No caller waits for what is sent.
   * @param mayChange false where no figure can have changed, as by creates
   */
  flushed(mayChange: boolean): void {
    const { site } = this.#options
    if (this.#isUnrecorded && this.#taken && !site.isDeleted) setRegistryEntry(site.sql, this.#taken)
    this.#isUnrecorded = false
    if (mayChange) this.#planReading()
    if (site.isDeleted || this.#isOpen) this.#compareIdentity()
  }

  /** Reads the figures, at most once a minute, and sends what has changed. The alarm runs it. */
  check(): void {
    const { site } = this.#options
    const now = site.milliseconds
    const readAt = this.#readAt
    if (readAt !== undefined && now >= readAt && now < plus(readAt, INTERVAL)) return
    if (this.#sending) this.#wakeAt = plus(now, INTERVAL)
    else this.#compare()
  }

  /** A minute after a write at the latest, the figures are read: to count at each write would slow writes down. */
  #planReading(): void {
    const { site } = this.#options
    const isPlanned =
      this.#hasFailed ||
      this.#sending !== undefined ||
      mayDiffer(site.sql, this.#taken, site.memory.hasReceipts)
    this.#wakeAt = isPlanned ? earliest(this.#wakeAt, plus(site.milliseconds, INTERVAL)) : undefined
  }

  #compareIdentity(): void {
    // After an attempt that failed, the alarm makes the next one.
    if (this.#sending || this.#hasFailed) return
    this.#isOpen = false
    const { sql } = this.#options.site
    this.#taken ??= registryEntryIn(sql)
    if (isOtherSite(sql, this.#taken)) this.#compare()
  }

  #compare(): void {
    const { site, waitUntil } = this.#options
    const now = site.milliseconds
    this.#readAt = now
    this.#taken ??= registryEntryIn(site.sql)
    const { hasReceipts } = site.memory
    const entry = registryEntryOf(site.sql, now, site.sql.databaseSize, hasReceipts)
    const next = nextFigures(site.sql, now, hasReceipts)
    this.#wakeAt = next && milliseconds(Math.max(next, plus(now, INTERVAL)))
    // After a failed attempt it is not known what the registry has: so the entry is sent.
    if (!this.#hasFailed && !isNews(entry, this.#taken)) return
    // The entry is sent again a minute later: until then this object can end without an answer.
    const isWatched = isStuck(entry) || isStuck(this.#taken ?? NO_FIGURES)
    if (isWatched || site.isDeleted) this.#wakeAt = plus(now, INTERVAL)
    this.#sending = this.#send(entry, isWatched)
    waitUntil(this.#sending)
  }

  async #send(entry: RegistryEntry, isWatched: boolean): Promise<void> {
    const { site } = this.#options
    try {
      await this.#record(entry)
      // The site is emptied only now: a site without its tables must not be in the registry as an existing one.
      if (entry.deletedAt !== undefined) {
        await site.empty()
        this.#wakeAt = undefined
      }
      this.#taken = entry
      this.#isUnrecorded = entry.deletedAt === undefined
      this.#hasFailed = false
    } catch (error) {
      site.warn('the registry was not told of a change', { fault: String(error) })
      this.#hasFailed = true
    }
    this.#sending = undefined
    // The next object must know figures that can change back; and after a failure the alarm is to be set.
    if (isWatched || this.#hasFailed) await site.writeOwn(() => {}).catch(() => {})
    // The site can have changed while the entry was on its way.
    this.#compareIdentity()
  }

  /** @throws where the registry fails, or does not answer in time: without a limit nothing more would be sent */
  async #record(entry: RegistryEntry): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => reject(new Error(`no answer within ${toSeconds(TIMEOUT)} seconds`)),
      TIMEOUT,
    )
    await Promise.race([this.#options.record(entry), promise]).finally(() => clearTimeout(timer))
  }
}
