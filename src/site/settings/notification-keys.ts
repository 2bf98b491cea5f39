// The keys that sign a site's notifications (contract, section 12).
import type { NotificationKey } from '../../contract/notification-key.ts'
import type { Outcome } from '../../errors.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import { NOTIFICATION_KEY_NOT_FOUND, notAllowed, ok } from '../outcomes.ts'
import { type NotificationKeyRow, notificationKeyRows } from './rows.ts'

/** The notification keys, without their texts. */
export const listNotificationKeys = (sql: SqlStorage): NotificationKey[] =>
  notificationKeyRows(sql).map(notificationKeyOf)

const notificationKeyOf = ({ id, created_at, active }: NotificationKeyRow): NotificationKey => ({
  id,
  createdAt: created_at,
  active: active === 1,
})

/** A new notification key: its text is `whsec_` and the base64 of 32 random bytes. */
export interface NewNotificationKey {
  id: string
  key: string
}

/**
 * Adds a notification key. The first one is active, a later one inactive until it is activated.
 * @returns payin.incorrect-method-invocation where a key is inactive
 */
export function addNotificationKey(
  context: Context,
  { id, key }: NewNotificationKey,
): Outcome<NotificationKey> {
  const { sql, now } = context
  const rows = notificationKeyRows(sql)
  const known = rows.find((row) => row.id === id)
  if (known) return ok(notificationKeyOf(known))
  const inactive = rows.find(({ active }) => active === 0)
  if (inactive) {
    return notAllowed(
      `notification key ${inactive.id} is inactive, must be activated before another one is made`,
    )
  }
  const row = { id, key, active: rows.length === 0 ? 1 : 0, created_at: now }
  sql.exec(
    'INSERT INTO notification_keys (id, key, active, created_at) VALUES (?, ?, ?, ?)',
    ...Object.values(row),
  )
  recordEvent(context, { type: 'settings.changed' })
  return ok(notificationKeyOf(row))
}

/** Activates a notification key, which ends the other one; a second call changes nothing. */
export function activateNotificationKey(context: Context, id: string): Outcome<NotificationKey> {
  const { sql } = context
  const row = notificationKeyRows(sql).find((one) => one.id === id)
  if (!row) return NOTIFICATION_KEY_NOT_FOUND
  if (row.active === 0) {
    sql.exec('DELETE FROM notification_keys WHERE id <> ?', id)
    sql.exec('UPDATE notification_keys SET active = 1')
    recordEvent(context, { type: 'settings.changed' })
  }
  return ok(notificationKeyOf({ ...row, active: 1 }))
}
