// The one row of the table `site`.
import type { Closing } from '../../contract/site-list.ts'
import { type Milliseconds, seconds, toMilliseconds } from '../time.ts'
import { int, rowsWith } from './columns.ts'
import { integer, requiredInteger, requiredText, type Sql, textValue } from './sql.ts'

/** The site whose tables they are; undefined before setSiteId. */
export const siteIdIn = (sql: Sql): string | undefined => textValue(sql, 'SELECT site_id FROM site')

export const setSiteId = (sql: Sql, siteId: string): void =>
  void sql.exec('UPDATE site SET site_id = ?', siteId)

/** The feed's epoch. */
export const epochOf = (sql: Sql): string => requiredText(sql, 'SELECT epoch FROM site')

/** Whether the site was restored from a backup: what was instructed after it is unknown until the operator resumes. */
export const isRestored = (sql: Sql): boolean => requiredInteger(sql, 'SELECT restored FROM site') === 1

/** A site that begins without an event was created now, Unix seconds. */
export const setCreatedAt = (sql: Sql, now: number): void =>
  void sql.exec(
    'UPDATE site SET created_at = ? WHERE created_at IS NULL AND (SELECT max(number) FROM events) IS NULL',
    now,
  )

/** When the site was created, Unix seconds: the time of its first event, which retention can have deleted. */
export const createdAtOf = (sql: Sql): number =>
  integer(sql, 'SELECT coalesce(created_at, (SELECT at FROM events ORDER BY number LIMIT 1)) FROM site') ?? 0

const readClosing = rowsWith({ closedAt: int, deletesAt: int })

/** The deletion that can still be undone, if the operator has deleted the site. */
export const closingOf = (sql: Sql): Closing | undefined =>
  readClosing(
    sql,
    'SELECT closed_at AS closedAt, deletes_at AS deletesAt FROM site WHERE closed_at IS NOT NULL',
  )[0]

/** When the data of the site were deleted, or are to be, Unix seconds; undefined if it was not deleted for good. */
export const deletedAtOf = (sql: Sql): number | undefined => integer(sql, 'SELECT deleted_at FROM site')

/** When the data of a closed site are to be deleted. */
export function nextDataDeletion(sql: Sql): Milliseconds | undefined {
  const closing = closingOf(sql)
  return closing && toMilliseconds(seconds(closing.deletesAt))
}
