// The payments and charges of which a bank has stated another amount than was reported, until an operator closes them.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf } from '../../disk/database.ts'

const AmountDifference = z.object({
  site: z.string(),
  paymentUid: z.string(),
  stated: z.int(),
  reported: z.int(),
  bank: z.string(),
  qrcId: z.string(),
  foundAt: z.int(),
})
export type AmountDifference = z.output<typeof AmountDifference>

interface Closing {
  at: number
  by: string
  reason: string
}

const statementsOf = (database: DatabaseSync) => ({
  insert: database.prepare(
    `INSERT INTO amount_differences (site, payment_uid, stated, reported, bank, qrc_id, found_at)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  ),
  open: database.prepare(
    `SELECT site, payment_uid AS paymentUid, stated, reported, bank, qrc_id AS qrcId, found_at AS foundAt
       FROM amount_differences WHERE closed_at IS NULL ORDER BY found_at, stated`,
  ),
  openCount: database.prepare('SELECT count(*) AS count FROM amount_differences WHERE closed_at IS NULL'),
  close: database.prepare(
    `UPDATE amount_differences SET closed_at = ?, closed_by = ?, closed_reason = ?
       WHERE site = ? AND payment_uid = ? AND stated = ? AND closed_at IS NULL`,
  ),
})

export class AmountDifferences {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database)
  }

  /** @returns whether the bank has stated this amount of the payment for the first time */
  insert({ site, paymentUid, stated, reported, bank, qrcId, foundAt }: AmountDifference): boolean {
    return this.#sql.insert.run(site, paymentUid, stated, reported, bank, qrcId, foundAt).changes === 1
  }

  /** The differences that no operator has closed, the oldest first. */
  open(): AmountDifference[] {
    return this.#sql.open.all().map((row) => AmountDifference.parse(row))
  }

  countOpen(): number {
    return countOf(this.#sql.openCount)
  }

  /** @returns whether it was open */
  close({ site, paymentUid, stated }: AmountDifference, { at, by, reason }: Closing): boolean {
    return this.#sql.close.run(at, by, reason, site, paymentUid, stated).changes === 1
  }
}
