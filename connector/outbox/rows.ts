// Reports on disk, until the service has accepted them.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf, timeOf } from '../disk/database.ts'
import { MOVED, moved, type Next, PLACE, Place, Queue } from '../work/queue.ts'

const ReportRow = Place.extend({
  path: z.string(),
  site: z.string(),
  body: z.string(),
  createdAt: z.int(),
  answer: z.string(),
})
export type ReportRow = z.output<typeof ReportRow>

interface NewReport {
  /** Below `/network/v1/sites/{siteId}/`. */
  path: string
  site: string
  body: object
}

/** Of a path below the site's. */
export const addressOf = (site: string, path: string): string =>
  `/network/v1/sites/${encodeURIComponent(site)}/${path}`

/** In each statement about few of many rows: SQLite uses the partial index only where its condition is repeated. */
const OPEN = `state <> 'ACCEPTED' AND state <> 'UNKNOWN'`
const SELECT = `SELECT path, site, body, created_at AS createdAt, answer, ${PLACE} FROM reports`

export class Reports {
  readonly queue: Queue<ReportRow>
  readonly #put: StatementSync
  readonly #accepted: StatementSync
  readonly #failed: StatementSync
  readonly #open: StatementSync
  readonly #openCount: StatementSync
  readonly #oldestSince: StatementSync
  readonly #unknown: StatementSync
  readonly #since: StatementSync
  readonly #remove: StatementSync
  readonly #get: StatementSync

  constructor(database: DatabaseSync) {
    this.queue = new Queue(database, {
      ...{
        table: 'reports',
        select: SELECT,
        lane: 'site',
        open: `${OPEN} AND state = 'PENDING'`,
        isNewFirst: true,
      },
      ...{ longest: 3_600_000, schema: ReportRow },
    })
    this.#put = database.prepare(
      `INSERT INTO reports (path, site, body, state, created_at, due_at, stepped_at) VALUES (?1, ?2, ?3, 'PENDING', ?4, ?4, ?4)
       ON CONFLICT (path) DO UPDATE SET body = ?3, state = 'PENDING', created_at = ?4, due_at = ?4, stepped_at = ?4,
       wakes = wakes + 1, attempts = 0, answer = ''`,
    )
    this.#accepted = database.prepare(`UPDATE reports SET state = ?, answer = ? WHERE path = ? AND body = ?`)
    this.#failed = database.prepare(
      `UPDATE reports SET answer = :answer, ${MOVED} WHERE path = :path AND body = :body`,
    )
    this.#open = database.prepare(`${SELECT} WHERE ${OPEN} ORDER BY created_at`)
    this.#openCount = database.prepare(`SELECT count(*) AS count FROM reports WHERE ${OPEN}`)
    this.#oldestSince = database.prepare(
      `SELECT min(created_at) AS time FROM reports WHERE ${OPEN} AND state = 'PENDING' AND created_at >= ?`,
    )
    this.#unknown = database.prepare(
      `${SELECT} WHERE state <> 'ACCEPTED' AND state = 'UNKNOWN' ORDER BY created_at`,
    )
    this.#since = database.prepare(`${SELECT} WHERE created_at >= ? ORDER BY created_at, rowid`)
    this.#remove = database.prepare('DELETE FROM reports WHERE path = ?')
    this.#get = database.prepare(`${SELECT} WHERE path = ?`)
  }

  /** A later report of one address replaces the earlier one: the same again is sent again. */
  put({ path, site, body }: NewReport, now: number): void {
    this.#put.run(addressOf(site, path), site, JSON.stringify(body), now)
  }

  /**
   * @param state GONE: the site is deleted, nobody takes it any more. UNKNOWN: the service does not have what it is about, and
   * need not
   */
  finish({ path, body }: ReportRow, state: 'ACCEPTED' | 'GONE' | 'UNKNOWN', answer: string): void {
    this.#accepted.run(state, answer, path, body)
  }

  delay(report: ReportRow, answer: string, next: Next): void {
    const { path, body } = report
    this.#failed.run({ path, body, answer, ...moved(report, next) })
  }

  /** @param path its address */
  remove(path: string): void {
    this.#remove.run(path)
  }

  notAccepted(): ReportRow[] {
    return this.#open.all().map((row) => ReportRow.parse(row))
  }

  /** Those that ended because the service does not have what they are about. */
  unknown(): ReportRow[] {
    return this.#unknown.all().map((row) => ReportRow.parse(row))
  }

  countNotAccepted(): number {
    return countOf(this.#openCount)
  }

  /** When the oldest that is still sent, and was made since then, was made; null if there is none. */
  oldestSince(time: number): number | null {
    return timeOf(this.#oldestSince, time)
  }

  since(time: number): ReportRow[] {
    return this.#since.all(time).map((row) => ReportRow.parse(row))
  }

  /** @param path its address */
  get(path: string): ReportRow | undefined {
    const row = this.#get.get(path)
    return row && ReportRow.parse(row)
  }
}
