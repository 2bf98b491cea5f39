// Cancellations of links that the bank has not confirmed yet.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf } from '../../disk/database.ts'
import { MOVED, moved, type Next, PLACE, Place, Queue } from '../../work/queue.ts'

const CancellationRow = Place.extend({
  site: z.string(),
  qrcId: z.string(),
  reference: z.string(),
  bank: z.string(),
  since: z.int(),
})
export type CancellationRow = z.output<typeof CancellationRow>
type NewCancellation = Omit<CancellationRow, keyof Place>

const SELECT = `SELECT site, qrc_id AS qrcId, reference, bank, since, ${PLACE} FROM cancellations`

const statementsOf = (database: DatabaseSync) => ({
  put: database.prepare(
    `INSERT INTO cancellations (site, qrc_id, reference, bank, since, due_at, stepped_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?5)
       ON CONFLICT DO NOTHING`,
  ),
  done: database.prepare('DELETE FROM cancellations WHERE site = ? AND qrc_id = ?'),
  // By its identity: rows are deleted, and a later one can have the number of an earlier one. `since`: nor is it another request.
  delay: database.prepare(
    `UPDATE cancellations SET ${MOVED} WHERE site = :site AND qrc_id = :qrcId AND since = :since`,
  ),
  get: database.prepare(`${SELECT} WHERE site = ? AND qrc_id = ?`),
  all: database.prepare(`${SELECT} ORDER BY since, site, qrc_id`),
  count: database.prepare('SELECT count(*) AS count FROM cancellations'),
})

export class Cancellations {
  readonly queue: Queue<CancellationRow>
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database)
    this.queue = new Queue(database, {
      table: 'cancellations',
      select: SELECT,
      lane: 'bank',
      key: ['site', 'qrcId'],
      open: 'TRUE',
      schema: CancellationRow,
    })
  }

  /** Before the bank is called. @returns the row; that of an earlier request stays */
  put({ site, qrcId, reference, bank, since }: NewCancellation, dueAt: number): CancellationRow {
    this.#sql.put.run(site, qrcId, reference, bank, since, dueAt)
    return CancellationRow.parse(this.#sql.get.get(site, qrcId))
  }

  /** The bank has not confirmed it. */
  delay(row: CancellationRow, next: Next): void {
    const { site, qrcId, since } = row
    this.#sql.delay.run({ site, qrcId, since, ...moved(row, next) })
  }

  /** Nobody can pay the link any more. */
  done({ site, qrcId }: CancellationRow): void {
    this.#sql.done.run(site, qrcId)
  }

  /** The oldest first. */
  all(): CancellationRow[] {
    return this.#sql.all.all().map((row) => CancellationRow.parse(row))
  }

  count(): number {
    return countOf(this.#sql.count)
  }
}
