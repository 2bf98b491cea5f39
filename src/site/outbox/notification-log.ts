// The notifications of a site as its merchant sees them (contract, section 11).

import { DEFAULT_CALLBACK } from '../../contract/callback.ts'
import type { NotificationContent } from '../../contract/notifications/content.ts'
import type { Notification, NotificationPosition } from '../../contract/notifications/log.ts'
import type { NotificationStatus } from '../../contract/notifications/status.ts'
import type { Outcome } from '../../errors.ts'
import { NOTIFICATION_NOT_FOUND, ok } from '../outcomes.ts'
import { numberOfQrCode } from '../qr-codes/rows.ts'
import { eventsOfCodes } from '../rows/named.ts'
import { firstRows } from '../rows/page.ts'
import type { Binding } from '../rows/sql.ts'
import { type Milliseconds, milliseconds } from '../time.ts'
import { endpointOf } from './endpoints.ts'
import { findNotification, notificationRows } from './find-notification.ts'
import {
  callbackOf,
  keyAt,
  NOTIFICATIONS,
  type NotificationRow,
  notificationId,
  positionOf,
  queueOf,
} from './rows.ts'

export interface NotificationsQuery {
  status?: NotificationStatus | undefined
  qrCodeUid?: string | undefined
  callback?: string | undefined
  limit: number
  cursor?: NotificationPosition | undefined
}

export interface NotificationPage {
  notifications: Notification[]
  /** After which position there are more; absent on the last page. */
  next?: NotificationPosition | undefined
}

/** A notification, and its content. */
export interface NotificationDetails {
  notification: Notification
  content: NotificationContent
}

/** A page of the merchant's notifications, newest first. */
export function notificationsOf(
  sql: SqlStorage,
  { status, qrCodeUid, callback, cursor = NEWEST, limit }: NotificationsQuery,
): NotificationPage {
  const { event, kind } = keyAt(cursor)
  const bindings: Binding[] = [event, kind, limit + 1]
  const bound = (value: Binding) => `?${bindings.push(value)}`
  const conditions = [
    '(event, kind) < (?1, ?2)',
    callback === undefined ? NOTIFICATIONS : `queue = ${bound(queueOf(callback))}`,
    ...(status ? [`status = ${bound(status)}`] : []),
    ...(qrCodeUid === undefined ? [] : [ofQrCode(bound(numberOfQrCode(sql, qrCodeUid) ?? null))]),
  ]
  const read = notificationRows(
    sql,
    `WHERE ${conditions.join(' AND ')} ORDER BY event DESC, kind DESC LIMIT ?3`,
    ...bindings,
  )
  const { rows, last } = firstRows(read, limit)
  return { notifications: rows.map((row) => notificationOf(sql, row)), next: last && positionOf(last) }
}

/** The position behind all others. */
const NEWEST: NotificationPosition = { number: Number.MAX_SAFE_INTEGER, callback: DEFAULT_CALLBACK }

const ofQrCode = (code: string): string => `event IN (${eventsOfCodes(`(${code})`)})`

/** A notification of the merchant. @returns payin.resource.not.found */
export function readNotification(sql: SqlStorage, id: string): Outcome<NotificationDetails> {
  const row = findNotification(sql, id)
  return row ? ok({ notification: notificationOf(sql, row), content: row.content }) : NOTIFICATION_NOT_FOUND
}

const notificationOf = (sql: SqlStorage, row: NotificationRow): Notification => ({
  id: notificationId(sql, row),
  callback: callbackOf(row.queue),
  type: row.content.type,
  qrCodeUid: 'qrCodeUid' in row.content ? row.content.qrCodeUid : undefined,
  paymentUid: 'paymentUid' in row.content ? row.content.paymentUid : undefined,
  refundUid: row.content.type === 'REFUND' ? row.content.refundUid : undefined,
  settlementUid: row.content.type === 'SETTLEMENT' ? row.content.settlementUid : undefined,
  status: row.status,
  createdAt: row.createdAt,
  attempts: row.attempts,
  nextAttemptAt: nextAttemptOf(sql, row),
})

/** While an endpoint is probed, one delivery is tried at a time: none comes before the next probe. */
function nextAttemptOf(sql: SqlStorage, { queue, sendAt }: NotificationRow): Milliseconds | undefined {
  if (sendAt === undefined) return undefined
  const { isProbing, probeAt } = endpointOf(sql, queue)
  return isProbing ? milliseconds(Math.max(sendAt, probeAt)) : sendAt
}
