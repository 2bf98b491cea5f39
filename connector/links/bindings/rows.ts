// Requests to bind an account on disk: what became of each, and when the bank is to be asked about it.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf } from '../../disk/database.ts'
import { MOVED, moved, type Next, PLACE, Place, Queue, RESTED, SCHEDULED } from '../../work/queue.ts'

export const BINDING_STATES = ['WAITING', 'CREATED', 'REJECTED', 'DELETED'] as const

const BindingRow = Place.extend({
  site: z.string(),
  bindingUid: z.string(),
  bank: z.string(),
  request: z.string(),
  qrcId: z.string(),
  state: z.enum(BINDING_STATES),
  createdAt: z.int(),
  expiresAt: z.int().nullable(),
})
export type BindingRow = z.output<typeof BindingRow>
type NewBindingRow = Omit<BindingRow, keyof Place>
type BindingId = Pick<BindingRow, 'site' | 'bindingUid'>

const SELECT = `SELECT site, binding_uid AS bindingUid, bank, request, qrc_id AS qrcId, state,
  created_at AS createdAt, expires_at AS expiresAt, ${PLACE} FROM bindings`

function statementsOf(database: DatabaseSync) {
  const identity = 'site = ? AND binding_uid = ?'
  return {
    insert: database.prepare(
      `INSERT INTO bindings (site, binding_uid, bank, request, qrc_id, state, created_at, expires_at, stepped_at, due_at, rests)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?7, ?9, ?9 IS NULL) ON CONFLICT DO NOTHING`,
    ),
    renew: database.prepare(
      `UPDATE bindings SET created_at = :createdAt, expires_at = :expiresAt, ${SCHEDULED}
       WHERE site = :site AND binding_uid = :bindingUid AND state = 'WAITING'`,
    ),
    change: database.prepare(
      `UPDATE bindings SET state = :state, ${MOVED}
       WHERE site = :site AND binding_uid = :bindingUid AND state <> 'DELETED'`,
    ),
    end: database.prepare(
      `UPDATE bindings SET state = 'DELETED', ${RESTED} WHERE ${identity} AND state <> 'DELETED'`,
    ),
    begin: database.prepare(`UPDATE bindings SET stepped_at = ? WHERE ${identity}`),
    get: database.prepare(`${SELECT} WHERE ${identity}`),
    byRequest: database.prepare(`${SELECT} WHERE request = ?`),
    wake: database.prepare(
      `UPDATE bindings SET wakes = wakes + 1, due_at = max(?1, min(iif(rests, stepped_at + ?2, due_at), stepped_at + ?2)), rests = 0
       WHERE site = ?3 AND binding_uid = ?4 AND state <> 'DELETED'`,
    ),
    stop: database.prepare(`UPDATE bindings SET ${RESTED} WHERE site = ?`),
    openCount: database.prepare('SELECT count(*) AS count FROM bindings WHERE rests = 0'),
  }
}

export class Bindings {
  readonly queue: Queue<BindingRow>
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database)
    this.queue = new Queue(database, {
      table: 'bindings',
      select: SELECT,
      lane: 'bank',
      key: ['site', 'bindingUid'],
      open: 'rests = 0',
      longest: 24 * 3_600_000,
      schema: BindingRow,
    })
  }

  /** A binding that the disk has stays as it is. @param dueAt null: the bank is not asked */
  insert(row: NewBindingRow, dueAt: number | null): void {
    const { site, bindingUid, bank, request, qrcId, state, createdAt, expiresAt } = row
    this.#sql.insert.run(...[site, bindingUid, bank, request, qrcId], ...[state, createdAt, expiresAt, dueAt])
  }

  /** The bank has given the link of a request that waits again, for a code of this time. @param dueAt null: the bank is not asked */
  renew(
    {
      site,
      bindingUid,
      createdAt,
      expiresAt,
    }: Pick<BindingRow, 'site' | 'bindingUid' | 'createdAt' | 'expiresAt'>,
    dueAt: number | null,
  ): void {
    this.#sql.renew.run({ site, bindingUid, createdAt, expiresAt, dueAt })
  }

  /** @returns whether it was changed: an end stays */
  change(row: BindingRow, state: Exclude<BindingRow['state'], 'DELETED'>, next: Next): boolean {
    const { site, bindingUid } = row
    return this.#sql.change.run({ site, bindingUid, state, ...moved(row, next) }).changes === 1
  }

  /** The binding is over, and the bank is not asked any more. @returns whether it was not over before */
  end({ site, bindingUid }: BindingId): boolean {
    return this.#sql.end.run(site, bindingUid).changes === 1
  }

  /** The bank is asked now: from now on the pause of a wake counts. */
  begin({ site, bindingUid }: BindingId, now: number): void {
    this.#sql.begin.run(now, site, bindingUid)
  }

  get({ site, bindingUid }: BindingId): BindingRow | undefined {
    return rowsOf(this.#sql.get.all(site, bindingUid))[0]
  }

  /** The bindings of a request at any bank: two banks can have the same id. */
  ofRequest(request: string): BindingRow[] {
    return rowsOf(this.#sql.byRequest.all(request))
  }

  /** The bank has something to say of it. @param pauseMs how long after it was asked last it is asked again */
  wake({ site, bindingUid }: BindingId, now: number, pauseMs = 0): void {
    this.#sql.wake.run(now, pauseMs, site, bindingUid)
  }

  /** The site is deleted. */
  stopAsking(site: string): void {
    this.#sql.stop.run(site)
  }

  countOpen(): number {
    return countOf(this.#sql.openCount)
  }
}

const rowsOf = (rows: unknown[]): BindingRow[] => rows.map((row) => BindingRow.parse(row))
