// Counts how often a bank was asked about a code or a sale whose end has passed, and did not say that it has ended.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf } from '../../disk/database.ts'

const LateRow = z.object({ site: z.string(), qrcId: z.string(), saleUid: z.string() })

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

/** After so many hourly asks the operator is told, and the bank is asked by `reconcile` alone. The partial indexes have the number, too. */
export const MAX_LATE_ASKS = 72

export class LateAsks {
  readonly #undecided: Asks
  readonly #pending: Asks
  readonly #unresolved: StatementSync

  constructor(database: DatabaseSync) {
    this.#undecided = new Asks(database, 'late_asks')
    this.#pending = new Asks(database, 'pending_asks')
    const [undecided, pending] = ['late_asks', 'pending_asks'].map(
      (table) =>
        `SELECT site, qrc_id AS qrcId, sale_uid AS saleUid FROM ${table} WHERE asks >= ${MAX_LATE_ASKS}`,
    )
    this.#unresolved = database.prepare(`${undecided} UNION ${pending} ORDER BY site, qrcId, saleUid`)
  }

  /**
   * @param isPending whether the bank states a payment in progress: these asks have no limit, and are counted apart
   * @returns how many of its kind there are with this one
   */
  add(subject: LateSubject, isPending = false): number {
    return (isPending ? this.#pending : this.#undecided).add(subject)
  }

  /** The code is paid, or the bank states that it is over. */
  clear(subject: LateSubject): void {
    for (const asks of [this.#undecided, this.#pending]) asks.clear(subject)
  }

  /** The site is deleted. */
  clearSite(site: string): void {
    for (const asks of [this.#undecided, this.#pending]) asks.clearSite(site)
  }

  /** The codes and sales whose end the bank has not stated: nobody knows whether they were paid. */
  unresolved(): LateSubject[] {
    return this.#unresolved.all().map((row) => LateRow.parse(row))
  }

  countUnresolved(): number {
    return this.unresolved().length
  }
}

/** The asks of one table. */
class Asks {
  readonly #add: StatementSync
  readonly #clear: StatementSync
  readonly #clearSite: StatementSync

  constructor(database: DatabaseSync, table: 'late_asks' | 'pending_asks') {
    this.#add = database.prepare(
      `INSERT INTO ${table} (site, qrc_id, sale_uid, asks) VALUES (?, ?, ?, 1)
       ON CONFLICT DO UPDATE SET asks = asks + 1 RETURNING asks AS count`,
    )
    this.#clear = database.prepare(`DELETE FROM ${table} WHERE site = ? AND qrc_id = ? AND sale_uid = ?`)
    this.#clearSite = database.prepare(`DELETE FROM ${table} WHERE site = ?`)
  }

  add({ site, qrcId, saleUid }: LateSubject): number {
    return countOf(this.#add, site, qrcId, saleUid)
  }

  clear({ site, qrcId, saleUid }: LateSubject): void {
    this.#clear.run(site, qrcId, saleUid)
  }

  clearSite(site: string): void {
    this.#clearSite.run(site)
  }
}
