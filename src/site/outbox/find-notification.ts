// Finds notifications of the merchant.
import type { Binding } from '../rows/sql.ts'
import { isNotification, type NotificationRow, notificationKey, OF_KEY, outboxRows } from './rows.ts'

/** The notifications that the clauses after FROM select. */
export const notificationRows = (
  sql: SqlStorage,
  clauses: string,
  ...bindings: Binding[]
): NotificationRow[] => outboxRows(sql, clauses, ...bindings).filter(isNotification)

/** The row of a notification of the merchant. */
export function findNotification(sql: SqlStorage, id: string): NotificationRow | undefined {
  const key = notificationKey(sql, id)
  return key && notificationRows(sql, `WHERE ${OF_KEY}`, key.event, key.kind)[0]
}
