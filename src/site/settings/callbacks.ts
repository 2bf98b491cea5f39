// The addresses that a site's notifications go to (contract, section 12). That of the settings is one of them.
import { type Callback, DEFAULT_CALLBACK } from '../../contract/callback.ts'
import type { Outcome } from '../../errors.ts'
import type { Context } from '../context.ts'
import { sendAll } from '../outbox/endpoints.ts'
import { failPending } from '../outbox/results.ts'
import { queueOf } from '../outbox/rows.ts'
import { CALLBACK_NOT_FOUND, ok } from '../outcomes.ts'
import { toMilliseconds } from '../time.ts'
import { callbacksIn, otherCallbacks, settingsRow } from './rows.ts'
import { type IfMatch, keep, revise } from './settings.ts'

/** An address, with the revision that it shares with the settings. */
export interface RevisedCallback {
  callback: Callback
  revision: string
}

/** All addresses, that of the settings first. */
export const listCallbacks = (sql: SqlStorage): { callbacks: Callback[]; revision: string } => ({
  callbacks: callbacksIn(sql),
  revision: settingsRow(sql).revision,
})

/** An address. @returns payin.resource.not.found */
export function readCallback(sql: SqlStorage, id: string): Outcome<RevisedCallback> {
  const callback = callbacksIn(sql).find((each) => each.id === id)
  return callback ? ok({ callback, revision: settingsRow(sql).revision }) : CALLBACK_NOT_FOUND
}

/**
 * Sets an address. With another URL all that waits for it is sent at once, because the failures were another endpoint's.
 * @returns http.precondition.failed; payin.incorrect-method-invocation where there are as many as there can be
 */
export function putCallback(
  context: Context,
  { id, url, types, label }: Callback,
  ifMatch: IfMatch,
): Outcome<RevisedCallback> {
  const { sql, now } = context
  const current = settingsRow(sql)
  const { settings } = current
  if (id === DEFAULT_CALLBACK) {
    const set = { ...settings, callbackUrl: url, notificationTypes: types, callbackLabel: label }
    const kept = keep(context, current, { settings: set, logo: undefined }, ifMatch)
    return kept.ok ? readCallback(sql, id) : kept
  }
  const known = otherCallbacks(sql).find((each) => each.id === id)
  const isEqual = known?.url === url && known.label === label && `${known.types}` === `${types}`
  const revised = revise(context, current, { settings, isEqual, isNew: !known }, ifMatch)
  if (!revised.ok) return revised
  if (revised.value) {
    sql.exec(
      `INSERT INTO callbacks (id, url, types, label) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET url = excluded.url, types = excluded.types, label = excluded.label`,
      ...[id, url, JSON.stringify(types), label ?? null],
    )
    if (known && known.url !== url) sendAll(sql, queueOf(id), toMilliseconds(now))
  }
  return readCallback(sql, id)
}

/**
 * Removes an address with its keys; what waits for it has FAILED. What waits for that of the settings goes on waiting for
 * another one. A second call changes nothing.
 * @returns http.precondition.failed
 */
export function deleteCallback(context: Context, id: string, ifMatch: IfMatch): Outcome<void> {
  const { sql, now } = context
  const current = settingsRow(sql)
  const { settings } = current
  if (id === DEFAULT_CALLBACK) {
    const { callbackUrl: _, callbackLabel: __, ...rest } = settings
    const kept = keep(context, current, { settings: rest, logo: undefined }, ifMatch)
    return kept.ok ? ok(undefined) : kept
  }
  const isKnown = otherCallbacks(sql).some((each) => each.id === id)
  const revised = revise(context, current, { settings, isEqual: !isKnown }, ifMatch)
  if (!revised.ok) return revised
  if (revised.value) {
    sql.exec('DELETE FROM callback_keys WHERE callback = ?', id)
    sql.exec('DELETE FROM callbacks WHERE id = ?', id)
    failPending(sql, queueOf(id), 'address removed', toMilliseconds(now))
  }
  return ok(undefined)
}
