// Matches payments and refunds that were reported after the entries: by the events that told of them, so that no payment writes a row for it.
import { int, orNull, rowsWith, text } from '../rows/columns.ts'
import type { Sql } from '../rows/sql.ts'
import { type Matching, matchOperations, writeRest } from './matching.ts'
import { type OperationRow, operationRows } from './operations.ts'

/** Events that a slice reads. */
const EVENTS = 500
/** Operations that a slice matches at most. */
export const OPERATIONS = 20

const readEvents = rowsWith({ number: int, payment_uid: orNull(text), refund_uid: orNull(text) })

/**
 * Matches what later events are about, or the first of it.
 * @param after the number of the last event that was done
 * @param last of the latest event
 * @returns the number of the last event that is done now
 */
export function matchLater(matching: Matching, sql: SqlStorage, after: number, last: number): number {
  if (writeRest(sql, matching.token)) return after
  const events = readEvents(
    sql,
    `SELECT number, ifnull(refund ->> 'paymentUid', payment ->> 'paymentUid') AS payment_uid,
       refund ->> 'refundUid' AS refund_uid
     FROM events WHERE number > ? ORDER BY number LIMIT ?`,
    ...[after, EVENTS],
  )
  const seeds: { row: OperationRow; event: number }[] = []
  for (const { number, payment_uid, refund_uid } of events) {
    if (payment_uid === null) continue
    if (seeds.length >= OPERATIONS) break
    seeds.push(...operationsOf(sql, payment_uid, refund_uid).map((row) => ({ row, event: number })))
  }
  const isWritten = matchOperations(
    matching,
    sql,
    seeds.map(({ row }) => row),
  )
  if (!isWritten) return after
  // Those that were read, up to the last one that was taken; without any, retention can have deleted the latest.
  const isFull = seeds.length >= OPERATIONS
  if (isFull) return seeds.at(-1)?.event ?? after
  return events.length === EVENTS ? (events.at(-1)?.number ?? last) : last
}

/** What an event is about. */
const operationsOf = (sql: Sql, paymentUid: string, refundUid: string | null): OperationRow[] =>
  refundUid === null
    ? operationRows(sql, 'payment', 'WHERE payment_uid = ?', paymentUid)
    : operationRows(sql, 'refund', 'WHERE payment_uid = ? AND refund_uid = ?', paymentUid, refundUid)
