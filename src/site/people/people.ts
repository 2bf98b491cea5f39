// The people of a site, or of the deployment: who they are, and what of them changes (contract, section 12).
import { MAX_PEOPLE, type NewPerson, type Person, type PersonChange } from '../../contract/person.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import { contradicts, notAllowed, ok, PERSON_NOT_FOUND, unequalFields } from '../outcomes.ts'
import { requiredInteger } from '../rows/sql.ts'
import { tillsColumn } from '../rows/tills.ts'
import { isLastHead, lastHead } from './heads.ts'
import { setInvitation } from './invitations.ts'
import { endPasskeysOf } from './passkeys.ts'
import { withPerson } from './person.ts'
import { type PeopleContext, personOf, personRow, personRows, presentPerson } from './rows.ts'

/** All people, the oldest first, also those who were removed. */
export const listPeople = (context: PeopleContext): Person[] =>
  personRows(context.sql, 'ORDER BY created_at, id').map((row) => personOf(context, row))

export interface Added {
  person: Person
  /** Whether an earlier request added the person. */
  isReplayed: boolean
  /** Whether this call did: the same call can come twice, where its answer is lost. */
  isNew: boolean
}

/**
 * Adds a person with an invitation; the same request again changes nothing.
 * @returns payin.resource.already.exists for another person with the id, also a removed one; payin.incorrect-method-invocation
 * where there are as many as there can be
 */
export function addPerson(context: PeopleContext, added: NewPerson): Outcome<Added> {
  const { sql, now } = context
  const { id, name, role, handle, invitation } = added
  const tills = tillsColumn(added.tills)
  const known = personRow(sql, id)
  if (known) {
    if (known.removed_at !== null) return ID_OF_REMOVED
    const differing = unequalFields({
      name: known.name === name,
      role: known.role === role,
      tills: known.tills === tills,
    })
    const isReplayed = known.invitation !== invitation.id
    if (differing.length === 0) return ok({ person: personOf(context, known), isReplayed, isNew: false })
    return contradicts('a person with this id exists, with other fields', differing, 'those of the person')
  }
  if (requiredInteger(sql, 'SELECT count(*) FROM people WHERE removed_at IS NULL') >= MAX_PEOPLE) {
    return notAllowed(`there are ${MAX_PEOPLE} people, one must be removed before another one is added`)
  }
  sql.exec(
    'INSERT INTO people (id, name, role, tills, handle, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    ...[id, name, role, tills, handle, now],
  )
  setInvitation(sql, id, invitation)
  return withPerson(context, id, (person) => ok({ person, isReplayed: false, isNew: true }))
}

const ID_OF_REMOVED: Refusal = {
  ok: false,
  code: 'payin.resource.already.exists',
  description: 'a person with this id was removed, another person must have another id',
}

export interface Changed {
  person: Person
  isChanged: boolean
}

/**
 * Changes the name, the role or the tills of a person. Only a cashier has tills: with another role they end.
 * @returns payin.resource.not.found; validation.error for tills of another role; payin.incorrect-method-invocation for the role
 * of the last owner with a passkey
 */
export function changePerson(context: PeopleContext, id: string, change: PersonChange): Outcome<Changed> {
  const { sql } = context
  const row = presentPerson(sql, id)
  if (!row) return PERSON_NOT_FOUND
  const { name = row.name, role = row.role } = change
  if (change.tills && role !== 'cashier') return TILLS_OF_CASHIER
  const tills = role !== 'cashier' ? null : change.tills === undefined ? row.tills : tillsColumn(change.tills)
  if (role !== row.role && isLastHead(sql, row)) return lastHead(row, 'must keep the role')
  const isChanged = name !== row.name || role !== row.role || tills !== row.tills
  if (isChanged) {
    sql.exec('UPDATE people SET name = ?, role = ?, tills = ? WHERE id = ?', name, role, tills, id)
  }
  return withPerson(context, id, (person) => ok({ person, isChanged }))
}

const TILLS_OF_CASHIER: Refusal = {
  ok: false,
  code: 'validation.error',
  description: 'tills is present, must be absent for a person who is no cashier',
  fields: { tills: ['is present, must be absent for a person who is no cashier'] },
}

/**
 * Removes a person, whose sessions, passkeys and invitations end; the name stays. A second call changes nothing.
 * @returns the person whom this call removed; payin.resource.not.found; payin.incorrect-method-invocation for the last owner with
 * a passkey
 */
export function removePerson(context: PeopleContext, id: string): Outcome<Person | undefined> {
  const { sql, now } = context
  const row = personRow(sql, id)
  if (!row) return PERSON_NOT_FOUND
  if (row.removed_at !== null) return ok(undefined)
  if (isLastHead(sql, row)) return lastHead(row, 'must stay')
  endPasskeysOf(sql, id)
  sql.exec('UPDATE people SET removed_at = ?, invitation = NULL, invited_until = NULL WHERE id = ?', now, id)
  return withPerson(context, id, (person) => ok(person))
}
