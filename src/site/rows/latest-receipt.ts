// The latest document of a payment or a refund, as a column of the row that shows it.
import * as z from 'zod/mini'
import { DOCUMENT_STATES } from '../../contract/receipts/document.ts'
import type { LatestReceipt } from '../../contract/receipts/latest-receipt.ts'
import { FiscalColumn } from './receipts.ts'
import { integer, type Sql } from './sql.ts'

/** The condition of the attempt that counts: the one that is registered, else the last one. */
export const IS_LATEST = `NOT EXISTS (SELECT 1 FROM receipts AS other WHERE other.payment = receipts.payment
  AND other.kind = receipts.kind AND other.refund IS receipts.refund AND other.closing_uid IS receipts.closing_uid
  AND (other.state = 'REGISTERED', other.attempt) > (receipts.state = 'REGISTERED', receipts.attempt))`

/** The condition of documents that failed after a time, which is to be bound, and that nobody has retried. */
export const FAILED_LATELY = `state = 'FAILED' AND created_at > ? AND ${IS_LATEST}`

/** Whether there are such documents. */
export const hasFailedReceipts = (sql: Sql, since: number): boolean =>
  integer(sql, `SELECT 1 FROM receipts WHERE ${FAILED_LATELY} LIMIT 1`, since) === 1

const LATEST =
  "SELECT json_object('receiptUid', receipt_uid, 'state', state, 'fiscal', json(fiscal)) FROM receipts"

/** The document with a number, as a subquery; NULL without one, and then no row is read. */
export const latestReceipt = (number: string): string =>
  `iif(${number} IS NULL, NULL, (${LATEST} WHERE receipts.number = ${number}))`

/** The attempt that counts of the document of a row of refunds, the same way. */
export const LATEST_OF_REFUND = `iif(refunds.items IS NULL, NULL, (${LATEST}
    WHERE receipts.payment = refunds.payment AND refund = refunds.number ORDER BY state = 'REGISTERED' DESC, receipts.number DESC LIMIT 1))`

const LatestColumn = z.object({
  receiptUid: z.string(),
  state: z.enum(DOCUMENT_STATES),
  fiscal: z.nullable(FiscalColumn),
})

/** What such a subquery gives. */
export function latestReceiptIn(column: string | null): LatestReceipt | undefined {
  if (column === null) return undefined
  const { fiscal, ...latest } = LatestColumn.parse(JSON.parse(column))
  return { ...latest, ...(fiscal && { fiscal }) }
}
