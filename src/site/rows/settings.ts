// Rows of the settings and of the notification keys.
import * as z from 'zod/mini'
import { DEFAULT_SETTINGS, NOTIFICATION_TYPES, type Settings } from '../../contract/settings.ts'
import { inSeconds, int, rowsWith, text } from './columns.ts'

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

const readSettings = rowsWith({ settings: text, revision: text, replaced: text })

/** Before the first change, a revision that no random one equals. */
const UNCHANGED: SettingsRow = { settings: DEFAULT_SETTINGS, revision: 'initial', replaced: 'initial' }

/** The settings as they stand. */
export function settingsRow(sql: SqlStorage): SettingsRow {
  const [row] = readSettings(sql, 'SELECT * FROM settings')
  return row ? { ...row, settings: SettingsColumn.parse(JSON.parse(row.settings)) } : UNCHANGED
}

const readKeys = rowsWith({ id: text, key: text, active: int, created_at: inSeconds })
export type NotificationKeyRow = ReturnType<typeof readKeys>[number]

/** The notification keys, the active one first. */
export const notificationKeyRows = (sql: SqlStorage): NotificationKeyRow[] =>
  readKeys(sql, 'SELECT * FROM notification_keys ORDER BY active DESC, number')
