// The settings of a site (contract, section 12).
import { MAX_CALLBACKS } from '../../contract/callback.ts'
import type { Logo, NewSettings, Settings } from '../../contract/settings.ts'
import { patched, replaced, type SettingsPatch } from '../../contract/settings-request.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import { sendAll } from '../outbox/endpoints.ts'
import { notAllowed, ok } from '../outcomes.ts'
import { toMilliseconds } from '../time.ts'
import { refuseReceipts } from './receipts.ts'
import { callbacksIn, type StoredSettings, settingsRow } from './rows.ts'

/** The settings, and the opaque value of their entity tag. */
export interface SettingsVersion {
  settings: Settings
  revision: string
  /** The hash of the logo, where there is one. */
  logo?: string | undefined
}

/** The settings, with their revision. */
export function settingsVersion(sql: SqlStorage): SettingsVersion {
  const { settings, revision } = settingsRow(sql)
  return { settings, revision, logo: settings.logo }
}

/** The revisions that a request may replace, `*` for any. */
export type IfMatch = readonly string[] | undefined

/** Replaces the settings, but for those that an older client does not know; an uploaded logo stays where no logoUrl is given. @returns as patchSettings */
export function replaceSettings(
  context: Context,
  { logo, ...requested }: NewSettings,
  ifMatch: IfMatch,
): Outcome<SettingsVersion> {
  const current = settingsRow(context.sql)
  const settings = withLogo(
    labelled(replaced(requested, current.settings), current.settings),
    current.settings,
    logo,
  )
  if (!settings) return LOGO_CHANGED
  const refusal = refuseReceipts(context, settings.receipts, current.settings.receipts)
  return refusal ?? keep(context, current, { settings, logo }, ifMatch)
}

/**
 * Merges a patch into the settings as they stand, so that concurrent patches of different fields both hold.
 * @param logo what a new logoUrl leads to; of a patch that removes logoUrl, an uploaded one
 * @returns what `keep` does; validation.error as refuseReceipts
 */
export function patchSettings(
  context: Context,
  patch: SettingsPatch,
  logo: Logo | undefined,
  ifMatch: IfMatch,
): Outcome<SettingsVersion> {
  const current = settingsRow(context.sql)
  const merged = labelled(patched(current.settings, patch), current.settings)
  const settings =
    patch.logoUrl === null ? { ...merged, logo: logo?.hash } : withLogo(merged, current.settings, logo)
  if (!settings) return LOGO_CHANGED
  const refusal = refuseReceipts(context, settings.receipts, current.settings.receipts)
  return refusal ?? keep(context, current, { settings, logo }, ifMatch)
}

/** Replaces the logo by an uploaded one, or removes it, wherever it came from. @returns what `keep` does */
export function replaceLogo(
  context: Context,
  logo: Logo | undefined,
  ifMatch: IfMatch,
): Outcome<SettingsVersion> {
  const current = settingsRow(context.sql)
  const { logo: _, logoUrl: __, ...rest } = current.settings
  return keep(context, current, { settings: { ...rest, logo: logo?.hash }, logo }, ifMatch)
}

/** The label of callbackUrl stays while there is one. */
const labelled = (settings: Settings, { callbackLabel }: StoredSettings): StoredSettings =>
  settings.callbackUrl === undefined ? settings : { ...settings, callbackLabel }

/**
 * Keeps settings in place of the present ones. Equal settings change nothing.
 * @returns http.precondition.failed where ifMatch names other revisions; payin.incorrect-method-invocation where callbackUrl
 *   would be one address too many; service.unavailable where logoUrl has changed since it was found to be the site's own
 */
export function keep(
  context: Context,
  current: ReturnType<typeof settingsRow>,
  { settings, logo }: { settings: StoredSettings; logo: Logo | undefined },
  ifMatch: IfMatch,
): Outcome<SettingsVersion> {
  const { sql, now } = context
  const isNew = settings.callbackUrl !== undefined && current.settings.callbackUrl === undefined
  const isEqual = textOf(settings) === textOf(current.settings)
  const revised = revise(context, current, { settings, isEqual, isNew }, ifMatch)
  if (!revised.ok) return revised
  if (!revised.value) return ok(settingsVersion(sql))
  if (settings.logo !== current.settings.logo) writeLogo(sql, logo)
  // The failures were another endpoint's.
  if (settings.callbackUrl !== current.settings.callbackUrl) {
    sendAll(sql, 'merchant', toMilliseconds(now))
  }
  return ok(settingsVersion(sql))
}

