// Registered codes on disk, and when the bank is to be asked about each.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf } from '../../disk/database.ts'
import { MOVED, moved, type Next, PLACE, Place, Queue, RESTED, SCHEDULED, WOKEN } from '../../work/queue.ts'

const CODE_TYPES = ['DYNAMIC', 'STATIC', 'COUNTER', 'TOKEN'] as const
export const CODE_STATES = ['CALLING', 'OPEN', 'PAID', 'CANCELLED', 'ENDED'] as const

const CodeRow = Place.extend({
  id: z.string(),
  site: z.string(),
  bank: z.string(),
  /** The service's key of the registration; null for a code that was learned from its list. */
  key: z.string().nullable(),
  type: z.enum(CODE_TYPES),
  amount: z.int().nullable(),
  state: z.enum(CODE_STATES),
  qrcId: z.string().nullable(),
  payload: z.string().nullable(),
  reference: z.string().nullable(),
  createdAt: z.int(),
  expiresAt: z.int().nullable(),
})
export type CodeRow = z.output<typeof CodeRow>
const DueCode = CodeRow.extend({ dueAt: z.int() })
export type DueCode = z.output<typeof DueCode>
const Bank = z.object({ bank: z.string() })

const SELECT = `SELECT id, site, bank, key, type, amount, state, qrc_id AS qrcId, payload, reference,
  created_at AS createdAt, expires_at AS expiresAt, due_at AS dueAt, ${PLACE} FROM codes`

interface StartedCode {
  id: string
  site: string
  bank: string
  key: string | null
  type: CodeRow['type']
  amount: number | null
  createdAt: number
}

interface LinkRow {
  qrcId: string
  payload: string | null
  reference: string
  expiresAt: number | null
  /** Null: the bank is not asked. */
  dueAt: number | null
}

const statementsOf = (database: DatabaseSync) => ({
  start: database.prepare(
    `INSERT INTO codes (id, site, bank, key, type, amount, state, created_at, stepped_at, rests)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'CALLING', ?7, ?7, 1)`,
  ),
  finish: database.prepare(
    `UPDATE codes SET state = 'OPEN', qrc_id = :qrcId, payload = :payload, reference = :reference, expires_at = :expiresAt,
       ${SCHEDULED} WHERE id = :id`,
  ),
  step: database.prepare(`UPDATE codes SET state = :state, ${MOVED} WHERE id = :id AND state = :from`),
  wake: database.prepare(`UPDATE codes SET ${WOKEN} WHERE id = :id`),
  cancelled: database.prepare(
    `UPDATE codes SET state = 'CANCELLED', expires_at = min(coalesce(expires_at, :now), :now), ${SCHEDULED} WHERE id = :id`,
  ),
  forget: database.prepare('DELETE FROM codes WHERE id = ?'),
  byId: database.prepare(`${SELECT} WHERE id = ?`),
  byKey: database.prepare(
    `${SELECT} WHERE site = ? AND key = ? AND state IN ('OPEN', 'PAID', 'ENDED') ORDER BY rowid DESC LIMIT 1`,
  ),
  byKeyAndLink: database.prepare(`${SELECT} WHERE site = ? AND qrc_id = ? AND key = ?`),
  byLink: database.prepare(`${SELECT} WHERE qrc_id = ?`),
  bySite: database.prepare(`${SELECT} WHERE site = ? AND qrc_id = ?`),
  bankOf: database.prepare('SELECT bank FROM codes WHERE site = ? AND qrc_id = ?'),
  byReference: database.prepare(`${SELECT} WHERE link_reference = ?`),
  created: database.prepare(
    `${SELECT} WHERE created_at < ? AND coalesce(expires_at, ?) >= ? AND qrc_id IS NOT NULL
       ORDER BY created_at`,
  ),
  stop: database.prepare(`UPDATE codes SET ${RESTED} WHERE site = ?`),
  open: database.prepare('SELECT count(*) AS count FROM codes WHERE rests = 0'),
})

export class Codes {
  readonly queue: Queue<DueCode>
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database)
    this.queue = new Queue(database, {
      table: 'codes',
      select: SELECT,
      lane: 'bank',
      key: ['id'],
      open: 'rests = 0',
      schema: DueCode,
    })
  }

  /** Before the bank is called. */
  start({ id, site, bank, key, type, amount, createdAt }: StartedCode): void {
    this.#sql.start.run(id, site, bank, key, type, amount, createdAt)
  }

  /** The bank has answered. */
  finish(id: string, { qrcId, payload, reference, expiresAt, dueAt }: LinkRow): void {
    this.#sql.finish.run({ id, qrcId, payload, reference, expiresAt, dueAt })
  }

  /** A registration that the bank has refused. */
  forget(id: string): void {
    this.#sql.forget.run(id)
  }

  /** After the bank was asked. Nothing is changed where the state is another one meanwhile: its schedule is set. */
  step(row: Pick<CodeRow, 'id' | 'state' | 'wakes'>, state: CodeRow['state'], next: Next): void {
    this.#sql.step.run({ id: row.id, from: row.state, state, ...moved(row, next) })
  }

  /** The bank has something to say about it. */
  wake(id: string, now: number): void {
    this.#sql.wake.run({ id, now })
  }

  /** The bank has cancelled the link: it ends now. */
  cancelled(id: string, now: number, dueAt: number): void {
    this.#sql.cancelled.run({ id, now, dueAt })
  }

  get(id: string): CodeRow | undefined {
    return rowsOf(this.#sql.byId.all(id))[0]
  }

  ofKey(site: string, key: string): CodeRow | undefined {
    return rowsOf(this.#sql.byKey.all(site, key))[0]
  }

  /** A code that an earlier request of the same key has made, and whose link the bank has given again. */
  ofKeyAndLink(site: string, key: string, qrcId: string): CodeRow | undefined {
    return rowsOf(this.#sql.byKeyAndLink.all(site, qrcId, key))[0]
  }

  ofLink(qrcId: string): CodeRow[] {
    return rowsOf(this.#sql.byLink.all(qrcId))
  }

  ofSite(site: string, qrcId: string): CodeRow | undefined {
    return rowsOf(this.#sql.bySite.all(site, qrcId))[0]
  }

  /** The name of the code's bank; undefined: the disk does not have the code. */
  bankOf(site: string, qrcId: string): string | undefined {
    const row = this.#sql.bankOf.get(site, qrcId)
    return row && Bank.parse(row).bank
  }

  /** @param reference with the bank's name, without the request to bind an account */
  ofReference(reference: string): CodeRow[] {
    return rowsOf(this.#sql.byReference.all(reference))
  }

  /** Codes that could be paid in the period. */
  payableWithin(from: number, to: number): CodeRow[] {
    return rowsOf(this.#sql.created.all(to, to, from))
  }

  /** The site is deleted. */
  stopAsking(site: string): void {
    this.#sql.stop.run(site)
  }

  countOpen(): number {
    return countOf(this.#sql.open)
  }
}

const rowsOf = (rows: unknown[]): CodeRow[] => rows.map((row) => CodeRow.parse(row))
