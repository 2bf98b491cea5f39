// When the site's object must wake next: computed from the tables, so that a lost alarm loses nothing.

import { NETWORKS } from '../contract/payment.ts'
import { hasMerchantEndpoint } from './notifications.ts'
import { earliest, hasPending, nextDeletion, nextDelivery, nextOverdue } from './outbox.ts'
import { integer } from './rows/sql.ts'
import { PAYABLE_ROWS } from './transitions.ts'

/** The time of the next wake in Unix milliseconds; undefined if nothing will become due. */
export const nextWake = (sql: SqlStorage): number | undefined =>
  earliest(nextExpiry(sql), hasPending(sql) ? nextSend(sql) : undefined, nextDeletion(sql))

const nextSend = (sql: SqlStorage): number | undefined =>
  earliest(
    nextMerchantDelivery(sql),
    ...NETWORKS.map((network) => nextDelivery(sql, network)),
    nextOverdue(sql),
  )

/** Without an endpoint there is nothing to do, however much is due. */
function nextMerchantDelivery(sql: SqlStorage): number | undefined {
  const next = nextDelivery(sql, 'merchant')
  return next !== undefined && hasMerchantEndpoint(sql) ? next : undefined
}

/** When the next QR code expires, in Unix milliseconds. */
export function nextExpiry(sql: SqlStorage): number | undefined {
  const expiry = integer(sql, `SELECT expires_at FROM ${PAYABLE_ROWS} ORDER BY expires_at LIMIT 1`)
  return expiry === undefined ? undefined : expiry * 1000
}
