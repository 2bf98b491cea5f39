// The payments that banks have stated: each has one uid.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf } from '../../disk/database.ts'

const STATUSES = ['COMPLETED', 'DECLINED'] as const

const PaymentRow = z.object({
  identity: z.string(),
  key: z.string(),
  number: z.string(),
  site: z.string(),
  qrcId: z.string(),
  paymentUid: z.string(),
  status: z.enum(STATUSES),
  amount: z.int(),
  isAmountAssumed: z.int().transform(Boolean),
  /** Of the sale for which a COUNTER code was paid. */
  saleUid: z.string().nullable(),
  createdAt: z.int(),
})
export type PaymentRow = z.output<typeof PaymentRow>

const SELECT = `SELECT identity, key, number, site, qrc_id AS qrcId, payment_uid AS paymentUid, status, amount,
  is_amount_assumed AS isAmountAssumed, sale_uid AS saleUid, created_at AS createdAt FROM payments`

const statementsOf = (database: DatabaseSync) => ({
  put: database.prepare(
    `INSERT OR REPLACE INTO payments (identity, key, number, site, qrc_id, payment_uid, status, amount, is_amount_assumed,
       sale_uid, created_at)
     VALUES (:identity, :key, :number, :site, :qrcId, :paymentUid, :status, :amount, :isAmountAssumed, :saleUid, :createdAt)`,
  ),
  byKey: database.prepare(`${SELECT} WHERE identity = ? AND key = ?`),
  byCode: database.prepare(`${SELECT} WHERE site = ? AND qrc_id = ? ORDER BY created_at`),
  completedCount: database.prepare(
    `SELECT count(*) AS count FROM payments WHERE site = ? AND qrc_id = ? AND status = 'COMPLETED' AND created_at >= ?`,
  ),
  completedWithin: database.prepare(
    `${SELECT} WHERE site = ? AND status = 'COMPLETED' AND created_at >= ? AND created_at < ? ORDER BY created_at`,
  ),
  byWebhook: database.prepare(`${SELECT} WHERE site = ? AND qrc_id = ? AND webhook_number = ?`),
  untold: database.prepare(
    `${SELECT} WHERE site = ? AND qrc_id = ? AND sale_uid IS NOT NULL AND webhook_number IS NULL
       AND created_at >= ? AND status = 'COMPLETED' ORDER BY created_at`,
  ),
  tell: database.prepare(`UPDATE payments SET webhook_number = ? WHERE identity = ? AND key = ?`),
})

export class Payments {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database)
  }

  put({ isAmountAssumed, ...payment }: PaymentRow): void {
    this.#sql.put.run({ ...payment, isAmountAssumed: Number(isAmountAssumed) })
  }

  ofKey(identity: string, key: string): PaymentRow | undefined {
    const row = this.#sql.byKey.get(identity, key)
    return row && PaymentRow.parse(row)
  }

  has(identity: string, key: string): boolean {
    return this.#sql.byKey.get(identity, key) !== undefined
  }

  /** Whether a payment of the code is completed. */
  isPaid(site: string, qrcId: string): boolean {
    return this.countCompleted(site, qrcId) > 0
  }

  /** How many completed payments of the code were recorded since a time. */
  countCompleted(site: string, qrcId: string, since = 0): number {
    return countOf(this.#sql.completedCount, site, qrcId, since)
  }

  /** The completed payments of a site that were recorded in a period. It reads the table. */
  completedWithin(site: string, from: number, to: number): PaymentRow[] {
    return this.#sql.completedWithin.all(site, from, to).map((row) => PaymentRow.parse(row))
  }

  /** The payment of a sale that a webhook of this number has told of. */
  ofWebhook(site: string, qrcId: string, number: string): PaymentRow | undefined {
    const row = this.#sql.byWebhook.get(site, qrcId, number)
    return row && PaymentRow.parse(row)
  }

  /** The completed payments of a code's sales that were recorded since a time and no webhook has told of, the oldest first. */
  untold(site: string, qrcId: string, since: number): PaymentRow[] {
    return this.#sql.untold.all(site, qrcId, since).map((row) => PaymentRow.parse(row))
  }

  /** A webhook of this number has told of the payment. */
  tell({ identity, key }: PaymentRow, number: string): void {
    this.#sql.tell.run(number, identity, key)
  }

  ofCode(site: string, qrcId: string): PaymentRow[] {
    return this.#sql.byCode.all(site, qrcId).map((row) => PaymentRow.parse(row))
  }
}
