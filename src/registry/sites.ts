// The rows of the registry: one for each site that exists, or was deleted.
import { LARGE_BYTES, type RegistryEntry, type Totals } from '../contract/registry-entry.ts'
import type { Sql } from '../site/rows/sql.ts'
import { removeSettlements, settledEntriesIn } from './settlements.ts'

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

/** Test sites are left out. */
export const NO_TEST_SITES = "AND site_id NOT GLOB '*-test'"

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
