// Long polls of a site: calls that wait for a change.

import type { Caller } from '../contract/caller.ts'
import type { QrCode } from '../contract/qr-code.ts'
import type { Outcome } from '../errors.ts'
import type { Context } from './context.ts'
import type { Store } from './database/store.ts'
import { type FeedPage, type FeedQuery, feedPage } from './events/events.ts'
import { FEED, type ListenerKind } from './listeners/listeners.ts'
import { ok, QR_CODE_NOT_FOUND } from './outcomes.ts'
import { readQrCode } from './qr-codes/qr-codes.ts'
import { findQrCode, type QrCodeKey } from './qr-codes/rows.ts'
import { milliseconds, seconds, toMilliseconds } from './time.ts'

/** A request to wait for a change. */
export interface LongPoll {
  /** Unique, chosen by the caller: identifies the listener to `stopListening`. */
  id: string
  milliseconds: number
}

export interface QrCodePoll extends LongPoll {
  /** The version that the caller knows. */
  version: number
}

export interface Polled<T> {
  value: T
  /** Whether the call waited. */
  waited: boolean
}

/**
 * A QR code when it has another version or when the time is over; at once at the listener limit. If the key is
 * revoked meanwhile, the call is refused.
 */
export async function pollQrCode(
  store: Store,
  caller: Caller,
  key: QrCodeKey,
  poll: QrCodePoll,
): Promise<Outcome<Polled<QrCode>>> {
  const read = () =>
    store.read(caller, (context) => {
      const qrCode = readQrCode(context, key)
      const row = findQrCode(context.sql, key)
      return qrCode.ok && row ? ok({ number: row.number, qrCode: qrCode.value }) : QR_CODE_NOT_FOUND
    })
  const before = read()
  if (!before.ok) return before
  const { number, qrCode } = before.value
  const { id, version } = poll
  if (qrCode.version !== version) return ok({ value: qrCode, waited: false })
  // The wait ends when the clock changes the object, because the alarm can be late.
  const { changesAt } = qrCode
  const toChange =
    changesAt === undefined ? poll.milliseconds : toMilliseconds(seconds(changesAt)) - store.milliseconds
  const listener = { id, kind: kindOf(caller), subject: number, version }
  const waited = await store.changes.listen(listener, milliseconds(Math.min(poll.milliseconds, toChange)))
  const after = waited ? read() : before
  return after.ok ? ok({ value: after.value.qrCode, waited }) : after
}

/** A page of the feed; an empty page waits for the site's next event. A key can be revoked meanwhile, as above. */
export async function pollFeed(
  store: Store,
  caller: Caller,
  query: FeedQuery,
  poll?: LongPoll,
): Promise<Outcome<Polled<FeedPage>>> {
  const pageOf =
    (position: FeedQuery) =>
    ({ sql }: Context): Outcome<FeedPage> => {
      const page = feedPage(sql, position)
      return page.ok ? ok(store.keys.named(page.value)) : page
    }
  const recorded = await store.recordDue()
  if (!recorded.ok) return recorded
  // Nothing can happen between this read and the listener.
  const page = store.read(caller, pageOf(query))
  if (!page.ok) return page
  if (page.value.events.length > 0 || query.before || !poll) return ok({ value: page.value, waited: false })
  const listener = { id: poll.id, kind: kindOf(caller), subject: FEED, version: page.value.next.number }
  const waited = await store.changes.listen(listener, milliseconds(poll.milliseconds))
  const after = waited ? await store.readRecorded(caller, pageOf({ ...query, after: page.value.next })) : page
  return after.ok ? ok({ value: after.value, waited }) : after
}

/** Whose listener it is. */
export const kindOf = ({ actor }: Caller): ListenerKind => (actor === 'payer' ? 'payer' : 'merchant')
