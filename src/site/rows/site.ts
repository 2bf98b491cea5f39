// The one row of the site.
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
    'UPDATE site SET created_at = ? WHERE created_at IS NULL AND NOT EXISTS (SELECT 1 FROM events)',
    now,
  )

/** When the site was created, Unix seconds: the time of its first event, which retention can have deleted. */
export const createdAtOf = (sql: Sql): number =>
  integer(sql, 'SELECT coalesce(created_at, (SELECT at FROM events ORDER BY number LIMIT 1)) FROM site') ?? 0

/** When the site was deleted, Unix seconds; undefined if it was not. */
export const deletedAtOf = (sql: Sql): number | undefined => integer(sql, 'SELECT deleted_at FROM site')
