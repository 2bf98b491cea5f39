// The console's pages as responses.
import type { NotificationsAnswer } from '../contract/notifications/log.ts'
import { page } from '../web/page.ts'
import { type Frame, frame } from './layout.ts'
import type { Visit } from './visit.ts'

type Content = Omit<Frame, 'visit' | 'query' | 'language' | 'root' | 'base' | 'hasFailed'>

/** A page of a signed-in user. */
export async function consolePage(
  visit: Visit,
  { status = 200, ...content }: Content & { status?: number },
): Promise<Response> {
  const { c, language, root, base } = visit
  const hasFailed = visit.siteId !== '' && (await hasFailedNotifications(visit))
  return page(c, frame({ ...content, visit, query: c.req.query(), language, root, base, hasFailed }), {
    status,
    forms: true,
  })
}

/** Where that cannot be read, the page is shown without it: it may be the only one that shows a new key. */
const hasFailedNotifications = (visit: Visit): Promise<boolean> =>
  visit.call<NotificationsAnswer>('listNotifications', { query: { status: 'FAILED', limit: '1' } }).then(
    ({ notifications }) => notifications.length > 0,
    () => false,
  )
