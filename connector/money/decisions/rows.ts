// What operators have decided of held refunds, charges and documents, and who: the table that `settle` writes.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import type { RefundId } from '../refund/rows.ts'

/** The last two: of a document. */
const RESULTS = ['COMPLETED', 'DECLINED', 'REGISTERED', 'FAILED'] as const

const DecisionRow = z.object({
  number: z.int(),
  site: z.string(),
  paymentUid: z.string(),
  refundUid: z.string().nullable(),
  receiptUid: z.string().nullable(),
  result: z.enum(RESULTS),
  amount: z.int(),
  reason: z.string(),
  by: z.string(),
  decidedAt: z.int(),
})
type DecisionRow = z.output<typeof DecisionRow>
/** `refundUid` and `receiptUid` null: of a charge. */
type NewDecision = Omit<DecisionRow, 'number'>

const statementsOf = (database: DatabaseSync) => ({
  insert: database.prepare(
    `INSERT INTO decisions (site, payment_uid, refund_uid, receipt_uid, result, amount, reason, decided_by, decided_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
  notLogged: database.prepare(
    `SELECT number, site, payment_uid AS paymentUid, refund_uid AS refundUid, receipt_uid AS receiptUid, result, amount, reason, decided_by AS "by",
       decided_at AS decidedAt FROM decisions WHERE is_logged = 0 ORDER BY number LIMIT 100`,
  ),
  completed: database.prepare(
    `SELECT 1 FROM decisions WHERE site = ? AND payment_uid = ? AND refund_uid = ? AND result = 'COMPLETED'`,
  ),
  logged: database.prepare('UPDATE decisions SET is_logged = 1 WHERE number = ?'),
})

export class Decisions {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database)
  }

  insert(decision: NewDecision): void {
    const { site, paymentUid, refundUid, receiptUid, result, amount, reason, by, decidedAt } = decision
    this.#sql.insert.run(site, paymentUid, refundUid, receiptUid, result, amount, reason, by, decidedAt)
  }

  /** The decisions that are not in the connector's log: a command cannot write there. */
  notLogged(): DecisionRow[] {
    return this.#sql.notLogged.all().map((row) => DecisionRow.parse(row))
  }

  /** Whether an operator has ended the refund as completed. */
  isCompleted({ site, paymentUid, refundUid }: RefundId): boolean {
    return this.#sql.completed.get(site, paymentUid, refundUid) !== undefined
  }

  logged({ number }: DecisionRow): void {
    this.#sql.logged.run(number)
  }
}
