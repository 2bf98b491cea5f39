// Groups the notifications that are not delivered by cause (contract, section 11).
import {
  MAX_GROUPED,
  type NotificationGroup,
  type NotificationGroups,
  WAITING_CAUSES,
} from '../../contract/notifications/groups.ts'
import { inMilliseconds, int, orNull, rowsWith, text } from '../rows/columns.ts'
import { settingsRow } from '../settings/rows.ts'
import { endpointOf } from './endpoints.ts'
import { hasMerchantEndpoint } from './notifications.ts'

/** Groups of rows whose latest attempts had the same result; `since` is the first attempt, or creation, of the earliest row. */
const readResults = rowsWith({
  origin: orNull(text),
  httpStatus: orNull(int),
  error: orNull(text),
  blocked: int,
  since: inMilliseconds,
  count: int,
})

/** Newest failures first. The oldest that wait are read: they are those that were tried. */
const results = (sql: SqlStorage, status: 'PENDING' | 'FAILED') =>
  readResults(
    sql,
    `SELECT latest ->> 'origin' AS origin, latest ->> 'httpStatus' AS httpStatus, latest ->> 'error' AS error, blocked,
       min(since) AS since, count(*) AS count
     FROM (SELECT attempts -> '$[#-1]' AS latest, coalesce(attempts ->> '$[0].at', created_at) AS since, blocked
       FROM outbox WHERE status = ? AND queue = 'merchant'
       ORDER BY event ${status === 'FAILED' ? 'DESC, kind DESC' : ', kind'} LIMIT ?)
     GROUP BY 1, 2, 3, 4`,
    status,
    MAX_GROUPED,
  )

type Results = ReturnType<typeof results>

/** The notifications of the merchant that wait or have failed. Those that are just being sent have no cause. */
export function notificationGroups(sql: SqlStorage): NotificationGroups {
  const url = settingsRow(sql).settings.callbackUrl
  const current = url === undefined ? undefined : new URL(url).origin
  const hasEndpoint = hasMerchantEndpoint(sql)
  const { isProbing, since: failsSince } = endpointOf(sql, 'merchant')
  const groups = new Map<string, NotificationGroup>()
  const add = (counted: NotificationGroup) => {
    const key = JSON.stringify([counted.origin, counted.cause])
    const other = groups.get(key) ?? { ...counted, failed: 0, waiting: 0 }
    groups.set(key, {
      ...other,
      since: Math.min(other.since, counted.since),
      failed: other.failed + counted.failed,
      waiting: other.waiting + counted.waiting,
    })
  }
  const [waiting, failed] = [results(sql, 'PENDING'), results(sql, 'FAILED')]
  for (const { count, ...row } of waiting) {
    const tried = causeOf(row)
    // Without an endpoint nothing is sent, whatever happened before.
    const cause = hasEndpoint
      ? (tried ?? (isProbing || row.blocked === 1 ? WAITING_CAUSES.others : undefined))
      : url === undefined
        ? WAITING_CAUSES.address
        : WAITING_CAUSES.key
    if (cause === undefined) continue
    const origin = hasEndpoint && tried !== undefined ? (row.origin ?? undefined) : current
    add({ origin, cause, since: row.since, failed: 0, waiting: count })
  }
  for (const { count, origin, since, ...row } of failed) {
    const cause = causeOf(row)
    if (cause !== undefined) add({ origin: origin ?? undefined, cause, since, failed: count, waiting: 0 })
  }
  const isFailing = ({ origin, waiting: count }: NotificationGroup) =>
    hasEndpoint && isProbing && count > 0 && origin === current
  return {
    groups: [...groups.values()]
      .map((group) =>
        isFailing(group) && failsSince !== undefined ? { ...group, since: failsSince } : group,
      )
      .sort((a, b) => rank(a) - rank(b) || b.waiting - a.waiting || b.failed - a.failed),
    isComplete: [waiting, failed].every(
      (rows) => rows.reduce((sum, { count }) => sum + count, 0) < MAX_GROUPED,
    ),
  }
}

const causeOf = ({ httpStatus, error }: Pick<Results[number], 'httpStatus' | 'error'>): string | undefined =>
  httpStatus === null ? (error ?? undefined) : `HTTP ${httpStatus}`

/** Notifications that only wait behind others come after those others. */
const rank = ({ cause }: NotificationGroup): number => Number(cause === WAITING_CAUSES.others)
