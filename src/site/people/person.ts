// A person, for what was done about them.
import type { Person } from '../../contract/person.ts'
import type { Outcome } from '../../errors.ts'
import { PERSON_NOT_FOUND } from '../outcomes.ts'
import { type PeopleContext, personOf, personRow } from './rows.ts'

/** What a function gives of a person. @returns payin.resource.not.found */
export function withPerson<T>(
  context: PeopleContext,
  id: string,
  work: (person: Person) => Outcome<T>,
): Outcome<T> {
  const row = personRow(context.sql, id)
  return row ? work(personOf(context, row)) : PERSON_NOT_FOUND
}
