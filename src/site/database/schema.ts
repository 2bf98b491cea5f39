// The tables of a site, and how they come into its database: those of the registry and of the audit come the same way.
import { integer, type Sql } from '../rows/sql.ts'

/**
 * The tables of a kind of database. The first of `versions` makes them; each further one brings them up to date, and only
 * adds (tables, columns with a default, indexes), so that an older build works on a newer database. A version that was
 * released is never edited.
 */
export interface Schema {
  /** A table with one row, whose column `schema_version` is the number of versions that the database has. */
  table: string
  versions: readonly [string, ...string[]]
  /**
   * Indexes that a new database has instead of those of the first version: it has no rows yet, so they cost nothing. A database that
   * an earlier build made keeps its own, so every query must be right with both.
   */
  inNew?: { leavesOut: string; adds: string }
}

/** The console's sessions, of a site and of the registry, with increasing numbers. One that ended stays until it expires. */
export const SESSIONS = `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    key_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    label TEXT,
    issued_at INTEGER NOT NULL,
    token_expires_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    link TEXT,
    ended INTEGER NOT NULL DEFAULT 0,
    number INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;`

/**
 * People, of a site and, in the registry, of the deployment. tills: a JSON array of qrCodeUids, NULL: all. handle: the WebAuthn user
 * handle. invitation: the id of the link that can be used until invited_until, NULL where none can; replaces: joining by it ends the
 * earlier passkeys. last_used_at: as a session that has ended left it. A removed person keeps the row and the
 * name for events. passkeys.counter: of the latest assertion. A session of a person who is removed, or of a passkey that is, is
 * deleted. used_challenges: each stays until it would have expired; request: which one a confirmation was of.
 */
export const PEOPLE = `
  CREATE TABLE people (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    tills TEXT,
    handle TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    removed_at INTEGER,
    invitation TEXT,
    invited_until INTEGER,
    replaces INTEGER NOT NULL DEFAULT 0,
    last_used_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE passkeys (
    id TEXT PRIMARY KEY,
    person TEXT NOT NULL REFERENCES people (id),
    public_key TEXT NOT NULL,
    counter INTEGER NOT NULL,
    label TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE person_sessions (
    id TEXT PRIMARY KEY,
    person TEXT NOT NULL REFERENCES people (id),
    passkey TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER person_sessions_ended AFTER DELETE ON person_sessions
    BEGIN
      UPDATE passkeys SET last_used_at = max(ifnull(last_used_at, 0), OLD.used_at) WHERE id = OLD.passkey;
      UPDATE people SET last_used_at = max(ifnull(last_used_at, 0), OLD.used_at) WHERE id = OLD.person;
    END;
  CREATE TABLE used_challenges (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, request TEXT) STRICT, WITHOUT ROWID;`

/**
 * Of all rows, in a site that an earlier build made. Payments whose QR code is not known are found by its link, by
 * payments_by_qr_code: the creation of the QR code applies them.
 */
const WHOLE_INDEXES = `CREATE INDEX qr_codes_by_status ON qr_codes (status);
  CREATE INDEX payments_by_qr_code ON payments (ifnull(qr_code, link_id));
  CREATE INDEX events_by_qr_code ON events (qr_code);`

/**
 * Comments are of the code: neither the bundle nor a database has them. Times are Unix seconds; in outbox, endpoints
 * and the columns of site that say so, Unix milliseconds. Flags are 0 or 1.
 */
