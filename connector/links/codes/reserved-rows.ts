// The ids that banks have reserved for COUNTER codes, on disk: which registration each is assigned to.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'

/**
 * `ASSIGNED`: to a registration, also to one without an answer. `FREE`: nothing was registered under it, and it can be assigned again.
 * `TAKEN`: the bank has another code under it.
 */
export const RESERVED_STATES = ['ASSIGNED', 'FREE', 'TAKEN'] as const

const ReservedRow = z.object({
  identity: z.string(),
  qrcId: z.string(),
  state: z.enum(RESERVED_STATES),
  site: z.string(),
  key: z.string(),
  order: z.string(),
})
export type ReservedRow = z.output<typeof ReservedRow>
type NewReserved = Omit<ReservedRow, 'qrcId' | 'state'>

interface Assigned {
  reserved: ReservedRow
  /** Whether an earlier call of the registration can have been executed. */
  isRepeat: boolean
}

const SELECT = `SELECT identity, qrc_id AS qrcId, state, site, key, bank_order AS "order" FROM reserved_ids`

const statementsOf = (database: DatabaseSync) => ({
  ofKey: database.prepare(`${SELECT} WHERE identity = ? AND site = ? AND key = ? AND state = 'ASSIGNED'`),
  free: database.prepare(
    // One that was assigned before comes last: it must not keep the others from being assigned.
    `SELECT listed.value AS qrcId FROM json_each(:ids) AS listed
       LEFT JOIN reserved_ids AS reserved ON reserved.identity = :identity AND reserved.qrc_id = listed.value
     WHERE coalesce(reserved.state, 'FREE') = 'FREE' AND NOT EXISTS (SELECT 1 FROM codes WHERE qrc_id = listed.value)
     ORDER BY reserved.changed_at NULLS FIRST, listed.key`,
  ),
  put: database.prepare(
    `INSERT OR REPLACE INTO reserved_ids (identity, qrc_id, state, site, key, bank_order, changed_at)
       VALUES (:identity, :qrcId, :state, :site, :key, :order, :now)`,
  ),
})

export class ReservedIds {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database)
  }

  /**
   * Assigns one of the ids to a registration; a repeat gets the one, and the order, of the first.
   * @returns undefined where none is free
   */
  assign(wanted: NewReserved, ids: readonly string[], now: number): Assigned | undefined {
    const { identity, site, key } = wanted
    const before = this.#sql.ofKey.all(identity, site, key).map((row) => ReservedRow.parse(row))
    const assigned = before.find(({ qrcId }) => ids.includes(qrcId))
    if (assigned) return { reserved: assigned, isRepeat: true }
    const [qrcId] = this.free(identity, ids)
    if (qrcId === undefined) return
    const reserved = { ...wanted, qrcId, state: 'ASSIGNED' } as const
    this.change(reserved, 'ASSIGNED', now)
    return { reserved, isRepeat: false }
  }

  /** Those of the ids that can be assigned, in that order. */
  free(identity: string, ids: readonly string[]): string[] {
    const rows = this.#sql.free.all({ identity, ids: JSON.stringify(ids) })
    return rows.map((row) => z.object({ qrcId: z.string() }).parse(row).qrcId)
  }

  change(row: ReservedRow, state: ReservedRow['state'], now: number): void {
    this.#sql.put.run({ ...row, state, now })
  }
}
