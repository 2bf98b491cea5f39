// When the site's object must wake next: computed from the tables, so that a lost alarm loses nothing.
import { NETWORKS } from '../contract/payment.ts'
import { nextFigures } from './figures.ts'
import { hasMerchantEndpoint } from './outbox/notifications.ts'
import { hasPending, nextDeletion, nextDelivery, nextOverdue } from './outbox/outbox.ts'
import { nextSweep } from './retention.ts'
import { NO_END } from './rows/qr-codes.ts'
import { integer, type Sql } from './rows/sql.ts'
import { OPEN_SALES } from './sale-ends.ts'
import { earliest, type Milliseconds, seconds, toMilliseconds } from './time.ts'
import { ENDING_TOKENS } from './tokens/tokens.ts'
import { EARLY_ROWS, PAYABLE_ROWS } from './transitions.ts'

/** The time of the next wake; undefined if nothing will become due. */
export const nextWake = (sql: Sql): Milliseconds | undefined =>
  earliest(
    nextEnd(sql),
    (hasPending(sql) ? nextSend(sql) : undefined) ?? nextFigures(sql),
    nextDeletion(sql),
    nextSweep(sql),
  )

const nextSend = (sql: Sql): Milliseconds | undefined =>
  earliest(
    nextMerchantDelivery(sql),
    ...NETWORKS.map((network) => nextDelivery(sql, network)),
    nextOverdue(sql),
  )

/** Without an endpoint there is nothing to do, however much is due. */
function nextMerchantDelivery(sql: Sql): Milliseconds | undefined {
  const next = nextDelivery(sql, 'merchant')
  return next !== undefined && hasMerchantEndpoint(sql) ? next : undefined
}

const NEXT_END = `SELECT min(at) FROM (
  SELECT * FROM (SELECT expires_at AS at FROM ${PAYABLE_ROWS} AND expires_at < ${NO_END} ORDER BY expires_at LIMIT 1)
  UNION ALL SELECT * FROM (SELECT ends_at FROM ${EARLY_ROWS} ORDER BY ends_at LIMIT 1)
  UNION ALL SELECT * FROM (SELECT due_at FROM ${OPEN_SALES} ORDER BY due_at LIMIT 1)
  UNION ALL SELECT * FROM (SELECT 1 FROM unapplied_payments LIMIT 1)
  UNION ALL SELECT * FROM (SELECT due_at FROM ${ENDING_TOKENS} ORDER BY due_at LIMIT 1))`

/** When the clock next ends a QR code or a token; long ago, which is at once, where payments wait to be applied. */
export function nextEnd(sql: Sql): Milliseconds | undefined {
  const end = integer(sql, NEXT_END)
  return end === undefined ? undefined : toMilliseconds(seconds(end))
}
