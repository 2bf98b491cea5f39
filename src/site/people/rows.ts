// Rows of people, their passkeys and their sessions, with checked types: of a site's database, and of the registry's.
import type { Passkey, Person, PersonSession } from '../../contract/person.ts'
import { ROLES } from '../../contract/role.ts'
import { inSeconds, int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import type { Binding, Sql } from '../rows/sql.ts'
import { tillsIn } from '../rows/tills.ts'

/** What the functions of this folder need: the object of a site has it, and the registry. */
export interface PeopleContext {
  sql: Sql
  /** Unix seconds. */
  now: number
}

const readPeople = rowsWith({
  id: text,
  name: text,
  role: oneOf(ROLES),
  tills: orNull(text),
  handle: text,
  created_at: inSeconds,
  removed_at: orNull(inSeconds),
  invitation: orNull(text),
  invited_until: orNull(inSeconds),
  replaces: int,
  last_used_at: orNull(inSeconds),
})
export type PersonRow = ReturnType<typeof readPeople>[number]

/** The people that the clauses after FROM select. */
export const personRows = (sql: Sql, clauses: string, ...bindings: Binding[]): PersonRow[] =>
  readPeople(sql, `SELECT * FROM people ${clauses}`, ...bindings)

/** People with numbers, by which the export goes on, for the export, which no row fails. */
export const exportedPersonRows = (sql: Sql, clauses: string, ...bindings: Binding[]) =>
  readPeople.numbered(
    sql,
    `SELECT * FROM (SELECT *, row_number() OVER (ORDER BY created_at, id) AS number FROM people) ${clauses}`,
    ...bindings,
  )

/** A person, also a removed one. */
export const personRow = (sql: Sql, id: string): PersonRow | undefined =>
  personRows(sql, 'WHERE id = ?', id)[0]

/** A person who is not removed. */
export const presentPerson = (sql: Sql, id: string): PersonRow | undefined =>
  personRows(sql, 'WHERE id = ? AND removed_at IS NULL', id)[0]

/** A person as others see it. @param now Unix seconds */
export function personOf({ sql, now }: PeopleContext, row: PersonRow): Person {
  const isInvited = row.invitation !== null && row.invited_until !== null && row.invited_until > now
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    tills: tillsIn(row),
    handle: row.handle,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
    removedAt: row.removed_at ?? undefined,
    invitedUntil: (isInvited ? row.invited_until : undefined) ?? undefined,
    passkeys: passkeysOf(sql, row.id),
  }
}

const readPasskeys = rowsWith({
  id: text,
  person: text,
  public_key: text,
  counter: int,
  label: text,
  created_at: inSeconds,
  last_used_at: orNull(inSeconds),
})
export type PasskeyRow = ReturnType<typeof readPasskeys>[number]

export const passkeyRow = (sql: Sql, id: string): PasskeyRow | undefined =>
  readPasskeys(sql, 'SELECT * FROM passkeys WHERE id = ?', id)[0]

/** The passkeys of a person, the oldest first. */
export const passkeysOf = (sql: Sql, person: string): Passkey[] =>
  readPasskeys(sql, 'SELECT * FROM passkeys WHERE person = ? ORDER BY created_at, id', person).map(passkeyOf)

export const passkeyOf = (row: PasskeyRow): Passkey => ({
  id: row.id,
  publicKey: row.public_key,
  counter: row.counter,
  label: row.label,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at ?? undefined,
})

const readSessions = rowsWith({
  id: text,
  person: text,
  passkey: text,
  started_at: inSeconds,
  used_at: inSeconds,
})

/** The sessions of people that the clauses after FROM select. */
export const personSessionRows = (sql: Sql, clauses: string, ...bindings: Binding[]): PersonSession[] =>
  readSessions(sql, `SELECT * FROM person_sessions ${clauses}`, ...bindings).map((row) => ({
    id: row.id,
    personId: row.person,
    passkeyId: row.passkey,
    startedAt: row.started_at,
    usedAt: row.used_at,
  }))
