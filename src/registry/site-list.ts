// The list of the sites of the deployment.
import { LARGE_BYTES } from '../contract/registry-entry.ts'
import type { ListedSite, SitesQuery, Stuck } from '../contract/site-list.ts'
import type { Sql } from '../site/rows/sql.ts'
import { NO_TEST_SITES } from './sites.ts'

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
