// The second confirmation of what a person does, by passkey (contract, section 12). The Worker has verified the assertion: it is for the
// form that was sent, of the session that sent it.
import type { Caller, Confirmation } from '../../contract/caller.ts'
import type { Person } from '../../contract/person.ts'
import type { Refusal } from '../../errors.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import { ok } from '../outcomes.ts'
import { textValue } from '../rows/sql.ts'
import { storeCounter, useChallenge } from './passkeys.ts'
import { withPerson } from './person.ts'
import { type PeopleContext, passkeyRow } from './rows.ts'

/**
 * Uses up the confirmation of a person's act, in its transaction. A token is not asked, and the registry asks the operator's people.
 * @returns confirmation.required; auth.unauthorized, with an event, where the counter of the passkey does not grow
 */
export function useConfirmation(context: Context): Refusal | undefined {
  const { actor, person, confirmation } = context.by
  if (!person || actor === 'operator') return undefined
  const refused = takeConfirmation(context, person.id, confirmation)
  if (!refused) return undefined
  if (refused === 'asked') return CONFIRMATION_REQUIRED
  const { id, name, role } = refused
  recordEvent(context, { type: 'passkey.refused', subject: { person: { id, name, role } } })
  return COUNTER_WENT_BACK
}

/** The same of a change by an operator, in the registry: a key is not asked, and the registry has no events. */
export function useOperatorsConfirmation(
  context: PeopleContext,
  { person, confirmation }: Pick<Caller, 'person' | 'confirmation'>,
): Refusal | undefined {
  const refused = person && takeConfirmation(context, person.id, confirmation)
  if (!refused) return undefined
  return refused === 'asked' ? CONFIRMATION_REQUIRED : COUNTER_WENT_BACK
}

/**
 * Uses a confirmation up, and stores the counter of the passkey. The same request can use it again: its call was repeated.
 * @returns `asked` where there is none that counts; the person where the counter does not grow, so that the passkey may be a copy
 */
export function takeConfirmation(
  context: PeopleContext,
  personId: string,
  confirmation: Confirmation | undefined,
): 'asked' | Person | undefined {
  if (!confirmation) return 'asked'
  const { sql } = context
  const { challenge: id, expiresAt, passkeyId, counter, request } = confirmation
  if (passkeyRow(sql, passkeyId)?.person !== personId) return 'asked'
  if (textValue(sql, 'SELECT request FROM used_challenges WHERE id = ?', id) === request) return undefined
  if (!useChallenge(context, { id, expiresAt }, request)) return 'asked'
  if (storeCounter(context, passkeyId, counter)) return undefined
  // The same call again is refused, too.
  sql.exec('UPDATE used_challenges SET request = NULL WHERE id = ?', id)
  const person = withPerson(context, personId, ok)
  return person.ok ? person.value : 'asked'
}

const CONFIRMATION_REQUIRED: Refusal = {
  ok: false,
  code: 'confirmation.required',
  description: 'the person has not confirmed this by passkey',
}

const COUNTER_WENT_BACK: Refusal = {
  ok: false,
  code: 'auth.unauthorized',
  description: 'the counter of the passkey has not grown, it may be a copy',
}
