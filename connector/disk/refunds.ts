// Refunds on disk: what was taken, what may have been sent, what is held.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf } from './database.ts'
import { isOneOf, OPEN, rowOf } from './rows.ts'

const REFUND_STATES = ['QUEUED', 'SENDING', 'PENDING', 'HELD', 'COMPLETED', 'DECLINED'] as const

/** When a held refund is due: only the operator's decision ends it. No date is later. */
export const NEVER = 8_640_000_000_000_000

const RefundRow = z.object({
  site: z.string(),
  paymentUid: z.string(),
  refundUid: z.string(),
  bank: z.string(),
  qrcId: z.string(),
  reference: z.string(),
  networkUid: z.string().nullable(),
  amount: z.int(),
  givenAt: z.int(),
  state: z.enum(REFUND_STATES),
  note: z.string(),
  reason: z.string(),
  sentAt: z.int().nullable(),
  /** Of a refund that was made at the bank: the number of its identifier; null: an instruction has named it. */
  bankUid: z.int().nullable(),
  createdAt: z.int(),
  nextAt: z.int(),
})
export type RefundRow = z.output<typeof RefundRow>
export type RefundId = Pick<RefundRow, 'site' | 'paymentUid' | 'refundUid'>
/** What a step of a refund changes. */
interface RefundChange {
  state: RefundRow['state']
  note?: string
  reason?: string
  sentAt?: number | null
  nextAt?: number
}

const SELECT = `SELECT site, payment_uid AS paymentUid, refund_uid AS refundUid, bank, qrc_id AS qrcId, reference,
  network_uid AS networkUid, amount, given_at AS givenAt, state, note, reason, sent_at AS sentAt, bank_uid AS bankUid, created_at AS createdAt, next_at AS nextAt
  FROM refunds`
export const REFUND_IS_KNOWN = isOneOf('state', REFUND_STATES)

/** One refund of a payment is in flight: the oldest that waits begins when no other is open. */
const BLOCKED = `(state = 'QUEUED' AND EXISTS (SELECT 1 FROM refunds AS other
  WHERE other.site = due.site AND other.payment_uid = due.payment_uid AND other.rowid <> due.rowid
  AND other.state NOT IN ('COMPLETED', 'DECLINED') AND (other.state <> 'QUEUED' OR other.rowid < due.rowid)))`

