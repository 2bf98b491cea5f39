// The tables of settlements: a site without an import has none of them, and not a page more.
import { integer, type Sql } from '../rows/sql.ts'
import { hasSettlementsIn } from './has-settlements.ts'

/**
 * As the tables of a site, they come in versions that only add; see Schema. Amounts are kopecks, times Unix seconds.
 *
 * settlement_state: one row. generation: the published one. job: the import or the deletion in progress, as JSON; see Job.
 * matched_event: later events of payments and refunds are not matched yet. late_at: when they are at the earliest (milliseconds).
 * epoch: of the site, when it was matched. anew_event: after a restore, the last event of which all is matched anew. told: what figures the registry has; see figures.ts.
 *
 * settlements: files. since: the generation that has it first, until: the first one that has it no more. is_part: of a file that an
 * operator split over several sites. skipped_net: JSON. settlement_counts: entries of a file by state, as of a generation; the newest
 * one that is not newer than the published generation counts. other: those that are another product's.
 *
 * settlement_staged: what an import has brought so far, without an index but its numbers. key: the number of the entry.
 *
 * settlement_lines: an entry is a number that its identity gives, and a line for each file that has it. ids, JSON: by which it is matched.
 * settlement_ids: by which values lines are found; key: a hash of the value and its name; day: in Moscow, negative without a time.
 *
 * settlement_matches: how an entry matches; the newest row that is not newer than the published generation counts. file: whose line is
 * shown, NULL where none is. payment, refund: numbers of rows; a refund has both. is_own: the entry is the payment
 * or the refund itself, and not a fee or a correction of it. settlement_changes: entries of which a match was
 * replaced, so that rows can be deleted. settlement_learned: payments of which a repeated report told what a bank calls them or their
 * refunds: that is no event, and the alarm matches them.
 */
const TABLES = `
  CREATE TABLE settlement_state (
    schema_version INTEGER NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0,
    job TEXT,
    matched_event INTEGER NOT NULL DEFAULT 0,
    late_at INTEGER NOT NULL DEFAULT 0,
    epoch TEXT NOT NULL,
    anew_event INTEGER,
    told TEXT
  ) STRICT;
  CREATE TABLE settlements (
    number INTEGER PRIMARY KEY,
    settlement_uid TEXT NOT NULL,
    bank TEXT NOT NULL,
    format TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    from_day TEXT,
    to_day TEXT,
    imported_at INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    skipped INTEGER NOT NULL,
    skipped_net TEXT NOT NULL,
    is_part INTEGER NOT NULL,
    repeated INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER
  ) STRICT;
  CREATE TABLE settlement_counts (
    file INTEGER NOT NULL,
    since INTEGER NOT NULL,
    matched INTEGER NOT NULL,
    mismatched INTEGER NOT NULL,
    unknown INTEGER NOT NULL,
    other INTEGER NOT NULL,
    PRIMARY KEY (file, since)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE settlement_staged (number INTEGER PRIMARY KEY, key INTEGER NOT NULL, entry TEXT NOT NULL) STRICT;
  CREATE TABLE settlement_lines (
    entry INTEGER NOT NULL,
    file INTEGER NOT NULL,
    line INTEGER NOT NULL,
    identity TEXT NOT NULL,
    kind TEXT NOT NULL,
    type TEXT NOT NULL,
    gross INTEGER,
    fee INTEGER,
    fee_vat INTEGER,
    fee_vat_separate INTEGER,
    net INTEGER,
    operated_at INTEGER NOT NULL,
    has_time INTEGER NOT NULL,
    paid_on TEXT,
    ids TEXT NOT NULL,
    PRIMARY KEY (entry, file)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX settlement_lines_by_file ON settlement_lines (file, entry);
  CREATE INDEX settlement_lines_by_kind ON settlement_lines (kind, operated_at);
  CREATE INDEX settlement_lines_by_payout ON settlement_lines (paid_on) WHERE paid_on IS NOT NULL;
  CREATE TABLE settlement_ids (
    key INTEGER NOT NULL,
    amount INTEGER NOT NULL,
    day INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    file INTEGER NOT NULL,
    PRIMARY KEY (key, amount, day, entry, file)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE settlement_matches (
    entry INTEGER NOT NULL,
    since INTEGER NOT NULL,
    file INTEGER,
    at INTEGER NOT NULL,
    state TEXT,
    payment INTEGER,
    refund INTEGER,
    is_own INTEGER NOT NULL,
    differences TEXT,
    PRIMARY KEY (entry, since)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX settlement_matches_by_payment ON settlement_matches (payment) WHERE payment IS NOT NULL;
  CREATE INDEX settlement_matches_open ON settlement_matches (state, at) WHERE state IN ('MISMATCHED', 'UNKNOWN');
  CREATE TABLE settlement_changes (number INTEGER PRIMARY KEY, entry INTEGER NOT NULL) STRICT;
  CREATE TABLE settlement_learned (payment INTEGER PRIMARY KEY) STRICT;`

