// Rows of API keys.
import type { ApiKey } from '../../contract/api-key.ts'

export type ApiKeyRow = {
  id: string
  label: string
  scope: string
  created_at: number | null
  expires_at: number | null
  last_used_at: number | null
  revoked_at: number | null
}

/** The API keys that the clauses after FROM select. */
export const apiKeyRows = (sql: SqlStorage, clauses: string, ...bindings: SqlStorageValue[]): ApiKeyRow[] =>
  sql.exec<ApiKeyRow>(`SELECT * FROM api_keys ${clauses}`, ...bindings).toArray()

export const apiKeyOf = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  label: row.label,
  scope: row.scope,
  createdAt: row.created_at ?? undefined,
  expiresAt: row.expires_at ?? undefined,
  lastUsedAt: row.last_used_at ?? undefined,
  revokedAt: row.revoked_at ?? undefined,
})
