// Documents of cash registers on disk: what was taken, what may have been sent, what is held, what was registered.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf } from '../disk/database.ts'
import { MOVED, moved, type Next, PLACE, type Place, Queue, WOKEN } from '../work/queue.ts'
import { DAY_MS } from '../work/schedule.ts'
import type { Fiscal } from './cash-register.ts'
import { type ReceiptId, ReceiptRow } from './receipt-row.ts'

/** Documents without a result: the condition of the partial index. */
const OPEN = `state NOT IN ('REGISTERED', 'FAILED', 'OVER')`

type NewReceipt = Omit<
  ReceiptRow,
  'request' | 'note' | 'canRetry' | 'fiscal' | 'sentAt' | 'told' | keyof Place
>

/** What a step of a document changes. */
interface ReceiptChange {
  state: ReceiptRow['state']
  amount?: number
  request?: string
  note?: string
  reason?: string
  canRetry?: boolean
  fiscal?: Fiscal
  sentAt?: number | null
  next?: Next
}

const SELECT = `SELECT site, receipt_uid AS receiptUid, register, kind, payment_uid AS paymentUid, refund_uid AS refundUid,
  closing_uid AS closingUid, reference, amount, given_at AS givenAt, state, data, items, request, note, reason, can_retry AS canRetry, fiscal,
  sent_at AS sentAt, told, created_at AS createdAt, ${PLACE} FROM receipts`

/** Nothing is sent any more: what was, and who it was for, is not needed. */
const IS_DONE = `:state IN ('HELD', 'REGISTERED', 'FAILED', 'OVER')`

