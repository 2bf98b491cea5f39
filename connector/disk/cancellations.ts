// Cancellations of links that the bank has not confirmed yet.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf } from './database.ts'

const CancellationRow = z.object({
  site: z.string(),
  qrcId: z.string(),
  reference: z.string(),
  since: z.int(),
})
export type CancellationRow = z.output<typeof CancellationRow>

export class Cancellations {
  readonly #put: StatementSync
  readonly #done: StatementSync
  readonly #delay: StatementSync
  readonly #dueBanks: StatementSync
  readonly #due: StatementSync
  readonly #all: StatementSync
  readonly #count: StatementSync

  constructor(database: DatabaseSync) {
    this.#put = database.prepare(
      `INSERT INTO cancellations (site, qrc_id, reference, since, next_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    )
    this.#done = database.prepare('DELETE FROM cancellations WHERE site = ? AND qrc_id = ?')
    this.#delay = database.prepare('UPDATE cancellations SET next_at = ? WHERE site = ? AND qrc_id = ?')
    const select = 'SELECT site, qrc_id AS qrcId, reference, since FROM cancellations'
    // A reference begins with the bank's name, which has no colon.
    const bank = `substr(reference, 1, instr(reference, ':') - 1)`
    this.#dueBanks = database.prepare(`SELECT DISTINCT ${bank} AS bank FROM cancellations WHERE next_at <= ?`)
    this.#due = database.prepare(`${select} WHERE next_at <= ? AND ${bank} = ? ORDER BY next_at LIMIT ?`)
    this.#all = database.prepare(`${select} ORDER BY since, site, qrc_id`)
    this.#count = database.prepare('SELECT count(*) AS count FROM cancellations')
  }

  /** Before the bank is called. */
  put({ site, qrcId, reference, since }: CancellationRow, nextAt: number): void {
    this.#put.run(site, qrcId, reference, since, nextAt)
  }

  /** Nobody can pay the link any more. */
  done({ site, qrcId }: CancellationRow): void {
    this.#done.run(site, qrcId)
  }

  delay({ site, qrcId }: CancellationRow, nextAt: number): void {
    this.#delay.run(nextAt, site, qrcId)
  }

  /** The names of the banks that have something due; of one that is not configured too. */
  dueBanks(now: number): string[] {
    return this.#dueBanks.all(now).map((row) => z.object({ bank: z.string() }).parse(row).bank)
  }

  due(bank: string, now: number, limit: number): CancellationRow[] {
    return this.#due.all(now, bank, limit).map((row) => CancellationRow.parse(row))
  }

  /** The oldest first. */
  all(): CancellationRow[] {
    return this.#all.all().map((row) => CancellationRow.parse(row))
  }

  count(): number {
    return countOf(this.#count)
  }
}