const TABLES = [
  // One row. epoch: a restored site gets another one, and cursors of its earlier feed end there. restored: until the
  // operator resumes, what happened after the backup is unknown. created_at: set once the first event is deleted.
  // closed_at: the operator has deleted it; until deletes_at that can be undone. deleted_at: the database is to be emptied, or is. registry_entry: what the registry has of the site, as JSON.
  // last_sale: the highest number of the reservations of sales that were dropped.
  // last_event, deleted_events: the highest number of the events that retention deleted, and how many they are.
  // sweep_at: when retention goes on at the earliest (milliseconds), behind sweep_after_end and sweep_after_number.
  // unapplied_payments: QR codes that were created after their payments, of which some are not applied yet: a JSON object,
  // whose keys are the numbers of their rows, and whose values the currencies of their bank, separated by commas.
  // limits: those of the operator, a JSON object; NULL until some are set.
  `CREATE TABLE site (
    schema_version INTEGER NOT NULL,
    site_id TEXT,
    epoch TEXT NOT NULL,
    restored INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER,
    closed_at INTEGER,
    deletes_at INTEGER,
    deleted_at INTEGER,
    registry_entry TEXT,
    last_sale INTEGER NOT NULL DEFAULT 0,
    last_event INTEGER NOT NULL DEFAULT 0,
    deleted_events INTEGER NOT NULL DEFAULT 0,
    retention_days INTEGER,
    sweep_at INTEGER NOT NULL DEFAULT 0,
    sweep_after_end INTEGER NOT NULL DEFAULT 0,
    sweep_after_number INTEGER NOT NULL DEFAULT 0,
    unapplied_payments TEXT,
    limits TEXT
  ) STRICT;
  INSERT INTO site (schema_version, epoch) VALUES (1, lower(hex(randomblob(8))));`,

  // One row at most. replaced: the revision before this one. The logo is the picture that the settings name by its hash;
  // it is the last column, so that a query of the others does not read it.
  `CREATE TABLE settings (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    settings TEXT NOT NULL,
    revision TEXT NOT NULL,
    replaced TEXT NOT NULL,
    logo_hash TEXT,
    logo_media_type TEXT,
    logo BLOB
  ) STRICT;`,

  // Two at most: the active one, and one that is to be activated.
  `CREATE TABLE notification_keys (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    active INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;`,

  // A key that was revoked before its first use has no times but revoked_at.
  `CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    label TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at INTEGER,
    expires_at INTEGER,
    last_used_at INTEGER,
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
  ${SESSIONS}`,

  // What the links of many QR codes have in common: a link is composed from it and from the QR code's row. A few rows.
  `CREATE TABLE link_bases (number INTEGER PRIMARY KEY, base TEXT NOT NULL, bank TEXT NOT NULL) STRICT;`,

  // Who caused events. A few rows.
  `CREATE TABLE callers (number INTEGER PRIMARY KEY, actor TEXT NOT NULL, key_id TEXT NOT NULL) STRICT;`,

  // ttl: minutes; NULL of a STATIC or COUNTER code, which has no end. payment: the number of the latest payment that it took.
  // Where a bank made the link, link_id is the bank's qrcId, payload its link, page_id the id of the payer's page, reference
  // the connector's own text, and early_end_at the bank's end of the link, where that is before the end of the ttl. Of a
  // code without an end, early_end_at is when it was cancelled. end_at: from then on it cannot be paid. payload is empty
  // where the connector cancelled the link for a charge of a token.
  `CREATE TABLE qr_codes (
    number INTEGER PRIMARY KEY,
    qr_code_uid TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    ttl INTEGER,
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
    payload TEXT,
    page_id TEXT,
    reference TEXT,
    early_end_at INTEGER,
    end_at INTEGER AS (iif(ttl IS NULL, NULL, ifnull(early_end_at, created_at + ttl * 60))) VIRTUAL
  ) STRICT;`,
  // Most QR codes are DYNAMIC and request no token: a list of the others finds them here.
  `CREATE INDEX qr_codes_by_type ON qr_codes (type, status) WHERE type <> 'DYNAMIC' OR create_token = 1;
  CREATE INDEX qr_codes_payable ON qr_codes (end_at) WHERE status IN ('CREATED', 'DECLINED');`,
  // The index of QR codes that a bank is asked about, because its reports get lost; where payment IS NULL, of those that retention deletes.
  `CREATE INDEX qr_codes_ended ON qr_codes (payment IS NULL, end_at) WHERE status IN ('EXPIRED', 'CANCELLED');
  CREATE UNIQUE INDEX qr_codes_by_page_id ON qr_codes (page_id) WHERE page_id IS NOT NULL;`,

  // What stays of the QR codes that retention deleted: nothing uses their qrCodeUid or their link again, and a payment can
  // still come. Their numbers are those that they had in qr_codes.
  `CREATE TABLE deleted_qr_codes (
    number INTEGER PRIMARY KEY,
    qr_code_uid TEXT NOT NULL UNIQUE,
    link_id TEXT NOT NULL UNIQUE,
    reference TEXT,
    created_at INTEGER NOT NULL
  ) STRICT;`,

  // A row counts the QR codes that were created in a quarter of an hour, which begins at `at`: paid, how many are PAYED, which is
  // final; other, how many are not DYNAMIC.
  `CREATE TABLE created_codes (at INTEGER PRIMARY KEY, paid INTEGER NOT NULL, other INTEGER NOT NULL) STRICT;
  CREATE TRIGGER created_codes_paid AFTER UPDATE OF status ON qr_codes
    WHEN NEW.status = 'PAYED' AND OLD.status <> 'PAYED'
    BEGIN
      INSERT INTO created_codes VALUES (NEW.created_at - NEW.created_at % 900, 1, 0)
        ON CONFLICT DO UPDATE SET paid = paid + 1;
    END;
  CREATE TRIGGER created_codes_other AFTER INSERT ON qr_codes WHEN NEW.type <> 'DYNAMIC'
    BEGIN
      INSERT INTO created_codes VALUES (NEW.created_at - NEW.created_at % 900, 0, 1)
        ON CONFLICT DO UPDATE SET other = other + 1;
    END;`,

  // qr_code: the number of a QR code, or of one that was deleted; NULL where the site has none with the link. reference: the
  // connector's own text, where it is another one than the QR code's. token, event: of a payment by token, the token, and
  // the number of the event that requested it. sale: the number of the sale that it is for.
  `CREATE TABLE payments (
    number INTEGER PRIMARY KEY,
    payment_uid TEXT NOT NULL UNIQUE,
    qr_code INTEGER,
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
    payer_phone TEXT,
    token INTEGER,
    event INTEGER,
    reference TEXT,
    sale INTEGER
  ) STRICT;`,
  // The list, newest first: each status is a range. Completed payments that no QR code took are rare.
  `CREATE INDEX payments_by_time ON payments (status, created_at);
  CREATE INDEX payments_not_applied ON payments (status, created_at) WHERE applied = 0;`,

  // event: the number of the event that requested it, or of the report that made it.
  `CREATE TABLE refunds (
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
  CREATE INDEX refunds_by_uid ON refunds (refund_uid, payment);
  CREATE INDEX refunds_waiting ON refunds (number) WHERE status = 'WAITING';`,

  // A token without binding_uid waits for its binding. Tokens are found by the hash of their value. due_at: when the clock
  // rejects or expires it. event: the number of the event that deleted or expired it. binding_reference: the connector's own
  // text of the binding. at: of a token that the clock ends, when; of another one, when it got its status.
  `CREATE TABLE tokens (
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
    event INTEGER,
    binding_reference TEXT,
    at INTEGER AS (iif(status IN ('WAITING', 'CREATED'), due_at, changed_at)) VIRTUAL
  ) STRICT;
  CREATE INDEX tokens_by_qr_code ON tokens (qr_code);
  CREATE INDEX tokens_by_account ON tokens (account);
  CREATE INDEX tokens_by_time ON tokens (status, at);`,

  // A sale of a COUNTER code. status: WAITING while the bank is asked to arm it, until due_at at the latest. version
  // increases with every change. payment: the number of the payment that was applied. The open sale of a code, whose
  // ended_at is NULL, is its latest. No number is used again. The search finds sales of all codes by their sale_uid.
  `CREATE TABLE sales (
    number INTEGER PRIMARY KEY,
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
    UNIQUE (sale_uid, qr_code)
  ) STRICT;
  CREATE INDEX sales_by_qr_code ON sales (qr_code);
  CREATE INDEX sales_by_due_at ON sales (due_at) WHERE ended_at IS NULL;
  CREATE INDEX sales_unpaid ON sales (qr_code, due_at) WHERE payment IS NULL;`,

  // qr_code: the number of a QR code, or of one that was deleted. status: the QR code's after the event. payment, refund,
  // token, sale: JSON, as they were then. A payment whose QR code was not known when it was reported can have a second
  // event, in which isRepeated stands: only its first one is money.
  `CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    at INTEGER NOT NULL,
    caller INTEGER NOT NULL REFERENCES callers (number),
    qr_code INTEGER,
    status TEXT,
    payment TEXT,
    refund TEXT,
    token TEXT,
    sale TEXT
  ) STRICT;`,
  // The report of payments.
  `CREATE INDEX events_of_money ON events (at) WHERE type IN ('payment.completed', 'refund.completed');`,

  // What was paid and refunded in a quarter of an hour, which begins at the time: any offset from UTC is whole quarters.
  // accepted: the sum of the refunds that were requested, or first reported, in it and are not declined.
  `CREATE TABLE turnover (
    at INTEGER NOT NULL,
    currency TEXT NOT NULL,
    payments INTEGER NOT NULL DEFAULT 0,
    paid INTEGER NOT NULL DEFAULT 0,
    refunds INTEGER NOT NULL DEFAULT 0,
    refunded INTEGER NOT NULL DEFAULT 0,
    accepted INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (at, currency)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER turnover_of_payments AFTER INSERT ON events
    WHEN NEW.type = 'payment.completed' AND NEW.payment ->> 'isRepeated' IS NULL
    BEGIN
      INSERT INTO turnover (at, currency, payments, paid) VALUES (NEW.at - NEW.at % 900,
        NEW.payment ->> '$.amount.currency', 1, NEW.payment ->> '$.amount.minorUnits')
        ON CONFLICT DO UPDATE SET payments = payments + 1, paid = paid + excluded.paid;
    END;
  CREATE TRIGGER turnover_of_refunds AFTER INSERT ON events WHEN NEW.type = 'refund.completed'
    BEGIN
      INSERT INTO turnover (at, currency, refunds, refunded) VALUES (NEW.at - NEW.at % 900,
        NEW.refund ->> '$.amount.currency', 1, NEW.refund ->> '$.amount.minorUnits')
        ON CONFLICT DO UPDATE SET refunds = refunds + 1, refunded = refunded + excluded.refunded;
    END;
  CREATE TRIGGER turnover_of_accepted AFTER INSERT ON refunds WHEN NEW.status <> 'DECLINED'
    BEGIN
      INSERT INTO turnover (at, currency, accepted) VALUES (NEW.created_at - NEW.created_at % 900,
        (SELECT currency FROM payments WHERE number = NEW.payment), NEW.minor_units)
        ON CONFLICT DO UPDATE SET accepted = accepted + excluded.accepted;
    END;
  CREATE TRIGGER turnover_of_declined AFTER UPDATE OF status ON refunds
    WHEN (OLD.status = 'DECLINED') <> (NEW.status = 'DECLINED')
    BEGIN
      UPDATE turnover SET accepted = accepted + iif(NEW.status = 'DECLINED', -NEW.minor_units, NEW.minor_units)
        WHERE at = NEW.created_at - NEW.created_at % 900
          AND currency = (SELECT currency FROM payments WHERE number = NEW.payment);
    END;`,

  // Notifications to the merchant and instructions to payment networks. event: the number of the event that made it. kind:
  // 'notification', or 'token' for the second one of an event; 'instruction', or 'cancel' for the one that cancels a link.
  // queue: 'merchant', or a network. For an address of the table callbacks, 'merchant' and the kind are followed by : and its id.
  // Times are milliseconds. set_at: when the time of the next attempt was computed: later than the present only if a clock was ahead.
  // taken_at, overdue_at: of an instruction, when it was taken last, and when it is overdue. attempted: whether a delivery
  // was ever begun, whatever became of it. blocked: it waits for another row of its QR code.
  `CREATE TABLE outbox (
    event INTEGER NOT NULL,
    kind TEXT NOT NULL,
    queue TEXT NOT NULL,
    qr_code INTEGER,
    content TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts TEXT NOT NULL,
    used INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    due_at INTEGER,
    send_at INTEGER,
    set_at INTEGER NOT NULL,
    leased_until INTEGER,
    delete_at INTEGER,
    taken_at INTEGER,
    overdue_at INTEGER,
    attempted INTEGER NOT NULL DEFAULT 0,
    blocked INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (event, kind)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX outbox_by_status ON outbox (status);`,
  // Instructions that are not taken are found without those that are.
  `CREATE INDEX outbox_sendable ON outbox (queue, taken_at IS NULL, send_at)
    WHERE status = 'PENDING' AND leased_until IS NULL AND blocked = 0;
  CREATE INDEX outbox_blocked ON outbox (queue, qr_code, send_at) WHERE blocked = 1;
  CREATE INDEX outbox_leased ON outbox (queue, leased_until) WHERE leased_until IS NOT NULL;
  CREATE INDEX outbox_overdue ON outbox (overdue_at) WHERE overdue_at IS NOT NULL;
  CREATE INDEX outbox_ended ON outbox (delete_at) WHERE delete_at IS NOT NULL;`,

  // Endpoints that fail. Times are milliseconds; set_at is as in outbox. since: the first failure after the last success.
  `CREATE TABLE endpoints (
    queue TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    probe_at INTEGER NOT NULL,
    set_at INTEGER NOT NULL,
    since INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;`,
  WHOLE_INDEXES,
].join('\n')

