// Refunds on disk: what was taken, what may have been sent, what is held.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { MOVED, moved, type Next, PLACE, Place, Queue, WOKEN } from '../../work/queue.ts'
import { MoneyRows, OPEN } from '../money-rows.ts'

export const REFUND_STATES = ['QUEUED', 'SENDING', 'PENDING', 'HELD', 'COMPLETED', 'DECLINED'] as const

const RefundRow = Place.extend({
  site: z.string(),
  paymentUid: z.string(),
  refundUid: z.string(),
  bank: z.string(),
  qrcId: z.string(),
  reference: z.string(),
  networkUid: z.string().nullable(),
  amount: z.int(),
  /** That its call carries: see cash-registers/riding.ts. */
  receipt: z.string(),
  givenAt: z.int(),
  state: z.enum(REFUND_STATES),
  note: z.string(),
  reason: z.string(),
  sentAt: z.int().nullable(),
  /** The number of the identifier of a refund that was made at the bank; null: an instruction has named the refund. */
  bankUid: z.int().nullable(),
  /** What the merchant was told last of a refund without a result, and when. */
  told: z.enum(['HELD', 'UNSENT', 'SENT']).nullable(),
  toldAt: z.int().nullable(),
  createdAt: z.int(),
})
export type RefundRow = z.output<typeof RefundRow>
export type RefundId = Pick<RefundRow, 'site' | 'paymentUid' | 'refundUid'>
/** What a step of a refund changes. */
interface RefundChange {
  state: RefundRow['state']
  note?: string
  reason?: string
  sentAt?: number | null
  next?: Next
}

const SELECT = `SELECT site, payment_uid AS paymentUid, refund_uid AS refundUid, bank, qrc_id AS qrcId, reference,
  network_uid AS networkUid, amount, receipt, given_at AS givenAt, state, note, reason, sent_at AS sentAt, bank_uid AS bankUid, told, told_at AS toldAt, created_at AS createdAt,
  ${PLACE} FROM refunds`

/** A payment has one refund in flight: the oldest refund that waits begins when no other is open. */
const IS_READY = `NOT (state = 'QUEUED' AND EXISTS (SELECT 1 FROM refunds AS other
  WHERE other.site = refunds.site AND other.payment_uid = refunds.payment_uid AND other.rowid <> refunds.rowid
  AND other.state NOT IN ('COMPLETED', 'DECLINED') AND (other.state <> 'QUEUED' OR other.rowid < refunds.rowid)))`

