// The keys that sign the notifications of an address (contract, section 12).
import { DEFAULT_CALLBACK } from '../../contract/callback.ts'
import type { NotificationKey } from '../../contract/notification-key.ts'
import type { Outcome } from '../../errors.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import { CALLBACK_NOT_FOUND, NOTIFICATION_KEY_NOT_FOUND, notAllowed, ok } from '../outcomes.ts'
import { keysOf, type NotificationKeyRow, notificationKeyRows, otherCallbackIds } from './rows.ts'

/** That of the settings can have keys before it has a URL. */
const isKnown = (sql: SqlStorage, callback: string): boolean =>
  callback === DEFAULT_CALLBACK || otherCallbackIds(sql).includes(callback)

/** The notification keys of an address, without their texts. @returns payin.resource.not.found for an unknown address */
export const listNotificationKeys = (
  sql: SqlStorage,
  callback = DEFAULT_CALLBACK,
): Outcome<NotificationKey[]> =>
  isKnown(sql, callback) ? ok(notificationKeyRows(sql, callback).map(notificationKeyOf)) : CALLBACK_NOT_FOUND

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
 * Adds a notification key of an address. The first one is active, a later one inactive until it is activated.
 * @returns payin.incorrect-method-invocation where a key is inactive; payin.resource.not.found for an unknown address
 */
export function addNotificationKey(
  context: Context,
  { id, key }: NewNotificationKey,
  callback = DEFAULT_CALLBACK,
): Outcome<NotificationKey> {
  const { sql, now } = context
  if (!isKnown(sql, callback)) return CALLBACK_NOT_FOUND
  const rows = notificationKeyRows(sql, callback)
  const known = rows.find((row) => row.id === id)
  if (known) return ok(notificationKeyOf(known))
  const inactive = rows.find(({ active }) => active === 0)
  if (inactive) {
    return notAllowed(
      `notification key ${inactive.id} is inactive, must be activated before another one is made`,
    )
  }
  const row = { id, key, active: rows.length === 0 ? 1 : 0, created_at: now }
  const { table, bindings } = keysOf(callback)
  const columns = [...Object.keys(row), ...bindings.map(() => 'callback')]
  sql.exec(
    `INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => '?')})`,
    ...[...Object.values(row), ...bindings],
  )
  recordEvent(context, { type: 'settings.changed' })
  return ok(notificationKeyOf(row))
}

/** Activates a notification key, which ends the other one of the address; a second call changes nothing. */
export function activateNotificationKey(
  context: Context,
  id: string,
  callback = DEFAULT_CALLBACK,
): Outcome<NotificationKey> {
  const { sql } = context
  if (!isKnown(sql, callback)) return CALLBACK_NOT_FOUND
  const row = notificationKeyRows(sql, callback).find((one) => one.id === id)
  if (!row) return NOTIFICATION_KEY_NOT_FOUND
  if (row.active === 0) {
    const { table, of, bindings } = keysOf(callback)
    sql.exec(`DELETE FROM ${table} WHERE ${of} AND id <> ?`, ...bindings, id)
    sql.exec(`UPDATE ${table} SET active = 1 WHERE ${of}`, ...bindings)
    recordEvent(context, { type: 'settings.changed' })
  }
  return ok(notificationKeyOf({ ...row, active: 1 }))
}
