// The API keys of a site: the list of them, revocation, and the time of the last use (contract, section 12).
import type { ApiKey } from '../../contract/api-key.ts'
import type { Caller } from '../../contract/caller.ts'
import type { Event } from '../../contract/event.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import { KEY_REVOKED, ok } from '../outcomes.ts'
import { tillsColumn } from '../rows/tills.ts'
import { type Seconds, seconds } from '../time.ts'
import { apiKeyOf, apiKeyRows } from './rows.ts'
import { endSessionsOf } from './sessions.ts'

const HOUR = 3600

/** A new API key, with its times. */
export type NewApiKey = Required<Pick<ApiKey, 'id' | 'label' | 'scope'>> &
  Pick<ApiKey, 'tills'> & {
    createdAt: number
    expiresAt: number
  }

/** The latest use of a key, to the hour. */
interface Use {
  caller: Caller
  hour: Seconds
}

/** What the keys need of the object. */
interface Host {
  clock(): Seconds
  /** Runs a write of the object itself, after the responses to the current calls. */
  writeLater(operation: (context: Context) => void): Promise<void>
}

/** The API keys of a site. The revoked keys are in memory, so that a request is checked without a query. */
export class ApiKeys {
  readonly #host: Host
  readonly #revoked = new Set<string>()
  /** The ids of the keys that were used in the hour that begins at `#hour`. */
  readonly #used = new Set<string>()
  /** The uses that are not in the table yet, by the id of the key. */
  readonly #unrecorded = new Map<string, Use>()
  /** The uses that a write has recorded; they stay in `#unrecorded` until its commit, because it can be rolled back. */
  readonly #written = new Set<Use>()
  #hour = seconds(0)
  #isRecording = false

  constructor(host: Host) {
    this.#host = host
  }

