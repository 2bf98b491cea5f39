// When the site's object must wake next: computed from the tables, so that a lost alarm loses nothing.
import { NETWORKS } from '../contract/payment.ts'
import { hasMerchantEndpoint } from './notifications.ts'
import { hasPending, nextDeletion, nextDelivery, nextOverdue } from './outbox.ts'
import { earliest, integer } from './rows/sql.ts'
import { ENDING_TOKENS } from './tokens.ts'
import { PAYABLE_ROWS } from './transitions.ts'

/** The time of the next wake in Unix milliseconds; undefined if nothing will become due. */
export const nextWake = (sql: SqlStorage): number | undefined =>
  earliest(nextEnd(sql), hasPending(sql) ? nextSend(sql) : undefined, nextDeletion(sql))

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

const NEXT_END = `SELECT min(at) FROM (
  SELECT * FROM (SELECT expires_at AS at FROM ${PAYABLE_ROWS} ORDER BY expires_at LIMIT 1)
  UNION ALL SELECT * FROM (SELECT due_at FROM ${ENDING_TOKENS} ORDER BY due_at LIMIT 1))`

/** When the clock next ends a QR code or a token, in Unix milliseconds. */
export function nextEnd(sql: SqlStorage): number | undefined {
  const end = integer(sql, NEXT_END)
  return end === undefined ? undefined : end * 1000
}