const VERSIONS: readonly string[] = [
  TABLES.replaceAll(/^ +/gm, ''),
  // The alarm asks for deleted files after each write of the site.
  'CREATE INDEX settlements_ended ON settlements (until) WHERE until IS NOT NULL;',
]

/** Makes the tables, or brings them up to date, in the transaction of the caller. @param event the number of the latest event */
export function makeSettlements(sql: Sql, event: number): void {
  const has = hasSettlementsIn(sql)
  const version = has ? (integer(sql, 'SELECT schema_version FROM settlement_state') ?? 0) : 0
  if (version >= VERSIONS.length) return
  for (const statements of VERSIONS.slice(version)) sql.exec(statements)
  if (has) sql.exec('UPDATE settlement_state SET schema_version = ?', VERSIONS.length)
  else {
    sql.exec('UPDATE site SET has_settlements = 1')
    sql.exec(
      'INSERT INTO settlement_state (schema_version, matched_event, epoch) SELECT ?, ?, epoch FROM site',
      ...[VERSIONS.length, event],
    )
  }
}

/**
 * The expression by which payments of a code are found, known or not: that of settlement_payments_by_code. Queries of settlements
 * cannot use the index of a new site with the same one, which leaves out the payments that are named (decision 153).
 */
export const CODE = 'ifnull(payments.qr_code, payments.link_id)'

/**
 * Indexes of payments and refunds, by which entries find them. They come with the first import, each in a transaction of its own: an
 * index is written from its beginning to its end, so no page of it is changed twice (decision 125).
 */
const INDEXES: Readonly<Record<string, string>> = {
  settlement_payments_by_number: 'payments (network_uid) WHERE network_uid IS NOT NULL',
  settlement_payments_by_order: 'payments (bank_order, minor_units, changed_at) WHERE bank_order IS NOT NULL',
  settlement_payments_by_code: 'payments (ifnull(qr_code, link_id), minor_units, changed_at)',
  settlement_payments_by_day: "payments (changed_at) WHERE status = 'COMPLETED' AND bank IS NOT NULL",
  settlement_refunds_by_number: 'refunds (bank_number) WHERE bank_number IS NOT NULL',
  settlement_refunds_by_amount: 'refunds (minor_units, changed_at)',
  settlement_refunds_by_day: "refunds (changed_at) WHERE status = 'COMPLETED'",
}

/** Makes one of the indexes that are missing. @returns false where none is */
export function makeNextIndex(sql: Sql): boolean {
  const missing = Object.entries(INDEXES).find(
    ([name]) => integer(sql, 'SELECT 1 FROM sqlite_master WHERE name = ?', name) !== 1,
  )
  if (!missing) return false
  sql.exec(`CREATE INDEX ${missing[0]} ON ${missing[1]}`)
  return true
}
