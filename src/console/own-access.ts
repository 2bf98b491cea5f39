// What a signed-in person has: passkeys and sessions of their own. The API has no operation for it: a key is no person.
import { createHash } from 'node:crypto'
import { OPERATOR } from '../contract/access-token.ts'
import { callerOf, type PersonClaims } from '../contract/caller.ts'
import type { NewPasskey, Person, PersonSession, UsedChallenge } from '../contract/person.ts'
import { ApiError } from '../errors.ts'
import { callPeople } from '../gateway/site-client.ts'
import type { Visit } from './visit.ts'

/** @throws ApiError 403 for a session of a token or of a link */
export function personOf({ claims }: Visit): PersonClaims {
  if (claims.jti === undefined) return claims
  throw new ApiError('auth.forbidden', 'the session is of a token, must be of a person')
}

const ofPerson = (visit: Visit) => {
  const claims = personOf(visit)
  const { service } = visit
  return {
    caller: callerOf(claims.sub === OPERATOR ? 'operator' : 'merchant', claims),
    id: claims.person.id,
    site: { service, siteId: claims.sub },
  }
}

export interface OwnAccess {
  person: Person
  /** The newest first. */
  sessions: PersonSession[]
}

export async function readOwnAccess(visit: Visit): Promise<OwnAccess> {
  const { caller, id, site } = ofPerson(visit)
  const [person, sessions] = await Promise.all([
    readOwnPerson(visit),
    callPeople({ ...site, isRead: true }, (object) => object.personSessions(caller, id)),
  ])
  return { person, sessions }
}

/** The person, with their passkeys as they are now. */
export async function readOwnPerson(visit: Visit): Promise<Person> {
  const { caller, id, site } = ofPerson(visit)
  const people = await callPeople({ ...site, isRead: true }, (object) => object.people(caller))
  const person = people.find((each) => each.id === id)
  if (!person) throw new ApiError('auth.unauthorized', 'the person is removed')
  return person
}

/** What a form calls a session: its id is a part of the cookie, and in no page. */
export const keyOfSession = ({ id }: Pick<PersonSession, 'id'>): string =>
  createHash('sha256').update(id).digest('hex').slice(0, 16)

/** Ends one session, or all. */
export async function endOwnSessions(visit: Visit, key?: string): Promise<void> {
  const { caller, id, site } = ofPerson(visit)
  if (key === undefined) return callPeople(site, (object) => object.endPersonSessions(caller, id))
  const { sessions } = await readOwnAccess(visit)
  const session = sessions.find((each) => keyOfSession(each) === key)
  if (session) await callPeople(site, (object) => object.endPersonSessions(caller, id, session.id))
}

export const addOwnPasskey = async (
  visit: Visit,
  passkey: NewPasskey,
  challenge: UsedChallenge,
): Promise<void> => {
  const { caller, site } = ofPerson(visit)
  await callPeople(site, (object) => object.addPasskey(caller, passkey, challenge))
}

export const removeOwnPasskey = async (visit: Visit, passkeyId: string): Promise<void> => {
  const { caller, id, site } = ofPerson(visit)
  await callPeople(site, (object) => object.removePasskey(caller, id, passkeyId))
}
