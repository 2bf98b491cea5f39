// Rows of the table of the audit, which are only added.
import { ActDetails, type AuditQuery, type AuditRow, type NewAuditRow } from '../contract/audit.ts'

import type { Schema } from '../site/database/schema.ts'
import { int, orNull, rowsWith, text } from '../site/rows/columns.ts'
import { requiredInteger, type Sql } from '../site/rows/sql.ts'

/**
 * The tables of the audit. at: Unix seconds. details: a JSON object. intent: of a result, the number of the row of its
 * intent. Not even this service changes or deletes a row.
 */
export const AUDIT_SCHEMA: Schema = {
  table: 'audit',
  versions: [
    `CREATE TABLE audit (schema_version INTEGER NOT NULL) STRICT;
    INSERT INTO audit VALUES (1);
    CREATE TABLE acts (
      number INTEGER PRIMARY KEY,
      uid TEXT NOT NULL UNIQUE,
      at INTEGER NOT NULL,
      act TEXT NOT NULL,
      site_id TEXT,
      key_id TEXT,
      label TEXT,
      details TEXT NOT NULL,
      result TEXT NOT NULL,
      intent INTEGER REFERENCES acts (number)
    ) STRICT;
    CREATE INDEX acts_by_site ON acts (site_id);
    CREATE INDEX acts_by_key ON acts (key_id);
    CREATE TRIGGER acts_are_not_changed BEFORE UPDATE ON acts
      BEGIN SELECT raise(ABORT, 'a row of the audit is not changed'); END;
    CREATE TRIGGER acts_are_not_deleted BEFORE DELETE ON acts
      BEGIN SELECT raise(ABORT, 'a row of the audit is not deleted'); END;`,
    // 0.4.0: a person, and the name as it was then.
    `ALTER TABLE acts ADD COLUMN person_id TEXT;
    ALTER TABLE acts ADD COLUMN name TEXT;`,
  ],
}

/** `act` and `result` are any text, so that the audit also shows the rows of a later version. */
const readRows = rowsWith({
  number: int,
  at: int,
  act: text,
  site_id: orNull(text),
  key_id: orNull(text),
  label: orNull(text),
  person_id: orNull(text),
  name: orNull(text),
  details: text,
  result: text,
  intent: orNull(int),
})

/** Adds a row; the same row again is the same one. @param now Unix seconds @returns its number */
export function addRow(sql: Sql, row: NewAuditRow, now: number): number {
  const { uid, act, siteId = null, keyId = null, label = null, personId = null, name = null } = row
  const { details, result, intent = null } = row
  sql.exec(
    `INSERT INTO acts (number, uid, at, act, site_id, key_id, label, person_id, name, details, result, intent)
     VALUES ((SELECT ifnull(max(number), 0) + 1 FROM acts), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (uid) DO NOTHING`,
    ...[uid, now, act, siteId, keyId, label, personId, name, JSON.stringify(details), result, intent],
  )
  return requiredInteger(sql, 'SELECT number FROM acts WHERE uid = ?', uid)
}

/** A page of the rows, newest first; one more than `limit` says that there are more. */
export function listRows(sql: Sql, { siteId, from, to, key, limit, cursor }: AuditQuery): AuditRow[] {
  const conditions = Object.entries({
    'site_id = ?': siteId,
    'at >= ?': from,
    'at <= ?': to,
    'key_id = ?': key,
    'number < ?': cursor,
  }).flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]))
  const where = ['true', ...conditions.map(({ condition }) => condition)].join(' AND ')
  return readRows(
    sql,
    `SELECT * FROM acts WHERE ${where} ORDER BY number DESC LIMIT ?`,
    ...conditions.map(({ value }) => value),
    limit + 1,
  ).map((row) => ({
    number: row.number,
    at: row.at,
    act: row.act,
    siteId: row.site_id ?? undefined,
    keyId: row.key_id ?? undefined,
    label: row.label ?? undefined,
    personId: row.person_id ?? undefined,
    name: row.name ?? undefined,
    details: ActDetails.parse(JSON.parse(row.details)),
    result: row.result,
    intent: row.intent ?? undefined,
  }))
}
