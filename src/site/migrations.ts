// The tables of a site's books, and how they grow.

/**
 * The migrations, oldest first. Append-only: one that has been applied anywhere is never edited, because a site whose
 * history differs refuses to work rather than guess.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE qr_codes (
    number INTEGER PRIMARY KEY,
    qr_code_uid TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    ttl INTEGER NOT NULL,
    image_media_type TEXT,
    image_width INTEGER,
    image_height INTEGER,
    kopecks INTEGER,
    currency TEXT,
    payment_purpose TEXT,
    redirect_url TEXT,
    tokenization_purpose TEXT,
    tokenization_account TEXT,
    create_token INTEGER NOT NULL,
    payload TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT`,

  // The life of a QR code: its history, its payments, and the ways in which it is looked for.
  `ALTER TABLE qr_codes ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE qr_codes ADD COLUMN payment_uid TEXT;
  ALTER TABLE qr_codes ADD COLUMN expires_at INTEGER AS (created_at + ttl * 60) VIRTUAL;
  ALTER TABLE qr_codes ADD COLUMN link_id TEXT AS (substr(payload, instr(payload, '?') - 32, 32)) VIRTUAL;
  CREATE UNIQUE INDEX qr_codes_by_link_id ON qr_codes (link_id);
  CREATE INDEX qr_codes_by_created_at ON qr_codes (created_at);
  CREATE INDEX qr_codes_by_expires_at ON qr_codes (expires_at) WHERE status IN ('CREATED', 'DECLINED');
  CREATE TABLE payments (
    payment_uid TEXT PRIMARY KEY,
    qr_code INTEGER NOT NULL REFERENCES qr_codes (number),
    status TEXT NOT NULL,
    kopecks INTEGER NOT NULL,
    currency TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    qr_code INTEGER NOT NULL REFERENCES qr_codes (number),
    status TEXT NOT NULL,
    at INTEGER NOT NULL,
    by TEXT NOT NULL,
    payment_uid TEXT REFERENCES payments (payment_uid)
  ) STRICT;
  CREATE INDEX events_by_qr_code ON events (qr_code)`,

  // Numbers follow the moments of creation, so a list needs no index of its own.
  'DROP INDEX qr_codes_by_created_at',
]

/** Whether the site has books at all: a look that leaves nothing behind. */
export const hasTables = ({ sql }: DurableObjectStorage): boolean =>
  !sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").next().done

/**
 * Brings the tables up to date. It writes, so the first call for a site comes with its first creation: a site that
 * nobody wrote to leaves nothing behind.
 * @throws Error where a migration that was applied is not the one in the code
 */
export function migrate(storage: DurableObjectStorage, migrations = MIGRATIONS): void {
  const { sql } = storage
  storage.transactionSync(() => {
    sql.exec(
      'CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, statement TEXT NOT NULL) STRICT',
    )
    const applied = sql
      .exec<{ statement: string }>('SELECT statement FROM migrations ORDER BY version')
      .toArray()
    for (const [index, { statement }] of applied.entries()) {
      if (statement !== migrations[index]) {
        throw new Error(`migration ${index + 1} differs from the one that was applied`)
      }
    }
    for (const statement of migrations.slice(applied.length)) {
      sql.exec(statement)
      sql.exec('INSERT INTO migrations (statement) VALUES (?)', statement)
    }
  })
}
