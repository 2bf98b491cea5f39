// Invitations: one at a time for each person, used once (contract, section 12).
import type { Invitation, NewPasskey, Person, PersonSession } from '../../contract/person.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import { ok, PERSON_NOT_FOUND } from '../outcomes.ts'
import type { Sql } from '../rows/sql.ts'
import { endPasskeysOf, insertPasskey, PASSKEY_KNOWN } from './passkeys.ts'
import { withPerson } from './person.ts'
import { type PeopleContext, type PersonRow, passkeyRow, personRows, presentPerson } from './rows.ts'
import { activeSession, beginSession } from './sessions.ts'

/** Replaces the invitation of a person. */
export const setInvitation = (sql: Sql, id: string, invitation: Invitation): void =>
  void sql.exec(
    'UPDATE people SET invitation = ?, invited_until = ?, replaces = ? WHERE id = ?',
    ...[invitation.id, invitation.expiresAt, invitation.replaces ? 1 : 0, id],
  )

/**
 * Invites a person again, which ends the earlier invitation; the same call again changes nothing.
 * @returns payin.resource.not.found, also for a removed person
 */
export function invite(
  context: PeopleContext,
  id: string,
  invitation: Invitation,
): Outcome<{ person: Person; isNew: boolean }> {
  const { sql } = context
  const known = presentPerson(sql, id)
  if (!known) return PERSON_NOT_FOUND
  setInvitation(sql, id, invitation)
  return withPerson(context, id, (person) => ok({ person, isNew: known.invitation !== invitation.id }))
}

/** The person whom an invitation is for; undefined if it was used or replaced, has expired, or the person is removed. */
export const invitedPerson = ({ sql, now }: PeopleContext, invitationId: string): PersonRow | undefined =>
  personRows(sql, 'WHERE invitation = ? AND invited_until > ? AND removed_at IS NULL', invitationId, now)[0]

/** Who joined, and the session that began. */
export interface Joined {
  person: Person
  session: PersonSession
  isReplayed: boolean
}

/**
 * Uses an invitation up: stores the passkey, and begins a session. The same call again gives the same session.
 * @param sessionId the random part of the cookie
 * @returns auth.unauthorized for an invitation that cannot be used; payin.resource.already.exists for a passkey that is known;
 * payin.incorrect-method-invocation where the person has as many passkeys as there can be
 */
export function join(
  context: PeopleContext,
  invitationId: string,
  passkey: NewPasskey,
  sessionId: string,
): Outcome<Joined> {
  const { sql } = context
  const earlier = activeSession(context, sessionId)
  if (earlier?.passkeyId === passkey.id) {
    return withPerson(context, earlier.personId, (person) =>
      ok({ person, session: earlier, isReplayed: true }),
    )
  }
  const row = invitedPerson(context, invitationId)
  if (!row) return INVITATION_ENDED
  if (row.replaces === 1) {
    const known = passkeyRow(sql, passkey.id)
    if (known && known.person !== row.id) return PASSKEY_KNOWN
    endPasskeysOf(sql, row.id)
  }
  const stored = insertPasskey(context, row.id, passkey)
  if (!stored.ok) return stored
  sql.exec('UPDATE people SET invitation = NULL, invited_until = NULL, replaces = 0 WHERE id = ?', row.id)
  const session = beginSession(context, { id: sessionId, personId: row.id, passkeyId: passkey.id })
  return withPerson(context, row.id, (person) => ok({ person, session, isReplayed: false }))
}

export const INVITATION_ENDED: Refusal = {
  ok: false,
  code: 'auth.unauthorized',
  description: 'the invitation was used or replaced, has expired, or its person is removed',
}
