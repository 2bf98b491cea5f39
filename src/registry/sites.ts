// The table of the registry: a row for each site that exists, or was deleted.
import { LARGE_BYTES, type RegistryEntry, type Totals } from '../contract/registry-entry.ts'
import type { ListedSite, SitesQuery, Stuck } from '../contract/site-list.ts'
import { PEOPLE, type Schema, SESSIONS } from '../site/database/schema.ts'
import type { Sql } from '../site/rows/sql.ts'
import { OPERATOR_KEYS } from './keys.ts'
import { MACHINE } from './machine.ts'
import { removeSettlements, SETTLEMENT_MONTHS, settledEntriesIn } from './settlements.ts'

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

/**
 * Records what a site tells. A site that was deleted stays as it is, whatever a message of before says that comes late. The
 * figures are taken of any database; a site that tells another epoch has another database than before: the row keeps its
 * identity, so that this is seen until the operator repairs it.
 * @param isRepair the row takes the other epoch
 * @returns false where the row has another epoch
 */
export function recordSite(sql: Sql, siteId: string, entry: RegistryEntry, isRepair = false): boolean {
  if (isRepair) sql.exec('DELETE FROM sites WHERE site_id = ? AND epoch <> ?', siteId, entry.epoch)
  sql.exec(
    `INSERT INTO sites (site_id, epoch, name, created_at, closed_at, deletes_at, deleted_at, notifications, oldest_notification,
       failed_notifications, instructions, oldest_instruction, overdue_instructions, restored, bytes, lacks_key,
       late_receipts, oldest_receipt, failed_receipts)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (site_id) DO UPDATE SET
       name = iif(excluded.epoch = sites.epoch, excluded.name, sites.name),
       created_at = iif(excluded.epoch = sites.epoch, excluded.created_at, sites.created_at),
       closed_at = iif(excluded.epoch = sites.epoch, excluded.closed_at, sites.closed_at),
       deletes_at = iif(excluded.epoch = sites.epoch, excluded.deletes_at, sites.deletes_at),
       deleted_at = iif(excluded.epoch = sites.epoch, excluded.deleted_at, NULL),
       notifications = excluded.notifications, oldest_notification = excluded.oldest_notification,
       failed_notifications = excluded.failed_notifications, instructions = excluded.instructions,
       oldest_instruction = excluded.oldest_instruction, overdue_instructions = excluded.overdue_instructions,
       restored = excluded.restored, bytes = excluded.bytes, lacks_key = excluded.lacks_key,
       late_receipts = excluded.late_receipts, oldest_receipt = excluded.oldest_receipt,
       failed_receipts = excluded.failed_receipts
     WHERE sites.deleted_at IS NULL`,
    ...[siteId, entry.epoch, entry.name ?? null, entry.createdAt],
    ...[entry.closedAt ?? null, entry.deletesAt ?? null, entry.deletedAt ?? null],
    ...[entry.notifications, entry.oldestNotification ?? null, entry.failedNotifications],
    ...[entry.instructions, entry.oldestInstruction ?? null, entry.overdueInstructions],
    ...[entry.isRestored ? 1 : 0, entry.bytes, entry.lacksKey ? 1 : 0],
    ...[entry.lateReceipts ?? 0, entry.oldestReceipt ?? null, entry.failedReceipts ?? 0],
  )
  if (entry.deletedAt !== undefined) removeSettlements(sql, siteId)
  const [row] = sql.exec('SELECT epoch FROM sites WHERE site_id = ?', siteId).toArray()
  return row?.epoch === entry.epoch
}

const NO_TEST_SITES = "AND site_id NOT GLOB '*-test'"

const STUCK = `(notifications + failed_notifications + instructions + overdue_instructions + restored + lacks_key + late_receipts
  + failed_receipts > 0
  OR bytes > ${LARGE_BYTES})`

/**
 * A page of the sites, by their names; one more than `limit` says that there are more. Closed ones are in it where they are asked
 * for, and among those in which something is stuck: money in flight comes to its end.
 */
