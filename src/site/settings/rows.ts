// Rows of the tables `settings` and `notification_keys`, with checked types.
import * as z from 'zod/mini'
import { DEFAULT_SETTINGS, type Logo, NOTIFICATION_TYPES, type Settings } from '../../contract/settings.ts'
import { inSeconds, int, rowsWith, text } from '../rows/columns.ts'
import { integer } from '../rows/sql.ts'

/** The settings as they are stored: with the hash of the logo, which was fetched from logoUrl, or uploaded if there is no logoUrl. */
export type StoredSettings = Settings & { logo?: string | undefined }

/** The settings, with their revision and the one before. */
interface SettingsRow {
  settings: StoredSettings
  revision: string
  replaced: string
}

/** Stored settings stay readable when a rule for requests changes, so the rules are not checked here. */
const SettingsColumn = z.object({
  name: z.optional(z.string()),
  supportContact: z.optional(z.string()),
  logoUrl: z.optional(z.string()),
  color: z.optional(z.string()),
  legalName: z.optional(z.string()),
  taxId: z.optional(z.string()),
  callbackUrl: z.optional(z.string()),
  notificationTypes: z.array(z.enum(NOTIFICATION_TYPES)),
  redirectSchemes: z.optional(z.array(z.string())),
  logo: z.optional(z.string()),
} satisfies Record<keyof StoredSettings, z.ZodMiniType>)

const readSettings = rowsWith({ settings: text, revision: text, replaced: text })

/** Before the first change, a revision that no random one equals. */
const UNCHANGED: SettingsRow = { settings: DEFAULT_SETTINGS, revision: 'initial', replaced: 'initial' }

/** The settings as they stand. */
export function settingsRow(sql: SqlStorage): SettingsRow {
  const [row] = readSettings(sql, 'SELECT settings, revision, replaced FROM settings')
  return row ? { ...row, settings: SettingsColumn.parse(JSON.parse(row.settings)) } : UNCHANGED
}

const isBlob = (value: unknown): value is ArrayBuffer => value instanceof ArrayBuffer
const readLogo = rowsWith({ logo_media_type: text, logo: isBlob })

/** The logo with a hash; the site has at most one. */
export function logoRow(sql: SqlStorage, hash: string): Logo | undefined {
  const [row] = readLogo(sql, 'SELECT logo_media_type, logo FROM settings WHERE logo_hash = ?', hash)
  return row && { hash, mediaType: row.logo_media_type, content: new Uint8Array(row.logo) }
}

/** Whether the site's logo has this hash; its bytes are not read. */
export const hasLogo = (sql: SqlStorage, hash: string): boolean =>
  integer(sql, 'SELECT 1 FROM settings WHERE logo_hash = ?', hash) !== undefined

const readKeys = rowsWith({ id: text, key: text, active: int, created_at: inSeconds })
export type NotificationKeyRow = ReturnType<typeof readKeys>[number]

/** The notification keys, the active one first. */
export const notificationKeyRows = (sql: SqlStorage): NotificationKeyRow[] =>
  readKeys(sql, 'SELECT * FROM notification_keys ORDER BY active DESC')