/** A change of what has the revision of the settings; `isNew` says whether it adds an address. */
interface Revision {
  settings: StoredSettings
  isEqual: boolean
  isNew?: boolean
}

/**
 * Gives the settings a new revision, unless nothing changes.
 * @returns whether there is a change; http.precondition.failed where ifMatch names other revisions;
 *   payin.incorrect-method-invocation where there are as many addresses as there can be
 */
export function revise(
  context: Context,
  current: ReturnType<typeof settingsRow>,
  { settings, isEqual, isNew = false }: Revision,
  ifMatch: IfMatch,
): Outcome<boolean> {
  const { sql, memory } = context
  const isMatch = (revision: string) => !ifMatch || ifMatch[0] === '*' || ifMatch.includes(revision)
  // A client that lost the answer sends the request again, with the revision that it replaced (RFC 9110, section 13.1.1).
  if (isEqual && (isMatch(current.revision) || isMatch(current.replaced))) return ok(false)
  if (!isMatch(current.revision)) return PRECONDITION_FAILED
  if (isNew && callbacksIn(sql).length >= MAX_CALLBACKS) return TOO_MANY_CALLBACKS
  // Random, so that a site that is restored from a backup never repeats one.
  sql.exec(
    `INSERT INTO settings (number, settings, revision, replaced) VALUES (1, ?, lower(hex(randomblob(8))), ?)
     ON CONFLICT DO UPDATE SET settings = excluded.settings, revision = excluded.revision, replaced = excluded.replaced`,
    ...[textOf(settings), current.revision],
  )
  memory.forgetSettings()
  recordEvent(context, { type: 'settings.changed' })
  return ok(true)
}

const NAMES = [
  ...(['name', 'supportContact', 'logoUrl', 'color', 'legalName', 'taxId', 'callbackUrl'] as const),
  ...([
    'notificationTypes',
    'redirectSchemes',
    'confirmRefundsAbove',
    'tokenSignIn',
    'digitalRouble',
  ] as const),
  ...(['receipts', 'payoutAccounts', 'logo', 'callbackLabel'] as const),
]

/** The text that is kept: in one order, so that equal settings have equal ones. */
const textOf = (settings: StoredSettings): string =>
  JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, settings[name]])))

/** The settings as they are kept; undefined if the logo is neither given nor the site's own. */
function withLogo(
  settings: StoredSettings,
  current: StoredSettings,
  given: Logo | undefined,
): StoredSettings | undefined {
  if (settings.logoUrl === undefined) {
    const isUploaded = current.logoUrl === undefined && current.logo !== undefined
    return isUploaded ? { ...settings, logo: current.logo } : settings
  }
  const logo = given?.hash ?? (settings.logoUrl === current.logoUrl ? current.logo : undefined)
  return logo === undefined ? undefined : { ...settings, logo }
}

function writeLogo(sql: SqlStorage, logo: Logo | undefined): void {
  sql.exec(
    'UPDATE settings SET logo_hash = ?, logo_media_type = ?, logo = ?',
    ...[logo?.hash ?? null, logo?.mediaType ?? null, logo?.content ?? null],
  )
}

const LOGO_CHANGED: Refusal = {
  ok: false,
  code: 'service.unavailable',
  description: 'somebody changed logoUrl at the same time, send the request again',
}

const TOO_MANY_CALLBACKS = notAllowed(
  `the site has ${MAX_CALLBACKS} addresses for notifications, must have at most ${MAX_CALLBACKS}`,
)

const PRECONDITION_FAILED: Refusal = {
  ok: false,
  code: 'http.precondition.failed',
  description: 'If-Match names another version, must name the ETag of the settings as they are',
}
