// Counts how often a bank was asked about a code or a sale whose end has passed, and did not say that it has ended.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf } from './database.ts'

const LateRow = z.object({ site: z.string(), qrcId: z.string(), saleUid: z.string(), asks: z.int() })

/** A code, or a sale of a COUNTER code. */
export interface LateSubject {
  site: string
  qrcId: string
  /** Empty: the code itself. */
  saleUid: string
}

/** As the operator reads it. */
export const subjectText = ({ site, qrcId, saleUid }: LateSubject): string =>
  saleUid === '' ? `${site} ${qrcId}` : `${site} ${qrcId} sale ${saleUid}`

/** After so many hourly asks the operator is told, and the bank is asked by `reconcile` alone. */
export const MAX_LATE_ASKS = 72

export class LateAsks {
  readonly #add: StatementSync
  readonly #clear: StatementSync
  readonly #clearSite: StatementSync
  readonly #unresolved: StatementSync
  readonly #unresolvedCount: StatementSync

  constructor(database: DatabaseSync) {
    this.#add = database.prepare(
      `INSERT INTO late_asks VALUES (?, ?, ?, 1)
       ON CONFLICT DO UPDATE SET asks = asks + 1 RETURNING asks AS count`,
    )
    this.#clear = database.prepare('DELETE FROM late_asks WHERE site = ? AND qrc_id = ? AND sale_uid = ?')
    this.#clearSite = database.prepare('DELETE FROM late_asks WHERE site = ?')
    const unresolved = `FROM late_asks WHERE asks >= ${MAX_LATE_ASKS}`
    this.#unresolved = database.prepare(
      `SELECT site, qrc_id AS qrcId, sale_uid AS saleUid, asks ${unresolved} ORDER BY site, qrc_id, sale_uid`,
    )
    this.#unresolvedCount = database.prepare(`SELECT count(*) AS count ${unresolved}`)
  }

  /** @returns how many there are with this one */
  add({ site, qrcId, saleUid }: LateSubject): number {
    return countOf(this.#add, site, qrcId, saleUid)
  }

  /** It is paid, or the bank states that it is over. */
  clear({ site, qrcId, saleUid }: LateSubject): void {
    this.#clear.run(site, qrcId, saleUid)
  }

  /** The site is deleted. */
  clearSite(site: string): void {
    this.#clearSite.run(site)
  }

  /** Those whose end the bank has not stated: nobody knows whether they were paid. */
  unresolved(): LateSubject[] {
    return this.#unresolved.all().map((row) => LateRow.parse(row))
  }

  countUnresolved(): number {
    return countOf(this.#unresolvedCount)
  }
}
