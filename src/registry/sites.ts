// The table of the registry: a row for each site that exists, or was deleted.
import type { Announcement, Figures, Totals } from '../contract/announcement.ts'
import type { ListedSite, SitesQuery, Stuck } from '../contract/site-list.ts'
import { SESSIONS } from '../site/migrations.ts'
import type { Sql } from '../site/rows/sql.ts'

/** Append-only, as those of a site. */
export const REGISTRY_MIGRATIONS: readonly string[] = [
  `CREATE TABLE sites (
    site_id TEXT PRIMARY KEY,
    name TEXT,
    created_at INTEGER NOT NULL,
    epoch TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,

  `-- Unix seconds. The row stays: a site that lost its file must not begin anew.
  ALTER TABLE sites ADD COLUMN deleted_at INTEGER;
  -- The latest figures of the site; times are Unix milliseconds.
  ALTER TABLE sites ADD COLUMN notifications INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sites ADD COLUMN oldest_notification INTEGER;
  ALTER TABLE sites ADD COLUMN failed_notifications INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sites ADD COLUMN instructions INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sites ADD COLUMN oldest_instruction INTEGER;
  ALTER TABLE sites ADD COLUMN overdue_instructions INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sites ADD COLUMN restored INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sites ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0`,

  SESSIONS,
]

/**
 * Records what a site announces; a deletion stays, whatever an announcement of before says that comes late. A site that announces another epoch has another database than before: the row keeps
 * what it has, so that this is seen until the operator repairs it.
 * @param isRepair the row takes the other epoch
 * @returns false where the row has another epoch
 */
export function recordSite(
  sql: Sql,
  { siteId, name, createdAt, epoch, deletedAt }: Announcement,
  isRepair = false,
): boolean {
  if (isRepair) sql.exec('DELETE FROM sites WHERE site_id = ? AND epoch <> ?', siteId, epoch)
  const recorded = sql.exec(
    `INSERT INTO sites (site_id, name, created_at, epoch, deleted_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (site_id) DO UPDATE SET name = excluded.name,
       deleted_at = coalesce(sites.deleted_at, excluded.deleted_at)
     WHERE epoch = excluded.epoch RETURNING 1`,
    ...[siteId, name ?? null, createdAt, epoch, deletedAt ?? null],
  )
  const isRecorded = recorded.toArray().length > 0
  if (deletedAt !== undefined) recordFigures(sql, siteId, NO_FIGURES)
  return isRecorded
}

const NO_FIGURES: Figures = {
  notifications: 0,
  failedNotifications: 0,
  instructions: 0,
  overdueInstructions: 0,
  isRestored: false,
  bytes: 0,
}

/** Records the figures of a site. @returns false if the registry does not have the site */
export function recordFigures(sql: Sql, siteId: string, figures: Figures): boolean {
  const recorded = sql.exec(
    `UPDATE sites SET notifications = ?, oldest_notification = ?, failed_notifications = ?, instructions = ?,
       oldest_instruction = ?, overdue_instructions = ?, restored = ?, bytes = ? WHERE site_id = ? RETURNING 1`,
    ...[figures.notifications, figures.oldestNotification ?? null, figures.failedNotifications],
    ...[figures.instructions, figures.oldestInstruction ?? null, figures.overdueInstructions],
    ...[figures.isRestored ? 1 : 0, figures.bytes, siteId],
  )
  return recorded.toArray().length > 0
}

const STUCK = 'notifications + failed_notifications + instructions + overdue_instructions + restored > 0'

/** A page of the sites that are not deleted, by their names; one more than `limit` says that there are more. */
export function listSites(sql: Sql, { q = '', stuck = false, limit, cursor = '' }: SitesQuery): ListedSite[] {
  // No character of a siteId is behind ~.
  const rows = sql.exec(
    `SELECT *, ${STUCK} AS stuck FROM sites WHERE site_id > ? AND site_id >= ? AND site_id < ?
       AND deleted_at IS NULL ${stuck ? `AND ${STUCK}` : ''} ORDER BY site_id LIMIT ?`,
    ...[cursor, q, `${q}~`, limit + 1],
  )
  return rows.toArray().map((row) => ({
    siteId: String(row.site_id),
    name: row.name === null ? undefined : String(row.name),
    createdAt: Number(row.created_at),
    stuck: row.stuck === 1 ? stuckOf(row) : undefined,
  }))
}

function stuckOf(row: Record<string, unknown>): Stuck {
  const times = [row.oldest_notification, row.oldest_instruction].filter((time) => typeof time === 'number')
  return {
    notifications: Number(row.notifications),
    failedNotifications: Number(row.failed_notifications),
    instructions: Number(row.instructions),
    overdueInstructions: Number(row.overdue_instructions),
    since: times.length > 0 ? Math.min(...times) : undefined,
    isRestored: row.restored === 1,
  }
}

/** The figures of all sites that are not deleted. */
export function totalsOf(sql: Sql): Totals {
  const [row = {}] = sql
    .exec(
      `SELECT count(*) AS sites, total(restored) AS restored, total(bytes) AS bytes,
         total(notifications) AS notifications, min(oldest_notification) AS oldest_notification,
         total(failed_notifications) AS failed, total(instructions) AS instructions,
         min(oldest_instruction) AS oldest_instruction, total(overdue_instructions) AS overdue
       FROM sites WHERE deleted_at IS NULL`,
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
  }
}
