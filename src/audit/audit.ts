// The Durable Object that has the audit: one for the deployment. A restore of sites does not rewind it.
import { DurableObject } from 'cloudflare:workers'
import type { AuditQuery, AuditRow, NewAuditRow } from '../contract/audit.ts'
import { lazily } from '../lazily.ts'
import { migrate, type Schema } from '../site/database/schema.ts'

/** Few instances of the Worker have an audit. */
const rows = lazily(() => import('./rows.ts'))

/** A call that writes has its answer when that is on disk: the platform's output gate delays it. */
export class Audit extends DurableObject {
  #hasTables = false

  /** Adds a row; the same row again is the same one. @returns its number */
  async add(row: NewAuditRow): Promise<number> {
    const { addRow, AUDIT_SCHEMA } = await rows()
    return addRow(this.#sql(AUDIT_SCHEMA), row, Math.floor(Date.now() / 1000))
  }

  /** A page of the rows, newest first; one more than the limit says that there are more. */
  async list(query: AuditQuery): Promise<AuditRow[]> {
    const { AUDIT_SCHEMA, listRows } = await rows()
    return listRows(this.#sql(AUDIT_SCHEMA), query)
  }

  #sql(schema: Schema): SqlStorage {
    if (!this.#hasTables) migrate(this.ctx.storage, schema)
    this.#hasTables = true
    return this.ctx.storage.sql
  }
}
