// Charges of bound accounts on disk: what was taken, what was sent, what is held.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { MOVED, moved, type Next, PLACE, Place, Queue, WOKEN } from '../../work/queue.ts'
import { MoneyRows, OPEN } from '../money-rows.ts'

export const CHARGE_STATES = ['QUEUED', 'SENDING', 'PENDING', 'HELD', 'COMPLETED', 'DECLINED'] as const

const ChargeRow = Place.extend({
  site: z.string(),
  paymentUid: z.string(),
  qrcId: z.string(),
  bindingUid: z.string(),
  bank: z.string(),
  request: z.string(),
  order: z.string(),
  codeReference: z.string().nullable(),
  amount: z.int(),
  purpose: z.string(),
  /** That its call carries: see cash-registers/riding.ts. */
  receipt: z.string(),
  givenAt: z.int(),
  expiresAt: z.int(),
  state: z.enum(CHARGE_STATES),
  note: z.string(),
  reason: z.string(),
  reference: z.string(),
  linkCancelled: z.int(),
  sentAt: z.int().nullable(),
  createdAt: z.int(),
})
export type ChargeRow = z.output<typeof ChargeRow>
export type ChargeId = Pick<ChargeRow, 'site' | 'paymentUid'>
/** A charge that was taken. */
type NewChargeRow = Omit<ChargeRow, 'note' | 'reference' | 'linkCancelled' | 'sentAt' | keyof Place>
/** What a step of a charge changes. */
interface ChargeChange {
  state: ChargeRow['state']
  note?: string
  reason?: string
  reference?: string
  linkCancelled?: 1
  sentAt?: number
  amount?: number
  next?: Next
}

const SELECT = `SELECT site, payment_uid AS paymentUid, qrc_id AS qrcId, binding_uid AS bindingUid, bank, request,
  bank_order AS "order", code_reference AS codeReference, amount, purpose, receipt, given_at AS givenAt, expires_at AS expiresAt,
  state, note, reason, reference, link_cancelled AS linkCancelled, sent_at AS sentAt, created_at AS createdAt, ${PLACE} FROM charges`

function statementsOf(database: DatabaseSync) {
  const identity = 'site = ? AND payment_uid = ?'
  return {
    insert: database.prepare(
      `INSERT INTO charges (site, payment_uid, qrc_id, binding_uid, bank, request, bank_order, code_reference, amount,
       purpose, receipt, given_at, expires_at, state, reason, created_at, due_at, stepped_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ),
    change: database.prepare(
      // The receipt is needed until the bank has it.
      `UPDATE charges SET state = :state, receipt = iif(:state = 'QUEUED' AND :note IS NULL, receipt, ''),
       note = coalesce(:note, note), reason = coalesce(:reason, reason),
       reference = coalesce(:reference, reference), link_cancelled = coalesce(:linkCancelled, link_cancelled),
       sent_at = coalesce(:sentAt, sent_at), amount = coalesce(:amount, amount), ${MOVED}
       WHERE site = :site AND payment_uid = :paymentUid AND state = :from`,
    ),
    get: database.prepare(`${SELECT} WHERE ${identity}`),
    ended: database.prepare(`${SELECT} WHERE ${identity} AND state IN ('COMPLETED', 'DECLINED')`),
    byOrder: database.prepare(`${SELECT} WHERE bank_order = ?`),
    byNote: database.prepare(`${SELECT} WHERE note = ? AND note <> ''`),
    unsent: database.prepare(`${SELECT} WHERE ${OPEN} AND state = 'QUEUED' AND site = ? AND binding_uid = ?`),
    endedWithin: database.prepare(
      // A charge can be decided long after it was given. CROSS: the decisions are the few.
      `${SELECT} WHERE state IN ('COMPLETED', 'DECLINED') AND rowid IN (
         SELECT rowid FROM charges WHERE given_at >= ?1 AND given_at < ?2
         UNION SELECT charges.rowid FROM decisions CROSS JOIN charges USING (site, payment_uid)
           WHERE refund_uid IS NULL AND receipt_uid IS NULL AND decided_at >= ?1 AND decided_at < ?2)
       ORDER BY given_at`,
    ),
    wake: database.prepare(
      `UPDATE charges SET ${WOKEN} WHERE site = :site AND payment_uid = :paymentUid AND ${OPEN}`,
    ),
  }
}

export class Charges extends MoneyRows<ChargeRow> {
  readonly queue: Queue<ChargeRow>
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    super(database, { table: 'charges', select: SELECT, schema: ChargeRow })
    this.#sql = statementsOf(database)
    this.queue = new Queue(database, {
      table: 'charges',
      select: SELECT,
      lane: 'bank',
      key: ['site', 'paymentUid'],
      open: OPEN,
      schema: ChargeRow,
    })
  }

  insert(charge: NewChargeRow): void {
    const { site, paymentUid, qrcId, bindingUid, bank, request, order, codeReference } = charge
    const { amount, purpose, receipt, givenAt, expiresAt, state, reason, createdAt } = charge
    this.#sql.insert.run(
      ...[site, paymentUid, qrcId, bindingUid, bank, request, order, codeReference],
      ...[amount, purpose, receipt, givenAt, expiresAt, state, reason, createdAt, createdAt, createdAt],
    )
  }

  /** Changes the charge if its state is still `from`: the operator or a webhook may have ended it meanwhile. */
  change(
    { site, paymentUid, state: from, wakes }: ChargeId & Pick<ChargeRow, 'state' | 'wakes'>,
    { state, next, ...facts }: ChargeChange,
  ): boolean {
    const {
      note = null,
      reason = null,
      reference = null,
      linkCancelled = null,
      sentAt = null,
      amount = null,
    } = facts
    const values = { state, note, reason, reference, linkCancelled, sentAt, amount }
    const row = { site, paymentUid, from }
    return this.#sql.change.run({ ...values, ...row, ...moved({ wakes }, next) }).changes === 1
  }

  get({ site, paymentUid }: ChargeId): ChargeRow | undefined {
    return this.rowsOf(this.#sql.get.all(site, paymentUid))[0]
  }

  /** The charge, where it has a result. */
  ended({ site, paymentUid }: ChargeId): ChargeRow | undefined {
    return this.rowsOf(this.#sql.ended.all(site, paymentUid))[0]
  }

  /** @param order see NewCharge.order */
  ofOrder(order: string): ChargeRow[] {
    return this.rowsOf(this.#sql.byOrder.all(order))
  }

  /** @param note the bank's id of the charge */
  ofNote(note: string): ChargeRow[] {
    return this.rowsOf(this.#sql.byNote.all(note))
  }

  /** The charges of a binding that were not sent to the bank. */
  unsentOf(site: string, bindingUid: string): ChargeRow[] {
    return this.rowsOf(this.#sql.unsent.all(site, bindingUid))
  }

  /** The charges with a result that were given in the period, or that the operator decided in it. */
  endedWithin(from: number, to: number): ChargeRow[] {
    return this.rowsOf(this.#sql.endedWithin.all(from, to))
  }

  /** The bank has something to say about it. */
  wake({ site, paymentUid }: ChargeId, now: number): void {
    this.#sql.wake.run({ now, site, paymentUid })
  }
}
