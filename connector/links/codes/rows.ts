// Registered codes on disk, and when the bank is to be asked about each.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf } from '../../disk/database.ts'
import { MOVED, moved, type Next, PLACE, Place, Queue, RESTED, SCHEDULED, WOKEN } from '../../work/queue.ts'

const CODE_TYPES = ['DYNAMIC', 'STATIC', 'COUNTER', 'TOKEN'] as const
const CODE_STATES = ['CALLING', 'OPEN', 'PAID', 'CANCELLED', 'ENDED'] as const

const CodeRow = Place.extend({
  id: z.string(),
  site: z.string(),
  bank: z.string(),
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

const SELECT = `SELECT id, site, bank, type, amount, state, qrc_id AS qrcId, payload, reference,
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

export class Codes {
  readonly queue: Queue<DueCode>
  readonly #start: StatementSync
  readonly #finish: StatementSync
  readonly #step: StatementSync
  readonly #wake: StatementSync
  readonly #cancelled: StatementSync
  readonly #forget: StatementSync
  readonly #byId: StatementSync
  readonly #byKey: StatementSync
  readonly #byKeyAndLink: StatementSync
  readonly #byLink: StatementSync
  readonly #bySite: StatementSync
  readonly #bankOf: StatementSync
  readonly #byReference: StatementSync
  readonly #created: StatementSync
  readonly #open: StatementSync
  readonly #stop: StatementSync

  constructor(database: DatabaseSync) {
    this.queue = new Queue(database, {
      ...{ table: 'codes', select: SELECT, lane: 'bank', open: 'rests = 0' },
      ...{ longest: 3_600_000, schema: DueCode },
    })
    this.#start = database.prepare(
      `INSERT INTO codes (id, site, bank, key, type, amount, state, created_at, stepped_at, rests)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'CALLING', ?7, ?7, 1)`,
    )
    this.#finish = database.prepare(
      `UPDATE codes SET state = 'OPEN', qrc_id = :qrcId, payload = :payload, reference = :reference, expires_at = :expiresAt,
       ${SCHEDULED} WHERE id = :id`,
    )
    this.#step = database.prepare(
      `UPDATE codes SET state = :state, ${MOVED} WHERE id = :id AND state = :from`,
    )
    this.#wake = database.prepare(`UPDATE codes SET ${WOKEN} WHERE id = :id`)
    this.#cancelled = database.prepare(
      `UPDATE codes SET state = 'CANCELLED', expires_at = min(coalesce(expires_at, :now), :now), ${SCHEDULED} WHERE id = :id`,
    )
    this.#forget = database.prepare('DELETE FROM codes WHERE id = ?')
    this.#byId = database.prepare(`${SELECT} WHERE id = ?`)
    this.#byKey = database.prepare(
      `${SELECT} WHERE site = ? AND key = ? AND state IN ('OPEN', 'PAID', 'ENDED') ORDER BY rowid DESC LIMIT 1`,
    )
    this.#byKeyAndLink = database.prepare(`${SELECT} WHERE site = ? AND qrc_id = ? AND key = ?`)
    this.#byLink = database.prepare(`${SELECT} WHERE qrc_id = ?`)
    this.#bySite = database.prepare(`${SELECT} WHERE site = ? AND qrc_id = ?`)
    this.#bankOf = database.prepare('SELECT bank FROM codes WHERE site = ? AND qrc_id = ?')
    this.#byReference = database.prepare(`${SELECT} WHERE link_reference = ?`)
    this.#created = database.prepare(
      `${SELECT} WHERE created_at < ? AND coalesce(expires_at, ?) >= ? AND qrc_id IS NOT NULL
       ORDER BY created_at`,
    )
    this.#stop = database.prepare(`UPDATE codes SET ${RESTED} WHERE site = ?`)
    this.#open = database.prepare('SELECT count(*) AS count FROM codes WHERE rests = 0')
  }

  /** Before the bank is called. */
  start({ id, site, bank, key, type, amount, createdAt }: StartedCode): void {
    this.#start.run(id, site, bank, key, type, amount, createdAt)
  }

  /** The bank has answered. */
  finish(id: string, { qrcId, payload, reference, expiresAt, dueAt }: LinkRow): void {
    this.#finish.run({ id, qrcId, payload, reference, expiresAt, dueAt })
  }

  /** A registration that the bank has refused. */
  forget(id: string): void {
    this.#forget.run(id)
  }

  /** After the bank was asked. Nothing is changed where the state is another one meanwhile: its schedule is set. */
  step(row: Pick<CodeRow, 'id' | 'state' | 'wakes'>, state: CodeRow['state'], next: Next): void {
    this.#step.run({ id: row.id, from: row.state, state, ...moved(row, next) })
  }

  /** The bank has something to say about it. */
  wake(id: string, now: number): void {
    this.#wake.run({ id, now })
  }

  /** The bank has cancelled the link: it ends now. */
  cancelled(id: string, now: number, dueAt: number): void {
    this.#cancelled.run({ id, now, dueAt })
  }

  get(id: string): CodeRow | undefined {
    return rowsOf(this.#byId.all(id))[0]
  }

  ofKey(site: string, key: string): CodeRow | undefined {
    return rowsOf(this.#byKey.all(site, key))[0]
  }

  /** A code that an earlier request of the same key has made, and whose link the bank has given again. */
  ofKeyAndLink(site: string, key: string, qrcId: string): CodeRow | undefined {
    return rowsOf(this.#byKeyAndLink.all(site, qrcId, key))[0]
  }

  ofLink(qrcId: string): CodeRow[] {
    return rowsOf(this.#byLink.all(qrcId))
  }

  ofSite(site: string, qrcId: string): CodeRow | undefined {
    return rowsOf(this.#bySite.all(site, qrcId))[0]
  }

  /** The name of the code's bank; undefined: the disk does not have the code. */
  bankOf(site: string, qrcId: string): string | undefined {
    const row = this.#bankOf.get(site, qrcId)
    return row && Bank.parse(row).bank
  }

  /** @param reference with the bank's name, without the request to bind an account */
  ofReference(reference: string): CodeRow[] {
    return rowsOf(this.#byReference.all(reference))
  }

  /** Codes that could be paid in the period. */
  payableWithin(from: number, to: number): CodeRow[] {
    return rowsOf(this.#created.all(to, to, from))
  }

  /** The site is deleted. */
  stopAsking(site: string): void {
    this.#stop.run(site)
  }

  countOpen(): number {
    return countOf(this.#open)
  }
}

const rowsOf = (rows: unknown[]): CodeRow[] => rows.map((row) => CodeRow.parse(row))
