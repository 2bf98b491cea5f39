// The console's pages as responses.
import type { NotificationAnswer, NotificationsAnswer } from '../contract/notifications/log.ts'
import { page } from '../web/page.ts'
import { type Frame, frame } from './layout.ts'
import type { Visit } from './visit.ts'

/** The newest PENDING notifications that a page reads: more than one, because the last one can be on its way. */
const PENDING_READ = '20'

/** Which notifications of a site are not delivered. */
export interface Undelivered {
  /** Some that the service tries no more. */
  hasFailed: boolean
  /** Some that wait to be repeated, or until the receiver works again. */
  hasDelayed: boolean
}

type Content = Omit<Frame, 'visit' | 'query' | 'isAnswer' | 'language' | 'root' | 'base' | 'hasUndelivered'>

/** A page of a signed-in user. @param undelivered of its site, if the page has read it */
export async function consolePage(
  visit: Visit,
  { status = 200, undelivered, ...content }: Content & { status?: number; undelivered?: Undelivered },
): Promise<Response> {
  const { c, language, root, base } = visit
  const { hasFailed, hasDelayed } = undelivered ?? (await undeliveredOf(visit))
  const hasUndelivered = hasFailed || hasDelayed
  const { method } = c.req
  const shown = { visit, query: c.req.query(), isAnswer: method === 'POST', hasUndelivered }
  return page(c, frame({ ...content, ...shown, language, root, base }), { status, forms: true })
}

/** Where that cannot be read, the page is shown without it: it may be the only one that shows a new key. */
export async function undeliveredOf(visit: Visit): Promise<Undelivered> {
  if (visit.siteId === '') return { hasFailed: false, hasDelayed: false }
  const list = (status: string, limit: string) =>
    visit.call<NotificationsAnswer>('listNotifications', { query: { status, limit } }).then(
      ({ notifications }) => notifications,
      () => [],
    )
  const [failed, pending] = await Promise.all([list('FAILED', '1'), list('PENDING', PENDING_READ)])
  return { hasFailed: failed.length > 0, hasDelayed: pending.some(isDelayed) }
}

/** A notification is due when it is created. A receiver that fails delays also those that were not tried yet. */
const isDelayed = ({ attempts, createdDateTime, nextAttempt = '' }: NotificationAnswer): boolean =>
  attempts.length > 0 || Date.parse(nextAttempt) > Date.parse(createdDateTime)
