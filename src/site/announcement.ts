// Tells the registry that the site exists: after its first write or at the object's start, and again when its name changes or
// the site is deleted (contract, section 16).
import type { Announcement } from '../contract/announcement.ts'
import { createdAtOf, deletedAtOf, epochOf } from './rows/site.ts'
import { integer, type Sql, text } from './rows/sql.ts'
import type { Store } from './store.ts'
import { type Milliseconds, milliseconds, plus } from './time.ts'

/** Until the next attempt, if the registry does not take an announcement. */
const RETRY = milliseconds(60_000)

export interface AnnouncerOptions {
  store: Store
  /** Resolves when the registry has it on disk. */
  announce(announcement: Announcement): Promise<void>
  /** Keeps the object in memory until the announcement has its result. */
  waitUntil(work: Promise<void>): void
}

export class Announcer {
  readonly #options: AnnouncerOptions
  /** Whether the registry has the site with its present name; undefined: the table is to be read. */
  #isTaken: boolean | undefined
  /** The registry has it, and the table does not say so yet. */
  #isUnrecorded = false
  #announcing: Promise<void> | undefined
  #retryAt: Milliseconds | undefined

  constructor(options: AnnouncerOptions) {
    this.#options = options
  }

  /** When an announcement that failed is repeated: the alarm wakes the object then. */
  get retryAt(): Milliseconds | undefined {
    return this.#isTaken ? undefined : this.#retryAt
  }

  /** At the object's start: the first flush comes later, and records what the registry has taken by then. */
  open(): void {
    if (!this.#options.store.isDeleted) this.run()
  }

  /** Before a write that stores settings, which can have another name: the table is read again after it. */
  settingsChange(): void {
    this.#record()
    this.#isTaken = undefined
  }

  /**
   * Announces the site if the registry does not have it yet. It runs after each flush, in whose commit the table learns what
   * the registry has. No caller waits for it.
   */
  run(): void {
    const { store, waitUntil } = this.#options
    if (this.#announcing) return
    // A deletion is news, too.
    if (store.isDeleted) this.#isTaken = undefined
    else this.#record()
    this.#isTaken ??= isAnnounced(store.sql)
    if (this.#isTaken || store.milliseconds < (this.#retryAt ?? 0)) return
    // Its time is past: until the attempt has a result, the alarm would repeat at once. A deletion goes on after the object's
    // end: without a further request only the alarm starts it again.
    this.#retryAt = store.isDeleted ? plus(store.milliseconds, RETRY) : undefined
    this.#announcing = this.#announce()
    waitUntil(this.#announcing)
  }

  /** Resolves when no announcement is on its way, whatever became of it. */
  async settled(): Promise<void> {
    while (this.#announcing) await this.#announcing
  }

  async #announce(): Promise<void> {
    const { store, announce } = this.#options
    const { siteId } = store
    this.#isUnrecorded = false
    try {
      const announcement = announcementOf(store.sql, siteId)
      await announce(announcement)
      this.#retryAt = undefined
      // Emptied only now: a site without its tables must not be in the registry as an existing one.
      if (announcement.deletedAt !== undefined) await store.empty()
      // A commit for the table alone would cost as much as the registry's: the next flush has one in any case.
      else this.#isUnrecorded = announcement.name === nameOf(store.sql) && !store.isDeleted
    } catch (error) {
      store.warn('a site was not announced', { fault: String(error) })
      this.#retryAt = plus(store.milliseconds, RETRY)
      // The alarm is set after a write.
      await store.writeOwn(() => {}).catch(() => {})
    } finally {
      this.#isTaken = this.#isUnrecorded || undefined
      this.#announcing = undefined
    }
    if (!this.#isTaken) this.run()
  }

  #record(): void {
    if (this.#isUnrecorded) this.#options.store.sql.exec('UPDATE site SET announced = 1')
    this.#isUnrecorded = false
  }
}

const isAnnounced = (sql: Sql): boolean => integer(sql, 'SELECT announced FROM site') === 1

const nameOf = (sql: Sql): string | undefined => text(sql, "SELECT settings ->> 'name' FROM settings")

/** What the site's tables say. */
export function announcementOf(sql: Sql, siteId: string): Announcement {
  const deletedAt = deletedAtOf(sql)
  return {
    siteId,
    name: deletedAt === undefined ? nameOf(sql) : undefined,
    createdAt: createdAtOf(sql),
    epoch: epochOf(sql),
    ...(deletedAt !== undefined && { deletedAt }),
  }
}
