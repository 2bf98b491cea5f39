// The Durable Object that has the audit: one for the deployment. A restore of sites does not rewind it.
import { DurableObject } from 'cloudflare:workers'
import type { AuditQuery, AuditRow, NewAuditRow } from '../contract/audit.ts'
import { migrate } from '../site/database/schema.ts'
import { AUDIT_SCHEMA, addRow, listRows } from './rows.ts'

/** A call that writes has its answer when that is on disk: the platform's output gate delays it. */
export class Audit extends DurableObject {
  #hasTables = false

  /** Adds a row; the same row again is the same one. @returns its number */
  async add(row: NewAuditRow): Promise<number> {
    return addRow(this.#sql, row, Math.floor(Date.now() / 1000))
  }

  /** A page of the rows, newest first; one more than the limit says that there are more. */
  async list(query: AuditQuery): Promise<AuditRow[]> {
    return listRows(this.#sql, query)
  }

  get #sql(): SqlStorage {
    if (!this.#hasTables) migrate(this.ctx.storage, AUDIT_SCHEMA)
    this.#hasTables = true
    return this.ctx.storage.sql
  }
}
