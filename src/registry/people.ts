// The people of the deployment, in the registry: what they may do to each other, and how they are let in (contract, section 16).
import type { Caller } from '../contract/caller.ts'
import type {
  Invitation,
  Invited,
  NewPasskey,
  Person,
  PersonChange,
  PersonSession,
  SignIn,
  UsedChallenge,
} from '../contract/person.ts'
import type { Outcome, Refusal } from '../errors.ts'
import { ok, PERSON_NOT_FOUND } from '../site/outcomes.ts'
import { SESSION_ENDED } from '../site/people/admission.ts'
import { invite, invitedPerson, join } from '../site/people/invitations.ts'
import { addPasskey, PASSKEY_REFUSED, removePasskey, signIn } from '../site/people/passkeys.ts'
import { changePerson, removePerson } from '../site/people/people.ts'
import { withPerson } from '../site/people/person.ts'
import type { PeopleContext } from '../site/people/rows.ts'
import { endSessionsOfPerson, sessionsOf } from '../site/people/sessions.ts'

export function change(context: PeopleContext, id: string, fields: PersonChange): Outcome<Person> {
  const changed = changePerson(context, id, fields)
  return changed.ok ? ok(changed.value.person) : changed
}

export const remove = (context: PeopleContext, id: string): Outcome<void> =>
  withoutValue(removePerson(context, id))

export const inviteAgain = (context: PeopleContext, id: string, invitation: Invitation): Outcome<void> =>
  withoutValue(invite(context, id, invitation))

/** What the page of an invitation shows; undefined if it cannot be used. */
export function invitedBy(context: PeopleContext, invitationId: string): Invited | undefined {
  const row = invitedPerson(context, invitationId)
  return row && { id: row.id, name: row.name, role: row.role, handle: row.handle }
}

/** Uses an invitation up. */
export function joinBy(
  context: PeopleContext,
  invitationId: string,
  passkey: NewPasskey,
  session: string,
): Outcome<PersonSession> {
  const joined = join(context, invitationId, passkey, session)
  return joined.ok ? ok(joined.value.session) : joined
}

/** Signs in by a passkey; one whose counter does not grow is refused. */
export function signInBy(context: PeopleContext, asked: SignIn): Outcome<PersonSession> {
  const signed = signIn(context, asked)
  return signed && 'session' in signed ? ok(signed.session) : PASSKEY_REFUSED
}

/** Adds a passkey of the person who calls. */
export const addOwnPasskey = (
  context: PeopleContext,
  { person }: Caller,
  passkey: NewPasskey,
  challenge: UsedChallenge,
): Outcome<void> =>
  person ? withoutValue(addPasskey(context, person.id, passkey, challenge)) : SESSION_ENDED

/** Removes a passkey: of the caller, or of another one by an operator. */
export const removePasskeyBy = (
  context: PeopleContext,
  caller: Caller,
  personId: string,
  passkeyId: string,
): Outcome<void> => ofAnother(caller, personId) ?? withoutValue(removePasskey(context, personId, passkeyId))

/** The sessions of a person that go on: of the caller, or of another one for an operator. */
export const personSessions = (
  context: PeopleContext,
  caller: Caller,
  personId: string,
): Outcome<PersonSession[]> =>
  ofAnother(caller, personId) ?? withPerson(context, personId, () => ok(sessionsOf(context, personId)))

/** Ends the sessions of a person, or one of them. */
export const endSessionsBy = (
  context: PeopleContext,
  caller: Caller,
  personId: string,
  session?: string,
): Outcome<void> =>
  ofAnother(caller, personId) ??
  withPerson(context, personId, () => ok(endSessionsOfPerson(context.sql, personId, session)))

const withoutValue = (outcome: Outcome<unknown>): Outcome<void> => (outcome.ok ? ok(undefined) : outcome)

/** A person without `operator` reaches only their own passkeys and sessions. */
const ofAnother = ({ person, scopes }: Caller, personId: string): Refusal | undefined =>
  person && person.id !== personId && !scopes.includes('operator') ? PERSON_NOT_FOUND : undefined
