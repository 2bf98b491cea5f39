// Rows of the table `api_keys`, with checked types.

import type { ApiKey } from '../../contract/api-key.ts'
import { inSeconds, orNull, rowsWith, text } from '../rows/columns.ts'
import type { Binding } from '../rows/sql.ts'
import { tillsIn } from '../rows/tills.ts'

const readRows = rowsWith({
  id: text,
  label: text,
  scope: text,
  created_at: orNull(inSeconds),
  expires_at: orNull(inSeconds),
  last_used_at: orNull(inSeconds),
  revoked_at: orNull(inSeconds),
  person: orNull(text),
  tills: orNull(text),
})
type ApiKeyRow = ReturnType<typeof readRows>[number]

/** The API keys that the clauses after FROM select. */
export const apiKeyRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]): ApiKeyRow[] =>
  readRows(sql, `SELECT * FROM api_keys ${clauses}`, ...bindings)

export const apiKeyOf = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  label: row.label,
  scope: row.scope,
  createdAt: row.created_at ?? undefined,
  expiresAt: row.expires_at ?? undefined,
  lastUsedAt: row.last_used_at ?? undefined,
  revokedAt: row.revoked_at ?? undefined,
  personId: row.person ?? undefined,
  tills: tillsIn(row),
})
