// The settings of a site (contract, section 12).
import type { Settings } from '../contract/settings.ts'
import type { Outcome, Refusal } from '../errors.ts'
import type { Context } from './context.ts'
import { recordEvent } from './events.ts'
import { sendAll } from './outbox/endpoints.ts'
import { ok } from './outcomes.ts'
import { settingsRow } from './rows/settings.ts'
import { toMilliseconds } from './time.ts'

/** The settings, and the opaque value of their entity tag. */
export interface SettingsVersion {
  settings: Settings
  revision: string
}

/** The settings, with their revision. */
export const settingsVersion = (sql: SqlStorage): SettingsVersion => versionOf(settingsRow(sql))

const versionOf = ({ settings, revision }: SettingsVersion): SettingsVersion => ({ settings, revision })

/** The revisions that a request may replace, `*` for any. */
export type IfMatch = readonly string[] | undefined

/**
 * Replaces the settings. Equal settings change nothing.
 * @returns http.precondition.failed where ifMatch names other revisions
 */
export function replaceSettings(
  context: Context,
  settings: Settings,
  ifMatch: IfMatch,
): Outcome<SettingsVersion> {
  const { sql, now } = context
  const current = settingsRow(sql)
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
  if (settings.name !== current.settings.name) sql.exec('UPDATE site SET announced = 0')
  // The failures were another endpoint's.
  if (settings.callbackUrl !== current.settings.callbackUrl) {
    sendAll(sql, 'merchant', toMilliseconds(now))
  }
  recordEvent(context, { type: 'settings.changed' })
  return ok(settingsVersion(sql))
}

const PRECONDITION_FAILED: Refusal = {
  ok: false,
  code: 'http.precondition.failed',
  description: 'If-Match names another version, must name the ETag of the settings as they are',
}