/**
 * Documents of cash registers. payment, refund: numbers of rows. attempt: from 1 on; another one has another receipt_uid. terms: the
 * number of a row of receipt_terms. receipts_of_others: those of refunds and closings. request: what the merchant asked for, of a document that a request made. at: the time of what it
 * documents. place: the number of the event that accepted what it documents, by which closings and refunds follow each other. event:
 * that of the event that made it, and of its instruction in the outbox. due_at: when the wait for a contact ends. held: why it waits for
 * the operator. error, fiscal: JSON.
 * contacts: whose, `qrCode`, `sale` or `payment`, and the number of its row; `free` of a text that was erased. used_at: when it was
 * given, or a document with it was made. contact_texts: all of one length, and none is deleted: a row that is written in its place leaves
 * no byte of the text before it, where SQLite would leave those of rows that are deleted or moved. Two long rows come first, so that no
 * row with a text is on the first page of the table, which SQLite copies when it is full.
 */
const RECEIPTS = `
  CREATE TABLE receipt_terms (number INTEGER PRIMARY KEY, terms TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE receipts (
    number INTEGER PRIMARY KEY,
    receipt_uid TEXT NOT NULL UNIQUE,
    payment INTEGER NOT NULL REFERENCES payments (number),
    kind TEXT NOT NULL,
    refund INTEGER REFERENCES refunds (number),
    closing_uid TEXT,
    attempt INTEGER NOT NULL,
    state TEXT NOT NULL,
    minor_units INTEGER NOT NULL,
    terms INTEGER NOT NULL REFERENCES receipt_terms (number),
    items TEXT NOT NULL,
    taxation TEXT,
    request TEXT,
    at INTEGER NOT NULL,
    place INTEGER NOT NULL,
    event INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    sent_at INTEGER,
    registered_at INTEGER,
    waits_for TEXT,
    due_at INTEGER,
    held TEXT,
    error TEXT,
    fiscal TEXT
  ) STRICT;
  CREATE INDEX receipts_by_payment ON receipts (payment);
  CREATE INDEX receipts_by_state ON receipts (state, created_at);
  CREATE INDEX receipts_of_others ON receipts (state, created_at) WHERE kind <> 'sale';
  CREATE INDEX receipts_due ON receipts (due_at) WHERE due_at IS NOT NULL;
  CREATE TABLE contacts (
    of TEXT NOT NULL,
    row INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    text INTEGER NOT NULL,
    PRIMARY KEY (of, row)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE contact_texts (number INTEGER PRIMARY KEY, contact TEXT NOT NULL) STRICT;
  CREATE INDEX contacts_by_use ON contacts (used_at) WHERE of <> 'free';`

