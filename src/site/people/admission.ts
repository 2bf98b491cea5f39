// Whether a person may still do what the Worker believed: asked in the transaction of the act (contract, section 12).
import type { Caller, PersonOfCall } from '../../contract/caller.ts'
import { SCOPE_OF } from '../../contract/role.ts'
import type { Refusal } from '../../errors.ts'
import { tillsColumn } from '../rows/tills.ts'
import { type PeopleContext, presentPerson } from './rows.ts'
import { activeSession } from './sessions.ts'

/**
 * The refusal of a caller who is a person; undefined while the session goes on, and role and tills are still those of the call.
 * @returns auth.unauthorized where the session has ended or the person is removed, auth.forbidden where the rights are others
 */
export function personRefusal(
  context: PeopleContext,
  { id, session }: PersonOfCall,
  { scopes, tills }: Pick<Caller, 'scopes' | 'tills'>,
): Refusal | undefined {
  const person = presentPerson(context.sql, id)
  if (activeSession(context, session)?.personId !== id || !person) return SESSION_ENDED
  const [scope] = scopes
  const isOfRole = scopes.length === 1 && scope === SCOPE_OF[person.role]
  return isOfRole && tillsColumn(tills) === person.tills ? undefined : RIGHTS_CHANGED
}

export const SESSION_ENDED: Refusal = {
  ok: false,
  code: 'auth.unauthorized',
  description: 'the session has ended',
}

const RIGHTS_CHANGED: Refusal = {
  ok: false,
  code: 'auth.forbidden',
  description: 'the role of the person has changed',
}
