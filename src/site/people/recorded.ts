// What the people of a site ask of its object: the changes, each with its event in one transaction (contract, section 12).
import type { Caller } from '../../contract/caller.ts'
import type { EventType } from '../../contract/event-type.ts'
import type {
  Invitation,
  Invited,
  NewPasskey,
  NewPerson,
  Person,
  PersonChange,
  PersonSession,
  SignIn,
  UsedChallenge,
} from '../../contract/person.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import { ok, PERSON_NOT_FOUND } from '../outcomes.ts'
import { settingsRow } from '../settings/rows.ts'
import { SESSION_ENDED } from './admission.ts'
import { invite, invitedPerson, join } from './invitations.ts'
import { addPasskey, PASSKEY_REFUSED, removePasskey, signIn } from './passkeys.ts'
import { type Added, addPerson, changePerson, removePerson } from './people.ts'
import { withPerson } from './person.ts'
import { presentPerson } from './rows.ts'
import { endSessionsOfPerson, sessionsOf } from './sessions.ts'

const record = (context: Context, type: EventType, { id, name, role }: Person): void =>
  void recordEvent(context, { type, subject: { person: { id, name, role } } })

/** Adds a person, who is invited. */
export function addRecorded(context: Context, person: NewPerson): Outcome<Added> {
  const added = addPerson(context, person)
  if (added.ok && added.value.isNew) record(context, 'person.invited', added.value.person)
  return added
}

/** Changes a person; a change to what is already so has no event. */
export function changeRecorded(context: Context, id: string, change: PersonChange): Outcome<Person> {
  const changed = changePerson(context, id, change)
  if (!changed.ok) return changed
  const { person, isChanged } = changed.value
  if (isChanged) record(context, 'person.changed', person)
  return ok(person)
}

export function removeRecorded(context: Context, id: string): Outcome<void> {
  const removed = removePerson(context, id)
  if (!removed.ok) return removed
  if (removed.value) record(context, 'person.removed', removed.value)
  return ok(undefined)
}

export function inviteRecorded(context: Context, id: string, invitation: Invitation): Outcome<void> {
  const invited = invite(context, id, invitation)
  if (!invited.ok) return invited
  if (invited.value.isNew) record(context, 'person.invited', invited.value.person)
  return ok(undefined)
}

/** Invites an owner again. @returns payin.resource.not.found for a person of another role */
export const inviteOwnerRecorded = (context: Context, id: string, invitation: Invitation): Outcome<void> =>
  presentPerson(context.sql, id)?.role === 'owner'
    ? inviteRecorded(context, id, invitation)
    : PERSON_NOT_FOUND

/** What the page of an invitation shows; undefined if it cannot be used. */
export function invitedBy(context: Context, invitationId: string): Invited | undefined {
  const row = invitedPerson(context, invitationId)
  if (!row) return undefined
  const { id, name, role, handle } = row
  return { id, name, role, handle, shop: settingsRow(context.sql).settings.name }
}

/** Uses an invitation up. Who joins causes the event. */
export function joinRecorded(
  context: Context,
  invitationId: string,
  passkey: NewPasskey,
  session: string,
): Outcome<PersonSession> {
  const joined = join(context, invitationId, passkey, session)
  if (!joined.ok) return joined
  const { person, session: begun, isReplayed } = joined.value
  if (!isReplayed) record(by(context, person), 'person.joined', person)
  return ok(begun)
}

/** Signs in by a passkey; one whose counter does not grow is refused, with an event. */
export function signInRecorded(context: Context, asked: SignIn): Outcome<PersonSession> {
  const signed = signIn(context, asked)
  if (signed && 'session' in signed) return ok(signed.session)
  if (signed) record(by(context, signed.refused), 'passkey.refused', signed.refused)
  return PASSKEY_REFUSED
}

const by = (context: Context, { id }: Person): Context => ({
  ...context,
  by: { actor: 'merchant', person: { id } },
})

/** Adds a passkey of the person who calls. */
export function addPasskeyRecorded(
  context: Context,
  caller: Caller,
  passkey: NewPasskey,
  challenge: UsedChallenge,
): Outcome<void> {
  if (!caller.person) return SESSION_ENDED
  const added = addPasskey(context, caller.person.id, passkey, challenge)
  if (!added.ok) return added
  if (added.value.isChanged) record(context, 'passkey.added', added.value.person)
  return ok(undefined)
}

/** Removes a passkey: of the caller, or of another one by an owner. */
export function removePasskeyRecorded(
  context: Context,
  caller: Caller,
  personId: string,
  passkeyId: string,
): Outcome<void> {
  const refusal = ofAnother(caller, personId)
  if (refusal) return refusal
  const removed = removePasskey(context, personId, passkeyId)
  if (!removed.ok) return removed
  if (removed.value.isChanged) record(context, 'passkey.removed', removed.value.person)
  return ok(undefined)
}

/** The sessions of a person that go on: of the caller, or of another one for an owner. */
export function personSessions(context: Context, caller: Caller, personId: string): Outcome<PersonSession[]> {
  return ofAnother(caller, personId) ?? withPerson(context, personId, () => ok(sessionsOf(context, personId)))
}

/** Ends the sessions of a person, or one of them. */
export function endPersonSessions(
  context: Context,
  caller: Caller,
  personId: string,
  session?: string,
): Outcome<void> {
  return (
    ofAnother(caller, personId) ??
    withPerson(context, personId, () => ok(endSessionsOfPerson(context.sql, personId, session)))
  )
}

/** A person without `merchant:admin` reaches only their own passkeys and sessions. */
const ofAnother = ({ person, scopes }: Caller, personId: string): Refusal | undefined =>
  person && person.id !== personId && !scopes.includes('merchant:admin') ? PERSON_NOT_FOUND : undefined
