// When the site's object must wake next: computed from the tables, so that a lost alarm loses nothing.
import { integer } from './rows.ts'
import { PAYABLE_SQL } from './transitions.ts'

/** The time of the next wake in Unix milliseconds; undefined where nothing will be due. */
export function nextWake(sql: SqlStorage): number | undefined {
  // Named, because SQLite would rather read all that can be paid by their status, and sort them.
  const expiry = integer(
    sql,
    `SELECT expires_at FROM qr_codes INDEXED BY qr_codes_by_expires_at
     WHERE ${PAYABLE_SQL} ORDER BY expires_at LIMIT 1`,
  )
  return expiry === undefined ? undefined : expiry * 1000
}
