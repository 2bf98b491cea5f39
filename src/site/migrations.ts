// The migrations of a site's database, and how migrations are applied: also those of the registry.
import type { Sql } from './rows/sql.ts'

/** The console's sessions, of a site and of the registry. A session that ended stays until it expires; times are Unix seconds. */
export const SESSIONS = `CREATE TABLE sessions (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    key_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    issued_at INTEGER NOT NULL,
    token_expires_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    link TEXT UNIQUE,
    ended INTEGER NOT NULL DEFAULT 0
  ) STRICT`

/**
 * The migrations, oldest first. Append-only: one that has been applied anywhere is never edited. A later migration only
 * adds (tables, columns with a default, indexes), so that an older version of the code works on a newer database.
 */
export const MIGRATIONS: readonly string[] = [
  `-- A restored site gets another epoch: cursors of its earlier feed end there.
  CREATE TABLE site (epoch TEXT NOT NULL) STRICT;
  INSERT INTO site (epoch) VALUES (lower(hex(randomblob(8))));

  -- What links have in common. A link is composed from it and from its QR code's row.
  CREATE TABLE link_bases (
    number INTEGER PRIMARY KEY,
    base TEXT NOT NULL,
    bank TEXT NOT NULL,
    UNIQUE (base, bank)
  ) STRICT;

  CREATE TABLE qr_codes (
    number INTEGER PRIMARY KEY,
    qr_code_uid TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    ttl INTEGER NOT NULL,
    image_media_type TEXT,
    image_width INTEGER,
    image_height INTEGER,
    minor_units INTEGER,
    currency TEXT,
    payment_purpose TEXT,
    redirect_url TEXT,
    tokenization_purpose TEXT,
    tokenization_account TEXT,
    create_token INTEGER NOT NULL,
    link_base INTEGER NOT NULL REFERENCES link_bases (number),
    link_id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    version INTEGER NOT NULL,
    payment INTEGER,
    created_at INTEGER NOT NULL,
    expires_at INTEGER AS (created_at + ttl * 60) VIRTUAL
  ) STRICT;
  CREATE INDEX qr_codes_by_status ON qr_codes (status);
  CREATE INDEX qr_codes_by_expires_at ON qr_codes (expires_at) WHERE status IN ('CREATED', 'DECLINED');

  CREATE TABLE payments (
    number INTEGER PRIMARY KEY,
    payment_uid TEXT NOT NULL UNIQUE,
    qr_code INTEGER REFERENCES qr_codes (number),
    link_id TEXT NOT NULL,
    status TEXT NOT NULL,
    minor_units INTEGER NOT NULL,
    currency TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    applied INTEGER NOT NULL,
    not_applied_reason TEXT,
    reason TEXT,
    network TEXT NOT NULL,
    network_uid TEXT,
    payer_bank TEXT,
    payer_phone TEXT
  ) STRICT;
  CREATE INDEX payments_by_qr_code ON payments (qr_code);

  CREATE TABLE callers (
    number INTEGER PRIMARY KEY,
    actor TEXT NOT NULL,
    key_id TEXT NOT NULL,
    UNIQUE (actor, key_id)
  ) STRICT;

  CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    at INTEGER NOT NULL,
    caller INTEGER NOT NULL REFERENCES callers (number),
    qr_code INTEGER REFERENCES qr_codes (number),
    status TEXT,
    payment TEXT
  ) STRICT;
  CREATE INDEX events_by_qr_code ON events (qr_code)`,

  `-- One row at most. replaced is the revision before this one.
  CREATE TABLE settings (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    settings TEXT NOT NULL,
    revision TEXT NOT NULL,
    replaced TEXT NOT NULL
  ) STRICT;

  CREATE TABLE notification_keys (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL,
    active INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;

  -- A key that was revoked before its first use has no times.
  CREATE TABLE api_keys (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at INTEGER,
    expires_at INTEGER,
    last_used_at INTEGER,
    revoked_at INTEGER
  ) STRICT`,

  // Notifications: their number is the event's. Times are Unix milliseconds.
  `CREATE TABLE outbox (
    number INTEGER PRIMARY KEY,
    queue TEXT NOT NULL,
    qr_code INTEGER,
    content TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts TEXT NOT NULL,
    used INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    due_at INTEGER,
    send_at INTEGER,
    leased_until INTEGER,
    delete_at INTEGER
  ) STRICT;
  CREATE INDEX outbox_pending ON outbox (queue, send_at) WHERE status = 'PENDING' AND leased_until IS NULL;
  CREATE INDEX outbox_leased ON outbox (queue, leased_until) WHERE leased_until IS NOT NULL;
  CREATE INDEX outbox_ended ON outbox (delete_at) WHERE delete_at IS NOT NULL;
  CREATE INDEX outbox_by_status ON outbox (status);
  CREATE TABLE endpoints (
    queue TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    probe_at INTEGER NOT NULL
  ) STRICT`,

  `-- event is the number of the event that requested it, and of the instruction in the outbox.
  CREATE TABLE refunds (
    number INTEGER PRIMARY KEY,
    payment INTEGER NOT NULL REFERENCES payments (number),
    refund_uid TEXT NOT NULL,
    minor_units INTEGER NOT NULL,
    comment TEXT,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    reason TEXT,
    event INTEGER NOT NULL,
    UNIQUE (payment, refund_uid)
  ) STRICT;
  ALTER TABLE events ADD COLUMN refund TEXT;

  -- Instructions to the payment network: when one was taken last, and when it is overdue (Unix milliseconds).
  ALTER TABLE outbox ADD COLUMN taken_at INTEGER;
  ALTER TABLE outbox ADD COLUMN overdue_at INTEGER;
  CREATE INDEX outbox_overdue ON outbox (overdue_at) WHERE overdue_at IS NOT NULL`,

  // 1 from a restore until the operator resumes: what happened after the backup is unknown.
  'ALTER TABLE site ADD COLUMN restored INTEGER NOT NULL DEFAULT 0',

  // Instructions that are not taken are found without those that are.
  `CREATE INDEX outbox_taken ON outbox (queue, taken_at, send_at)
    WHERE status = 'PENDING' AND leased_until IS NULL AND queue <> 'merchant'`,

  `-- A token without binding_uid waits for its binding. due_at is when the clock rejects or expires it (Unix seconds).
  -- event is the number of the instruction that deletes it. Tokens are found by the hash of their value.
  CREATE TABLE tokens (
    number INTEGER PRIMARY KEY,
    binding_uid TEXT UNIQUE,
    qr_code INTEGER REFERENCES qr_codes (number),
    link_id TEXT NOT NULL,
    account TEXT NOT NULL,
    status TEXT NOT NULL,
    value TEXT,
    hash TEXT UNIQUE,
    bank TEXT,
    reason TEXT,
    network TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    due_at INTEGER,
    event INTEGER
  ) STRICT;
  CREATE INDEX tokens_by_qr_code ON tokens (qr_code);
  CREATE INDEX tokens_by_account ON tokens (account);
  CREATE INDEX tokens_by_due_at ON tokens (due_at) WHERE status IN ('WAITING', 'CREATED');
  ALTER TABLE events ADD COLUMN token TEXT;

  -- Of a payment by token: the token, and the number of the instruction.
  ALTER TABLE payments ADD COLUMN token INTEGER;
  ALTER TABLE payments ADD COLUMN event INTEGER;

  -- Whether a delivery was ever begun, whatever became of it.
  ALTER TABLE outbox ADD COLUMN attempted INTEGER NOT NULL DEFAULT 0`,

  `-- 1 while the row waits for another of its QR code that is in flight, or was: the next lease begins without it.
  ALTER TABLE outbox ADD COLUMN behind INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX outbox_sendable ON outbox (queue, send_at)
    WHERE status = 'PENDING' AND leased_until IS NULL AND behind = 0;
  CREATE INDEX outbox_behind ON outbox (queue, qr_code, send_at) WHERE behind = 1`,
  `-- The file of a site must say whose it is. announced: whether the registry has the site, with its present name.
  ALTER TABLE site ADD COLUMN site_id TEXT;
  ALTER TABLE site ADD COLUMN announced INTEGER NOT NULL DEFAULT 0;

  -- When the time of the next attempt was computed: that is ahead of the present only if a clock was (Unix milliseconds).
  ALTER TABLE outbox ADD COLUMN set_at INTEGER;
  ALTER TABLE endpoints ADD COLUMN set_at INTEGER`,

  `-- Of a QR code whose link a bank made: link_id is the bank's qrcId, payload is its link. page_id is the id of the payer's
  -- page, reference the connector's own text, ends_at the bank's end of the link where that is before the end of the ttl.
  ALTER TABLE qr_codes ADD COLUMN payload TEXT;
  ALTER TABLE qr_codes ADD COLUMN page_id TEXT;
  ALTER TABLE qr_codes ADD COLUMN reference TEXT;
  ALTER TABLE qr_codes ADD COLUMN ends_at INTEGER;
  CREATE UNIQUE INDEX qr_codes_by_page_id ON qr_codes (page_id) WHERE page_id IS NOT NULL;
  CREATE INDEX qr_codes_by_ends_at ON qr_codes (ends_at)
    WHERE ends_at IS NOT NULL AND status IN ('CREATED', 'DECLINED');
  -- Those about which the network is asked, because its reports get lost.
  CREATE INDEX qr_codes_ended ON qr_codes (expires_at) WHERE status IN ('EXPIRED', 'CANCELLED');
  CREATE INDEX refunds_waiting ON refunds (number) WHERE status = 'WAITING';

  ALTER TABLE payments ADD COLUMN reference TEXT;
  CREATE INDEX payments_unknown ON payments (link_id) WHERE qr_code IS NULL;
  -- QR codes that were created after their payments, of which some are not applied yet.
  CREATE TABLE unapplied_payments (
    qr_code INTEGER PRIMARY KEY REFERENCES qr_codes (number),
    currencies TEXT NOT NULL
  ) STRICT`,

  `-- One row at most: the picture that the settings name by its hash.
  CREATE TABLE logo (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    hash TEXT NOT NULL,
    media_type TEXT NOT NULL,
    content BLOB NOT NULL
  ) STRICT`,

  `-- deleted_at: the site is deleted, and its database is to be emptied, or is. created_at: set once its first event is
  -- deleted. Both are Unix seconds.
  ALTER TABLE site ADD COLUMN deleted_at INTEGER;
  ALTER TABLE site ADD COLUMN created_at INTEGER;

  -- Retention. A QR code that it deleted has the negative of its number. last_event: the highest number of an event that was
  -- deleted; deleted_events: how many were. sweep_at: the earliest next sweep (Unix milliseconds); the other two say
  -- where it goes on.
  ALTER TABLE site ADD COLUMN last_event INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE site ADD COLUMN deleted_events INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE site ADD COLUMN retention_days INTEGER;
  ALTER TABLE site ADD COLUMN sweep_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE site ADD COLUMN sweep_after_expiry INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE site ADD COLUMN sweep_after_number INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX qr_codes_by_end ON qr_codes (expires_at)
    WHERE status IN ('EXPIRED', 'CANCELLED') AND payment IS NULL AND type IN ('DYNAMIC', 'TOKEN') AND number > 0;
  CREATE INDEX outbox_of_ends ON outbox (qr_code) WHERE content ->> 'type' IN ('QR_CODE', 'qrCode.cancel');

  -- What the registry knows of the site's work, as JSON, and since when (Unix milliseconds).
  ALTER TABLE site ADD COLUMN told TEXT;
  ALTER TABLE site ADD COLUMN told_at INTEGER NOT NULL DEFAULT 0;

  -- The report of payments: what was paid and refunded, by the time of its event; and the payments whose QR code was not
  -- known when they were reported.
  CREATE INDEX events_of_money ON events (at) WHERE type IN ('payment.completed', 'refund.completed');
  CREATE INDEX events_of_unknown ON events (payment ->> 'paymentUid')
    WHERE type = 'payment.completed' AND qr_code IS NULL`,

  `-- QR codes that are paid many times have no end: their ttl is one that is never over, NO_END_TTL. Of a cancelled one,
  -- ends_at is when. A DYNAMIC one is in none of these indexes.
  CREATE INDEX qr_codes_by_type ON qr_codes (type, status) WHERE type <> 'DYNAMIC';
  CREATE INDEX payments_declined ON payments (qr_code) WHERE status = 'DECLINED';

  -- A sale of a COUNTER code. status is WAITING while the bank is asked to arm it, until due_at at the latest; version
  -- increases with every change; no number is used again. payment is the number of the payment that was applied. Times are Unix seconds.
  CREATE TABLE sales (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    qr_code INTEGER NOT NULL REFERENCES qr_codes (number),
    sale_uid TEXT NOT NULL,
    minor_units INTEGER NOT NULL,
    currency TEXT NOT NULL,
    payment_purpose TEXT,
    ttl INTEGER NOT NULL,
    status TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    ended_at INTEGER,
    payment INTEGER,
    reference TEXT,
    UNIQUE (qr_code, sale_uid)
  ) STRICT;
  CREATE INDEX sales_by_qr_code ON sales (qr_code);
  CREATE INDEX sales_by_due_at ON sales (due_at) WHERE ended_at IS NULL;
  CREATE INDEX sales_unpaid ON sales (qr_code, due_at) WHERE payment IS NULL;
  CREATE UNIQUE INDEX sales_open ON sales (qr_code) WHERE ended_at IS NULL;
  ALTER TABLE payments ADD COLUMN sale INTEGER;
  ALTER TABLE events ADD COLUMN sale TEXT`,

  `-- The lists of payments, newest first: each status is a range. Completed ones that no QR code took are rare.
  CREATE INDEX payments_by_time ON payments (status, created_at);
  CREATE INDEX payments_not_applied ON payments (status, created_at) WHERE applied = 0;
  CREATE INDEX refunds_by_uid ON refunds (refund_uid, payment);

  -- What was paid and refunded in each quarter of an hour (Unix seconds of its beginning), by the time of the events: any
  -- offset from UTC is whole quarters. A trigger keeps it, so that an older version of the code does too.
  CREATE TABLE turnover (
    at INTEGER NOT NULL,
    currency TEXT NOT NULL,
    payments INTEGER NOT NULL,
    paid INTEGER NOT NULL,
    refunds INTEGER NOT NULL,
    refunded INTEGER NOT NULL,
    PRIMARY KEY (at, currency)
  ) STRICT, WITHOUT ROWID;
  -- A payment whose QR code was not known when it was reported can have a second event: only its first one is money.
  CREATE TRIGGER turnover_of_payments AFTER INSERT ON events
    WHEN NEW.type = 'payment.completed' AND (NEW.qr_code IS NULL OR NOT EXISTS (
      SELECT 1 FROM events AS earlier WHERE earlier.type = 'payment.completed' AND earlier.qr_code IS NULL
        AND earlier.payment ->> 'paymentUid' = NEW.payment ->> 'paymentUid'))
    BEGIN
      INSERT INTO turnover VALUES (NEW.at - NEW.at % 900, NEW.payment ->> '$.amount.currency',
        1, NEW.payment ->> '$.amount.minorUnits', 0, 0)
        ON CONFLICT DO UPDATE SET payments = payments + 1, paid = paid + excluded.paid;
    END;
  CREATE TRIGGER turnover_of_refunds AFTER INSERT ON events WHEN NEW.type = 'refund.completed'
    BEGIN
      INSERT INTO turnover VALUES (NEW.at - NEW.at % 900, NEW.refund ->> '$.amount.currency',
        0, 0, 1, NEW.refund ->> '$.amount.minorUnits')
        ON CONFLICT DO UPDATE SET refunds = refunds + 1, refunded = refunded + excluded.refunded;
    END;
  -- How many of the QR codes that were created in a quarter of an hour are PAYED, which is final.
  CREATE TABLE paid_codes (at INTEGER PRIMARY KEY, codes INTEGER NOT NULL) STRICT;
  CREATE TRIGGER paid_codes_of_status AFTER UPDATE OF status ON qr_codes
    WHEN NEW.status = 'PAYED' AND OLD.status <> 'PAYED'
    BEGIN
      INSERT INTO paid_codes VALUES (NEW.created_at - NEW.created_at % 900, 1)
        ON CONFLICT DO UPDATE SET codes = codes + 1;
    END;
  INSERT INTO paid_codes SELECT created_at - created_at % 900, count(*) FROM qr_codes WHERE status = 'PAYED' GROUP BY 1;
  INSERT INTO turnover
    SELECT at - at % 900, coalesce(refund, payment) ->> '$.amount.currency',
      sum(refund IS NULL), sum(iif(refund IS NULL, payment ->> '$.amount.minorUnits', 0)),
      sum(refund IS NOT NULL), sum(iif(refund IS NULL, 0, refund ->> '$.amount.minorUnits'))
    FROM events INDEXED BY events_of_money
    WHERE type IN ('payment.completed', 'refund.completed')
      AND NOT (type = 'payment.completed' AND qr_code IS NOT NULL AND EXISTS (
        SELECT 1 FROM events AS earlier WHERE earlier.type = 'payment.completed' AND earlier.qr_code IS NULL
          AND earlier.payment ->> 'paymentUid' = events.payment ->> 'paymentUid' AND earlier.number < events.number))
    GROUP BY 1, 2`,

  SESSIONS,

  // How many of the QR codes that were created in a quarter of an hour are not DYNAMIC.
  `CREATE TABLE other_codes (at INTEGER PRIMARY KEY, codes INTEGER NOT NULL) STRICT;
  CREATE TRIGGER other_codes_of_types AFTER INSERT ON qr_codes WHEN NEW.type <> 'DYNAMIC'
    BEGIN
      INSERT INTO other_codes VALUES (NEW.created_at - NEW.created_at % 900, 1)
        ON CONFLICT DO UPDATE SET codes = codes + 1;
    END;
  INSERT INTO other_codes SELECT created_at - created_at % 900, count(*) FROM qr_codes WHERE type <> 'DYNAMIC' GROUP BY 1`,
]

