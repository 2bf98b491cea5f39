// What operators have decided of held refunds and charges, and who: the table that `settle` writes.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'

const RESULTS = ['COMPLETED', 'DECLINED'] as const

const DecisionRow = z.object({
  number: z.int(),
  site: z.string(),
  paymentUid: z.string(),
  refundUid: z.string().nullable(),
  result: z.enum(RESULTS),
  amount: z.int(),
  reason: z.string(),
  by: z.string(),
  decidedAt: z.int(),
})
type DecisionRow = z.output<typeof DecisionRow>
/** `refundUid` null: of a charge. */
type NewDecision = Omit<DecisionRow, 'number'>

const statementsOf = (database: DatabaseSync) => ({
  insert: database.prepare(
    `INSERT INTO decisions (site, payment_uid, refund_uid, result, amount, reason, decided_by, decided_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
  notLogged: database.prepare(
    `SELECT number, site, payment_uid AS paymentUid, refund_uid AS refundUid, result, amount, reason, decided_by AS "by",
       decided_at AS decidedAt FROM decisions WHERE is_logged = 0 ORDER BY number LIMIT 100`,
  ),
  logged: database.prepare('UPDATE decisions SET is_logged = 1 WHERE number = ?'),
})

export class Decisions {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database)
  }

  insert({ site, paymentUid, refundUid, result, amount, reason, by, decidedAt }: NewDecision): void {
    this.#sql.insert.run(site, paymentUid, refundUid, result, amount, reason, by, decidedAt)
  }

  /** The decisions that are not in the connector's log: a command cannot write there. */
  notLogged(): DecisionRow[] {
    return this.#sql.notLogged.all().map((row) => DecisionRow.parse(row))
  }

  logged({ number }: DecisionRow): void {
    this.#sql.logged.run(number)
  }
}