  /** Reads what is in memory from the table: at the start, and after a rollback. Uses that are not in the table yet stay. */
  load({ sql, now }: Pick<Context, 'sql' | 'now'>): void {
    this.#beginHour(now)
    this.#revoked.clear()
    const inMemory =
      'WHERE (revoked_at IS NOT NULL AND (expires_at IS NULL OR expires_at > ?)) OR last_used_at = ?'
    for (const row of apiKeyRows(sql, inMemory, now, this.#hour)) {
      if (row.revoked_at !== null) this.#revoked.add(row.id)
      if (row.last_used_at === this.#hour) this.#used.add(row.id)
    }
  }

  /** Admits a caller who is no person of the site, whose key counts as used. @returns the refusal, if there is no key, or it is revoked */
  admit(caller: Caller): Refusal | undefined {
    const { actor, keyId, scopes, person, isService = actor === 'payer' } = caller
    // The operator's key or person is of no site: the merchant neither sees nor revokes it.
    if (actor === 'operator' && (keyId ?? person) !== undefined) return undefined
    if (keyId === undefined) return isService ? undefined : NO_CALLER
    // A key of the network alone is the deployment's: the merchant cannot stop its reports.
    if (this.#revoked.has(keyId) && !isNetworkAlone(scopes)) return KEY_REVOKED
    this.#use(keyId, caller)
    return undefined
  }

  /** After a rollback: the uses that the write recorded are recorded again. */
  forgetWritten(): void {
    this.#written.clear()
  }

  /** All keys, the oldest first; then those of the calls until now. */
  list({ sql }: Context): ApiKey[] {
    const keys = new Map(apiKeyRows(sql, 'ORDER BY created_at, id').map((row) => [row.id, apiKeyOf(row)]))
    for (const [id, { caller, hour: lastUsedAt }] of this.#unrecorded) {
      const { scopes, tills, issuedAt: createdAt, expiresAt, label } = caller
      const known = keys.get(id)
      const use = { id, scope: scopes.join(' '), tills, createdAt, expiresAt, lastUsedAt }
      keys.set(id, { ...known, ...use, label: label ?? known?.label ?? '' })
    }
    return [...keys.values()].map((key) =>
      isNetworkAlone(scopesOf(key)) ? { ...key, revokedAt: undefined } : key,
    )
  }

  /** A page of events, with the names of keys whose use is not in the table yet. */
  named<Page extends { events: Event[] }>(page: Page): Page {
    if (this.#unrecorded.size === 0) return page
    const events = page.events.map((event) => {
      const { actor, keyId = '', name } = event
      const use = actor === 'operator' ? undefined : this.#unrecorded.get(keyId)
      return { ...event, name: use?.caller.label ?? name }
    })
    return { ...page, events }
  }

  /** Adds a key; the same call again changes nothing. */
  add(context: Context, { id, label, scope, tills, createdAt, expiresAt }: NewApiKey): Outcome<void> {
    const { rowsWritten } = context.sql.exec(
      `INSERT INTO api_keys (id, label, scope, created_at, expires_at, person, tills) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
      ...[id, label, scope, createdAt, expiresAt, context.by.person?.id ?? null, tillsColumn(tills)],
    )
    if (rowsWritten > 0) recordEvent(context, { type: 'apiKey.created', subject: { apiKey: { id, label } } })
    return ok(undefined)
  }

  /**
   * Revokes a key, also one that was not used yet; a second call changes nothing.
   * @returns auth.forbidden for a key that was used with the scope network
   */
  revoke(context: Context, id: string): Outcome<void> {
    const { sql, now } = context
    this.#recordUses(context)
    const [row] = apiKeyRows(sql, 'WHERE id = ?', id)
    const scopes = row ? scopesOf(row) : []
    if (typeof row?.revoked_at === 'number' && !isNetworkAlone(scopes)) return ok(undefined)
    if (scopes.includes('network')) return OF_NETWORK
    sql.exec(
      `INSERT INTO api_keys (id, label, scope, revoked_at) VALUES (?, '', '', ?)
       ON CONFLICT (id) DO UPDATE SET revoked_at = excluded.revoked_at`,
      id,
      now,
    )
    endSessionsOf(sql, id)
    recordEvent(context, { type: 'apiKey.revoked', subject: { apiKey: { id, label: row?.label ?? '' } } })
    this.#revoked.add(id)
    return ok(undefined)
  }

  /** Records the use of a key once an hour, after the answer: no call waits for that commit. */
  #use(keyId: string, caller: Caller): void {
    this.#beginHour(this.#host.clock())
    if (!this.#used.has(keyId)) {
      this.#used.add(keyId)
      this.#unrecorded.set(keyId, { caller, hour: this.#hour })
    }
    if (this.#unrecorded.size === 0 || this.#isRecording) return
    this.#isRecording = true
    this.#host
      .writeLater((context) => this.#recordUses(context))
      .then(() => {
        for (const [id, use] of this.#unrecorded) if (this.#written.has(use)) this.#unrecorded.delete(id)
        this.#written.clear()
      })
      .catch(() => {})
      .finally(() => {
        this.#isRecording = false
      })
  }

  #beginHour(now: Seconds): void {
    const hour = hourOf(now)
    if (hour !== this.#hour) this.#used.clear()
    this.#hour = hour
  }

  /** Writes the uses that are not in the table yet. They stay in memory until the write is done. */
  #recordUses({ sql }: Context): void {
    for (const [id, use] of this.#unrecorded) {
      if (this.#written.has(use)) continue
      this.#written.add(use)
      const { caller, hour } = use
      const { scopes, tills, issuedAt = null, expiresAt = null, label = '' } = caller
      sql.exec(
        `INSERT INTO api_keys (id, label, scope, tills, created_at, expires_at, last_used_at) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET scope = excluded.scope, tills = excluded.tills, created_at = excluded.created_at,
           expires_at = excluded.expires_at, last_used_at = excluded.last_used_at,
           label = iif(excluded.label = '', label, excluded.label)`,
        ...[id, label, scopes.join(' '), tillsColumn(tills), issuedAt, expiresAt, hour],
      )
    }
  }
}

const NO_CALLER: Refusal = {
  ok: false,
  code: 'auth.unauthorized',
  description: 'the call has neither a key nor a person',
}

const OF_NETWORK: Refusal = {
  ok: false,
  code: 'auth.forbidden',
  description: 'the key has the scope network, must be revoked by the deployment (REVOKED_KEYS)',
  headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
}

const hourOf = (time: Seconds): Seconds => seconds(time - (time % HOUR))

const scopesOf = ({ scope }: Pick<ApiKey, 'scope'>): string[] => scope.split(' ')

/** Whether a key acts as the payment network and as nothing else. */
const isNetworkAlone = (scopes: readonly string[]): boolean =>
  scopes.includes('network') && scopes.every((scope) => scope === 'network')
