// The sessions of people: one ends 30 days after its last use, 180 after its start, with its passkey or its person (contract, section 17).
import {
  IDLE_SESSION_SECONDS,
  LONGEST_SESSION_SECONDS,
  type Passkey,
  type PersonSession,
} from '../../contract/person.ts'
import type { SessionOfPerson } from '../../contract/session.ts'
import type { Sql } from '../rows/sql.ts'
import { tillsIn } from '../rows/tills.ts'
import { type PeopleContext, personSessionRows, presentPerson } from './rows.ts'

/** The sessions of one person that go on: the oldest ends. */
const MAX_SESSIONS = 100

const DAY = 86_400

const ACTIVE = `used_at > ? AND started_at > ?
  AND EXISTS (SELECT 1 FROM people WHERE people.id = person AND removed_at IS NULL)
  AND EXISTS (SELECT 1 FROM passkeys WHERE passkeys.id = passkey AND passkeys.person = person_sessions.person)`

/** The times that ACTIVE compares with. */
const limits = (now: number): [usedAfter: number, startedAfter: number] => [
  now - IDLE_SESSION_SECONDS,
  now - LONGEST_SESSION_SECONDS,
]

/** A session that goes on. */
export const activeSession = ({ sql, now }: PeopleContext, id: string): PersonSession | undefined =>
  personSessionRows(sql, `WHERE id = ? AND ${ACTIVE}`, id, ...limits(now))[0]

/** The same, with its person. */
export function sessionOfPerson(context: PeopleContext, id: string): SessionOfPerson | undefined {
  const session = activeSession(context, id)
  const row = session && presentPerson(context.sql, session.personId)
  return row && { ...session, name: row.name, role: row.role, tills: tillsIn(row) }
}

/** The sessions of a person that go on, the newest first. */
export const sessionsOf = ({ sql, now }: PeopleContext, person: string): PersonSession[] =>
  personSessionRows(
    sql,
    `WHERE person = ? AND ${ACTIVE} ORDER BY started_at DESC, id`,
    ...[person, ...limits(now)],
  )

/** Begins a session by a passkey, which counts as used; sessions that have ended are removed. */
export function beginSession(
  { sql, now }: PeopleContext,
  { id, personId, passkeyId }: Pick<PersonSession, 'id' | 'personId' | 'passkeyId'>,
): PersonSession {
  sql.exec('DELETE FROM person_sessions WHERE used_at <= ? OR started_at <= ?', ...limits(now))
  sql.exec(
    `DELETE FROM person_sessions WHERE id IN
       (SELECT id FROM person_sessions WHERE person = ? ORDER BY started_at DESC, id LIMIT -1 OFFSET ?)`,
    ...[personId, MAX_SESSIONS - 1],
  )
  sql.exec(
    'INSERT INTO person_sessions (id, person, passkey, started_at, used_at) VALUES (?, ?, ?, ?, ?)',
    ...[id, personId, passkeyId, now, now],
  )
  return { id, personId, passkeyId, startedAt: now, usedAt: now }
}

/** Whether the use of a session is to be written: once a day. @param now Unix seconds */
export const isUseDue = ({ usedAt }: PersonSession, now: number): boolean => now - usedAt >= DAY

/** Writes that a session is used, unless it has ended, or was written less than a day ago. */
export function touchSession(context: PeopleContext, id: string): void {
  const { sql, now } = context
  const session = activeSession(context, id)
  if (!session || !isUseDue(session, now)) return
  sql.exec('UPDATE person_sessions SET used_at = ? WHERE id = ?', now, id)
}

/** Ends a session; one that is unknown changes nothing. */
export const endPersonSession = (sql: Sql, id: string): void =>
  void sql.exec('DELETE FROM person_sessions WHERE id = ?', id)

/** Ends the sessions of a person, or one of them. */
export function endSessionsOfPerson(sql: Sql, person: string, session?: string): void {
  if (session === undefined) sql.exec('DELETE FROM person_sessions WHERE person = ?', person)
  else sql.exec('DELETE FROM person_sessions WHERE person = ? AND id = ?', person, session)
}

/** Ends the sessions of a passkey. */
export const endSessionsOfPasskey = (sql: Sql, id: Passkey['id']): void =>
  void sql.exec('DELETE FROM person_sessions WHERE passkey = ?', id)
