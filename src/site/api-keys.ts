// The API keys of a site: which there are, which are revoked, when each was used (contract, section 12).
import type { ApiKey } from '../contract/api-key.ts'
import type { Caller } from '../contract/caller.ts'
import type { Outcome, Refusal } from '../errors.ts'
import { recordEvent } from './events.ts'
import { ok } from './outcomes.ts'
import { apiKeyOf, apiKeyRows } from './rows/api-keys.ts'
import type { Store } from './store.ts'

const HOUR = 3600

/** A new API key, with its times. */
export type NewApiKey = Required<Pick<ApiKey, 'id' | 'label' | 'scope'>> & {
  createdAt: number
  expiresAt: number
}

const REVOKED: Refusal = {
  ok: false,
  code: 'auth.unauthorized',
  description: 'the access token is revoked',
  headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
}

/** The API keys of a site. Revoked ones are in memory, so that a request is judged without a query. */
export class ApiKeys {
  readonly #store: Store
  readonly #revoked = new Set<string>()
  /** The keys that were used in the hour that begins at `#hour`, and those of them that the table does not say yet. */
  readonly #used = new Set<string>()
  readonly #unrecorded = new Map<string, { caller: Caller; hour: number }>()
  #hour = 0
  #isRecording = false

  constructor(store: Store) {
    this.#store = store
  }

  /** Reads what is in memory; for the object's start. */
  open(): void {
    if (!this.#store.isMigrated) return
    const { sql, now } = this.#store
    this.#hour = hourOf(now)
    const inMemory =
      'WHERE (revoked_at IS NOT NULL AND (expires_at IS NULL OR expires_at > ?)) OR last_used_at = ?'
    for (const row of apiKeyRows(sql, inMemory, now, this.#hour)) {
      if (row.revoked_at !== null) this.#revoked.add(row.id)
      if (row.last_used_at === this.#hour) this.#used.add(row.id)
    }
  }

  /** Admits a caller, whose key counts as used. @returns the refusal, if the key is revoked */
  admit(caller: Caller): Refusal | undefined {
    const { keyId, scopes } = caller
    if (keyId === undefined) return undefined
    // The network's keys are the deployment's: the merchant cannot stop its reports.
    if (this.#revoked.has(keyId) && !scopes.includes('network')) return REVOKED
    this.#use(keyId, caller)
    return undefined
  }

  /** All keys, those of the calls so far included, in the order in which the site learned of them. */
  list(): ApiKey[] {
    this.#recordUses()
    return apiKeyRows(this.#store.sql, 'ORDER BY number').map((row) => {
      const key = apiKeyOf(row)
      return isOfNetwork(key) ? { ...key, revokedAt: undefined } : key
    })
  }

  /** Adds a key; the same call again changes nothing. @param now Unix seconds */
  add({ id, label, scope, createdAt, expiresAt }: NewApiKey, by: Caller, now: number): Outcome<void> {
    const { rowsWritten } = this.#store.sql.exec(
      `INSERT INTO api_keys (id, label, scope, created_at, expires_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
      ...[id, label, scope, createdAt, expiresAt],
    )
    if (rowsWritten > 0) recordEvent(this.#store.sql, { type: 'apiKey.created', at: now, by })
    return ok(undefined)
  }

  /**
   * Revokes a key, also one that was not used yet; a second call changes nothing.
   * @param now Unix seconds
   * @returns auth.forbidden for a key of the payment network
   */
  revoke(id: string, by: Caller, now: number): Outcome<void> {
    const { sql } = this.#store
    this.#recordUses()
    const [row] = apiKeyRows(sql, 'WHERE id = ?', id)
    if (row && isOfNetwork(row)) return OF_NETWORK
    if (typeof row?.revoked_at === 'number') return ok(undefined)
    sql.exec(
      `INSERT INTO api_keys (id, label, scope, revoked_at) VALUES (?, '', '', ?)
       ON CONFLICT (id) DO UPDATE SET revoked_at = excluded.revoked_at`,
      id,
      now,
    )
    recordEvent(sql, { type: 'apiKey.revoked', at: now, by })
    this.#revoked.add(id)
    return ok(undefined)
  }

  /** Records the use of a key once an hour, after the answer: no call waits for that commit. */
  #use(keyId: string, caller: Caller): void {
    const hour = hourOf(this.#store.now)
    if (hour !== this.#hour) this.#used.clear()
    this.#hour = hour
    if (!this.#used.has(keyId)) {
      this.#used.add(keyId)
      this.#unrecorded.set(keyId, { caller, hour })
    }
    // A site without tables gets none by a read.
    if (this.#unrecorded.size === 0 || this.#isRecording || !this.#store.isMigrated) return
    this.#isRecording = true
    this.#store
      .writeLater(() => ok(this.#recordUses()))
      .finally(() => {
        this.#isRecording = false
      })
  }

  #recordUses(): void {
    for (const [id, { caller, hour }] of this.#unrecorded) {
      const { scopes, issuedAt = null, expiresAt = null } = caller
      this.#store.sql.exec(
        `INSERT INTO api_keys (id, label, scope, created_at, expires_at, last_used_at) VALUES (?, '', ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET scope = excluded.scope, created_at = excluded.created_at,
           expires_at = excluded.expires_at, last_used_at = excluded.last_used_at`,
        ...[id, scopes.join(' '), issuedAt, expiresAt, hour],
      )
    }
    this.#unrecorded.clear()
  }
}

const OF_NETWORK: Refusal = {
  ok: false,
  code: 'auth.forbidden',
  description: 'the key has the scope network, must be revoked by the deployment (REVOKED_KEYS)',
  headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
}

const hourOf = (seconds: number): number => seconds - (seconds % HOUR)

const isOfNetwork = ({ scope }: Pick<ApiKey, 'scope'>): boolean => scope.split(' ').includes('network')
