// The notifications of a site as its merchant sees them (contract, section 11).

import type { NotificationContent } from '../../contract/notifications/content.ts'
import type { Notification, NotificationStatus } from '../../contract/notifications/log.ts'
import type { PageQuery } from '../../contract/query.ts'
import type { Outcome } from '../../errors.ts'
import { NOTIFICATION_NOT_FOUND, ok } from '../outcomes.ts'
import { pageOf } from '../page.ts'
import { notificationId, notificationNumber, type OutboxRow, outboxRows } from '../rows/outbox.ts'
import type { Binding } from '../rows/sql.ts'
import { type Milliseconds, milliseconds } from '../time.ts'
import { endpointOf } from './endpoints.ts'

export type NotificationsQuery = PageQuery & {
  status?: NotificationStatus | undefined
  qrCodeUid?: string | undefined
}

export interface NotificationPage {
  notifications: Notification[]
  /** After which number there are more; absent on the last page. */
  next?: number | undefined
}

/** A notification, and its content. */
export interface NotificationDetails {
  notification: Notification
  content: NotificationContent
}

type NotificationRow = Extract<OutboxRow, { queue: 'merchant' }>

/** The notifications that the clauses after FROM select. */
const notificationRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]): NotificationRow[] =>
  outboxRows(sql, clauses, ...bindings).filter((row) => row.queue === 'merchant')

/** The row of a notification of the merchant. */
export function findNotification(sql: SqlStorage, id: string): NotificationRow | undefined {
  const number = notificationNumber(sql, id)
  return number === undefined
    ? undefined
    : notificationRows(sql, "WHERE number = ? AND queue = 'merchant'", number)[0]
}

/** A notification has the number of its event, and events are found by their QR code. */
const eventsOf = (number: string) =>
  `AND number IN (SELECT ${number} FROM events WHERE qr_code = (SELECT number FROM qr_codes WHERE qr_code_uid = ?))`
const OF_QR_CODE = { DESC: eventsOf('events.number'), ASC: eventsOf('-events.number') }

/** A page of the merchant's notifications, newest first. */
export function notificationsOf(
  sql: SqlStorage,
  { status, qrCodeUid, cursor = Number.MAX_SAFE_INTEGER, limit }: NotificationsQuery,
): NotificationPage {
  const ofStatus = status ? 'AND status = ?' : ''
  const select = (range: string, order: 'ASC' | 'DESC', bound: number) =>
    notificationRows(
      sql,
      `WHERE queue = 'merchant' AND ${range} ${ofStatus} ${qrCodeUid ? OF_QR_CODE[order] : ''}
       ORDER BY number ${order} LIMIT ?`,
      ...[bound, ...(status ? [status] : []), ...(qrCodeUid ? [qrCodeUid] : []), limit + 1],
    ).map((row) => ({ row, number: positionOf(row) }))
  const read = [
    ...select('number > 0 AND number < ?', 'DESC', Math.ceil(cursor / 2)),
    ...select('number < 0 AND number > ?', 'ASC', -Math.floor(cursor / 2)),
  ]
  const { rows, next } = pageOf(read.sort((a, b) => b.number - a.number).slice(0, limit + 1), limit)
  return { notifications: rows.map(({ row }) => notificationOf(sql, row)), next }
}

/** The position of a notification in the list: the second one of an event, whose number is negative, follows the first. */
const positionOf = ({ number }: NotificationRow): number => (number > 0 ? 2 * number : 1 - 2 * number)

/** A notification of the merchant. @returns payin.resource.not.found */
export function readNotification(sql: SqlStorage, id: string): Outcome<NotificationDetails> {
  const row = findNotification(sql, id)
  return row ? ok({ notification: notificationOf(sql, row), content: row.content }) : NOTIFICATION_NOT_FOUND
}

const notificationOf = (sql: SqlStorage, row: NotificationRow): Notification => ({
  id: notificationId(sql, row.number),
  type: row.content.type,
  qrCodeUid: row.content.qrCodeUid,
  paymentUid: 'paymentUid' in row.content ? row.content.paymentUid : undefined,
  refundUid: row.content.type === 'REFUND' ? row.content.refundUid : undefined,
  status: row.status,
  createdAt: row.createdAt,
  attempts: row.attempts,
  nextAttemptAt: nextAttemptOf(sql, row),
})

/** While an endpoint is probed, one delivery is tried at a time: none comes before the next probe. */
function nextAttemptOf(sql: SqlStorage, { sendAt }: NotificationRow): Milliseconds | undefined {
  if (sendAt === undefined) return undefined
  const { isProbing, probeAt } = endpointOf(sql, 'merchant')
  return isProbing ? milliseconds(Math.max(sendAt, probeAt)) : sendAt
}