/**
 * What 0.4.0 adds.
 * ended_by: who ended a token, NULL of one that has not ended and of one that 0.3.0 ended. decision: what the merchant has decided
 * about a payment that is not applied, DELIVERED or NULL, and when. Few payments are by a token, so their index is partial.
 * callbacks: addresses for notifications besides `callbackUrl` of the settings, and the keys of each, two at most; types is a JSON
 * array. qr_codes.callback_url: where the notifications of the QR code go instead.
 * api_keys.person: who created it in the console. callers.person: the id of a person, empty where a key or nobody acts. events.subject: the key or the person that the event is of, as
 * JSON. sessions.tills: as people.tills. sales.caller: who made the sale, NULL of one that 0.3.0 made.
 * site.has_settlements: whether there are the tables of src/site/settlements/schema.ts.
 * site.cash_register: what the operator set, as JSON. receipt_terms: the cash register and the settings that hold for the receipts of
 * codes and sales, as JSON; a few rows. receipt: what the request of a code or a sale stated, without the contact, as JSON; receipt_terms
 * of the same: NULL at a site without a cash register. payments.receipt: the number of the latest document of the sale. refunds.items: what the receipt of the refund lists, as a JSON array, NULL where
 * the sale has no receipt. RECEIPTS says more. payments.method: NULL where no report has said how it was paid.
 * payments.bank: in whose settlement files it stands. payments.bank_order, refunds.bank_number: how those files name it besides
 * payments.network_uid. All three are NULL where no report has stated them.
 */
