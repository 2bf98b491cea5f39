// Results of deliveries: what becomes of a row of the outbox (contract, sections 10 and 11).
import { type Attempt, type Delivered, isAccepted } from '../../contract/delivery.ts'
import { DAYS_KEPT, MAX_ATTEMPTS } from '../../contract/notifications/status.ts'
import { type Milliseconds, milliseconds, plus, seconds, toMilliseconds } from '../time.ts'
import { findToken } from '../tokens/rows.ts'
import { honoured, probeDelay, repeatDelay } from './backoff.ts'
import { countFailure, recordWorking } from './endpoints.ts'
import { releaseCharges } from './held-charges.ts'
import { advance, deleteRow, LEASE } from './outbox.ts'
import {
  type CallbackQueue,
  isNotification,
  OF_KEY,
  type OutboxKey,
  type OutboxRow,
  outboxRows,
} from './rows.ts'

const DAY_MS = 86_400_000

/** How long a row waits after so many failed attempts, `retryAfter` in seconds; undefined: it has FAILED. */
type Retry = (countedAttempts: number, retryAfter: number | undefined) => Milliseconds | undefined

/** The result of an attempt. */
type Result = Delivered & Attempt & { at: Milliseconds }

/** Records the result of an attempt that leaseDue gave. */
export function recordResult(
  sql: SqlStorage,
  leased: OutboxRow,
  { retryAfter, isUnconnected, ...attempt }: Result,
  retry: Retry,
): void {
  const { leasedUntil } = leased
  if (leasedUntil === undefined) throw new RangeError('the result of a row that was not leased')
  if (isAccepted(attempt)) recordWorking(sql, leased.queue, attempt.at)
  // Read again: meanwhile a redelivery may have succeeded, the lease may have ended, or the network has reported.
  const [row] = outboxRows(sql, `WHERE ${OF_KEY}`, leased.event, leased.kind)
  if (!row) return
  if (row.leasedUntil !== leasedUntil) {
    recordRedelivery(sql, row, { retryAfter, ...attempt })
    return
  }
  if (isOver(row, attempt)) {
    deleteRow(sql, row)
    return
  }
  if (isUnconnected && forgetExpiry(sql, row)) return
  const attempts = latest([...row.attempts, attempt])
  if (isAccepted(attempt)) {
    if (isNotification(row)) end(sql, { ...row, attempts }, 'DELIVERED', attempt.at)
    else {
      // An instruction that was taken waits for the network's report, and is sent again where none comes.
      keep(sql, { ...row, attempts, countedAttempts: 0 }, attempt.at, repeatDelay(retryAfter))
      sql.exec(`UPDATE outbox SET taken_at = ? WHERE ${OF_KEY}`, attempt.at, row.event, row.kind)
      releaseCharges(sql, row)
    }
    return
  }
  const startedAt = milliseconds(leasedUntil - LEASE)
  const { at } = attempt
  countFailure(sql, row.queue, { startedAt, at }, (failures) => probeDelay(failures, retryAfter))
  const { dueAt } = row
  // An attempt earlier than the scheduled one does not count as a retry.
  const isEarly = dueAt !== undefined && startedAt < dueAt
  const countedAttempts = isEarly ? row.countedAttempts : row.countedAttempts + 1
  const delay = isEarly
    ? milliseconds(Math.max(dueAt - at, honoured(retryAfter)))
    : retry(countedAttempts, retryAfter)
  const isGone = isNotification(row) && attempt.httpStatus === 410
  if (delay === undefined || isGone) end(sql, { ...row, attempts }, 'FAILED', at)
  else keep(sql, { ...row, attempts, countedAttempts }, at, delay)
}

/** Records the result of a redelivery that the merchant asked for: it does not count as a scheduled attempt. */
export function recordRedelivery(
  sql: SqlStorage,
  row: OutboxRow,
  { retryAfter: _, isUnconnected: __, ...attempt }: Result,
): void {
  const attempts = latest([...row.attempts, attempt])
  if (isAccepted(attempt) && isNotification(row)) {
    recordWorking(sql, row.queue, attempt.at)
    end(sql, { ...row, attempts }, 'DELIVERED', attempt.at)
  } else
    sql.exec(`UPDATE outbox SET attempts = ? WHERE ${OF_KEY}`, JSON.stringify(attempts), row.event, row.kind)
}

/** No report follows the cancellation of a link: it is over when it is taken, or when the link has ended by itself. */
const isOver = ({ content }: OutboxRow, attempt: Result): boolean =>
  content.type === 'qrCode.cancel' &&
  (isAccepted(attempt) ||
    (content.neededUntil !== undefined && attempt.at >= toMilliseconds(seconds(content.neededUntil))))

/**
 * Without a connector nobody is told that a token has expired. One that comes later learns it from the list of bindings; a
 * deletion that was accepted waits for it. @returns whether the row was such an instruction
 */
function forgetExpiry(sql: SqlStorage, row: OutboxRow): boolean {
  const token = row.content.type === 'token.delete' ? findToken(sql, row.content) : undefined
  if (token?.status !== 'EXPIRED') return false
  deleteRow(sql, row)
  // A deletion by the merchant is an instruction of its own.
  sql.exec('UPDATE tokens SET event = NULL WHERE number = ?', token.number)
  return true
}

const latest = (attempts: readonly Attempt[]): readonly Attempt[] => attempts.slice(-MAX_ATTEMPTS)

type Attempted = OutboxKey & Pick<OutboxRow, 'queue' | 'qrCode' | 'attempts' | 'countedAttempts'>

/** The next attempt follows after a delay from the time of this one. */
function keep(sql: SqlStorage, row: Attempted, at: Milliseconds, delay: Milliseconds): void {
  const dueAt = plus(at, delay)
  sql.exec(
    `UPDATE outbox SET attempts = ?, used = ?, due_at = ?, send_at = ?, set_at = ?, leased_until = NULL
     WHERE ${OF_KEY}`,
    ...[JSON.stringify(row.attempts), row.countedAttempts, dueAt, dueAt, at, row.event, row.kind],
  )
  advance(sql, row)
}

/** When a notification that ended is deleted. */
const deletionOf = (status: 'DELIVERED' | 'FAILED', at: Milliseconds): Milliseconds =>
  plus(at, milliseconds(DAYS_KEPT[status] * DAY_MS))

function end(sql: SqlStorage, row: Attempted, status: 'DELIVERED' | 'FAILED', at: Milliseconds): void {
  const deleteAt = deletionOf(status, at)
  sql.exec(
    `UPDATE outbox SET attempts = ?, status = ?, due_at = NULL, send_at = NULL, leased_until = NULL, blocked = 0,
       delete_at = ? WHERE ${OF_KEY}`,
    ...[JSON.stringify(row.attempts), status, deleteAt, row.event, row.kind],
  )
  advance(sql, row)
}

/** Ends all that waits for an address, because it is removed. What is being sent counts if it is accepted. */
export function failPending(sql: SqlStorage, queue: CallbackQueue, error: string, at: Milliseconds): void {
  sql.exec(
    `UPDATE outbox SET attempts = json_insert(attempts, '$[#]', json_object('at', ?, 'error', ?, 'ms', 0)),
       status = 'FAILED', due_at = NULL, send_at = NULL, leased_until = NULL, blocked = 0, delete_at = ?
     WHERE queue = ? AND status = 'PENDING'`,
    ...[at, error, deletionOf('FAILED', at), queue],
  )
  sql.exec('DELETE FROM endpoints WHERE queue = ?', queue)
}
