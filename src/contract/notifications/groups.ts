// Why notifications are not delivered: those that wait or have failed, by cause (contract, section 11).
import * as z from 'zod/mini'
import { DEFAULT_CALLBACK } from '../callback.ts'
import { formatDateTime } from '../date-time.ts'
import type { Example } from '../example.ts'
import { meta } from '../meta.ts'

/** The causes that are not a result of an attempt. */
export const WAITING_CAUSES = {
  key: 'no key',
  address: 'no address',
  others: 'waits behind others',
} as const

/** At most so many that wait, the oldest, and so many that failed, the newest, are counted. */
export const MAX_GROUPED = 10_000

/** Notifications that are not delivered by one cause; `since` is Unix milliseconds. */
export interface NotificationGroup {
  /** The address that they go to. */
  callback: string
  /** The origin of the merchant's server; undefined without an address. */
  origin?: string | undefined
  /** `HTTP 500`, the error of an attempt, or one of WAITING_CAUSES. */
  cause: string
  since: number
  failed: number
  waiting: number
}

export interface NotificationGroups {
  groups: NotificationGroup[]
  /** Whether all were counted. */
  isComplete: boolean
}

export const NotificationGroupsAnswer = z
  .object({
    groups: z.array(
      z.object({
        callback: z.string().apply(meta, { description: 'The address that they go to' }),
        origin: z
          .optional(z.string())
          .apply(meta, { description: 'The scheme, host and port of your server; absent of `no address`' }),
        cause: z.string().apply(meta, {
          description:
            'Of the latest attempt: `HTTP 500`, or why there was no response. Or `no key`, `no address`, `waits behind others`, `address removed`',
        }),
        since: z.iso.datetime({ offset: true }),
        failed: z.int().apply(meta, { description: 'Notifications that the service tries no more' }),
        waiting: z.int().apply(meta, { description: 'Notifications that the service will send' }),
      }),
    ),
    complete: z.boolean().apply(meta, {
      description: `Whether all were counted: of more than ${MAX_GROUPED} that wait, the oldest are, and of those that failed, the newest`,
    }),
  })
  .apply(meta, { id: 'NotificationGroups' })

/** The answer that shows the groups. @param offset the deployment's offset from UTC */
export const notificationGroupsAnswer = (
  { groups, isComplete }: NotificationGroups,
  offset: string,
): z.infer<typeof NotificationGroupsAnswer> => ({
  groups: groups.map(({ callback, origin, cause, since, failed, waiting }) => ({
    callback,
    ...(origin !== undefined && { origin }),
    cause,
    since: formatDateTime(Math.floor(since / 1000), offset),
    failed,
    waiting,
  })),
  complete: isComplete,
})

const callback = DEFAULT_CALLBACK
const origin = 'https://shop.example'
const since = '2026-11-20T04:35:00+03:00'

export const NOTIFICATION_GROUPS_EXAMPLE: Example = {
  summary: 'A server that does not answer, and what waits for it',
  value: {
    groups: [
      { callback, origin, cause: 'no connection', since, failed: 0, waiting: 3 },
      { callback, origin, cause: WAITING_CAUSES.others, since, failed: 0, waiting: 14 },
    ],
    complete: true,
  },
}
