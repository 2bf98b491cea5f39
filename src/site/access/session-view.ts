// Reads in one call what every page of the console needs: the session, the shop's name, logo and colour, the end of the feed,
// whether notifications arrive.
import type { Notification } from '../../contract/notifications/log.ts'
import type { NotificationStatus } from '../../contract/notifications/status.ts'
import type { SessionView, SiteReceipts } from '../../contract/session.ts'
import type { Outcome } from '../../errors.ts'
import type { Context } from '../context.ts'
import { feedPage } from '../events/events.ts'
import { notificationsOf } from '../outbox/notification-log.ts'
import { ok } from '../outcomes.ts'
import { sessionOfPerson } from '../people/sessions.ts'
import { hasFailedReceipts } from '../rows/latest-receipt.ts'
import { keylessCallback, settingsRow } from '../settings/rows.ts'
import { readSession } from './sessions.ts'

/** The newest PENDING notifications that are read: more than one, because the last one can be on its way. */
const PENDING_READ = 20

/** The view of a session; undefined if it is unknown, or has ended. */
export function sessionView(
  { sql, now, memory }: Pick<Context, 'sql' | 'now' | 'memory'>,
  id: string,
): Outcome<SessionView | undefined> {
  const session = readSession(sql, id, now) ?? sessionOfPerson({ sql, now }, id)
  if (!session) return ok(undefined)
  const feed = feedPage(sql, { after: 'end', limit: 1 })
  if (!feed.ok) return feed
  const { name, logo, color } = settingsRow(sql).settings
  const read = (status: NotificationStatus, limit: number) =>
    notificationsOf(sql, { status, limit }).notifications
  return ok({
    session,
    shop: name,
    logo,
    color,
    feed: feed.value.next,
    undelivered: {
      hasFailed: read('FAILED', 1).length > 0,
      hasDelayed: read('PENDING', PENDING_READ).some(isDelayed),
      keyless: keylessCallback(sql),
    },
    receipts: receiptsOf({ sql, now, memory }),
  })
}

/** For how long a failure is marked on every page: some are mended elsewhere, which the site does not learn. */
const MARKED_SECONDS = 7 * 86_400

function receiptsOf({ sql, now, memory }: Pick<Context, 'sql' | 'now' | 'memory'>): SiteReceipts | undefined {
  const { cashRegister: register, terms } = memory
  // A site whose register was removed still has its documents.
  if (!register && !memory.hasReceipts) return undefined
  return {
    register,
    isOfAll: terms?.default === true,
    hasFailed: hasFailedReceipts(sql, now - MARKED_SECONDS),
  }
}

/** A notification is due when it is created. A receiver that fails delays also those that were not tried yet. */
const isDelayed = ({ attempts, createdAt, nextAttemptAt = createdAt }: Notification): boolean =>
  attempts.length > 0 || nextAttemptAt >= createdAt + 1000
