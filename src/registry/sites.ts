// The table of the registry: a row for each site that exists.
import type { Announcement } from '../contract/announcement.ts'
import type { Sql } from '../site/rows/sql.ts'

/** Append-only, as those of a site. */
export const REGISTRY_MIGRATIONS: readonly string[] = [
  `CREATE TABLE sites (
    site_id TEXT PRIMARY KEY,
    name TEXT,
    created_at INTEGER NOT NULL,
    epoch TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,
]

/**
 * Records what a site announces. A site that announces another epoch has another database than before: the row keeps
 * what it has, so that this is seen until the operator repairs it.
 * @param isRepair the row takes the other epoch
 * @returns false where the row has another epoch
 */
export function recordSite(
  sql: Sql,
  { siteId, name, createdAt, epoch }: Announcement,
  isRepair = false,
): boolean {
  if (isRepair) sql.exec('DELETE FROM sites WHERE site_id = ? AND epoch <> ?', siteId, epoch)
  sql.exec(
    `INSERT INTO sites (site_id, name, created_at, epoch) VALUES (?, ?, ?, ?)
     ON CONFLICT (site_id) DO UPDATE SET name = excluded.name WHERE epoch = excluded.epoch`,
    ...[siteId, name ?? null, createdAt, epoch],
  )
  const [row] = sql.exec('SELECT epoch FROM sites WHERE site_id = ?', siteId).toArray()
  return row?.epoch === epoch
}