/** What migrations need of a database, a site's or the registry's: the commands of bin/ open it without an object. */
export interface TableStorage {
  sql: Sql
  transactionSync(work: () => void): void
}

/** Whether the site has tables: a query that writes nothing. */
export const hasTables = ({ sql }: Pick<TableStorage, 'sql'>): boolean =>
  sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").toArray().length > 0

/** Whether the site has had all migrations: a query that writes nothing. */
export const areUpToDate = (storage: Pick<TableStorage, 'sql'>): boolean =>
  pendingMigrations(storage, MIGRATIONS).length === 0

/**
 * Applies the migrations that the database does not have yet. It writes; see Tables.
 * @throws Error where an applied migration differs from the code's; migrations that the code does not know are fine
 */
export function migrate(storage: TableStorage, migrations = MIGRATIONS): void {
  const { sql } = storage
  const pending = pendingMigrations(storage, migrations)
  if (pending.length === 0) return
  storage.transactionSync(() => {
    sql.exec(
      'CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, statement TEXT NOT NULL) STRICT',
    )
    for (const migration of pending) {
      sql.exec(migration)
      sql.exec('INSERT INTO migrations (statement) VALUES (?)', migration)
    }
  })
}

function pendingMigrations(
  storage: Pick<TableStorage, 'sql'>,
  migrations: readonly string[],
): readonly string[] {
  if (!hasTables(storage)) return migrations
  const applied = storage.sql.exec('SELECT statement FROM migrations ORDER BY version').toArray()
  for (const [index, { statement }] of applied.entries()) {
    const migration = migrations[index]
    if (migration !== undefined && statement !== migration) {
      throw new Error(`migration ${index + 1} differs from the one that was applied`)
    }
  }
  return migrations.slice(applied.length)
}
