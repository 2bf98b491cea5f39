// Tells the script of a page that the site has new events, by a long poll of its feed.
import { feedCursorOf } from '../../contract/event.ts'
import { json } from '../../http/response.ts'
import { asked } from '../parts.ts'
import { READERS, type Route } from '../visit.ts'

/** Seconds that the script waits for the next event. */
const WAIT = 40

export const FEED: Route = {
  method: 'get',
  path: '/feed',
  scopes: READERS,
  /** The cursor behind what happened after another one. What happened is on the page that the script asks for then. */
  async handle(visit) {
    const { page } = await visit.call('listEvents', {
      query: { after: asked(visit, 'after'), limit: '1000' },
      headers: { Prefer: `wait=${WAIT}` },
    })
    return json(visit.c, { next: feedCursorOf(page.next) })
  },
}
