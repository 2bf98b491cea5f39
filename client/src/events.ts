// Follows the event feed of a site.
import { pause } from './abort.ts'
import type { Http } from './http.ts'
import type { EventFeed } from './schema.ts'
import { BUSY_MS, LONG_POLL_SECONDS } from './wait.ts'

/** The largest page: a reader that is behind catches up with the fewest requests. */
const PAGE = '1000'

export interface EventsOptions {
  /** `nextCursor` of the last page that you dealt with. If absent, the feed starts at the site's first event. */
  after?: string | undefined
  signal?: AbortSignal
}

/** Pages of events, each as soon as it has one; it ends by the signal, by `break`, or by an error. */
export async function* eventPages(http: Http, { after, signal }: EventsOptions): AsyncGenerator<EventFeed> {
  for (let cursor = after; ; ) {
    const query = new URLSearchParams({ limit: PAGE, ...(cursor !== undefined && { after: cursor }) })
    const { body, headers } = await http.request<EventFeed>({
      path: '/events',
      query,
      signal,
      waitSeconds: LONG_POLL_SECONDS,
      endless: true,
    })
    if (body.events.length > 0) yield body
    else if (!headers.has('Preference-Applied')) await pause(BUSY_MS, signal)
    cursor = body.nextCursor
  }
}
