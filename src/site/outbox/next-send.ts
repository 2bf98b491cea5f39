// When the outbox has something to send next.
import { NETWORKS } from '../../contract/payment.ts'
import type { Sql } from '../rows/sql.ts'
import { earliest, type Milliseconds } from '../time.ts'
import { hasMerchantEndpoint } from './notifications.ts'
import { nextDelivery } from './outbox.ts'
import { nextOverdue } from './overdue.ts'

/** The earliest delivery, or the time when an instruction is overdue; undefined if nothing is to be sent. */
export const nextSend = (sql: Sql): Milliseconds | undefined =>
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