export function listSites(
  sql: Sql,
  { q = '', stuck = false, deleted = false, test = true, limit, cursor = '' }: SitesQuery,
): ListedSite[] {
  const closed = deleted ? 'AND closed_at IS NOT NULL' : stuck ? '' : 'AND closed_at IS NULL'
  // No character of a siteId is behind ~.
  const rows = sql.exec(
    `SELECT *, ${STUCK} AS stuck FROM sites WHERE site_id > ? AND site_id >= ? AND site_id < ?
       AND deleted_at IS NULL ${closed} ${stuck ? `AND ${STUCK}` : ''} ${test ? '' : NO_TEST_SITES} ORDER BY site_id LIMIT ?`,
    ...[cursor, q, `${q}~`, limit + 1],
  )
  return rows.toArray().map((row) => ({
    siteId: String(row.site_id),
    name: row.name === null ? undefined : String(row.name),
    createdAt: Number(row.created_at),
    stuck: row.stuck === 1 ? stuckOf(row) : undefined,
    ...(typeof row.closed_at === 'number' && {
      closing: { closedAt: row.closed_at, deletesAt: Number(row.deletes_at) },
    }),
  }))
}

function stuckOf(row: Record<string, unknown>): Stuck {
  const times = [row.oldest_notification, row.oldest_instruction, row.oldest_receipt].filter(
    (time) => typeof time === 'number',
  )
  return {
    notifications: Number(row.notifications),
    failedNotifications: Number(row.failed_notifications),
    instructions: Number(row.instructions),
    overdueInstructions: Number(row.overdue_instructions),
    lateReceipts: Number(row.late_receipts) || undefined,
    failedReceipts: Number(row.failed_receipts) || undefined,
    since: times.length > 0 ? Math.min(...times) : undefined,
    isRestored: row.restored === 1,
    lacksKey: row.lacks_key === 1,
    isLarge: Number(row.bytes) > LARGE_BYTES,
  }
}

/** The figures of all sites that are not deleted. @param test false: without test sites */
export function totalsOf(sql: Sql, test: boolean): Totals {
  const [row = {}] = sql
    .exec(
      `SELECT count(*) FILTER (WHERE closed_at IS NULL) AS sites, total(restored) AS restored, total(bytes) AS bytes,
         total(notifications) AS notifications, min(oldest_notification) AS oldest_notification,
         total(failed_notifications) AS failed, total(instructions) AS instructions,
         min(oldest_instruction) AS oldest_instruction, total(overdue_instructions) AS overdue,
         total(late_receipts) AS late_receipts, min(oldest_receipt) AS oldest_receipt, total(failed_receipts) AS failed_receipts,
         total(lacks_key) AS without_key, count(*) FILTER (WHERE bytes > ${LARGE_BYTES}) AS large,
         (SELECT backed_up_at FROM machine) AS backed_up_at, (SELECT unplanned_starts FROM machine) AS unplanned_starts
       FROM sites WHERE deleted_at IS NULL ${test ? '' : NO_TEST_SITES}`,
    )
    .toArray()
  const time = (value: unknown) => (typeof value === 'number' ? value : undefined)
  return {
    sites: Number(row.sites),
    restoredSites: Number(row.restored),
    bytes: Number(row.bytes),
    notifications: Number(row.notifications),
    oldestNotification: time(row.oldest_notification),
    failedNotifications: Number(row.failed),
    instructions: Number(row.instructions),
    oldestInstruction: time(row.oldest_instruction),
    overdueInstructions: Number(row.overdue),
    lateReceipts: Number(row.late_receipts),
    oldestReceipt: time(row.oldest_receipt),
    failedReceipts: Number(row.failed_receipts),
    sitesWithoutKey: Number(row.without_key),
    largeSites: Number(row.large),
    backedUpAt: time(row.backed_up_at),
    unplannedStarts: Number(row.unplanned_starts),
    settledEntries: settledEntriesIn(sql),
  }
}
