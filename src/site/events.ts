// The events of a site: append-only, numbered from 1 without gaps, each written in the transaction of its change.
import type { Caller } from '../contract/caller.ts'
import type { Actor, Event, EventPayment, EventRefund, EventType, FeedCursor } from '../contract/event.ts'
import type { PageQuery } from '../contract/query.ts'
import type { QrCodeStatus } from '../contract/status.ts'
import { notify } from './notifications.ts'
import { pageOf } from './page.ts'
import {
  epochOf,
  eventPaymentColumn,
  eventRefundColumn,
  eventsWhere,
  eventTokenColumn,
} from './rows/events.ts'
import { qrCodeVersions } from './rows/qr-codes.ts'
import { insertRow, integer, lastRow } from './rows/sql.ts'
import type { TokenRow } from './rows/tokens.ts'

/** Who caused an event. */
export type Cause = Pick<Caller, 'keyId'> & { actor: Actor }

export const CLOCK: Cause = { actor: 'clock' }

/** An event to record; `at` is Unix seconds, `qrCode` the number of a row. */
export interface NewEvent {
  type: EventType
  at: number
  by: Cause
  qrCode?: number | undefined
  status?: QrCodeStatus | undefined
  payment?: EventPayment | undefined
  refund?: EventRefund | undefined
  token?: TokenRow | undefined
}

// Without its caller a row is ignored.
const INSERT = `INSERT OR IGNORE INTO events (type, at, qr_code, status, payment, refund, token, caller)
  VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT number FROM callers WHERE actor = ? AND key_id = ?))`

/**
 * Appends an event, and queues its notification.
 * @returns the number of the event
 */
export function recordEvent(sql: SqlStorage, event: NewEvent): number {
  appendEvent(sql, event)
  const number = lastRow(sql)
  notify(sql, { ...event, number })
  return number
}

/** Appends an event, and queues no notification. Nothing is ever deleted, so SQLite's row ids have no gaps. */
export function appendEvent(
  sql: SqlStorage,
  { type, at, by, qrCode, status, payment, refund, token }: NewEvent,
): void {
  const { actor, keyId = '' } = by
  const details = [eventPaymentColumn(payment), eventRefundColumn(refund), eventTokenColumn(token)]
  const columns = [type, at, qrCode ?? null, status ?? null, ...details]
  const insert = () => insertRow(sql, INSERT, ...columns, actor, keyId)
  if (insert()) return
  // The first event of a caller adds it.
  sql.exec('INSERT INTO callers (actor, key_id) VALUES (?, ?)', actor, keyId)
  if (!insert()) throw new Error('an event was not recorded')
}

export interface EventPage {
  events: Event[]
  /** After which number there are more; absent on the last page. */
  next?: number | undefined
}

/** A page of a QR code's events, oldest first. @param qrCode the number of its row */
export function eventsOf(sql: SqlStorage, qrCode: number, { cursor = 0, limit }: PageQuery): EventPage {
  const read = eventsWhere(
    sql,
    'WHERE qr_code = ? AND events.number > ? ORDER BY events.number LIMIT ?',
    qrCode,
    cursor,
    limit + 1,
  )
  const { rows: events, next } = pageOf(read, limit)
  return { events, next }
}

export interface FeedQuery {
  after?: FeedCursor | undefined
  limit: number
}

/** A page of the feed, and where the next one begins. */
export interface FeedPage {
  events: Event[]
  next: FeedCursor
}

/** The cursor before the site's first event, which made the tables and with them the epoch. */
const BEGINNING: FeedCursor = { epoch: '', number: 0 }
const isBeginning = ({ epoch, number }: FeedCursor): boolean =>
  epoch === BEGINNING.epoch && number === BEGINNING.number

/** The page of a site without tables; undefined for the cursor of another feed. */
export const emptyFeed = ({ after = BEGINNING }: FeedQuery): FeedPage | undefined =>
  isBeginning(after) ? { events: [], next: BEGINNING } : undefined

/** A page of the site's feed, oldest first; undefined for a cursor of another feed. */
export function feed(sql: SqlStorage, { after = BEGINNING, limit }: FeedQuery): FeedPage | undefined {
  const epoch = epochOf(sql)
  const { number } = after
  if (!isBeginning(after) && (after.epoch !== epoch || number > lastEvent(sql))) return undefined
  const events = eventsWhere(sql, 'WHERE events.number > ? ORDER BY events.number LIMIT ?', number, limit)
  return { events, next: { epoch, number: events.at(-1)?.number ?? number } }
}

/** The number of the latest event, 0 before the first. */
export const lastEvent = (sql: SqlStorage): number => integer(sql, 'SELECT max(number) FROM events') ?? 0

/** The QR codes that have events after a number, with their versions. */
export const changedSince = (sql: SqlStorage, number: number): { number: number; version: number }[] =>
  qrCodeVersions(sql, 'WHERE number IN (SELECT qr_code FROM events WHERE number > ?)', number)
