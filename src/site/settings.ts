// How a site keeps its settings, and the keys that sign its notifications (contract, section 12).
import type { Caller } from '../contract/caller.ts'
import { DEFAULT_SETTINGS, type NotificationKey, type Settings } from '../contract/settings.ts'
import type { Outcome, Refusal } from '../errors.ts'
import { sendAll } from './endpoints.ts'
import { recordEvent } from './events.ts'
import { NOTIFICATION_KEY_NOT_FOUND, notAllowed, ok } from './outcomes.ts'
import { type NotificationKeyRow, notificationKeyRows, settingsRow } from './rows/settings.ts'

/** The settings, and the opaque value of their entity tag. */
export interface SettingsVersion {
  settings: Settings
  revision: string
}

/** The settings before the first change. */
export const INITIAL: SettingsVersion = { settings: DEFAULT_SETTINGS, revision: 'initial' }

/** The settings of a site that has tables. */
export const settingsOf = (sql: SqlStorage): Settings => settingsVersion(sql).settings

/** The settings of a site that has tables, with their revision. */
export const settingsVersion = (sql: SqlStorage): SettingsVersion => versionOf(settingsRow(sql) ?? INITIAL)

const versionOf = ({ settings, revision }: SettingsVersion): SettingsVersion => ({ settings, revision })

/** The revisions that a request may replace, `*` for any. */
export type IfMatch = readonly string[] | undefined

/**
 * Replaces the settings. Equal settings change nothing.
 * @param now Unix seconds
 * @returns http.precondition.failed where ifMatch names other revisions
 */
export function replaceSettings(
  sql: SqlStorage,
  settings: Settings,
  ifMatch: IfMatch,
  by: Caller,
  now: number,
): Outcome<SettingsVersion> {
  const current = settingsRow(sql) ?? { ...INITIAL, replaced: INITIAL.revision }
  const isMatch = (revision: string) => !ifMatch || ifMatch[0] === '*' || ifMatch.includes(revision)
  const text = JSON.stringify(settings)
  const isEqual = text === JSON.stringify(current.settings)
  // The same request again, whose answer was lost, names the revision that it replaced (RFC 9110, section 13.1.1).
  if (isEqual && (isMatch(current.revision) || isMatch(current.replaced))) return ok(versionOf(current))
  if (!isMatch(current.revision)) return PRECONDITION_FAILED
  // Random, so that a site that is restored from a backup never repeats one.
  sql.exec(
    'INSERT OR REPLACE INTO settings VALUES (1, ?, lower(hex(randomblob(8))), ?)',
    text,
    current.revision,
  )
  // The failures were another endpoint's.
  if (settings.callbackUrl !== current.settings.callbackUrl) sendAll(sql, 'merchant', now * 1000)
  recordEvent(sql, { type: 'settings.changed', at: now, by })
  return ok(settingsVersion(sql))
}

const PRECONDITION_FAILED: Refusal = {
  ok: false,
  code: 'http.precondition.failed',
  description: 'If-Match names another version, must name the ETag of the settings as they are',
}

/** The notification keys of a site that has tables, without their texts. */
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
 * @param now Unix seconds
 * @returns payin.incorrect-method-invocation where a key is inactive
 */
export function addNotificationKey(
  sql: SqlStorage,
  { id, key }: NewNotificationKey,
  by: Caller,
  now: number,
): Outcome<NotificationKey> {
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
  recordEvent(sql, { type: 'settings.changed', at: now, by })
  return ok(notificationKeyOf(row))
}

/** Activates a notification key, which ends the other one; a second call changes nothing. @param now Unix seconds */
export function activateNotificationKey(
  sql: SqlStorage,
  id: string,
  by: Caller,
  now: number,
): Outcome<NotificationKey> {
  const row = notificationKeyRows(sql).find((one) => one.id === id)
  if (!row) return NOTIFICATION_KEY_NOT_FOUND
  if (row.active === 0) {
    sql.exec('DELETE FROM notification_keys WHERE id <> ?', id)
    sql.exec('UPDATE notification_keys SET active = 1')
    recordEvent(sql, { type: 'settings.changed', at: now, by })
  }
  return ok(notificationKeyOf({ ...row, active: 1 }))
}
