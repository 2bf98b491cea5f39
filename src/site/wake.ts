// When the site's object must wake next: computed from the tables, so that a lost alarm loses nothing.
import { integer } from './rows.ts'
import { PAYABLE_ROWS } from './transitions.ts'

/** The time of the next wake in Unix milliseconds; undefined if nothing will become due. */
export function nextWake(sql: SqlStorage): number | undefined {
  const expiry = integer(sql, `SELECT expires_at FROM ${PAYABLE_ROWS} ORDER BY expires_at LIMIT 1`)
  return expiry === undefined ? undefined : expiry * 1000
}
