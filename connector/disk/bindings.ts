// Requests to bind an account on disk: what became of each, and when the bank is to be asked about it.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import * as z from 'zod'
import { countOf } from './database.ts'
import { isOneOf, rowOf } from './rows.ts'

const BINDING_STATES = ['WAITING', 'CREATED', 'REJECTED', 'DELETED'] as const

const BindingRow = z.object({
  site: z.string(),
  bindingUid: z.string(),
  bank: z.string(),
  request: z.string(),
  qrcId: z.string(),
  state: z.enum(BINDING_STATES),
  createdAt: z.int(),
  expiresAt: z.int().nullable(),
  askedAt: z.int(),
  askAt: z.int().nullable(),
})
export type BindingRow = z.output<typeof BindingRow>
export type NewBindingRow = Omit<BindingRow, 'askAt'>
type BindingId = Pick<BindingRow, 'site' | 'bindingUid'>

export const BINDING_IS_KNOWN = isOneOf('state', BINDING_STATES)
const SELECT = `SELECT site, binding_uid AS bindingUid, bank, request, qrc_id AS qrcId, state,
  created_at AS createdAt, expires_at AS expiresAt, asked_at AS askedAt, ask_at AS askAt FROM bindings`

export class Bindings {
  readonly #insert: StatementSync
  readonly #renew: StatementSync
  readonly #change: StatementSync
  readonly #asked: StatementSync
  readonly #get: StatementSync
  readonly #byRequest: StatementSync
  readonly #due: StatementSync
  readonly #wake: StatementSync
  readonly #stop: StatementSync
  readonly #openCount: StatementSync

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      `INSERT INTO bindings (site, binding_uid, bank, request, qrc_id, state, created_at, expires_at, asked_at, ask_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    )
    const identity = 'site = ? AND binding_uid = ?'
    this.#renew = database.prepare(
      `UPDATE bindings SET created_at = ?, expires_at = ?, ask_at = ? WHERE ${identity} AND state = 'WAITING'`,
    )
    this.#change = database.prepare(
      `UPDATE bindings SET state = ?, ask_at = ? WHERE ${identity} AND state <> 'DELETED'`,
    )
    this.#asked = database.prepare(`UPDATE bindings SET asked_at = ?, ask_at = ? WHERE ${identity}`)
    this.#get = database.prepare(`${SELECT} WHERE ${identity}`)
    this.#byRequest = database.prepare(`${SELECT} WHERE request = ?`)
    this.#due = database.prepare(
      `${SELECT} WHERE ask_at <= ? AND bank = ? AND ${BINDING_IS_KNOWN} ORDER BY ask_at LIMIT ?`,
    )
    this.#wake = database.prepare(
      // Of one that is due the time changes too: who asks the bank at this moment sees that it was woken.
      `UPDATE bindings SET ask_at = max(?1, min(coalesce(ask_at, asked_at + ?2), asked_at + ?2))
       WHERE site = ?3 AND binding_uid = ?4 AND state <> 'DELETED'`,
    )
    this.#stop = database.prepare('UPDATE bindings SET ask_at = NULL WHERE site = ?')
    this.#openCount = database.prepare('SELECT count(*) AS count FROM bindings WHERE ask_at IS NOT NULL')
  }

  /** One that the disk has stays as it is. @param askAt null: never */
  insert(row: NewBindingRow, askAt: number | null): void {
    const { site, bindingUid, bank, request, qrcId, state, createdAt, expiresAt, askedAt } = row
    this.#insert.run(
      ...[site, bindingUid, bank, request, qrcId],
      ...[state, createdAt, expiresAt, askedAt, askAt],
    )
  }

  /** The bank has given the link of a request that waits again, for a code of this time. @param askAt null: never */
  renew(
    {
      site,
      bindingUid,
      createdAt,
      expiresAt,
    }: Pick<BindingRow, 'site' | 'bindingUid' | 'createdAt' | 'expiresAt'>,
    askAt: number | null,
  ): void {
    this.#renew.run(createdAt, expiresAt, askAt, site, bindingUid)
  }

  /** @returns whether it was changed: an end stays */
  change({ site, bindingUid }: BindingId, state: BindingRow['state'], askAt: number | null): boolean {
    return this.#change.run(state, askAt, site, bindingUid).changes === 1
  }

  asked({ site, bindingUid }: BindingId, askedAt: number, askAt: number | null): void {
    this.#asked.run(askedAt, askAt, site, bindingUid)
  }

  get({ site, bindingUid }: BindingId): BindingRow | undefined {
    return rowsOf(this.#get.all(site, bindingUid))[0]
  }

  /** Those of any bank: two banks can have the same id. */
  ofRequest(request: string): BindingRow[] {
    return rowsOf(this.#byRequest.all(request))
  }

  due(bank: string, now: number, limit: number): BindingRow[] {
    return rowsOf(this.#due.all(now, bank, limit))
  }

  /** The bank has something to say of it. @param pauseMs how long after it was asked it is asked again */
  wake({ site, bindingUid }: BindingId, now: number, pauseMs = 0): void {
    this.#wake.run(now, pauseMs, site, bindingUid)
  }

  /** The site is deleted. */
  stopAsking(site: string): void {
    this.#stop.run(site)
  }

  countOpen(): number {
    return countOf(this.#openCount)
  }
}

const rowsOf = (rows: unknown[]): BindingRow[] => rows.map((row) => rowOf(BindingRow, row))