const SINCE_0_4_0 = `
  ALTER TABLE tokens ADD COLUMN ended_by TEXT;
  ALTER TABLE payments ADD COLUMN decision TEXT;
  ALTER TABLE payments ADD COLUMN decision_note TEXT;
  ALTER TABLE payments ADD COLUMN decided_at INTEGER;
  ALTER TABLE payments ADD COLUMN receipt INTEGER;
  ALTER TABLE payments ADD COLUMN method TEXT;
  ALTER TABLE payments ADD COLUMN bank TEXT;
  ALTER TABLE payments ADD COLUMN bank_order TEXT;
  CREATE INDEX payments_by_token ON payments (token) WHERE token IS NOT NULL;
  CREATE TABLE callbacks (
    id TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    types TEXT NOT NULL,
    label TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE callback_keys (
    id TEXT PRIMARY KEY,
    callback TEXT NOT NULL REFERENCES callbacks (id),
    key TEXT NOT NULL,
    active INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE qr_codes ADD COLUMN callback_url TEXT;
  ${PEOPLE}
  ALTER TABLE callers ADD COLUMN person TEXT NOT NULL DEFAULT '';
  ALTER TABLE api_keys ADD COLUMN person TEXT;
  ALTER TABLE api_keys ADD COLUMN tills TEXT;
  ALTER TABLE events ADD COLUMN subject TEXT;
  ALTER TABLE sessions ADD COLUMN tills TEXT;
  ALTER TABLE sales ADD COLUMN caller INTEGER REFERENCES callers (number);
  ALTER TABLE site ADD COLUMN cash_register TEXT;
  ALTER TABLE site ADD COLUMN has_settlements INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE qr_codes ADD COLUMN receipt TEXT;
  ALTER TABLE qr_codes ADD COLUMN receipt_terms INTEGER;
  ALTER TABLE sales ADD COLUMN receipt TEXT;
  ALTER TABLE sales ADD COLUMN receipt_terms INTEGER;
  ALTER TABLE refunds ADD COLUMN items TEXT;
  ALTER TABLE refunds ADD COLUMN bank_number TEXT;
  ${RECEIPTS}`

