// The events of a site: append-only, numbered from 1 without gaps, written in the transaction of what they tell.
import type { Caller } from '../contract/caller.ts'
import type { Actor, Event, EventPayment, EventType, FeedCursor } from '../contract/event.ts'
import type { QrCodeStatus } from '../contract/status.ts'
import { isNotified, notify } from './notifications.ts'
import { epochOf, eventPaymentColumn, eventsWhere, integer, qrCodeVersions } from './rows.ts'

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
}

/** Appends an event, and queues its notification. Nothing is ever deleted, so SQLite's row ids have no gaps. */
export function recordEvent(sql: SqlStorage, event: NewEvent): void {
  const { type, at, by, qrCode, status, payment } = event
  sql.exec(
    'INSERT INTO events (type, at, caller, qr_code, status, payment) VALUES (?, ?, ?, ?, ?, ?)',
    type,
    at,
    callerNumber(sql, by),
    qrCode ?? null,
    status ?? null,
    eventPaymentColumn(payment),
  )
  if (isNotified(event)) notify(sql, { ...event, number: lastEvent(sql) })
}

/** The number of a caller; the first event of a caller adds it. */
function callerNumber(sql: SqlStorage, { actor, keyId = '' }: Cause): number {
  const known = integer(sql, 'SELECT number FROM callers WHERE actor = ? AND key_id = ?', actor, keyId)
  if (known !== undefined) return known
  sql.exec('INSERT INTO callers (actor, key_id) VALUES (?, ?)', actor, keyId)
  return integer(sql, 'SELECT last_insert_rowid()') ?? 0
}

/** How a page is asked for: after which number, and how long it is at most. */
export interface PageQuery {
  cursor?: number | undefined
  limit: number
}

export interface EventPage {
  events: Event[]
  /** After which number there are more; absent on the last page. */
  next?: number | undefined
}

/** A page of a QR code's events, oldest first. @param qrCode the number of its row */
export function eventsOf(sql: SqlStorage, qrCode: number, { cursor = 0, limit }: PageQuery): EventPage {
  const events = eventsWhere(
    sql,
    'WHERE qr_code = ? AND events.number > ? ORDER BY events.number LIMIT ?',
    qrCode,
    cursor,
    limit + 1,
  )
  return events.length > limit
    ? { events: events.slice(0, limit), next: events[limit - 1]?.number }
    : { events }
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

/** The page of a site without tables; undefined for the cursor of a feed that is no longer there. */
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
