// Rows of the settings and of the notification keys.
import * as z from 'zod/mini'
import { NOTIFICATION_TYPES, type Settings } from '../../contract/settings.ts'

/** The settings, with their revision and the one before. */
export interface SettingsRow {
  settings: Settings
  revision: string
  replaced: string
}

const SettingsColumn = z.object({
  name: z.optional(z.string()),
  supportContact: z.optional(z.string()),
  callbackUrl: z.optional(z.string()),
  notificationTypes: z.array(z.enum(NOTIFICATION_TYPES)),
})

/** The settings, undefined before they were first set. */
export function settingsRow(sql: SqlStorage): SettingsRow | undefined {
  const [row] = sql
    .exec<{ settings: string; revision: string; replaced: string }>('SELECT * FROM settings')
    .toArray()
  return row && { ...row, settings: SettingsColumn.parse(JSON.parse(row.settings)) }
}

export type NotificationKeyRow = { id: string; key: string; active: number; created_at: number }

/** The notification keys, the active one first. */
export const notificationKeyRows = (sql: SqlStorage): NotificationKeyRow[] =>
  sql.exec<NotificationKeyRow>('SELECT * FROM notification_keys ORDER BY active DESC, number').toArray()
