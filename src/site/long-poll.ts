// Long polls of a site: calls that wait for a change.
import type { Caller } from '../contract/caller.ts'
import type { QrCode } from '../contract/qr-code.ts'
import type { Outcome } from '../errors.ts'
import { emptyFeed, type FeedPage, type FeedQuery, feed } from './events.ts'
import { FEED, type ListenerKind } from './listeners.ts'
import { CURSOR_GONE, ok, QR_CODE_NOT_FOUND } from './outcomes.ts'
import { findQrCode, type QrCodeKey } from './qr-codes.ts'
import { qrCodeOf } from './rows/qr-codes.ts'
import type { Store } from './store.ts'

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

/** A QR code when it has another version or when the time is over; at once at the listener limit. */
export async function pollQrCode(
  store: Store,
  caller: Caller,
  key: QrCodeKey,
  { id, version, milliseconds }: QrCodePoll,
): Promise<Outcome<Polled<QrCode>>> {
  const row = store.isMigrated ? findQrCode(store.sql, key) : undefined
  if (!row) return QR_CODE_NOT_FOUND
  const qrCode = qrCodeOf(row, store.now)
  if (qrCode.version !== version) return ok({ value: qrCode, waited: false })
  // What the clock changes ends the wait, because the alarm can be late.
  const { changesAt } = qrCode
  const toChange = changesAt === undefined ? milliseconds : changesAt * 1000 - store.milliseconds
  const listener = { id, kind: kindOf(caller), subject: row.number, version }
  const waited = await store.listen(listener, Math.min(milliseconds, toChange))
  const [after = row] = waited ? [findQrCode(store.sql, key)] : []
  return ok({ value: qrCodeOf(after, store.now), waited })
}

/** A page of the feed; an empty page waits for the site's next event. */
export async function pollFeed(
  store: Store,
  caller: Caller,
  query: FeedQuery,
  poll?: LongPoll,
): Promise<Outcome<Polled<FeedPage>>> {
  const page = await readFeed(store, query)
  if (!page.ok) return page
  if (page.value.events.length > 0 || !poll) return ok({ value: page.value, waited: false })
  const listener = { id: poll.id, kind: kindOf(caller), subject: FEED, version: page.value.next.number }
  const waited = await store.listen(listener, poll.milliseconds)
  const after = waited ? await readFeed(store, query) : page
  return after.ok ? ok({ value: after.value, waited }) : after
}

/** Events are read after everything that is due is recorded, so that they explain every status. */
async function readFeed(store: Store, query: FeedQuery): Promise<Outcome<FeedPage>> {
  const recorded = await store.recordDue()
  if (!recorded.ok) return recorded
  const page = store.isMigrated ? feed(store.sql, query) : emptyFeed(query)
  return page ? ok(page) : CURSOR_GONE
}

const kindOf = ({ actor }: Caller): ListenerKind => (actor === 'payer' ? 'payer' : 'merchant')
