// The events of a site and of one QR code, for the merchant (contract, sections 7 and 11).
import * as z from 'zod/mini'
import { EventsAnswer, eventAnswer, FeedAnswer, FeedQuery, feedCursorOf } from '../contract/event.ts'
import { EVENTS_EXAMPLE, FEED_EXAMPLE } from '../contract/event-examples.ts'
import { cursorOf, QrCodeEventsQuery } from '../contract/query.ts'
import { QrCodePath } from '../contract/uid.ts'
import type { SiteContext } from '../gateway/context.ts'
import { pollFeed } from '../gateway/long-poll.ts'
import { callSite } from '../gateway/site-client.ts'
import { PreferWait, preferenceApplied } from '../http/conditional.ts'
import { operation } from '../http/operation.ts'

const TAG = {
  name: 'Events',
  description: 'What happened on the site, in order',
}

const Preferences = z.object({ Prefer: PreferWait })

/** The operations on events. */
export const events = () => [
  operation({
    operationId: 'listEvents',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/events',
    query: FeedQuery,
    headers: Preferences,
    tag: TAG,
    summary: 'List the events of the site',
    description: `Oldest first, each event once. Numbers have gaps only where retention has deleted events. Store the \`nextCursor\` of a response and send it as \
\`after\` in the next request: so you miss nothing and read nothing twice. If a request has \`Prefer: wait=N\` \
and its page is empty, it waits for the next event, for at most N seconds. After the site is restored from a backup, \
an earlier cursor gets 410: start again without \`after\`. To begin with what is new, send \`after=end\`; to show what \
happened last, send \`before=end\`.`,
    scopes: ['merchant', 'merchant:read'],
    answer: {
      schema: FeedAnswer,
      description: 'A page of events',
      headers: ['Preference-Applied'],
      examples: { paid: FEED_EXAMPLE },
    },
    errors: ['validation.error', 'events.cursor.gone'],
    handle: readFeed,
    toContent: ({ service: { config } }, { page, applied }) => ({
      value: {
        events: page.events.map((event) => eventAnswer(event, config.utcOffset)),
        nextCursor: feedCursorOf(page.next),
      },
      headers: { 'Preference-Applied': applied },
    }),
  }),
  operation({
    operationId: 'listQrCodeEvents',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/events',
    parameters: QrCodePath,
    query: QrCodeEventsQuery,
    tag: TAG,
    summary: 'List the events of a QR code',
    description: 'The same events as in the list of the site, oldest first by default.',
    scopes: ['merchant', 'merchant:read'],
    answer: {
      schema: EventsAnswer,
      description: 'A page of events',
      headers: [],
      examples: { paid: EVENTS_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: listQrCodeEvents,
    toContent: ({ service: { config } }, { events, next }) => ({
      value: {
        events: events.map((event) => eventAnswer(event, config.utcOffset)),
        ...(next !== undefined && { nextCursor: cursorOf(next) }),
      },
    }),
  }),
]

async function readFeed(
  site: SiteContext,
  { query, headers }: { query: z.output<typeof FeedQuery>; headers: z.output<typeof Preferences> },
) {
  const { value: page, waited } = await pollFeed(site, query, headers.Prefer)
  return { page, applied: preferenceApplied(waited, headers.Prefer) }
}

const listQrCodeEvents = (
  site: SiteContext,
  { path, query }: { path: QrCodePath; query: QrCodeEventsQuery },
) => callSite(site, (object) => object.events(site.caller, path, query))
