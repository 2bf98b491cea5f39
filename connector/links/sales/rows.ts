// Sales on disk: those for which a COUNTER code was armed at a bank.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { timeOf } from '../../disk/database.ts'
import { MOVED, moved, type Next, PLACE, Place, Queue, RESTED, SCHEDULED } from '../../work/queue.ts'

export const SALE_STATES = ['CALLING', 'OPEN', 'PAID', 'CANCELLED', 'ENDED'] as const

const SaleRow = Place.extend({
  site: z.string(),
  qrcId: z.string(),
  saleUid: z.string(),
  bank: z.string(),
  /** With the bank’s name; null while the bank is being called, unless it is known before. */
  reference: z.string().nullable(),
  amount: z.int(),
  state: z.enum(SALE_STATES),
  createdAt: z.int(),
  expiresAt: z.int(),
})
export type SaleRow = z.output<typeof SaleRow>
export type NewSaleRow = Omit<SaleRow, keyof Place>
const DueSale = SaleRow.extend({ dueAt: z.int() })
export type DueSale = z.output<typeof DueSale>

const SELECT = `SELECT site, qrc_id AS qrcId, sale_uid AS saleUid, bank, reference, amount, state,
  created_at AS createdAt, expires_at AS expiresAt, due_at AS dueAt, ${PLACE} FROM sales`
const IDENTITY = 'site = ? AND qrc_id = ? AND sale_uid = ?'

const statementsOf = (database: DatabaseSync) => ({
  put: database.prepare(
    `INSERT OR REPLACE INTO sales (site, qrc_id, sale_uid, bank, reference, amount, state, created_at, expires_at,
       stepped_at, due_at, rests) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?8, ?10, ?10 IS NULL)`,
  ),
  within: database.prepare(
    // After a clock that was ahead, created_at stays in the future, because sales are kept in order; expires_at comes from the
    // service and is right.
    `${SELECT} WHERE reference IS NOT NULL AND min(created_at, expires_at) >= ? AND min(created_at, expires_at) < ?
       ORDER BY created_at`,
  ),
  stop: database.prepare(`UPDATE sales SET ${RESTED} WHERE site = ?`),
  step: database.prepare(
    `UPDATE sales SET state = :state, ${MOVED}
       WHERE site = :site AND qrc_id = :qrcId AND sale_uid = :saleUid AND (state = :from OR :state = 'PAID')`,
  ),
  cancelled: database.prepare(
    `UPDATE sales SET state = 'CANCELLED', ${SCHEDULED}
       WHERE site = :site AND qrc_id = :qrcId AND sale_uid = :saleUid AND state <> 'PAID'`,
  ),
  get: database.prepare(`${SELECT} WHERE ${IDENTITY}`),
  last: database.prepare(
    `${SELECT} WHERE site = ? AND qrc_id = ? ORDER BY created_at DESC, rowid DESC LIMIT 1`,
  ),
  byReference: database.prepare(`${SELECT} WHERE site = ? AND qrc_id = ? AND reference = ?`),
  lastAt: database.prepare('SELECT max(created_at) AS time FROM sales WHERE site = ? AND qrc_id = ?'),
  awaited: database.prepare(
    `SELECT 1 FROM sales WHERE site = ? AND qrc_id = ? AND amount = ? AND (state = 'CALLING' OR rests = 0) LIMIT 1`,
  ),
  forget: database.prepare(`DELETE FROM sales WHERE ${IDENTITY}`),
  latest: database.prepare(
    `${SELECT} WHERE site = ? AND qrc_id = ? AND reference IS NOT NULL ORDER BY created_at DESC LIMIT 10`,
  ),
})

export class Sales {
  readonly queue: Queue<DueSale>
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database)
    this.queue = new Queue(database, {
      table: 'sales',
      select: SELECT,
      lane: 'bank',
      key: ['site', 'qrcId', 'saleUid'],
      open: 'rests = 0',
      schema: DueSale,
    })
  }

  /** Whether a sale of the amount can be paid without the disk's knowledge: its arming had no answer, or the bank is still asked. */
  isAwaited(site: string, qrcId: string, amount: number): boolean {
    return this.#sql.awaited.get(site, qrcId, amount) !== undefined
  }

  /** @param dueAt null: the bank is not asked */
  put(sale: NewSaleRow, dueAt: number | null): void {
    const { site, qrcId, saleUid, bank, reference, amount, state, createdAt, expiresAt } = sale
    this.#sql.put.run(site, qrcId, saleUid, bank, reference, amount, state, createdAt, expiresAt, dueAt)
  }

  /** Nothing is changed where the state is another one meanwhile, but that a payment is a fact. */
  step(sale: SaleRow, state: SaleRow['state'], next: Next): void {
    const { site, qrcId, saleUid, state: from } = sale
    this.#sql.step.run({ site, qrcId, saleUid, from, state, ...moved(sale, next) })
  }

  /** A sale whose arming the bank has refused. */
  forget({ site, qrcId, saleUid }: NewSaleRow): void {
    this.#sql.forget.run(site, qrcId, saleUid)
  }

  /** The bank has disarmed the code. A sale that was paid meanwhile stays paid. */
  cancelled({ site, qrcId, saleUid }: SaleRow, dueAt: number): void {
    this.#sql.cancelled.run({ site, qrcId, saleUid, dueAt })
  }

  get(site: string, qrcId: string, saleUid: string): SaleRow | undefined {
    const row = this.#sql.get.get(site, qrcId, saleUid)
    return row && SaleRow.parse(row)
  }

  /** @param reference with the bank's name */
  ofReference(site: string, qrcId: string, reference: string): SaleRow | undefined {
    const row = this.#sql.byReference.get(site, qrcId, reference)
    return row && SaleRow.parse(row)
  }

  has(site: string, qrcId: string, saleUid: string): boolean {
    return this.#sql.get.get(site, qrcId, saleUid) !== undefined
  }

  /** The site is deleted. */
  stopAsking(site: string): void {
    this.#sql.stop.run(site)
  }

  /** The sales that were armed in the period. */
  armedWithin(from: number, to: number): SaleRow[] {
    return this.#sql.within.all(from, to).map((row) => SaleRow.parse(row))
  }

  /** The one for which the bank was last called to arm a code, also without an answer. */
  last(site: string, qrcId: string): SaleRow | undefined {
    const row = this.#sql.last.get(site, qrcId)
    return row && SaleRow.parse(row)
  }

  /** When the last one of a code was made; 0: there is none. */
  lastAt(site: string, qrcId: string): number {
    return timeOf(this.#sql.lastAt, site, qrcId) ?? 0
  }

  /** The ten sales of a code that were armed last, the latest first. */
  latest(site: string, qrcId: string): SaleRow[] {
    return this.#sql.latest.all(site, qrcId).map((row) => SaleRow.parse(row))
  }
}
