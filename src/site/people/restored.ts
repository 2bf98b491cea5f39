// The people of a site that is restored from a backup (contract, section 16).
import type { RemovedPerson } from '../../contract/audit.ts'
import type { Person } from '../../contract/person.ts'
import { rowsWith, text } from '../rows/columns.ts'
import { integer, type Sql } from '../rows/sql.ts'
import type { Seconds } from '../time.ts'
import { endPasskeysOf } from './passkeys.ts'
import { personOf, personRows } from './rows.ts'

/**
 * Ends the sessions of people, which are of an earlier time, and the invitations: one that was used after the backup would be
 * good again. Who was removed after the backup is removed again; a person who was added later with the same id is another one.
 */
export function endAfterRestore(sql: Sql, removed: readonly RemovedPerson[]): void {
  sql.exec('DELETE FROM person_sessions')
  sql.exec('UPDATE people SET invitation = NULL, invited_until = NULL, replaces = 0')
  for (const { personId, at } of removed) {
    const [person] = personRows(sql, 'WHERE id = ? AND removed_at IS NULL AND created_at <= ?', personId, at)
    if (!person) continue
    endPasskeysOf(sql, personId)
    sql.exec('UPDATE people SET removed_at = ? WHERE id = ?', at, personId)
  }
}

/** Whether the site has, or had, people. */
export const hasPeople = (sql: Sql): boolean => integer(sql, 'SELECT 1 FROM people LIMIT 1') === 1

/** The people who can sign in. @param now Unix seconds */
export const peopleWithPasskeys = (sql: Sql, now: Seconds): Person[] =>
  personRows(
    sql,
    'WHERE EXISTS (SELECT 1 FROM passkeys WHERE person = people.id) ORDER BY created_at, id',
  ).map((row) => personOf({ sql, now }, row))

const readHandles = rowsWith({ handle: text })

/** The WebAuthn user handles of the people who can sign in: the registry has their site. */
export const handlesIn = (sql: Sql): string[] =>
  readHandles(
    sql,
    'SELECT handle FROM people WHERE EXISTS (SELECT 1 FROM passkeys WHERE person = people.id)',
  ).map(({ handle }) => handle)
