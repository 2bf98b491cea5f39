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
]

/**
 * Brings the tables up to date. It writes, so it is called on an authorised write only: a site that nobody wrote to
 * leaves nothing behind.
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