export class Refunds {
  readonly #insert: StatementSync
  readonly #change: StatementSync
  readonly #get: StatementSync
  readonly #rename: StatementSync
  readonly #madeAtBank: StatementSync
  readonly #ofPayment: StatementSync
  readonly #dueBanks: StatementSync
  readonly #due: StatementSync
  readonly #held: StatementSync
  readonly #heldCount: StatementSync
  readonly #unsent: StatementSync
  readonly #oldest: StatementSync
  readonly #holdAll: StatementSync
  readonly #wake: StatementSync
  readonly #endedWithin: StatementSync

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      // Not OR IGNORE: it would ignore a value that is missing, too.
      `INSERT INTO refunds (site, payment_uid, refund_uid, bank, qrc_id, reference, network_uid, amount,
       given_at, state, reason, bank_uid, created_at, next_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    )
    const identity = 'site = ? AND payment_uid = ? AND refund_uid = ?'
    this.#change = database.prepare(
      `UPDATE refunds SET state = ?, note = coalesce(?, note), reason = coalesce(?, reason),
       sent_at = coalesce(?, sent_at), next_at = iif(next_at = ?, coalesce(?, next_at), next_at) WHERE ${identity} AND state = ?`,
    )
    this.#get = database.prepare(`${SELECT} WHERE ${identity}`)
    this.#rename = database.prepare(`UPDATE refunds SET refund_uid = ?, bank_uid = ? WHERE ${identity}`)
    this.#ofPayment = database.prepare(`${SELECT} WHERE site = ? AND payment_uid = ? ORDER BY rowid`)
    this.#madeAtBank = database.prepare(`${SELECT} WHERE site = ? AND bank_uid IS NOT NULL`)
    this.#dueBanks = database.prepare(`SELECT DISTINCT bank FROM refunds WHERE ${OPEN} AND next_at <= ?`)
    this.#due = database.prepare(
      `${SELECT} AS due WHERE ${OPEN} AND ${REFUND_IS_KNOWN} AND next_at <= ? AND bank = ? AND NOT ${BLOCKED}
       ORDER BY next_at, rowid LIMIT ?`,
    )
    this.#held = database.prepare(`${SELECT} WHERE ${OPEN} AND state = 'HELD' ORDER BY given_at`)
    this.#heldCount = database.prepare(
      `SELECT count(*) AS count FROM refunds WHERE ${OPEN} AND state = 'HELD'`,
    )
    this.#unsent = database.prepare(
      `${SELECT} AS due WHERE ${OPEN} AND state = 'QUEUED' AND reason <> '' AND created_at <= ? AND NOT ${BLOCKED}
       ORDER BY given_at`,
    )
    this.#oldest = database.prepare(
      `SELECT min(created_at) AS oldest, count(*) AS count FROM refunds WHERE ${OPEN}`,
    )
    this.#holdAll = database.prepare(
      `UPDATE refunds SET state = 'HELD', reason = ? WHERE ${OPEN} AND state IN ('QUEUED', 'SENDING')`,
    )
    this.#endedWithin = database.prepare(
      // One can be decided long after it was given. CROSS: the decisions are the few.
      `${SELECT} WHERE state IN ('COMPLETED', 'DECLINED') AND rowid IN (
         SELECT rowid FROM refunds WHERE given_at >= ?1 AND given_at < ?2
         UNION SELECT refunds.rowid FROM decisions CROSS JOIN refunds USING (site, payment_uid, refund_uid)
           WHERE decided_at >= ?1 AND decided_at < ?2)
       ORDER BY given_at`,
    )
    this.#wake = database.prepare(
      `UPDATE refunds SET next_at = ? WHERE site = ? AND payment_uid = ? AND ${OPEN}`,
    )
  }

  insert(refund: Omit<RefundRow, 'note' | 'sentAt' | 'nextAt'>): void {
    const { site, paymentUid, refundUid, bank, qrcId, reference, networkUid } = refund
    const { amount, givenAt, state, reason, bankUid, createdAt } = refund
    this.#insert.run(
      ...[site, paymentUid, refundUid, bank, qrcId, reference, networkUid],
      ...[amount, givenAt, state, reason, bankUid, createdAt, createdAt],
    )
  }

  /** Gives a refund that was made at the bank another identifier. */
  rename({ site, paymentUid, refundUid }: RefundId, to: Pick<RefundRow, 'refundUid' | 'bankUid'>): void {
    this.#rename.run(to.refundUid, to.bankUid, site, paymentUid, refundUid)
  }

  /**
   * Changes the refund if its state is still `from`: the operator may have settled it meanwhile. One that was woken meanwhile
   * stays due: what the bank has stated can be from before.
   */
  change(refund: RefundRow, change: RefundChange): boolean {
    const { site, paymentUid, refundUid, state: from, nextAt: dueAt } = refund
    const { state, note, reason, sentAt, nextAt } = change
    const values = [state, note ?? null, reason ?? null, sentAt ?? null, dueAt, nextAt ?? null]
    return this.#change.run(...values, site, paymentUid, refundUid, from).changes === 1
  }

  get({ site, paymentUid, refundUid }: RefundId): RefundRow | undefined {
    const row = this.#get.get(site, paymentUid, refundUid)
    return row && rowOf(RefundRow, row)
  }

  ofPayment(site: string, paymentUid: string): RefundRow[] {
    return rowsOf(this.#ofPayment.all(site, paymentUid))
  }

  /** Those of a site that were made at the bank, and that this version has named. */
  madeAtBank(site: string): RefundRow[] {
    return rowsOf(this.#madeAtBank.all(site))
  }

  /** The names of the banks that have something due; of one that is not configured too. */
  dueBanks(now: number): string[] {
    return this.#dueBanks.all(now).map((row) => z.object({ bank: z.string() }).parse(row).bank)
  }

  due(bank: string, now: number, limit: number): RefundRow[] {
    return rowsOf(this.#due.all(now, bank, limit))
  }

  held(): RefundRow[] {
    return rowsOf(this.#held.all())
  }

  /**
   * Those that came before that time, and could not be sent: each failed try leaves its reason. Not those that were never tried,
   * as while the connector was down, nor those that wait for another refund of their payment.
   */
  unsentSince(time: number): RefundRow[] {
    return rowsOf(this.#unsent.all(time))
  }

  /** Those with a result that were given in the period, or decided by the operator in it. */
  endedWithin(from: number, to: number): RefundRow[] {
    return rowsOf(this.#endedWithin.all(from, to))
  }

  countHeld(): number {
    return countOf(this.#heldCount)
  }

  /** Those without a result, and when the oldest came. */
  open(): { oldest: number | null; count: number } {
    return z.object({ oldest: z.int().nullable(), count: z.int() }).parse(this.#oldest.get())
  }

  /** After a restore: the backup does not know what was sent after it. */
  holdUnsent(): void {
    this.#holdAll.run('it may have been sent after the backup')
  }

  /** The bank has something to say about the payment's refunds. */
  wake(site: string, paymentUid: string, now: number): void {
    this.#wake.run(now, site, paymentUid)
  }
}

const rowsOf = (rows: unknown[]): RefundRow[] => rows.map((row) => rowOf(RefundRow, row))
