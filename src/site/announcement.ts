// Tells the registry that the site exists: after its first write, and again when its name changes (contract, section 16).
import type { Announcement } from '../contract/announcement.ts'
import { epochOf } from './rows/site.ts'
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
  log(line: string): void
}

export class Announcer {
  readonly #options: AnnouncerOptions
  /** Whether the registry has the site, by the table; undefined: the table is to be read. */
  #isTaken: boolean | undefined
  #isBusy = false
  #retryAt: Milliseconds | undefined

  constructor(options: AnnouncerOptions) {
    this.#options = options
  }

  /** When an announcement that failed is repeated: the alarm wakes the object then. */
  get retryAt(): Milliseconds | undefined {
    return this.#isTaken ? undefined : this.#retryAt
  }

  /** The table is read again before the next announcement: the settings can have another name. */
  read(): void {
    this.#isTaken = undefined
  }

  /** Announces the site if the registry does not have it yet. It runs after each flush, and no caller waits for it. */
  run(): void {
    const { store, waitUntil } = this.#options
    if (this.#isTaken || this.#isBusy) return
    this.#isTaken ??= isAnnounced(store.sql)
    if (this.#isTaken || store.milliseconds < (this.#retryAt ?? 0)) return
    this.#isBusy = true
    // Its time is past: until the attempt has a result, the alarm would repeat at once.
    this.#retryAt = undefined
    waitUntil(this.#announce())
  }

  async #announce(): Promise<void> {
    const { store, announce, log } = this.#options
    const { siteId } = store
    try {
      const announcement = announcementOf(store.sql, siteId)
      await announce(announcement)
      await store.writeOwn(({ sql }) => {
        if (announcement.name === nameOf(sql)) sql.exec('UPDATE site SET announced = 1')
      })
    } catch (error) {
      log(JSON.stringify({ warning: 'a site was not announced', site: siteId, fault: String(error) }))
      this.#retryAt = plus(store.milliseconds, RETRY)
      // The alarm is set after a write.
      await store.writeOwn(() => {}).catch(() => {})
    } finally {
      this.#isTaken = undefined
      this.#isBusy = false
    }
    this.run()
  }
}

const isAnnounced = (sql: Sql): boolean => integer(sql, 'SELECT announced FROM site') === 1

const nameOf = (sql: Sql): string | undefined => text(sql, "SELECT settings ->> 'name' FROM settings")

/** The announcement that the site's tables make. */
export const announcementOf = (sql: Sql, siteId: string): Announcement => ({
  siteId,
  name: nameOf(sql),
  createdAt: integer(sql, 'SELECT at FROM events ORDER BY number LIMIT 1') ?? 0,
  epoch: epochOf(sql),
})
