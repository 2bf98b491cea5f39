// The keys of operators in the registry: the list of them, their latest use and their revocation (contract, section 16).
import type { Caller } from '../contract/caller.ts'
import type { OperatorKey } from '../contract/operator-key.ts'
import type { Outcome } from '../errors.ts'
import { endSessionsOf } from '../site/access/sessions.ts'
import { KEY_REVOKED, notAllowed, ok } from '../site/outcomes.ts'
import { personRefusal } from '../site/people/admission.ts'
import { int, orNull, rowsWith, text } from '../site/rows/columns.ts'
import type { Sql } from '../site/rows/sql.ts'

const HOUR = 3600

const readKeys = rowsWith({
  id: text,
  label: orNull(text),
  created_at: orNull(int),
  expires_at: orNull(int),
  last_used_at: orNull(int),
  revoked_at: orNull(int),
})

const keyIn = (sql: Sql, id: string) => readKeys(sql, 'SELECT * FROM operator_keys WHERE id = ?', id)[0]

/** Whether a key was revoked. */
export const isRevoked = (sql: Sql, id: string): boolean => typeof keyIn(sql, id)?.revoked_at === 'number'

/**
 * Admits an operator: a person whose session and role are still those of the call, or a key, which counts as used; its use is recorded
 * once an hour.
 * @param now Unix seconds
 * @returns auth.unauthorized for a revoked key, and as personRefusal
 */
export function admitOperator(sql: Sql, caller: Caller, now: number): Outcome<void> {
  if (caller.person) return personRefusal({ sql, now }, caller.person, caller) ?? ok(undefined)
  const { keyId = '', issuedAt = null, expiresAt = null, label = null } = caller
  const key = keyIn(sql, keyId)
  if (typeof key?.revoked_at === 'number') return KEY_REVOKED
  const hour = now - (now % HOUR)
  if (key?.last_used_at === hour) return ok(undefined)
  sql.exec(
    `INSERT INTO operator_keys (id, label, created_at, expires_at, last_used_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET label = ifnull(excluded.label, label), created_at = excluded.created_at,
       expires_at = excluded.expires_at, last_used_at = excluded.last_used_at`,
    ...[keyId, label, issuedAt, expiresAt, hour],
  )
  return ok(undefined)
}

/** All keys that were used or revoked, the oldest first. */
export const listOperatorKeys = (sql: Sql): OperatorKey[] =>
  readKeys(sql, 'SELECT * FROM operator_keys ORDER BY created_at, id').map((row) => ({
    id: row.id,
    label: row.label ?? undefined,
    createdAt: row.created_at ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  }))

/**
 * Revokes a key, also one that was not used yet, and ends its sessions; a second call changes nothing.
 * @param by the key of the operator who asks
 * @param refused the keys that REVOKED_KEYS names
 * @param now Unix seconds
 * @returns its label; payin.incorrect-method-invocation for the operator's own key where no other one is left
 */
export function revokeOperatorKey(
  sql: Sql,
  id: string,
  { by, refused, now }: { by: string | undefined; refused: readonly string[]; now: number },
): Outcome<string | undefined> {
  const { label, revoked_at } = keyIn(sql, id) ?? {}
  if (typeof revoked_at === 'number') return ok(label ?? undefined)
  const isLeft = (key: OperatorKey) =>
    key.id !== id &&
    key.revokedAt === undefined &&
    !refused.includes(key.id) &&
    key.expiresAt !== undefined &&
    key.expiresAt > now
  if (id === by && !listOperatorKeys(sql).some(isLeft)) {
    return notAllowed(
      'no other key of an operator is known to work, the last one must be revoked by REVOKED_KEYS',
    )
  }
  setOperatorKeyRevoked(sql, id, now)
  return ok(label ?? undefined)
}

/** Sets a key as revoked, unless it is, and ends its sessions. @param at Unix seconds */
export function setOperatorKeyRevoked(sql: Sql, id: string, at: number): void {
  sql.exec(
    `INSERT INTO operator_keys (id, revoked_at) VALUES (?, ?)
     ON CONFLICT (id) DO UPDATE SET revoked_at = ifnull(revoked_at, excluded.revoked_at)`,
    ...[id, at],
  )
  endSessionsOf(sql, id)
}
