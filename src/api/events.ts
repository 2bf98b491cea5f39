// The events of a site and of one QR code, for the merchant (contract, sections 7 and 11).
import * as z from 'zod/mini'
import {
  EVENTS_EXAMPLE,
  EventsAnswer,
  eventAnswer,
  FEED_EXAMPLE,
  FeedAfter,
  FeedAnswer,
  feedCursorOf,
} from '../contract/event.ts'
import { strictObject } from '../contract/object.ts'
import { cursorOf, limitParameter, PageQuery } from '../contract/query.ts'
import { QrCodePath } from '../contract/uid.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { PreferWait } from '../http/conditional.ts'
import { pollFeed } from '../http/long-poll.ts'
import { type Operation, operation, type Reply } from '../http/operation.ts'

const TAG = {
  name: 'Events',
  description: 'What happened, in order: for a merchant that wants to miss nothing',
}

const Feed = strictObject({
  after: z.optional(FeedAfter),
  limit: limitParameter({ byDefault: 100, max: 1000 }),
})
const Preferences = z.object({ Prefer: PreferWait })

/** The operations on events. */
export const events = (): Operation[] => [
  operation({
    operationId: 'listEvents',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/events',
    query: Feed,
    headers: Preferences,
    tag: TAG,
    summary: 'The event feed of the site, oldest first',
    description: `Everything that happened on the site, each event once and without gaps. nextCursor of one answer is \
\`after\` of the next request; keep it, and nothing is missed. With Prefer: wait=N an empty page waits until something \
happens, for N seconds at most. After the site was restored from a backup an earlier cursor gets 410: begin anew.`,
    scopes: ['merchant', 'merchant:read'],
    answer: {
      schema: FeedAnswer,
      description: 'A page of the feed',
      headers: ['Preference-Applied'],
      examples: { paid: FEED_EXAMPLE },
    },
    errors: ['validation.error', 'events.cursor.gone'],
    handle: readFeed,
  }),
  operation({
    operationId: 'listQrCodeEvents',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/events',
    parameters: QrCodePath,
    query: PageQuery,
    tag: TAG,
    summary: 'The events of a QR code, oldest first',
    description: 'The events of the feed that are about this QR code.',
    scopes: ['merchant', 'merchant:read'],
    answer: {
      schema: EventsAnswer,
      description: 'A page of events',
      headers: [],
      examples: { paid: EVENTS_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: listQrCodeEvents,
  }),
]

async function readFeed(
  site: SiteContext,
  { query, headers }: { query: z.output<typeof Feed>; headers: z.output<typeof Preferences> },
): Promise<Reply<FeedAnswer>> {
  const { value: page, preferenceApplied } = await pollFeed(site, query, headers.Prefer)
  return {
    value: {
      events: page.events.map((event) => eventAnswer(event, site.service.config.utcOffset)),
      nextCursor: feedCursorOf(page.next),
    },
    headers: { 'Preference-Applied': preferenceApplied },
  }
}

async function listQrCodeEvents(
  site: SiteContext,
  { path, query }: { path: QrCodePath; query: PageQuery },
): Promise<Reply<EventsAnswer>> {
  const { events, next } = await callSite(site, (object) => object.events(site.caller, path, query))
  return {
    value: {
      events: events.map((event) => eventAnswer(event, site.service.config.utcOffset)),
      ...(next !== undefined && { nextCursor: cursorOf(next) }),
    },
  }
}
