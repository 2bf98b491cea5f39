// Passkeys: those of a person, and the sign-in by one, whose assertion the Worker has verified (contract, section 17).
import {
  MAX_PASSKEYS,
  type NewPasskey,
  type PasskeyOfPerson,
  type Person,
  type PersonSession,
  type SignIn,
  type UsedChallenge,
} from '../../contract/person.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import { notAllowed, ok, PERSON_NOT_FOUND } from '../outcomes.ts'
import { integer, requiredInteger, type Sql } from '../rows/sql.ts'
import { isLastHead, lastHead } from './heads.ts'
import { withPerson } from './person.ts'
import { type PeopleContext, passkeyOf, passkeyRow, personRow, personRows, presentPerson } from './rows.ts'
import { activeSession, beginSession, endSessionsOfPasskey, endSessionsOfPerson } from './sessions.ts'

/** The person with a user handle, and the passkey; undefined where the person is removed, or the passkey is another's. */
export function passkeyOfHandle(
  { sql }: PeopleContext,
  handle: string,
  passkeyId: string,
): PasskeyOfPerson | undefined {
  const [person] = personRows(sql, 'WHERE handle = ? AND removed_at IS NULL', handle)
  const passkey = passkeyRow(sql, passkeyId)
  if (!person || passkey?.person !== person.id) return undefined
  const { id, name, role } = person
  return { person: { id, name, role }, passkey: passkeyOf(passkey) }
}

/** Stores a passkey. @returns payin.resource.already.exists, payin.incorrect-method-invocation */
export function insertPasskey(
  { sql, now }: PeopleContext,
  person: string,
  { id, publicKey, counter, label }: NewPasskey,
): Outcome<void> {
  if (passkeyRow(sql, id)) return PASSKEY_KNOWN
  if (requiredInteger(sql, 'SELECT count(*) FROM passkeys WHERE person = ?', person) >= MAX_PASSKEYS) {
    return notAllowed(
      `the person has ${MAX_PASSKEYS} passkeys, one must be removed before another one is added`,
    )
  }
  sql.exec(
    'INSERT INTO passkeys (id, person, public_key, counter, label, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    ...[id, person, publicKey, counter, label, now],
  )
  return ok(undefined)
}

export const PASSKEY_KNOWN: Refusal = {
  ok: false,
  code: 'payin.resource.already.exists',
  description: 'the passkey is known already',
}

/** Ends the passkeys and sessions of a person. */
export function endPasskeysOf(sql: Sql, person: string): void {
  endSessionsOfPerson(sql, person)
  sql.exec('DELETE FROM passkeys WHERE person = ?', person)
}

/**
 * Uses a challenge up; it is kept until it would have expired, and those that have are removed.
 * @param request by which it is used, where a request can have several calls
 * @returns false for one that was used, or has expired
 */
export function useChallenge(
  { sql, now }: PeopleContext,
  { id, expiresAt: end }: UsedChallenge,
  request: string | null = null,
): boolean {
  sql.exec('DELETE FROM used_challenges WHERE expires_at <= ?', now)
  if (end <= now || integer(sql, 'SELECT 1 FROM used_challenges WHERE id = ?', id)) return false
  sql.exec('INSERT INTO used_challenges (id, expires_at, request) VALUES (?, ?, ?)', id, end, request)
  return true
}

/** Stores the counter of an assertion. @returns false for one that does not grow, where either is not 0 */
export function storeCounter({ sql }: PeopleContext, passkeyId: string, counter: number): boolean {
  const known = passkeyRow(sql, passkeyId)?.counter ?? 0
  if ((known !== 0 || counter !== 0) && counter <= known) return false
  sql.exec('UPDATE passkeys SET counter = ? WHERE id = ?', counter, passkeyId)
  return true
}

/** How a sign-in ended. refused: a counter went back, so the passkey may have been copied. */
export type SignedIn = { session: PersonSession } | { refused: Person } | undefined

/** Signs in by a passkey. The same call again gives the same session. @returns undefined where it is unknown, or the challenge was used */
export function signIn(context: PeopleContext, asked: SignIn): SignedIn {
  const { handle, passkeyId, counter, challenge, session: id } = asked
  const known = passkeyOfHandle(context, handle, passkeyId)
  if (!known) return undefined
  const earlier = activeSession(context, id)
  if (earlier?.passkeyId === passkeyId) return { session: earlier }
  if (!useChallenge(context, challenge)) return undefined
  if (!storeCounter(context, passkeyId, counter)) {
    const refused = withPerson(context, known.person.id, ok)
    return refused.ok ? { refused: refused.value } : undefined
  }
  return { session: beginSession(context, { id, personId: known.person.id, passkeyId }) }
}

export const PASSKEY_REFUSED: Refusal = {
  ok: false,
  code: 'auth.unauthorized',
  description: 'the passkey cannot be used to sign in',
}

export interface PasskeyChange {
  person: Person
  isChanged: boolean
}

/**
 * Adds a passkey of a person; the same call again changes nothing.
 * @returns auth.unauthorized for a challenge that was used, and as insertPasskey
 */
export function addPasskey(
  context: PeopleContext,
  person: string,
  passkey: NewPasskey,
  challenge: UsedChallenge,
): Outcome<PasskeyChange> {
  const { sql } = context
  if (!presentPerson(sql, person)) return PERSON_NOT_FOUND
  if (passkeyRow(sql, passkey.id)?.person === person) {
    return withPerson(context, person, (same) => ok({ person: same, isChanged: false }))
  }
  if (!useChallenge(context, challenge)) return CHALLENGE_USED
  const stored = insertPasskey(context, person, passkey)
  if (!stored.ok) return stored
  return withPerson(context, person, (changed) => ok({ person: changed, isChanged: true }))
}

const CHALLENGE_USED: Refusal = {
  ok: false,
  code: 'auth.unauthorized',
  description: 'the challenge was used or has expired',
}

/**
 * Removes a passkey of a person, and ends its sessions; one that is unknown changes nothing.
 * @returns payin.resource.not.found; payin.incorrect-method-invocation for the last passkey of the last owner
 */
export function removePasskey(
  context: PeopleContext,
  personId: string,
  passkeyId: string,
): Outcome<PasskeyChange> {
  const { sql } = context
  const row = personRow(sql, personId)
  if (!row) return PERSON_NOT_FOUND
  const isChanged = passkeyRow(sql, passkeyId)?.person === personId
  if (isChanged) {
    const count = requiredInteger(sql, 'SELECT count(*) FROM passkeys WHERE person = ?', personId)
    if (count === 1 && isLastHead(sql, row)) return lastHead(row, 'must keep it')
    endSessionsOfPasskey(sql, passkeyId)
    sql.exec('DELETE FROM passkeys WHERE id = ?', passkeyId)
  }
  return withPerson(context, personId, (person) => ok({ person, isChanged }))
}