function statementsOf(database: DatabaseSync) {
  const identity = 'site = ? AND payment_uid = ? AND refund_uid = ?'
  return {
    insert: database.prepare(
      // Not OR IGNORE: it would ignore a value that is missing, too.
      `INSERT INTO refunds (site, payment_uid, refund_uid, bank, qrc_id, reference, network_uid, amount,
       receipt, given_at, state, reason, bank_uid, created_at, due_at, stepped_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    ),
    change: database.prepare(
      // The receipt is needed until the bank has it: it can be that a call was not sent.
      `UPDATE refunds SET state = :state, receipt = iif(:state IN ('QUEUED', 'SENDING'), receipt, ''), note = coalesce(:note, note), reason = coalesce(:reason, reason),
       sent_at = coalesce(:sentAt, sent_at), ${MOVED}
       WHERE site = :site AND payment_uid = :paymentUid AND refund_uid = :refundUid AND state = :from`,
    ),
    told: database.prepare(`UPDATE refunds SET told = ?, told_at = ? WHERE ${identity} AND ${OPEN}`),
    get: database.prepare(`${SELECT} WHERE ${identity}`),
    rename: database.prepare(`UPDATE refunds SET refund_uid = ?, bank_uid = ? WHERE ${identity}`),
    ofPayment: database.prepare(`${SELECT} WHERE site = ? AND payment_uid = ? ORDER BY rowid`),
    unsent: database.prepare(
      `${SELECT} WHERE ${OPEN} AND state = 'QUEUED' AND reason <> '' AND created_at <= ? AND ${IS_READY}
       ORDER BY given_at`,
    ),
    endedWithin: database.prepare(
      // A refund can be decided long after it was given. CROSS: the decisions are the few.
      `${SELECT} WHERE state IN ('COMPLETED', 'DECLINED') AND rowid IN (
         SELECT rowid FROM refunds WHERE given_at >= ?1 AND given_at < ?2
         UNION SELECT refunds.rowid FROM decisions CROSS JOIN refunds USING (site, payment_uid, refund_uid)
           WHERE decided_at >= ?1 AND decided_at < ?2)
       ORDER BY given_at`,
    ),
    wake: database.prepare(
      `UPDATE refunds SET ${WOKEN} WHERE site = :site AND payment_uid = :paymentUid AND ${OPEN}`,
    ),
  }
}

export class Refunds extends MoneyRows<RefundRow> {
  readonly queue: Queue<RefundRow>
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    super(database, { table: 'refunds', select: SELECT, schema: RefundRow })
    this.#sql = statementsOf(database)
    this.queue = new Queue(database, {
      table: 'refunds',
      select: SELECT,
      lane: 'bank',
      key: ['site', 'paymentUid'],
      open: OPEN,
      isReady: IS_READY,
      schema: RefundRow,
    })
  }

  insert(refund: Omit<RefundRow, 'note' | 'sentAt' | 'told' | 'toldAt' | keyof Place>): void {
    const { site, paymentUid, refundUid, bank, qrcId, reference, networkUid } = refund
    const { amount, receipt, givenAt, state, reason, bankUid, createdAt } = refund
    this.#sql.insert.run(
      ...[site, paymentUid, refundUid, bank, qrcId, reference, networkUid],
      ...[amount, receipt, givenAt, state, reason, bankUid, createdAt, createdAt, createdAt],
    )
  }

  /** Gives a refund that was made at the bank another identifier. */
  rename({ site, paymentUid, refundUid }: RefundId, to: Pick<RefundRow, 'refundUid' | 'bankUid'>): void {
    this.#sql.rename.run(to.refundUid, to.bankUid, site, paymentUid, refundUid)
  }

  /** Changes the refund if its state is still `from`: the operator may have settled it meanwhile. */
  change(refund: RefundRow, { state, next, ...facts }: RefundChange): boolean {
    const { site, paymentUid, refundUid, state: from } = refund
    const { note = null, reason = null, sentAt = null } = facts
    const row = { site, paymentUid, refundUid, from }
    return this.#sql.change.run({ state, note, reason, sentAt, ...row, ...moved(refund, next) }).changes === 1
  }

  /** The merchant is told this of a refund without a result. @returns whether it has none */
  tell(
    { site, paymentUid, refundUid }: RefundId,
    told: NonNullable<RefundRow['told']>,
    now: number,
  ): boolean {
    return this.#sql.told.run(told, now, site, paymentUid, refundUid).changes === 1
  }

  get({ site, paymentUid, refundUid }: RefundId): RefundRow | undefined {
    const row = this.#sql.get.get(site, paymentUid, refundUid)
    return row && RefundRow.parse(row)
  }

  ofPayment(site: string, paymentUid: string): RefundRow[] {
    return this.rowsOf(this.#sql.ofPayment.all(site, paymentUid))
  }

  /**
   * The refunds that came before that time, and could not be sent: each failed try leaves its reason. Not those that were never tried,
   * as while the connector was down, nor those that wait for another refund of their payment.
   */
  unsentSince(time: number): RefundRow[] {
    return this.rowsOf(this.#sql.unsent.all(time))
  }

  /** The refunds with a result that were given in the period, or that the operator decided in it. */
  endedWithin(from: number, to: number): RefundRow[] {
    return this.rowsOf(this.#sql.endedWithin.all(from, to))
  }

  /** The bank has something to say about the payment's refunds. @returns whether one of them has no result */
  wake(site: string, paymentUid: string, now: number): boolean {
    return this.#sql.wake.run({ now, site, paymentUid }).changes > 0
  }
}
