// The tables of the registry.
import { PEOPLE, type Schema, SESSIONS } from '../site/database/schema.ts'
import { MACHINE } from './machine.ts'
import { SETTLEMENT_MONTHS } from './settlements.ts'

/** A key that was revoked before its first use has no times but revoked_at. Times are Unix seconds. */
const OPERATOR_KEYS = `
  CREATE TABLE operator_keys (
    id TEXT PRIMARY KEY,
    label TEXT,
    created_at INTEGER,
    expires_at INTEGER,
    last_used_at INTEGER,
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;`

/** The deployment's people; handles: the site of each WebAuthn user handle, which says where its passkey is; * of the deployment's. */
const SINCE_0_4_0 = `
    ${PEOPLE}
    CREATE TABLE handles (handle TEXT PRIMARY KEY, site_id TEXT NOT NULL) STRICT, WITHOUT ROWID;
    ALTER TABLE sessions ADD COLUMN tills TEXT;
    ALTER TABLE sites ADD COLUMN late_receipts INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sites ADD COLUMN oldest_receipt INTEGER;
    ALTER TABLE sites ADD COLUMN failed_receipts INTEGER NOT NULL DEFAULT 0;
    ${SETTLEMENT_MONTHS}`

/**
 * The tables of the registry. deleted_at: Unix seconds; the row stays, because a site that lost its file must not begin
 * anew. The figures are the latest of the site; their times are Unix milliseconds.
 */
export const REGISTRY_SCHEMA: Schema = {
  table: 'registry',
  versions: [
    `CREATE TABLE registry (schema_version INTEGER NOT NULL) STRICT;
    INSERT INTO registry VALUES (1);
    CREATE TABLE sites (
      site_id TEXT PRIMARY KEY,
      name TEXT,
      created_at INTEGER NOT NULL,
      epoch TEXT NOT NULL,
      closed_at INTEGER,
      deletes_at INTEGER,
      deleted_at INTEGER,
      notifications INTEGER NOT NULL DEFAULT 0,
      oldest_notification INTEGER,
      failed_notifications INTEGER NOT NULL DEFAULT 0,
      instructions INTEGER NOT NULL DEFAULT 0,
      oldest_instruction INTEGER,
      overdue_instructions INTEGER NOT NULL DEFAULT 0,
      restored INTEGER NOT NULL DEFAULT 0,
      bytes INTEGER NOT NULL DEFAULT 0,
      lacks_key INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    ${SESSIONS}
    ${OPERATOR_KEYS}
    ${MACHINE}`,
    SINCE_0_4_0,
  ],
}
