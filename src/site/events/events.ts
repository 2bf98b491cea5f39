// Records and lists the events of a site: numbered from 1, each in the transaction of its change, no number used twice.

import type { Event, FeedCursor, FeedPosition } from '../../contract/event.ts'
import type { QrCodeEventsQuery } from '../../contract/query.ts'
import type { Outcome } from '../../errors.ts'
import type { Context } from '../context.ts'
import { notify } from '../outbox/notifications.ts'
import { CURSOR_GONE, ok } from '../outcomes.ts'
import { qrCodeVersions } from '../qr-codes/rows.ts'
import { namedEvents, UNNAMED } from '../rows/named.ts'
import { pageOf } from '../rows/page.ts'
import { epochOf } from '../rows/site.ts'
import { requiredInteger, type Sql } from '../rows/sql.ts'
import {
  eventOf,
  eventPaymentColumn,
  eventRefundColumn,
  eventRows,
  eventSaleColumn,
  eventSubjectColumn,
  eventTokenColumn,
  type NewEvent,
} from './rows.ts'

const INSERT = `INSERT INTO events (number, type, at, caller, qr_code, status, payment, refund, token, sale, subject, named)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/**
 * Appends an event, and queues its notification.
 * @param before runs between: it writes what the notification shows and the number of the event is part of
 * @returns the number of the event
 */
export function recordEvent(
  context: Context,
  event: NewEvent,
  before: (number: number) => void = () => {},
): number {
  const number = appendEvent(context, event)
  before(number)
  notify(context, { ...event, number })
  return number
}

/** Appends an event, and queues no notification. @returns the number of the event */
export function appendEvent({ sql, now, by, memory }: Context, event: NewEvent): number {
  const { type, qrCode, status, sale, payment, refund, token, isNamed } = event
  const number = memory.lastEvent + 1
  const details = [
    eventPaymentColumn(payment),
    eventRefundColumn(refund),
    eventTokenColumn(token),
    eventSaleColumn(sale),
    eventSubjectColumn(event),
    isNamed ? 1 : 0,
  ]
  sql.exec(INSERT, number, type, now, memory.caller(by), qrCode ?? null, status ?? null, ...details)
  memory.appended(number)
  return number
}

export interface EventPage {
  events: Event[]
  /** Behind which number there are more; absent on the last page. */
  next?: number | undefined
}

/** A page of a QR code's events. @param qrCode the number of its row */
export function eventsOf(
  sql: SqlStorage,
  qrCode: number,
  { order, cursor = order ? Number.MAX_SAFE_INTEGER : 0, limit }: QrCodeEventsQuery,
): EventPage {
  const page = `AND events.number ${order ? '<' : '>'} ?2 ORDER BY events.number ${order ?? ''} LIMIT ?3`
  const conditions = [`qr_code = ?1 AND ${UNNAMED}`, `events.number IN (${namedEvents('(?1)')})`]
  const rows = conditions.flatMap((each) =>
    eventRows(sql, `WHERE ${each} ${page}`, qrCode, cursor, limit + 1),
  )
  // A refund of a STATIC code names its event too, which the index has.
  const read = [...new Map(rows.map((row) => [row.number, row])).values()]
  read.sort((a, b) => (order ? b.number - a.number : a.number - b.number))
  const { shown, next } = pageOf(read, limit, eventOf)
  return { events: shown, next }
}

export interface FeedQuery {
  after?: FeedPosition | undefined
  /** The page goes back from here, newest first. */
  before?: FeedPosition | undefined
  limit: number
}

/** A page of the feed, and where the next one begins. */
export interface FeedPage {
  events: Event[]
  next: FeedCursor
}

/** The cursor before the site's first event: the same in every epoch, because nothing is before it. */
const BEGINNING: FeedCursor = { epoch: '', number: 0 }
const isBeginning = ({ epoch, number }: FeedCursor): boolean =>
  epoch === BEGINNING.epoch && number === BEGINNING.number

/** A page of the site's feed, oldest first, or back from `before`. @returns events.cursor.gone for a cursor of another feed */
export function feedPage(
  sql: SqlStorage,
  { after = BEGINNING, before, limit }: FeedQuery,
): Outcome<FeedPage> {
  const epoch = epochOf(sql)
  const last = lastEvent(sql)
  const position = before ?? after
  const end = { epoch, number: before ? last + 1 : last }
  const cursor = position === 'end' ? end : position
  if (!isBeginning(cursor) && (cursor.epoch !== epoch || cursor.number > end.number)) return CURSOR_GONE
  const rows = eventRows(
    sql,
    before
      ? 'WHERE events.number < ? ORDER BY events.number DESC LIMIT ?'
      : 'WHERE events.number > ? ORDER BY events.number LIMIT ?',
    ...[cursor.number, limit],
  )
  const number = rows.at(-1)?.number ?? cursor.number
  return ok({ events: rows.map(eventOf), next: number === 0 ? BEGINNING : { epoch, number } })
}

/** The number of the latest event, also of a deleted one, 0 before the first. */
export const lastEvent = (sql: Sql): number =>
  requiredInteger(sql, 'SELECT max(last_event, ifnull((SELECT max(number) FROM events), 0)) FROM site')

/** The QR codes that have events after a number, with their versions. */
export const changedSince = (sql: SqlStorage, number: number): { number: number; version: number }[] =>
  qrCodeVersions(sql, 'WHERE number IN (SELECT qr_code FROM events WHERE number > ?)', number)
