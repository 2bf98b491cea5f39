// The payments that banks have stated: each has one uid.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf } from './database.ts'
import { isOneOf, rowOf } from './rows.ts'

const STATUSES = ['COMPLETED', 'DECLINED'] as const
export const PAYMENT_IS_KNOWN = isOneOf('status', STATUSES)

const PaymentRow = z.object({
  identity: z.string(),
  key: z.string(),
  number: z.string(),
  site: z.string(),
  qrcId: z.string(),
  paymentUid: z.string(),
  status: z.enum(STATUSES),
  amount: z.int(),
  createdAt: z.int(),
})
export type PaymentRow = z.output<typeof PaymentRow>

const SELECT = `SELECT identity, key, number, site, qrc_id AS qrcId, payment_uid AS paymentUid, status, amount,
  created_at AS createdAt FROM payments`

export class Payments {
  readonly #put: StatementSync
  readonly #byKey: StatementSync
  readonly #byCode: StatementSync
  readonly #completedCount: StatementSync
  readonly #completedOfAmount: StatementSync

  constructor(database: DatabaseSync) {
    this.#put = database.prepare(
      `INSERT OR REPLACE INTO payments (identity, key, number, site, qrc_id, payment_uid, status, amount, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#byKey = database.prepare(`${SELECT} WHERE identity = ? AND key = ?`)
    this.#byCode = database.prepare(`${SELECT} WHERE site = ? AND qrc_id = ? ORDER BY created_at`)
    this.#completedCount = database.prepare(
      `SELECT count(*) AS count FROM payments WHERE site = ? AND qrc_id = ? AND status = 'COMPLETED' AND created_at >= ?`,
    )
    this.#completedOfAmount = database.prepare(
      `SELECT count(*) AS count FROM payments WHERE site = ? AND qrc_id = ? AND status = 'COMPLETED' AND amount = ?`,
    )
  }

  put({ identity, key, number, site, qrcId, paymentUid, status, amount, createdAt }: PaymentRow): void {
    this.#put.run(identity, key, number, site, qrcId, paymentUid, status, amount, createdAt)
  }

  ofKey(identity: string, key: string): PaymentRow | undefined {
    const row = this.#byKey.get(identity, key)
    return row && rowOf(PaymentRow, row)
  }

  has(identity: string, key: string): boolean {
    return this.#byKey.get(identity, key) !== undefined
  }

  /** Whether a payment of the code is completed. */
  isPaid(site: string, qrcId: string): boolean {
    return this.countCompleted(site, qrcId) > 0
  }

  /** How many completed payments of the code were recorded since a time. */
  countCompleted(site: string, qrcId: string, since = 0): number {
    return countOf(this.#completedCount, site, qrcId, since)
  }

  /** How many completed payments of the code have this amount. */
  countOfAmount(site: string, qrcId: string, amount: number): number {
    return countOf(this.#completedOfAmount, site, qrcId, amount)
  }

  ofCode(site: string, qrcId: string): PaymentRow[] {
    return this.#byCode.all(site, qrcId).map((row) => rowOf(PaymentRow, row))
  }
}
