// Results of deliveries: what becomes of a row of the outbox (contract, sections 10 and 11).
import { honoured, repeatDelay } from '../contract/backoff.ts'
import type { Attempt, Delivered } from '../contract/delivery.ts'
import { countFailure, recordWorking } from './endpoints.ts'
import { LEASE_MS } from './outbox.ts'
import { type OutboxRow, outboxRows } from './rows/outbox.ts'

/** Milliseconds for which ended notifications are kept. */
const RETENTION_MS = { DELIVERED: 30 * 86_400_000, FAILED: 90 * 86_400_000 }
/** The latest attempts are kept: an endpoint that fails for a day gets more than a thousand. */
const MAX_ATTEMPTS = 50

/** How delays are computed, in milliseconds; `retryAfter` is seconds. */
export interface Delays {
  /** Until the next attempt, after so many; undefined: the row has FAILED. */
  retry(attempts: number, retryAfter: number | undefined): number | undefined
  /** Until the next probe of an endpoint, after so many failures in a row. */
  probe(failures: number, retryAfter: number | undefined): number
}

/** The result of an attempt; `at` is Unix milliseconds. */
type Result = Delivered & { at: number }

/** Records the result of an attempt that leaseDue gave. */
export function recordResult(
  sql: SqlStorage,
  leased: OutboxRow,
  { retryAfter, ...attempt }: Result,
  delays: Delays,
): void {
  const { leasedUntil = 0 } = leased
  if (isSuccess(attempt)) recordWorking(sql, leased.queue, attempt.at)
  // Read again: meanwhile a redelivery may have succeeded, the lease may have ended, or the network has reported.
  const [row] = outboxRows(sql, 'WHERE number = ?', leased.number)
  if (!row) return
  if (row.leasedUntil !== leasedUntil) {
    recordRedelivery(sql, row, { retryAfter, ...attempt })
    return
  }
  const attempts = latest([...row.attempts, attempt])
  if (isSuccess(attempt)) {
    if (row.queue === 'merchant') end(sql, row, attempts, 'DELIVERED', attempt.at)
    else keepTaken(sql, row, attempts, attempt.at, retryAfter)
    return
  }
  const startedAt = leasedUntil - LEASE_MS
  countFailure(sql, row.queue, startedAt, (failures) => attempt.at + delays.probe(failures, retryAfter))
  const { dueAt = 0 } = row
  // An attempt before the notification's own time uses up none.
  const isEarly = startedAt < dueAt
  const used = isEarly ? row.used : row.used + 1
  const delay = isEarly ? Math.max(dueAt - attempt.at, honoured(retryAfter)) : delays.retry(used, retryAfter)
  const isGone = row.queue === 'merchant' && attempt.httpStatus === 410
  if (delay === undefined || isGone) end(sql, row, attempts, 'FAILED', attempt.at)
  else keep(sql, row, attempts, used, attempt.at + delay)
}

/** Records the result of a redelivery that the merchant asked for: it is beside the queue's attempts. */
export function recordRedelivery(
  sql: SqlStorage,
  row: OutboxRow,
  { retryAfter: _, ...attempt }: Result,
): void {
  const attempts = latest([...row.attempts, attempt])
  if (isSuccess(attempt) && row.queue === 'merchant') {
    recordWorking(sql, row.queue, attempt.at)
    end(sql, row, attempts, 'DELIVERED', attempt.at)
  } else sql.exec('UPDATE outbox SET attempts = ? WHERE number = ?', JSON.stringify(attempts), row.number)
}

const isSuccess = ({ httpStatus = 0 }: Attempt): boolean => httpStatus >= 200 && httpStatus < 300

const latest = (attempts: readonly Attempt[]): readonly Attempt[] => attempts.slice(-MAX_ATTEMPTS)

function keep(
  sql: SqlStorage,
  { number }: OutboxRow,
  attempts: readonly Attempt[],
  used: number,
  dueAt: number,
): void {
  sql.exec(
    'UPDATE outbox SET attempts = ?, used = ?, due_at = ?, send_at = ?, leased_until = NULL WHERE number = ?',
    ...[JSON.stringify(attempts), used, dueAt, dueAt, number],
  )
}

/** An instruction that was taken waits for the network's report, and is sent again where none comes. */
function keepTaken(
  sql: SqlStorage,
  row: OutboxRow,
  attempts: readonly Attempt[],
  at: number,
  retryAfter: number | undefined,
): void {
  keep(sql, row, attempts, 0, at + repeatDelay(retryAfter))
  sql.exec('UPDATE outbox SET taken_at = ? WHERE number = ?', at, row.number)
}

function end(
  sql: SqlStorage,
  { number }: OutboxRow,
  attempts: readonly Attempt[],
  status: 'DELIVERED' | 'FAILED',
  at: number,
): void {
  sql.exec(
    `UPDATE outbox SET attempts = ?, status = ?, due_at = NULL, send_at = NULL, leased_until = NULL, delete_at = ?
     WHERE number = ?`,
    ...[JSON.stringify(attempts), status, at + RETENTION_MS[status], number],
  )
}
