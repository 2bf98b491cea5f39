// The people of a site that is restored from a backup (contract, section 16).
import type { Sql } from '../rows/sql.ts'

/**
 * Ends the sessions of people, which are of an earlier time, and the invitations: one that was used after the backup would be
 * good again. The people whom the site removed after the backup are back.
 */
export function endAfterRestore(sql: Sql): void {
  sql.exec('DELETE FROM person_sessions')
  sql.exec('UPDATE people SET invitation = NULL, invited_until = NULL, replaces = 0')
}
