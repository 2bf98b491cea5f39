// The sessions of the console: those of a site in its database, the operator's in the registry's (contract, section 17).
import { SCOPES } from '../../contract/access-token.ts'
import type { NewSession, Session } from '../../contract/session.ts'
import type { Outcome } from '../../errors.ts'
import { ok } from '../outcomes.ts'
import { inSeconds, int, orNull, rowsWith, text } from '../rows/columns.ts'
import type { Sql } from '../rows/sql.ts'
import { tillsColumn, tillsIn } from '../rows/tills.ts'

/** The sessions of one key that go on: older ones end. */
const MAX_SESSIONS = 100

const readSessions = rowsWith({
  id: text,
  key_id: text,
  scope: text,
  label: orNull(text),
  tills: orNull(text),
  issued_at: inSeconds,
  token_expires_at: inSeconds,
  expires_at: inSeconds,
  ended: int,
})

/**
 * Begins a session, and removes those that have expired; the same call again changes nothing.
 * @param now Unix seconds
 * @returns auth.unauthorized for a one-time link that was used
 */
export function openSession(sql: Sql, session: NewSession, now: number): Outcome<void> {
  removeExpired(sql, now)
  const { id, keyId, scopes, label = null, tills, issuedAt, tokenExpiresAt, expiresAt, link = null } = session
  const [used] = readSessions(sql, 'SELECT * FROM sessions WHERE link = ?', link)
  if (used && used.id !== id) {
    return { ok: false, code: 'auth.unauthorized', description: 'the one-time link was used already' }
  }
  sql.exec(
    `INSERT INTO sessions (id, key_id, scope, label, tills, issued_at, token_expires_at, expires_at, link, number)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT ifnull(max(number), 0) + 1 FROM sessions)) ON CONFLICT (id) DO NOTHING`,
    ...[id, keyId, scopes.join(' '), label, tillsColumn(tills), issuedAt, tokenExpiresAt, expiresAt, link],
  )
  // The row of a link stays: it stays used.
  const oldest = 'id IN (SELECT id FROM sessions WHERE key_id = ? ORDER BY number DESC LIMIT -1 OFFSET ?)'
  sql.exec(`DELETE FROM sessions WHERE link IS NULL AND ${oldest}`, keyId, MAX_SESSIONS)
  sql.exec(`UPDATE sessions SET ended = 1 WHERE ended = 0 AND ${oldest}`, keyId, MAX_SESSIONS)
  return ok(undefined)
}

/** A session; undefined if it is unknown, or has ended. @param now Unix seconds */
export function readSession(sql: Sql, id: string, now: number): Session | undefined {
  const [row] = readSessions(
    sql,
    'SELECT * FROM sessions WHERE id = ? AND ended = 0 AND expires_at > ?',
    ...[id, now],
  )
  return (
    row && {
      id,
      keyId: row.key_id,
      scopes: SCOPES.filter((scope) => row.scope.split(' ').includes(scope)),
      label: row.label ?? undefined,
      tills: tillsIn(row),
      issuedAt: row.issued_at,
      tokenExpiresAt: row.token_expires_at,
      expiresAt: row.expires_at,
    }
  )
}

/** Ends a session. The row stays until it expires: its one-time link stays used. */
export const endSession = (sql: Sql, id: string): void =>
  void sql.exec('UPDATE sessions SET ended = 1 WHERE id = ?', id)

/** Ends the sessions that a key made. */
export const endSessionsOf = (sql: Sql, keyId: string): void =>
  void sql.exec('UPDATE sessions SET ended = 1 WHERE key_id = ?', keyId)

/** Removes the sessions that have expired. @param now Unix seconds */
export const removeExpired = (sql: Sql, now: number): void =>
  void sql.exec('DELETE FROM sessions WHERE expires_at <= ?', now)