/**
 * Rows that a code names: see src/site/rows/named.ts. qr_codes.created_event, ended_event: the numbers of the event of its creation,
 * and of the one that made its status final first. refunds.completed_event: that of its completion. NULL where the row is not `named`.
 */
const NAMED_ROWS = `
  ALTER TABLE events ADD COLUMN named INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE payments ADD COLUMN named INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE qr_codes ADD COLUMN created_event INTEGER;
  ALTER TABLE qr_codes ADD COLUMN ended_event INTEGER;
  ALTER TABLE refunds ADD COLUMN completed_event INTEGER;`

/** Instead of WHOLE_INDEXES in a new site: none has an entry for a new code, and its payment has fewer (decision 153). */
const PARTIAL_INDEXES = `
  CREATE INDEX qr_codes_by_status ON qr_codes (status) WHERE status <> 'CREATED';
  CREATE INDEX payments_by_qr_code ON payments (ifnull(qr_code, link_id)) WHERE named = 0;
  CREATE INDEX events_by_qr_code ON events (qr_code) WHERE named = 0;`

/** SQLite stores the text of tables: without its indentation it takes a page less of every site. */
const unindented = (statements: string): string => statements.replaceAll(/^ +/gm, '')

/** The tables of a site. */
export const SITE: Schema = {
  table: 'site',
  versions: [unindented(TABLES), unindented(SINCE_0_4_0), unindented(NAMED_ROWS)],
  inNew: { leavesOut: unindented(WHOLE_INDEXES), adds: unindented(PARTIAL_INDEXES) },
}

