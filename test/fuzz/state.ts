// What a site has: so that a refusal that changed something is seen.
import * as z from 'zod'
import { FeedAnswer } from '../../src/contract/event.ts'
import type { siteAt } from '../support/site-at.ts'

const Counts = z.record(z.string(), z.int())
const OfSite = z.object({ qrCodes: Counts, payments: Counts, refunds: Counts, tokens: Counts })

/** What does not depend on the time that passes. */
export interface State {
  /** Of the feed's end. */
  cursor: string
  counts: string
}

type Site = ReturnType<typeof siteAt>

const total = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((sum, each) => sum + each, 0)

/** @param askOperator gives the site as the operator sees it */
export async function stateOf(site: Site, askOperator: (siteId: string) => Promise<unknown>): Promise<State> {
  const feed = FeedAnswer.parse(await site.value('/events?after=end'))
  const { qrCodes, payments, refunds, tokens } = OfSite.parse(await askOperator(site.siteId))
  const settings = await site.ask('/settings')
  const counts = [
    ...[qrCodes, payments, refunds, tokens].map(total),
    settings.headers.get('etag'),
    settings.text,
  ]
  return { cursor: feed.nextCursor, counts: counts.join(' ') }
}

/** The events since a state, with the keys that made them. */
export async function eventsOf(
  site: Site,
  { cursor }: State,
): Promise<{ keyId: string | undefined; type: string }[]> {
  const found: { keyId: string | undefined; type: string }[] = []
  for (let after = cursor; ; ) {
    const { events, nextCursor } = FeedAnswer.parse(await site.value(`/events?limit=1000&after=${after}`))
    if (events.length === 0) return found
    found.push(...events.map(({ by, type }) => ({ keyId: by.keyId, type })))
    after = nextCursor
  }
}
