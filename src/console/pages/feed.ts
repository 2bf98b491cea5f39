// Where the feed stands, for pages that follow it.
import type { FeedAnswer } from '../../contract/event.ts'
import { json } from '../../http/response.ts'
import { asked } from '../parts.ts'
import { READERS, type Route, type Visit } from '../visit.ts'

/** Seconds that the script waits for the next event. */
const WAIT = 40

/** The end of the feed: read before the rest of a page, so that the page misses nothing. */
export const cursorOf = async (visit: Visit): Promise<string> =>
  (await visit.call<FeedAnswer>('listEvents', { query: { after: 'end', limit: '1' } })).nextCursor

export const FEED: Route = {
  method: 'get',
  path: '/feed',
  scopes: READERS,
  /** The cursor behind what happened after another one. What happened is on the page that the script asks for then. */
  async handle(visit) {
    const { nextCursor } = await visit.call<FeedAnswer>('listEvents', {
      query: { after: asked(visit, 'after'), limit: '1000' },
      headers: { Prefer: `wait=${WAIT}` },
    })
    return json(visit.c, { next: nextCursor })
  },
}