/** What a schema needs of a database: the commands of bin/ open it without an object. */
export interface TableStorage {
  sql: Sql
  transactionSync(work: () => void): void
}

/** The database has the tables of a build before 0.3.0, the first with this schema. */
export class EarlierBuild extends Error {}

/** The text of that error, for a database that it concerns: those builds stored the texts of their migrations. */
export function earlierBuildIn(sql: Sql): string | undefined {
  if (!hasTable(sql, 'migrations')) return undefined
  const version = integer(sql, 'SELECT count(*) FROM migrations')
  return `the database is of version ${version} of a build before 0.3.0, which this build cannot read: run 0.2.0 to read it`
}

const hasTable = (sql: Sql, name: string): boolean =>
  integer(sql, 'SELECT 1 FROM sqlite_master WHERE name = ?', name) === 1

/** Whether the database has tables: a query that writes nothing. @throws EarlierBuild */
export function hasTables({ sql }: Pick<TableStorage, 'sql'>, { table } = SITE): boolean {
  const earlier = earlierBuildIn(sql)
  if (earlier !== undefined) throw new EarlierBuild(earlier)
  return hasTable(sql, table)
}

/** How many versions of the schema the database has: a query that writes nothing. @throws EarlierBuild */
export const versionIn = (storage: Pick<TableStorage, 'sql'>, schema = SITE): number =>
  (hasTables(storage, schema) ? integer(storage.sql, `SELECT schema_version FROM ${schema.table}`) : 0) ?? 0

/** Whether the database has all versions, and perhaps newer ones: a query that writes nothing. @throws EarlierBuild */
export const areUpToDate = (storage: Pick<TableStorage, 'sql'>, schema = SITE): boolean =>
  versionIn(storage, schema) >= schema.versions.length

/** Makes the tables, or brings them up to date; newer ones stay as they are. It writes; see Tables. @throws EarlierBuild */
export function migrate(storage: TableStorage, schema = SITE): void {
  const { table, versions, inNew } = schema
  const version = versionIn(storage, schema)
  const pending =
    version === 0 && inNew
      ? [...versions.map((each) => each.replace(inNew.leavesOut, '')), inNew.adds]
      : versions.slice(version)
  if (pending.length === 0) return
  storage.transactionSync(() => {
    for (const statements of pending) storage.sql.exec(statements)
    storage.sql.exec(`UPDATE ${table} SET schema_version = ?`, versions.length)
  })
}
