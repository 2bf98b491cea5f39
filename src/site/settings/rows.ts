// Rows of the tables `settings`, `callbacks` and those of the keys that sign, with checked types.
import * as z from 'zod/mini'
import { StoredAmount } from '../../contract/amount.ts'
import { type Callback, DEFAULT_CALLBACK } from '../../contract/callback.ts'
import { ReceiptSettingsAnswer } from '../../contract/receipts/settings.ts'
import { DEFAULT_SETTINGS, type Logo, NOTIFICATION_TYPES, type Settings } from '../../contract/settings.ts'
import { inSeconds, int, orNull, rowsWith, text } from '../rows/columns.ts'
import { integer, type Sql, textValue } from '../rows/sql.ts'

/**
 * The settings as they are stored: with the hash of the logo, which was fetched from logoUrl, or uploaded if there is no
 * logoUrl; and with the label of callbackUrl.
 */
export type StoredSettings = Settings & { logo?: string | undefined; callbackLabel?: string | undefined }

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
  confirmRefundsAbove: z.optional(StoredAmount),
  tokenSignIn: z.optional(z.boolean()),
  digitalRouble: z.optional(z.boolean()),
  receipts: z.optional(ReceiptSettingsAnswer),
  payoutAccounts: z.optional(z.array(z.string())),
  logo: z.optional(z.string()),
  callbackLabel: z.optional(z.string()),
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

const Types = z.array(z.enum(NOTIFICATION_TYPES))
const readCallbacks = rowsWith({ id: text, url: text, types: text, label: orNull(text) })

/** The addresses besides that of the settings. */
export const otherCallbacks = (sql: SqlStorage): Callback[] =>
  readCallbacks(sql, 'SELECT * FROM callbacks').map(({ types, label, ...row }) => ({
    ...row,
    types: Types.parse(JSON.parse(types)),
    label: label ?? undefined,
  }))

/** All addresses, that of the settings first. */
export function callbacksIn(sql: SqlStorage): Callback[] {
  const { callbackUrl: url, notificationTypes: types, callbackLabel: label } = settingsRow(sql).settings
  const own = url === undefined ? [] : [{ id: DEFAULT_CALLBACK, url, types, label }]
  return [...own, ...otherCallbacks(sql)]
}

const readIds = rowsWith({ id: text })

/** The identifiers of the addresses besides that of the settings. It runs after every flush, so it parses no JSON. */
export const otherCallbackIds = (sql: Sql): string[] =>
  readIds(sql, 'SELECT id FROM callbacks').map(({ id }) => id)

/** The first address that has no key that signs: nothing is sent to it. */
export const keylessCallback = (sql: Sql): string | undefined =>
  textValue(
    sql,
    `SELECT '${DEFAULT_CALLBACK}' FROM settings
       WHERE settings ->> 'callbackUrl' IS NOT NULL AND NOT EXISTS (SELECT 1 FROM notification_keys)
     UNION ALL SELECT id FROM callbacks WHERE id NOT IN (SELECT callback FROM callback_keys) LIMIT 1`,
  )

/** Where the keys of an address are: the table, and the condition of its rows. */
export const keysOf = (callback: string): { table: string; of: string; bindings: string[] } =>
  callback === DEFAULT_CALLBACK
    ? { table: 'notification_keys', of: 'TRUE', bindings: [] }
    : { table: 'callback_keys', of: 'callback = ?', bindings: [callback] }

const readKeys = rowsWith({ id: text, key: text, active: int, created_at: inSeconds })
export type NotificationKeyRow = ReturnType<typeof readKeys>[number]

/** The notification keys of an address, the active one first. */
export function notificationKeyRows(sql: SqlStorage, callback = DEFAULT_CALLBACK): NotificationKeyRow[] {
  const { table, of, bindings } = keysOf(callback)
  return readKeys(sql, `SELECT * FROM ${table} WHERE ${of} ORDER BY active DESC`, ...bindings)
}
