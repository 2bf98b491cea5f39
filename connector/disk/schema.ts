// The tables of the connector's database: those of 0.3.0, and what has changed since. Migrations are append-only.
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { RELEASED, RELEASED_VERSION } from './released-schema.ts'

/** The migrations after 0.3.0. Times are Unix milliseconds, amounts kopecks. */
const MIGRATIONS: readonly string[] = [
  `
  -- As late_asks: those that the bank answered with a payment in progress.
  CREATE TABLE pending_asks (
    site TEXT NOT NULL,
    qrc_id TEXT NOT NULL,
    sale_uid TEXT NOT NULL,          -- empty: the code itself
    asks INTEGER NOT NULL,
    PRIMARY KEY (site, qrc_id, sale_uid)
  ) STRICT;
  CREATE INDEX pending_asks_unresolved ON pending_asks (site, qrc_id, sale_uid) WHERE asks >= 72;
  `,
  `
  -- When the connector last began to send it. NULL: it never did, or an earlier version did.
  ALTER TABLE refunds ADD COLUMN sent_at INTEGER;
  `,
  `
  -- A bank states another amount of a completed payment, or charge, than was reported.
  CREATE TABLE amount_differences (
    site TEXT NOT NULL,
    payment_uid TEXT NOT NULL,
    stated INTEGER NOT NULL,         -- by the bank
    reported INTEGER NOT NULL,       -- to the service
    bank TEXT NOT NULL, qrc_id TEXT NOT NULL, found_at INTEGER NOT NULL,
    closed_at INTEGER, closed_by TEXT, closed_reason TEXT,  -- NULL: no operator has closed it
    PRIMARY KEY (site, payment_uid, stated)
  ) STRICT;
  CREATE INDEX amount_differences_open ON amount_differences (found_at) WHERE closed_at IS NULL;
  -- Of a refund that was made at the bank: the number of its identifier, from 0. NULL: an instruction has named it, or an
  -- earlier version of the connector.
  ALTER TABLE refunds ADD COLUMN bank_uid INTEGER;
  -- Whether the bank had left the amount out when it was asked: see BankPayment.isAmountAssumed.
  ALTER TABLE payments ADD COLUMN is_amount_assumed INTEGER NOT NULL DEFAULT 0;
  -- Of a sale's payment: the sale (empty: of an earlier version), and the number by which the bank's webhook names it. NULL: no
  -- webhook has told of it.
  ALTER TABLE payments ADD COLUMN sale_uid TEXT;
  ALTER TABLE payments ADD COLUMN webhook_number TEXT;
  UPDATE payments SET sale_uid = '' WHERE (site, qrc_id) IN (SELECT site, qrc_id FROM sales);
  -- Until now webhooks of one code and amount were counted: each payment gets one of those that are done.
  UPDATE payments SET webhook_number = told.number FROM (
    WITH paid AS (
      SELECT rowid AS place, qrc_id, amount, row_number() OVER (PARTITION BY qrc_id, amount ORDER BY created_at) AS n
      FROM payments WHERE status = 'COMPLETED' AND sale_uid IS NOT NULL
    ), named AS (
      SELECT qrc_id, amount, number, row_number() OVER (PARTITION BY qrc_id, amount ORDER BY min(received_at)) AS n FROM (
        SELECT content ->> 'qrcId' AS qrc_id, content ->> '$.payment.amount' AS amount,
          content ->> '$.payment.number' AS number, received_at FROM webhooks WHERE state = 'DONE')
      WHERE qrc_id IN (SELECT qrc_id FROM sales) AND number IS NOT NULL GROUP BY qrc_id, amount, number
    )
    SELECT place, number FROM paid JOIN named USING (qrc_id, amount, n)
  ) AS told WHERE payments.rowid = told.place;
  CREATE INDEX payments_untold ON payments (site, qrc_id, created_at) WHERE sale_uid IS NOT NULL AND webhook_number IS NULL;
  CREATE INDEX payments_by_webhook ON payments (site, qrc_id, webhook_number) WHERE webhook_number IS NOT NULL;
  DROP INDEX webhooks_done;
  -- A webhook that states another amount is another one.
  UPDATE webhooks SET id = id || ':' || (content ->> '$.payment.amount') WHERE id = content ->> '$.payment.number';
  `,
  `
  -- The place of a row in a queue: see work/queue.ts.
  ALTER TABLE webhooks RENAME COLUMN next_at TO due_at;
  ALTER TABLE webhooks ADD COLUMN rests INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE webhooks ADD COLUMN wakes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE webhooks ADD COLUMN stepped_at INTEGER NOT NULL DEFAULT 0;
  -- Why it waits: see inbox/problems.ts. The note has the words of an error.
  ALTER TABLE webhooks ADD COLUMN problem TEXT;
  UPDATE webhooks SET stepped_at = received_at, problem = CASE note
    WHEN 'no site has this code' THEN 'NO_SITE'
    WHEN 'the bank tells of no paid sale of this code' THEN 'NO_SALE'
    WHEN 'the bank tells of no payment of that time' THEN 'NO_PAYMENT' END;
  UPDATE webhooks SET rests = 1, due_at = received_at WHERE due_at = 9007199254740991;
  DROP INDEX webhooks_new;
  CREATE INDEX webhooks_open ON webhooks (bank, rests, due_at) WHERE state = 'NEW';

  ALTER TABLE charges RENAME COLUMN next_at TO due_at;
  ALTER TABLE charges ADD COLUMN rests INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE charges ADD COLUMN wakes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE charges ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE charges ADD COLUMN stepped_at INTEGER NOT NULL DEFAULT 0;
  UPDATE charges SET stepped_at = created_at;
  DROP INDEX charges_open;
  CREATE INDEX charges_open ON charges (bank, rests, due_at) WHERE state NOT IN ('COMPLETED', 'DECLINED');

  ALTER TABLE refunds RENAME COLUMN next_at TO due_at;
  ALTER TABLE refunds ADD COLUMN rests INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE refunds ADD COLUMN wakes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE refunds ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE refunds ADD COLUMN stepped_at INTEGER NOT NULL DEFAULT 0;
  -- What the merchant was told last of a refund without a result: HELD, UNSENT, SENT; and when.
  ALTER TABLE refunds ADD COLUMN told TEXT;
  ALTER TABLE refunds ADD COLUMN told_at INTEGER;
  UPDATE refunds SET stepped_at = created_at;
  UPDATE refunds SET rests = 1, due_at = created_at WHERE due_at = 8640000000000000;
  UPDATE refunds SET told_at = reports.created_at, told = CASE
      WHEN body ->> 'reason' LIKE 'held, %' THEN 'HELD' WHEN body ->> 'reason' LIKE 'not sent yet, %' THEN 'UNSENT' ELSE 'SENT' END
    FROM reports WHERE refunds.state NOT IN ('COMPLETED', 'DECLINED') AND body ->> 'status' = 'WAITING'
      AND path = '/network/v1/sites/' || refunds.site || '/payments/' || payment_uid || '/refunds/' || refund_uid;
  -- A note of the form {status}{?}{ milliseconds} is JSON from now on.
  UPDATE refunds SET note = json_patch(
      json_object('before', rtrim(iif(instr(note, ' ') = 0, note, substr(note, 1, instr(note, ' ') - 1)), '?'),
        'isInDoubt', json(iif(instr(note, '?') = 0, 'false', 'true'))),
      iif(instr(note, ' ') = 0, '{}', json_object('failedAt', CAST(substr(note, instr(note, ' ') + 1) AS INTEGER))))
    WHERE note GLOB 'CONFIRMED*' OR note GLOB 'PARTIAL_REFUNDED*';
  DROP INDEX refunds_open;
  CREATE INDEX refunds_open ON refunds (bank, rests, due_at) WHERE state NOT IN ('COMPLETED', 'DECLINED');

  ALTER TABLE reports RENAME COLUMN next_at TO due_at;
  ALTER TABLE reports ADD COLUMN rests INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE reports ADD COLUMN wakes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE reports ADD COLUMN stepped_at INTEGER NOT NULL DEFAULT 0;
  UPDATE reports SET stepped_at = created_at WHERE state <> 'ACCEPTED';
  DROP INDEX reports_open;
  CREATE INDEX reports_open ON reports (site, rests, due_at) WHERE state <> 'ACCEPTED';

  ALTER TABLE cancellations RENAME COLUMN next_at TO due_at;
  ALTER TABLE cancellations ADD COLUMN bank TEXT NOT NULL DEFAULT '';
  ALTER TABLE cancellations ADD COLUMN rests INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE cancellations ADD COLUMN wakes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE cancellations ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE cancellations ADD COLUMN stepped_at INTEGER NOT NULL DEFAULT 0;
  -- A reference begins with the bank's name, which has no colon.
  UPDATE cancellations SET stepped_at = since, bank = substr(reference, 1, instr(reference, ':') - 1);
  DROP INDEX cancellations_due;
  CREATE INDEX cancellations_open ON cancellations (bank, rests, due_at);

  ALTER TABLE codes RENAME COLUMN ask_at TO due_at;
  ALTER TABLE codes RENAME COLUMN asked_at TO stepped_at;
  ALTER TABLE codes ADD COLUMN rests INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE codes ADD COLUMN wakes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE codes ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
  UPDATE codes SET rests = 1 WHERE due_at IS NULL;
  -- Without the request to bind an account, which follows behind '#': so a webhook names it.
  ALTER TABLE codes ADD COLUMN link_reference TEXT
    AS (iif(instr(reference, '#') = 0, reference, substr(reference, 1, instr(reference, '#') - 1)));
  DROP INDEX codes_by_reference;
  CREATE INDEX codes_by_link_reference ON codes (link_reference);
  DROP INDEX codes_to_ask;
  CREATE INDEX codes_open ON codes (bank, rests, due_at) WHERE rests = 0;

  ALTER TABLE sales RENAME COLUMN ask_at TO due_at;
  ALTER TABLE sales RENAME COLUMN asked_at TO stepped_at;
  ALTER TABLE sales ADD COLUMN rests INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sales ADD COLUMN wakes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sales ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
  UPDATE sales SET rests = 1 WHERE due_at IS NULL;
  DROP INDEX sales_to_ask;
  CREATE INDEX sales_open ON sales (bank, rests, due_at) WHERE rests = 0;

  ALTER TABLE bindings RENAME COLUMN ask_at TO due_at;
  ALTER TABLE bindings RENAME COLUMN asked_at TO stepped_at;
  ALTER TABLE bindings ADD COLUMN rests INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE bindings ADD COLUMN wakes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE bindings ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
  UPDATE bindings SET rests = 1 WHERE due_at IS NULL;
  DROP INDEX bindings_to_ask;
  CREATE INDEX bindings_open ON bindings (bank, rests, due_at) WHERE rests = 0;

  -- 0.3.0 does not read the version of the schema. Each start of it has this statement.
  CREATE TRIGGER earlier_version BEFORE INSERT ON meta
    WHEN NEW.name = 'createdAt' AND EXISTS (SELECT 1 FROM meta WHERE name = 'createdAt')
    BEGIN SELECT RAISE(ABORT, 'a later version of the connector has used this disk: run that version, or restore a backup from before it'); END;
  `,
  `
  -- Documents of cash registers. On disk before the register is called.
  CREATE TABLE receipts (
    site TEXT NOT NULL,
    receipt_uid TEXT NOT NULL,
    register TEXT NOT NULL,          -- the name of the cash register
    kind TEXT NOT NULL,              -- sale, refund, closing
    payment_uid TEXT NOT NULL,
    refund_uid TEXT, closing_uid TEXT,
    reference TEXT NOT NULL,         -- of the payment, without the bank's name
    amount INTEGER NOT NULL,
    given_at INTEGER NOT NULL,       -- the timestamp of the instruction
    state TEXT NOT NULL,             -- QUEUED, SENDING, PENDING, HELD, REGISTERED, FAILED, OVER
    data TEXT NOT NULL,              -- of the instruction: JSON; empty once nothing is sent any more
    request TEXT NOT NULL DEFAULT '', -- what was sent, byte for byte; empty before, and once it is not sent any more
    note TEXT NOT NULL DEFAULT '',   -- the register's, for later questions
    reason TEXT NOT NULL DEFAULT '',
    can_retry INTEGER NOT NULL DEFAULT 0,
    fiscal TEXT,                     -- JSON
    sent_at INTEGER,
    told TEXT,                       -- HELD, SENT
    created_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    rests INTEGER NOT NULL DEFAULT 0,
    wakes INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    stepped_at INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (site, receipt_uid)
  ) STRICT;
  CREATE INDEX receipts_open ON receipts (register, rests, due_at) WHERE state NOT IN ('REGISTERED', 'FAILED', 'OVER');
  CREATE INDEX receipts_by_payment ON receipts (site, payment_uid);
  CREATE INDEX receipts_by_key ON receipts (receipt_uid);
  CREATE INDEX receipts_by_note ON receipts (note) WHERE note <> '';
  CREATE INDEX receipts_by_time ON receipts (given_at);
  -- Of a document: then payment_uid is that of its payment. NULL: the decision is about money.
  ALTER TABLE decisions ADD COLUMN receipt_uid TEXT;
  CREATE INDEX decisions_of_refund ON decisions (site, payment_uid, refund_uid) WHERE refund_uid IS NOT NULL;
  `,
  `
  CREATE INDEX receipts_by_reference ON receipts (reference) WHERE reference <> '';
  -- The receipt that the bank's call carries: JSON, with the payer's contact. Empty: none, or nothing is sent any more.
  ALTER TABLE charges ADD COLUMN receipt TEXT NOT NULL DEFAULT '';
  ALTER TABLE refunds ADD COLUMN receipt TEXT NOT NULL DEFAULT '';
  `,
  `
  -- Ids that a bank has reserved for COUNTER codes. On disk before the bank is called.
  CREATE TABLE reserved_ids (
    identity TEXT NOT NULL,          -- of the bank's credentials
    qrc_id TEXT NOT NULL,
    state TEXT NOT NULL,             -- ASSIGNED, FREE, TAKEN
    site TEXT NOT NULL,
    key TEXT NOT NULL,               -- of the registration
    bank_order TEXT NOT NULL,        -- under which the bank was called
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (identity, qrc_id)
  ) STRICT;
  CREATE INDEX reserved_ids_by_key ON reserved_ids (identity, site, key);
  `,
  `
  -- Those of the instruction, as JSON: what the cash register was told of. Empty: not known.
  ALTER TABLE receipts ADD COLUMN items TEXT NOT NULL DEFAULT '';
  `,
]

const Version = z.object({ user_version: z.int() })

/** Within a transaction. @throws Error where the disk is of an earlier version than 0.3.0, or of a later one than this */
export function migrate(database: DatabaseSync): void {
  const { user_version: version } = Version.parse(database.prepare('PRAGMA user_version').get())
  const latest = RELEASED_VERSION + MIGRATIONS.length
  if (version > latest)
    throw new Error(
      'a later version of the connector has used this disk: run that version, or restore a backup from before it',
    )
  if (version > 0 && version < RELEASED_VERSION)
    throw new Error('an earlier version than 0.3.0 has made this disk: start version 0.3.0 on it once')
  if (version === 0) database.exec(RELEASED)
  for (const migration of MIGRATIONS.slice(Math.max(version - RELEASED_VERSION, 0))) database.exec(migration)
  database.exec(`PRAGMA user_version = ${latest}`)
}
