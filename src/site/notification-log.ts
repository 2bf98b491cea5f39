// The notifications of a site as its merchant sees them (contract, section 11).
import type { Notification, NotificationContent, NotificationStatus } from '../contract/delivery.ts'
import type { PageQuery } from '../contract/query.ts'
import { pageOf } from './page.ts'
import { notificationId, notificationNumber, type OutboxRow, outboxRows } from './rows/outbox.ts'

export type NotificationsQuery = PageQuery & { status?: NotificationStatus | undefined }

export interface NotificationPage {
  notifications: Notification[]
  /** After which number there are more; absent on the last page. */
  next?: number | undefined
}

/** A notification, and what it tells. */
export interface NotificationDetails {
  notification: Notification
  content: NotificationContent
}

type NotificationRow = Extract<OutboxRow, { queue: 'merchant' }>

/** The notifications that the clauses after FROM select. */
const notificationRows = (
  sql: SqlStorage,
  clauses: string,
  ...bindings: SqlStorageValue[]
): NotificationRow[] => outboxRows(sql, clauses, ...bindings).filter((row) => row.queue === 'merchant')

/** The row of a notification of the merchant. */
export function findNotification(sql: SqlStorage, id: string): NotificationRow | undefined {
  const number = notificationNumber(sql, id)
  return number === undefined
    ? undefined
    : notificationRows(sql, "WHERE number = ? AND queue = 'merchant'", number)[0]
}

/** A page of the merchant's notifications, newest first. */
export function notificationsOf(
  sql: SqlStorage,
  { status, cursor = Number.MAX_SAFE_INTEGER, limit }: NotificationsQuery,
): NotificationPage {
  const read = notificationRows(
    sql,
    `WHERE queue = 'merchant' AND number < ? ${status ? 'AND status = ?' : ''} ORDER BY number DESC LIMIT ?`,
    ...[cursor, ...(status ? [status] : []), limit + 1],
  )
  const { rows, next } = pageOf(read, limit)
  return { notifications: rows.map((row) => notificationOf(sql, row)), next }
}

export const detailsOf = (sql: SqlStorage, row: NotificationRow): NotificationDetails => ({
  notification: notificationOf(sql, row),
  content: row.content,
})

const notificationOf = (sql: SqlStorage, row: NotificationRow): Notification => ({
  id: notificationId(sql, row.number),
  type: row.content.type,
  qrCodeUid: row.content.qrCodeUid,
  paymentUid: 'paymentUid' in row.content ? row.content.paymentUid : undefined,
  refundUid: row.content.type === 'REFUND' ? row.content.refundUid : undefined,
  status: row.status,
  createdAt: row.createdAt,
  attempts: row.attempts,
  nextAttemptAt: row.sendAt,
})
