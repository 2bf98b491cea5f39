// What the operator watches of documents: those that wait for too long, and those that have failed.
import type { SiteFigures } from '../../contract/registry-entry.ts'
import { int, orNull, rowsWith } from '../rows/columns.ts'
import { FAILED_LATELY } from '../rows/latest-receipt.ts'
import { integer, type Sql } from '../rows/sql.ts'
import { type Milliseconds, plus, type Seconds, seconds, toMilliseconds, toSeconds } from '../time.ts'
import { hasReceiptsIn } from './terms.ts'

/** A document that is not registered for so long is late. */
const LATE = seconds(600)
/** Failures that are older are counted no more. */
const COUNTED = seconds(90 * 86_400)

/** The documents that a cash register may still register; one that waits for the retry of another is counted with that. */
const OPEN = "state IN ('WAITING', 'SENT') AND waits_for IS NOT 'failedSale'"

const readCounts = rowsWith({ count: int, oldest: orNull(int) })

const count = (sql: Sql, condition: string, at: Seconds) =>
  readCounts(
    sql,
    `SELECT count(*) AS count, min(created_at) AS oldest FROM receipts WHERE ${condition}`,
    at,
  )[0]

/** Whether a figure can be there: it counts nothing, and reads no registered document. */
export const hasUnregistered = (sql: Sql): boolean =>
  integer(sql, "SELECT 1 FROM receipts WHERE state IN ('WAITING', 'SENT', 'FAILED') LIMIT 1") === 1

/** The figures; absent where there is nothing to show. */
export function receiptFigures(
  sql: Sql,
  now: Milliseconds,
): Pick<SiteFigures, 'lateReceipts' | 'oldestReceipt' | 'failedReceipts'> {
  const late = count(sql, `${OPEN} AND created_at <= ?`, seconds(toSeconds(now) - LATE))
  const failed = count(sql, FAILED_LATELY, seconds(toSeconds(now) - COUNTED))
  const oldest = late?.oldest ?? undefined
  return {
    lateReceipts: late?.count || undefined,
    oldestReceipt: oldest === undefined ? undefined : toMilliseconds(seconds(oldest)),
    failedReceipts: failed?.count || undefined,
  }
}

/** When the next document is late. */
export function nextLateReceipt(sql: Sql, now: Milliseconds): Milliseconds | undefined {
  const query = `SELECT min(created_at) FROM receipts WHERE ${OPEN} AND created_at > ?`
  const next = integer(sql, query, toSeconds(now) - LATE)
  return next === undefined ? undefined : toMilliseconds(plus(seconds(next), LATE))
}

/** What is open and what has failed, for the page of the site; undefined where it has no documents. */
export function receiptHealth(sql: Sql, now: Seconds) {
  if (!hasReceiptsIn(sql)) return undefined
  const open = count(sql, `${OPEN} AND created_at <= ?`, now)
  const failed = count(sql, FAILED_LATELY, seconds(now - COUNTED))
  const oldest = open?.oldest ?? undefined
  return {
    pending: open?.count ?? 0,
    oldest: oldest === undefined ? undefined : toMilliseconds(seconds(oldest)),
    failed: failed?.count ?? 0,
  }
}
