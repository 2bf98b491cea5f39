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
  const uses = usesOf(sql, row.id)
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    tills: tillsIn(row),
    handle: row.handle,
    createdAt: row.created_at,
    lastUsedAt: latest(row.last_used_at, ...uses.values()),
    removedAt: row.removed_at ?? undefined,
    invitedUntil: (isInvited ? row.invited_until : undefined) ?? undefined,
    passkeys: passkeysOf(sql, row.id).map((passkey) => ({
      ...passkey,
      lastUsedAt: latest(passkey.lastUsedAt, uses.get(passkey.id)),
    })),
  }
}

const readUses = rowsWith({ passkey: text, used_at: inSeconds })

/** The latest use of each passkey of a person, by the sessions that are left: of those that have ended the rows have it. */
const usesOf = (sql: Sql, person: string): ReadonlyMap<string, number> =>
  new Map(
    readUses(
      sql,
      'SELECT passkey, max(used_at) AS used_at FROM person_sessions WHERE person = ? GROUP BY passkey',
      person,
    ).map(({ passkey, used_at }) => [passkey, used_at]),
  )

/** The latest of the times that there are. */
function latest(...times: readonly (number | null | undefined)[]): number | undefined {
  const present = times.filter((time) => typeof time === 'number')
  return present.length === 0 ? undefined : Math.max(...present)
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
const passkeysOf = (sql: Sql, person: string): Passkey[] =>
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
