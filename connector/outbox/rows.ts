// Reports on disk, until the service has accepted them.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf, timeOf } from '../disk/database.ts'
import { MOVED, moved, type Next, PLACE, Place, Queue } from '../work/queue.ts'

/** GONE: the site is deleted, nobody takes it any more. UNKNOWN: the service does not have what it is about, and need not. */
export const REPORT_STATES = ['PENDING', 'ACCEPTED', 'GONE', 'UNKNOWN'] as const

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

/** The address of a path below the site's. */
export const addressOf = (site: string, path: string): string =>
  `/network/v1/sites/${encodeURIComponent(site)}/${path}`

/**
 * Also those that are GONE. In each statement about few of many rows: SQLite uses the partial index only where its condition is
 * repeated.
 */
const NOT_TAKEN = `state <> 'ACCEPTED' AND state <> 'UNKNOWN'`
const SELECT = `SELECT path, site, body, created_at AS createdAt, answer, ${PLACE} FROM reports`

const statementsOf = (database: DatabaseSync) => ({
  put: database.prepare(
    `INSERT INTO reports (path, site, body, state, created_at, due_at, stepped_at) VALUES (?1, ?2, ?3, 'PENDING', ?4, ?4, ?4)
       ON CONFLICT (path) DO UPDATE SET body = ?3, state = 'PENDING', created_at = ?4, due_at = ?4, stepped_at = ?4,
       wakes = wakes + 1, attempts = 0, answer = ''`,
  ),
  accepted: database.prepare(`UPDATE reports SET state = ?, answer = ? WHERE path = ? AND body = ?`),
  failed: database.prepare(
    `UPDATE reports SET answer = :answer, ${MOVED} WHERE path = :path AND body = :body AND state = 'PENDING'`,
  ),
  open: database.prepare(`${SELECT} WHERE ${NOT_TAKEN} ORDER BY created_at`),
  openCount: database.prepare(`SELECT count(*) AS count FROM reports WHERE ${NOT_TAKEN}`),
  oldestSince: database.prepare(
    `SELECT min(created_at) AS time FROM reports WHERE ${NOT_TAKEN} AND state = 'PENDING' AND created_at >= ?`,
  ),
  unknown: database.prepare(`${SELECT} WHERE state <> 'ACCEPTED' AND state = 'UNKNOWN' ORDER BY created_at`),
  since: database.prepare(`${SELECT} WHERE created_at >= ? ORDER BY created_at, rowid`),
  remove: database.prepare('DELETE FROM reports WHERE path = ?'),
  get: database.prepare(`${SELECT} WHERE path = ?`),
})

export class Reports {
  readonly queue: Queue<ReportRow>
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database)
    this.queue = new Queue(database, {
      table: 'reports',
      select: SELECT,
      lane: 'site',
      key: ['path'],
      open: `${NOT_TAKEN} AND state = 'PENDING'`,
      isNewFirst: true,
      schema: ReportRow,
    })
  }

  /** A later report of one address replaces the earlier one: the same again is sent again. */
  put({ path, site, body }: NewReport, now: number): void {
    this.#sql.put.run(addressOf(site, path), site, JSON.stringify(body), now)
  }

  finish(
    { path, body }: ReportRow,
    state: Exclude<(typeof REPORT_STATES)[number], 'PENDING'>,
    answer: string,
  ): void {
    this.#sql.accepted.run(state, answer, path, body)
  }

  /** Not where a command has sent it at the same time, and the service has accepted that. */
  delay(report: ReportRow, answer: string, next: Next): void {
    const { path, body } = report
    this.#sql.failed.run({ path, body, answer, ...moved(report, next) })
  }

  /** @param path its address */
  remove(path: string): void {
    this.#sql.remove.run(path)
  }

  notAccepted(): ReportRow[] {
    return this.#sql.open.all().map((row) => ReportRow.parse(row))
  }

  /** The reports that ended because the service does not have what they are about. */
  unknown(): ReportRow[] {
    return this.#sql.unknown.all().map((row) => ReportRow.parse(row))
  }

  countNotAccepted(): number {
    return countOf(this.#sql.openCount)
  }

  /** When the oldest that is still sent, and was made since then, was made; null if there is none. */
  oldestSince(time: number): number | null {
    return timeOf(this.#sql.oldestSince, time)
  }

  since(time: number): ReportRow[] {
    return this.#sql.since.all(time).map((row) => ReportRow.parse(row))
  }

  /** @param path its address */
  get(path: string): ReportRow | undefined {
    const row = this.#sql.get.get(path)
    return row && ReportRow.parse(row)
  }
}
