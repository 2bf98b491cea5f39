// Long polls: requests that wait for a change, where Prefer: wait asks for it (contract, sections 7 and 11).
import * as z from 'zod/mini'
import type { QrCode } from '../contract/qr-code.ts'
import { isFinal } from '../contract/status.ts'
import type { Outcome } from '../errors.ts'
import type { SiteContext, SiteStub } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import type { FeedPage, FeedQuery } from '../site/events.ts'
import type { LongPoll, Polled } from '../site/long-poll.ts'
import type { QrCodeKey } from '../site/qr-codes.ts'
import { IfNoneMatch, knownVersion, PreferWait } from './conditional.ts'

/** The headers of a read that can wait. */
export const LongPollHeaders = z.object({ 'If-None-Match': IfNoneMatch, Prefer: PreferWait })

/** A call waits no longer: the object does not learn of every lost client, so a listener outlives one by no more. */
const MAX_CALL_MS = 20_000

/** What a long poll found, and the header Preference-Applied where it waited. */
export interface PollResult<T> {
  value: T
  preferenceApplied: string | undefined
}

/**
 * A QR code when it changes from the version that If-None-Match names; without a version, from its present one, while
 * its status is not final; at once without Prefer: wait.
 * @throws ApiError payin.resource.not.found
 */
export async function pollQrCode(
  site: SiteContext,
  key: QrCodeKey,
  { 'If-None-Match': tags, Prefer: seconds }: z.output<typeof LongPollHeaders>,
): Promise<PollResult<QrCode>> {
  let version = knownVersion(tags)
  if (seconds === undefined || version === undefined) {
    const value = await callSite(site, (object) => object.read(site.caller, key))
    // With tags of which none names a version, nothing can be compared.
    if (seconds === undefined || tags !== undefined || isFinal(value.status)) {
      return { value, preferenceApplied: undefined }
    }
    version = value.version
  }
  const known = version
  return poll(
    site,
    seconds,
    (object, call) => object.longPoll(site.caller, key, { ...call, version: known }),
    (qrCode) => qrCode.version !== known,
  )
}

/** A page of the feed; an empty one waits, where the request asks for that. @throws ApiError events.cursor.gone */
export async function pollFeed(
  site: SiteContext,
  query: FeedQuery,
  seconds: number | undefined,
): Promise<PollResult<FeedPage>> {
  if (seconds === undefined) {
    const { value } = await callSite(site, (object) => object.feed(site.caller, query))
    return { value, preferenceApplied: undefined }
  }
  return poll(
    site,
    seconds,
    (object, call) => object.feed(site.caller, query, call),
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
): Promise<PollResult<T>> {
  const { service, siteId, signal } = site
  const id = service.random(8).toHex()
  const end = service.now() + seconds * 1000
  // If this call fails, the listener ends with its own time.
  const stop = () =>
    service.waitUntil(
      service
        .site(siteId)
        .stopListening(id)
        .catch(() => {}),
    )
  signal.addEventListener('abort', stop, { once: true })

  service.metrics?.add('long_polls')
  try {
    let hasWaited = false
    for (let left = seconds * 1000; ; ) {
      const most = Math.min(left, MAX_CALL_MS)
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
        return { value, preferenceApplied: hasWaited ? `wait=${seconds}` : undefined }
      }
    }
  } finally {
    service.metrics?.add('long_polls', {}, -1)
  }
}