const statementsOf = (database: DatabaseSync) => ({
  insert: database.prepare(
    `INSERT INTO receipts (site, receipt_uid, register, kind, payment_uid, refund_uid, closing_uid, reference, amount, given_at, state,
       data, items, reason, created_at, due_at, stepped_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  ),
  change: database.prepare(
    `UPDATE receipts SET state = :state, amount = coalesce(:amount, amount), data = iif(${IS_DONE}, '', data), request = iif(${IS_DONE}, '', coalesce(:request, request)),
       note = coalesce(:note, note), reason = coalesce(:reason, reason), can_retry = coalesce(:canRetry, can_retry),
       fiscal = coalesce(:fiscal, fiscal), sent_at = coalesce(:sentAt, sent_at), ${MOVED}
       WHERE site = :site AND receipt_uid = :receiptUid AND state = :from`,
  ),
  resume: database.prepare(
    // With a request the register was told of the items that are here.
    `UPDATE receipts SET state = 'SENDING', data = :data, items = iif(request = '', :items, items), reason = '', ${WOKEN}
       WHERE site = :site AND receipt_uid = :receiptUid AND (state = 'OVER' OR state = 'SENDING' AND rests = 1)`,
  ),
  rest: database.prepare(
    `UPDATE receipts SET state = 'SENDING', rests = 1, wakes = wakes + 1 WHERE ${OPEN} AND state IN ('QUEUED', 'SENDING')`,
  ),
  told: database.prepare(`UPDATE receipts SET told = ? WHERE site = ? AND receipt_uid = ? AND ${OPEN}`),
  get: database.prepare(`${SELECT} WHERE site = ? AND receipt_uid = ?`),
  ofPayment: database.prepare(`${SELECT} WHERE site = ? AND payment_uid = ? ORDER BY rowid`),
  ofReference: database.prepare(
    `${SELECT} WHERE register = ? AND reference = ? AND reference <> '' ORDER BY rowid`,
  ),
  ofNote: database.prepare(`${SELECT} WHERE register = ? AND note = ? AND note <> ''`),
  ofKey: database.prepare(`${SELECT} WHERE register = ? AND receipt_uid = ?`),
  unsure: database.prepare(
    // Only a restore lets a SENDING one rest.
    `${SELECT} WHERE ${OPEN} AND site = ? AND (state = 'HELD' AND given_at < ? OR state = 'SENDING' AND rests = 1)`,
  ),
  held: database.prepare(`${SELECT} WHERE ${OPEN} AND state = 'HELD' ORDER BY given_at`),
  openSince: database.prepare(`${SELECT} WHERE ${OPEN} AND created_at <= ? ORDER BY given_at`),
  heldCount: database.prepare(`SELECT count(*) AS count FROM receipts WHERE ${OPEN} AND state = 'HELD'`),
  open: database.prepare(
    `SELECT min(created_at) AS oldest, count(*) AS count FROM receipts WHERE ${OPEN} AND state <> 'HELD'`,
  ),
  within: database.prepare(`${SELECT} WHERE given_at >= ? AND given_at < ? ORDER BY given_at`),
  ofRegister: database.prepare(`SELECT count(*) AS count FROM receipts WHERE ${OPEN} AND register = ?`),
  wake: database.prepare(
    `UPDATE receipts SET ${WOKEN} WHERE site = :site AND receipt_uid = :receiptUid AND ${OPEN} AND state IN ('SENDING', 'PENDING', 'HELD')
       AND rests = 0 AND stepped_at <= :now - :pause`,
  ),
})

const Open = z.object({ oldest: z.int().nullable(), count: z.int() })
const rowsOf = (rows: unknown[]): ReceiptRow[] => rows.map((row) => ReceiptRow.parse(row))

export class Receipts {
  readonly queue: Queue<ReceiptRow>
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database)
    this.queue = new Queue(database, {
      table: 'receipts',
      select: SELECT,
      lane: 'register',
      key: ['site', 'receiptUid'],
      open: OPEN,
      // A notification is awaited for so long.
      longest: DAY_MS,
      schema: ReceiptRow,
    })
  }

  insert(receipt: NewReceipt): void {
    const { site, receiptUid, register, kind, paymentUid, refundUid, closingUid } = receipt
    const { reference, amount, givenAt, state, data, items, reason, createdAt } = receipt
    this.#sql.insert.run(
      ...[site, receiptUid, register, kind, paymentUid, refundUid, closingUid, reference, amount],
      ...[givenAt, state, data, items, reason, createdAt, createdAt, createdAt],
    )
  }

  /** Changes the document if its state is still `from`: the operator may have settled it meanwhile. */
  change(receipt: ReceiptRow, { state, next, ...facts }: ReceiptChange): boolean {
    const { site, receiptUid, state: from } = receipt
    const {
      amount = null,
      request = null,
      note = null,
      reason = null,
      canRetry,
      fiscal,
      sentAt = null,
    } = facts
    const values = {
      ...{ amount, request, note, reason, sentAt },
      canRetry: canRetry === undefined ? null : Number(canRetry),
      fiscal: fiscal === undefined ? null : JSON.stringify(fiscal),
    }
    return (
      this.#sql.change.run({ state, ...values, site, receiptUid, from, ...moved(receipt, next) }).changes ===
      1
    )
  }

  /** The service has no result of a document of which a restored disk did not know that: it goes on. @param told of the instruction */
  resume({ site, receiptUid }: ReceiptId, told: Pick<ReceiptRow, 'data' | 'items'>, now: number): boolean {
    return this.#sql.resume.run({ site, receiptUid, ...told, now }).changes === 1
  }

  /** After a restore: each may have been sent since the backup, and rests until the service says that it has no result. */
  restUnsure(): void {
    this.#sql.rest.run()
  }

  /** What waits for the service's word since a restore, and what was given before a time and waits for the operator's. */
  unsure(site: string, before: number): ReceiptRow[] {
    return rowsOf(this.#sql.unsure.all(site, before))
  }

  /** The merchant is told this of a document without a result. @returns whether it has none */
  tell({ site, receiptUid }: ReceiptId, told: NonNullable<ReceiptRow['told']>): boolean {
    return this.#sql.told.run(told, site, receiptUid).changes === 1
  }

  get({ site, receiptUid }: ReceiptId): ReceiptRow | undefined {
    return rowsOf(this.#sql.get.all(site, receiptUid))[0]
  }

  ofPayment(site: string, paymentUid: string): ReceiptRow[] {
    return rowsOf(this.#sql.ofPayment.all(site, paymentUid))
  }

  /** The documents of a register of one payment. @param reference see ReceiptRow */
  ofReference(register: string, reference: string): ReceiptRow[] {
    return rowsOf(this.#sql.ofReference.all(register, reference))
  }

  /** The documents of a register that a webhook names: by its note, or by the key. */
  named(register: string, { key, note }: { key?: string; note?: string }): ReceiptRow[] {
    const byNote = note === undefined ? [] : rowsOf(this.#sql.ofNote.all(register, note))
    if (byNote.length > 0 || key === undefined) return byNote
    return rowsOf(this.#sql.ofKey.all(register, key))
  }

  /** Those that wait for the operator's word, or whose result is not known. */
  held(): ReceiptRow[] {
    return rowsOf(this.#sql.held.all())
  }

  countHeld(): number {
    return countOf(this.#sql.heldCount)
  }

  /** How many have no result and are not held, and when the oldest of them came. */
  open(): { oldest: number | null; count: number } {
    return Open.parse(this.#sql.open.get())
  }

  /** Those without a result that were taken by then. */
  openSince(time: number): ReceiptRow[] {
    return rowsOf(this.#sql.openSince.all(time))
  }

  /** Those given in a period. */
  within(from: number, to: number): ReceiptRow[] {
    return rowsOf(this.#sql.within.all(from, to))
  }

  /** Whether documents of these credentials have no result. */
  hasOpenOf(register: string): boolean {
    return countOf(this.#sql.ofRegister, register) > 0
  }

  /** The register has something to say of it. @param pause how long after it was asked last it is asked again, in milliseconds */
  wake({ site, receiptUid }: ReceiptId, now: number, pause: number): void {
    this.#sql.wake.run({ site, receiptUid, now, pause })
  }
}
