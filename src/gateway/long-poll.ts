// Long polls: calls of a site's object that wait for a change (contract, sections 7 and 11).

import type { QrCode } from '../contract/qr-code.ts'
import type { Sale } from '../contract/sale.ts'
import { isFinal } from '../contract/status.ts'
import type { Outcome } from '../errors.ts'
import type { FeedPage, FeedQuery } from '../site/events/events.ts'
import type { LongPoll, Polled, QrCodePoll } from '../site/long-polls.ts'
import type { QrCodeKey } from '../site/qr-codes/rows.ts'
import type { SiteContext, SiteStub } from './context.ts'
import { callSite } from './site-client.ts'

/** The most that one call waits. The object is not notified of every lost client, so a listener outlives a client by at most this. */
const MAX_CALL_MS = 20_000

/** What a client waits for. */
export interface Wait {
  /** The most time; undefined: the answer is immediate. */
  seconds: number | undefined
  /** The version that the client knows; undefined: the present one. */
  version: number | undefined
}

/**
 * A QR code when it changes from the version that the client knows; where it knows none, while its status is not final.
 * @throws ApiError payin.resource.not.found
 */
export const pollQrCode = (site: SiteContext, key: QrCodeKey, wait: Wait): Promise<Polled<QrCode>> =>
  follow(site, wait, {
    read: (object) => object.read(site.caller, key),
    poll: (object, call) => object.longPoll(site.caller, key, call),
    isFinal: ({ status }) => isFinal(status),
  })

/** A sale when it changes, as pollQrCode; without a known version, while it is ACTIVE. */
export const pollSale = (
  site: SiteContext,
  { qrCodeUid, saleUid }: { qrCodeUid: string; saleUid: string },
  wait: Wait,
): Promise<Polled<Sale>> =>
  follow(site, wait, {
    read: (object) => object.sale(site.caller, { qrCodeUid }, saleUid),
    poll: (object, call) => object.longPollSale(site.caller, { qrCodeUid }, saleUid, call),
    isFinal: ({ status }) => status !== 'ACTIVE',
  })

/** What is followed by its version. */
interface Followed<T> {
  read(object: SiteStub): Promise<Outcome<T>>
  poll(object: SiteStub, poll: QrCodePoll): Promise<Outcome<Polled<T>>>
  isFinal(value: T): boolean
}

async function follow<T extends { version: number }>(
  site: SiteContext,
  { seconds, version: known }: Wait,
  followed: Followed<T>,
): Promise<Polled<T>> {
  let version = known
  if (seconds === undefined || version === undefined) {
    const value = await callSite(site, followed.read)
    if (seconds === undefined || followed.isFinal(value)) return { value, waited: false }
    version = value.version
  }
  const from = version
  return poll(
    site,
    seconds,
    (object, call) => followed.poll(object, { ...call, version: from }),
    (value) => value.version !== from,
  )
}

/** A page of the feed; an empty one waits for at most so many seconds, if any. @throws ApiError events.cursor.gone */
export async function pollFeed(
  site: SiteContext,
  query: FeedQuery,
  seconds: number | undefined,
): Promise<Polled<FeedPage>> {
  const isEnd = query.after === 'end'
  let after = query.after
  if (seconds === undefined || query.before || isEnd) {
    const { value } = await callSite(site, (object) => object.feed(site.caller, query))
    if (seconds === undefined || query.before) return { value, waited: false }
    // The end moves: each call waits for what follows the present one.
    after = value.next
  }
  return poll(
    site,
    seconds,
    (object, call) => object.feed(site.caller, { ...query, after }, call),
    ({ events }) => events.length > 0,
  )
}

/**
 * Calls the object until there is a result or the time is over. The time is a number of calls, so a clock that steps
 * back does not prolong it.
 * @param seconds the time
 * @param isDone whether a value is what the client waits for
 */
async function poll<T>(
  site: SiteContext,
  seconds: number,
  call: (object: SiteStub, poll: LongPoll) => Promise<Outcome<Polled<T>>>,
  isDone: (value: T) => boolean,
): Promise<Polled<T>> {
  const { service, siteId, signal } = site
  const { longPolls } = service
  const id = service.random(8).toHex()
  const end = service.now() + seconds * 1000
  const stop = () => {
    // The runtime ends the request now: nothing after this runs.
    longPolls?.delete(id)
    service.waitUntil(
      service
        .site(siteId)
        .stopListening(id)
        // The listener ends with its own time then.
        .catch(() => {}),
    )
  }
  signal.addEventListener('abort', stop, { once: true })

  longPolls?.add(id, siteId)
  try {
    let hasWaited = false
    for (let left = seconds * 1000; ; ) {
      const most = longPolls?.isDraining(service.now()) ? 0 : Math.min(left, MAX_CALL_MS)
      left -= most
      const { value, waited } = await callSite(
        site,
        // Another attempt waits for what is left of the time.
        (object) => call(object, { id, milliseconds: Math.min(most, end - service.now()) }),
        // A client that waits gets an answer, however the object was lost.
        () => true,
      )
      hasWaited ||= waited
      if (left === 0 || !waited || isDone(value) || signal.aborted) {
        return { value, waited: hasWaited }
      }
    }
  } finally {
    longPolls?.delete(id)
  }
}
