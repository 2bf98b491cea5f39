// The tables of the connector's database as 0.3.0 makes them: never edited.

/** `PRAGMA user_version` of a disk of 0.3.0. */
export const RELEASED_VERSION = 9

export const RELEASED = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

  -- A registration of a link: before the bank is called, and what it answered.
  CREATE TABLE codes (
    id TEXT PRIMARY KEY,             -- the order: fresh for every registration
    site TEXT NOT NULL,
    bank TEXT NOT NULL,
    key TEXT,                        -- the service's; NULL for a code that was learned from the service
    type TEXT NOT NULL,
    amount INTEGER,
    state TEXT NOT NULL,             -- CALLING, OPEN, PAID, CANCELLED, ENDED
    qrc_id TEXT,
    payload TEXT,
    reference TEXT,                  -- with the bank's name
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    asked_at INTEGER NOT NULL,       -- when the bank was last asked about it
    ask_at INTEGER                   -- when to ask next; NULL: never
  ) STRICT;
  CREATE INDEX codes_by_key ON codes (site, key);
  CREATE UNIQUE INDEX codes_by_qrc_id ON codes (site, qrc_id);
  CREATE INDEX codes_by_link ON codes (qrc_id);
  CREATE INDEX codes_by_reference ON codes (reference);
  CREATE INDEX codes_to_ask ON codes (bank, ask_at) WHERE ask_at IS NOT NULL;

  -- One payment at a bank has one uid.
  CREATE TABLE payments (
    identity TEXT NOT NULL,          -- see Bank.identity
    key TEXT NOT NULL,               -- see BankPayment.key
    number TEXT NOT NULL,
    site TEXT NOT NULL,
    qrc_id TEXT NOT NULL,
    payment_uid TEXT NOT NULL,
    status TEXT NOT NULL,            -- COMPLETED, DECLINED
    amount INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (identity, key)
  ) STRICT;
  CREATE INDEX payments_by_code ON payments (site, qrc_id);

  CREATE TABLE refunds (
    site TEXT NOT NULL,
    payment_uid TEXT NOT NULL,
    refund_uid TEXT NOT NULL,
    bank TEXT NOT NULL,
    qrc_id TEXT NOT NULL,
    reference TEXT NOT NULL,         -- without the bank's name
    network_uid TEXT,
    amount INTEGER NOT NULL,
    given_at INTEGER NOT NULL,       -- the timestamp of the instruction
    state TEXT NOT NULL,             -- QUEUED, SENDING, PENDING, HELD, COMPLETED, DECLINED
    note TEXT NOT NULL DEFAULT '',   -- the bank's, for status calls
    reason TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    PRIMARY KEY (site, payment_uid, refund_uid)
  ) STRICT;
  CREATE INDEX refunds_open ON refunds (next_at) WHERE state NOT IN ('COMPLETED', 'DECLINED');
  CREATE INDEX refunds_by_time ON refunds (given_at);

  -- Refunds given in these periods and not on this disk may have been carried out.
  CREATE TABLE held_periods (until INTEGER PRIMARY KEY, since INTEGER NOT NULL) STRICT;

  -- Verified webhooks. Stored before the bank is answered.
  CREATE TABLE webhooks (
    bank TEXT NOT NULL,
    id TEXT NOT NULL,
    content TEXT NOT NULL,
    state TEXT NOT NULL,             -- NEW, DONE, FOREIGN, GIVEN_UP
    note TEXT NOT NULL DEFAULT '',
    received_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL,
    PRIMARY KEY (bank, id)
  ) STRICT;
  CREATE INDEX webhooks_new ON webhooks (next_at) WHERE state = 'NEW';
  CREATE INDEX webhooks_done ON webhooks (bank, content ->> 'qrcId') WHERE state = 'DONE';

  -- Reports to the service: one row for each address.
  CREATE TABLE reports (
    path TEXT PRIMARY KEY,
    site TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,             -- PENDING, ACCEPTED, GONE, UNKNOWN
    created_at INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    answer TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE INDEX reports_open ON reports (next_at) WHERE state <> 'ACCEPTED';

  -- Armings of COUNTER codes: each once.
  CREATE TABLE sales (
    site TEXT NOT NULL,
    qrc_id TEXT NOT NULL,
    sale_uid TEXT NOT NULL,
    bank TEXT NOT NULL,
    reference TEXT,                  -- with the bank's name; NULL while the bank is being called
    amount INTEGER NOT NULL,
    state TEXT NOT NULL,             -- CALLING, OPEN, PAID, CANCELLED, ENDED
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    asked_at INTEGER NOT NULL,
    ask_at INTEGER,
    PRIMARY KEY (site, qrc_id, sale_uid)
  ) STRICT;
  CREATE INDEX sales_to_ask ON sales (bank, ask_at) WHERE ask_at IS NOT NULL;
  CREATE INDEX sales_by_time ON sales (site, qrc_id, created_at);

  -- Asks after the end of a code or a sale that decided nothing.
  CREATE TABLE late_asks (
    site TEXT NOT NULL,
    qrc_id TEXT NOT NULL,
    sale_uid TEXT NOT NULL,          -- empty: the code itself
    asks INTEGER NOT NULL,
    PRIMARY KEY (site, qrc_id, sale_uid)
  ) STRICT;
  CREATE INDEX late_asks_unresolved ON late_asks (site, qrc_id, sale_uid) WHERE asks >= 72;

  -- Cancellations that the bank has not confirmed: a link of these can still be paid.
  CREATE TABLE cancellations (
    site TEXT NOT NULL,
    qrc_id TEXT NOT NULL,
    reference TEXT NOT NULL,         -- with the bank's name
    since INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    PRIMARY KEY (site, qrc_id)
  ) STRICT;
  CREATE INDEX cancellations_due ON cancellations (next_at);

  -- Requests to bind an account, and what became of them. An end is kept for ever.
  CREATE TABLE bindings (
    site TEXT NOT NULL,
    binding_uid TEXT NOT NULL,
    bank TEXT NOT NULL,
    request TEXT NOT NULL,           -- the bank's id of the request
    qrc_id TEXT NOT NULL,
    state TEXT NOT NULL,             -- WAITING, CREATED, REJECTED, DELETED
    created_at INTEGER NOT NULL,
    expires_at INTEGER,              -- of the code
    asked_at INTEGER NOT NULL,
    ask_at INTEGER,                  -- when to ask the bank next; NULL: never
    PRIMARY KEY (site, binding_uid)
  ) STRICT;
  CREATE INDEX bindings_by_request ON bindings (request);
  CREATE INDEX bindings_to_ask ON bindings (bank, ask_at) WHERE ask_at IS NOT NULL;

  -- Charges of bound accounts. On disk before the bank is called.
  CREATE TABLE charges (
    site TEXT NOT NULL,
    payment_uid TEXT NOT NULL,
    qrc_id TEXT NOT NULL,
    binding_uid TEXT NOT NULL,
    bank TEXT NOT NULL,
    request TEXT NOT NULL,           -- of the binding
    bank_order TEXT NOT NULL,        -- see NewCharge.order
    code_reference TEXT,             -- of the code that is charged, with the bank's name
    amount INTEGER NOT NULL,
    purpose TEXT NOT NULL,
    given_at INTEGER NOT NULL,       -- the timestamp of the instruction
    expires_at INTEGER NOT NULL,
    state TEXT NOT NULL,             -- QUEUED, SENDING, PENDING, HELD, COMPLETED, DECLINED
    note TEXT NOT NULL DEFAULT '',   -- the bank's id of the charge
    reason TEXT NOT NULL DEFAULT '',
    reference TEXT NOT NULL DEFAULT '', -- of the payment, without the bank's name
    link_cancelled INTEGER NOT NULL DEFAULT 0,
    sent_at INTEGER,
    created_at INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    PRIMARY KEY (site, payment_uid)
  ) STRICT;
  CREATE INDEX charges_open ON charges (next_at) WHERE state NOT IN ('COMPLETED', 'DECLINED');
  CREATE INDEX charges_by_order ON charges (bank_order);
  CREATE INDEX charges_by_note ON charges (note) WHERE note <> '';
  CREATE INDEX charges_by_time ON charges (given_at);

  -- What operators have decided of held refunds and charges, and who.
  CREATE TABLE decisions (
    number INTEGER PRIMARY KEY,
    site TEXT NOT NULL,
    payment_uid TEXT NOT NULL,
    refund_uid TEXT,                 -- NULL: a charge
    result TEXT NOT NULL,            -- COMPLETED, DECLINED
    amount INTEGER NOT NULL,
    reason TEXT NOT NULL,
    decided_by TEXT NOT NULL,
    decided_at INTEGER NOT NULL,
    is_logged INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX decisions_to_log ON decisions (number) WHERE is_logged = 0;

  -- Sites whose data the service has deleted: payers' personal data of these are erased here too.
  CREATE TABLE deleted_sites (site TEXT PRIMARY KEY, is_erased INTEGER NOT NULL DEFAULT 0) STRICT;
  CREATE INDEX deleted_sites_to_erase ON deleted_sites (site) WHERE is_erased = 0;
`
