// When the outbox has something to send next.
import type { Sql } from '../rows/sql.ts'
import { earliest, type Milliseconds } from '../time.ts'
import { nextDelivery } from './outbox.ts'
import { nextOverdue } from './overdue.ts'
import { hasEndpoint } from './receivers.ts'
import { type CallbackQueue, callbackQueues, instructionQueues } from './rows.ts'

/**
 * The earliest delivery, or the time when an instruction is overdue; undefined if nothing is to be sent.
 * @param hasReceipts whether the site can have documents
 */
export const nextSend = (sql: Sql, hasReceipts: boolean): Milliseconds | undefined =>
  earliest(
    ...callbackQueues(sql).map((queue) => nextNotification(sql, queue)),
    ...instructionQueues(hasReceipts).map((queue) => nextDelivery(sql, queue)),
    nextOverdue(sql),
  )

/** Without an endpoint there is nothing to do, however much is due. */
function nextNotification(sql: Sql, queue: CallbackQueue): Milliseconds | undefined {
  const next = nextDelivery(sql, queue)
  return next !== undefined && hasEndpoint(sql, queue) ? next : undefined
}
