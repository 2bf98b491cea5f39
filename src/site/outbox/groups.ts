// Groups the notifications that are not delivered by address and cause (contract, section 11).
import {
  MAX_GROUPED,
  type NotificationGroup,
  type NotificationGroups,
  WAITING_CAUSES,
} from '../../contract/notifications/groups.ts'
import { inMilliseconds, int, orNull, rowsWith, text } from '../rows/columns.ts'
import { callbacksIn } from '../settings/rows.ts'
import { endpointOf } from './endpoints.ts'
import { hasEndpoint } from './receivers.ts'
import { type CallbackQueue, callbackOf, isCallbackQueue, NOTIFICATIONS, queueOf } from './rows.ts'

/** Groups of rows whose latest attempts had the same result; `since` is the first attempt, or creation, of the earliest row. */
const readResults = rowsWith({
  queue: isCallbackQueue,
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
    `SELECT queue, latest ->> 'origin' AS origin, latest ->> 'httpStatus' AS httpStatus, latest ->> 'error' AS error, blocked,
       min(since) AS since, count(*) AS count
     FROM (SELECT queue, attempts -> '$[#-1]' AS latest, coalesce(attempts ->> '$[0].at', created_at) AS since, blocked
       FROM outbox WHERE status = ? AND ${NOTIFICATIONS}
       ORDER BY event ${status === 'FAILED' ? 'DESC, kind DESC' : ', kind'} LIMIT ?)
     GROUP BY 1, 2, 3, 4, 5`,
    status,
    MAX_GROUPED,
  )

type Results = ReturnType<typeof results>

/** The notifications of the merchant that wait or have failed. Those that are just being sent have no cause. */
export function notificationGroups(sql: SqlStorage): NotificationGroups {
  const addresses = new Map<CallbackQueue, Address>()
  const addressOf = (queue: CallbackQueue): Address => {
    const known = addresses.get(queue) ?? addressIn(sql, queue)
    addresses.set(queue, known)
    return known
  }
  const groups = new Map<string, NotificationGroup>()
  const add = (counted: NotificationGroup) => {
    const key = JSON.stringify([counted.callback, counted.origin, counted.cause])
    const other = groups.get(key) ?? { ...counted, failed: 0, waiting: 0 }
    groups.set(key, {
      ...other,
      since: Math.min(other.since, counted.since),
      failed: other.failed + counted.failed,
      waiting: other.waiting + counted.waiting,
    })
  }
  const [waiting, failed] = [results(sql, 'PENDING'), results(sql, 'FAILED')]
  for (const { count, queue, ...row } of waiting) {
    const { hasEndpoint, isProbing, current } = addressOf(queue)
    const tried = causeOf(row)
    // Without an endpoint nothing is sent, whatever happened before.
    const cause = hasEndpoint
      ? (tried ?? (isProbing || row.blocked === 1 ? WAITING_CAUSES.others : undefined))
      : current === undefined
        ? WAITING_CAUSES.address
        : WAITING_CAUSES.key
    if (cause === undefined) continue
    const origin = hasEndpoint && tried !== undefined ? (row.origin ?? undefined) : current
    add({ callback: callbackOf(queue), origin, cause, since: row.since, failed: 0, waiting: count })
  }
  for (const { count, queue, origin, since, ...row } of failed) {
    const cause = causeOf(row)
    if (cause === undefined) continue
    const callback = callbackOf(queue)
    add({ callback, origin: origin ?? undefined, cause, since, failed: count, waiting: 0 })
  }
  /** Since when its endpoint fails, of a group that waits for that. */
  const failingSince = ({ callback, origin, waiting: count }: NotificationGroup) => {
    const { hasEndpoint, isProbing, current, failsSince } = addressOf(queueOf(callback))
    return hasEndpoint && isProbing && count > 0 && origin === current ? failsSince : undefined
  }
  return {
    groups: [...groups.values()]
      .map((group) => ({ ...group, since: failingSince(group) ?? group.since }))
      .sort((a, b) => rank(a) - rank(b) || b.waiting - a.waiting || b.failed - a.failed),
    isComplete: [waiting, failed].every(
      (rows) => rows.reduce((sum, { count }) => sum + count, 0) < MAX_GROUPED,
    ),
  }
}

/** How an address stands. */
interface Address {
  hasEndpoint: boolean
  /** The origin of its URL. */
  current: string | undefined
  isProbing: boolean
  failsSince: number | undefined
}

function addressIn(sql: SqlStorage, queue: CallbackQueue): Address {
  const url = callbacksIn(sql).find(({ id }) => id === callbackOf(queue))?.url
  const { isProbing, since: failsSince } = endpointOf(sql, queue)
  return {
    hasEndpoint: hasEndpoint(sql, queue),
    current: url === undefined ? undefined : new URL(url).origin,
    isProbing,
    failsSince,
  }
}

const causeOf = ({ httpStatus, error }: Pick<Results[number], 'httpStatus' | 'error'>): string | undefined =>
  httpStatus === null ? (error ?? undefined) : `HTTP ${httpStatus}`

/** Notifications that only wait behind others come after those others. */
const rank = ({ cause }: NotificationGroup): number => Number(cause === WAITING_CAUSES.others)
