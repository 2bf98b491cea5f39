// The list of sites, as the operator sees it (contract, section 16).
import * as z from 'zod/mini'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { parsed } from './parsed.ts'
import { decodeCursor, encodeCursor, limitParameter, nextCursor, positionParameter } from './query.ts'
import { SITE_ID } from './site-id.ts'

/** A site in the list; `createdAt` is Unix seconds. */
export interface ListedSite {
  siteId: string
  name?: string | undefined
  createdAt: number
  stuck?: Stuck | undefined
  closing?: Closing | undefined
}

/** A deletion that can be undone; times are Unix seconds. */
export interface Closing {
  /** From when on merchant and payers are refused. */
  closedAt: number
  /** When the data are deleted. */
  deletesAt: number
}

/** What is stuck in a site, as it told the registry last; `since` is Unix milliseconds. */
export interface Stuck {
  /** Notifications, and instructions, that wait for longer than a minute. */
  notifications: number
  instructions: number
  failedNotifications: number
  /** Instructions without an answer for an hour. */
  overdueInstructions: number
  /** Receipts that are not registered for ten minutes, and those that failed and were not sent again; absent without any. */
  lateReceipts?: number | undefined
  failedReceipts?: number | undefined
  since?: number | undefined
  isRestored: boolean
  /** There is a callbackUrl, and no notification key. */
  lacksKey: boolean
  /** The database has more than 5 GB. */
  isLarge: boolean
}

/** Which sites are listed. */
export interface SitesQuery {
  /** What the siteId begins with. */
  q?: string | undefined
  limit: number
  /** Only sites in which something is stuck. */
  stuck?: boolean | undefined
  /** false: without test sites. */
  test?: boolean | undefined
  /** Only sites whose deletion can be undone. */
  deleted?: boolean | undefined
  /** The last siteId of the page before. */
  cursor?: string | undefined
}

const PREFIX_RULE = '1 to 64 of A-Z a-z 0-9 . _ -'

/** The cursor after a site; its form may change. */
export const siteCursorOf = (siteId: string): string => encodeCursor(siteId)

export const SitesQuery = strictObject({
  q: z
    .optional(z.string(PREFIX_RULE).check(z.regex(/^[A-Za-z0-9._-]{1,64}$/, PREFIX_RULE)))
    .apply(meta, { description: 'Only sites whose siteId begins with this' }),
  stuck: z
    .optional(parsed(z.literal('true', 'true, or absent'), 'true, or absent', () => true))
    .apply(meta, { description: 'Only sites in which something is stuck' }),
  test: z
    .optional(parsed(z.literal('false', 'false, or absent'), 'false, or absent', () => false))
    .apply(meta, { description: '`false`: test sites are left out' }),
  deleted: z
    .optional(parsed(z.literal('true', 'true, or absent'), 'true, or absent', () => true))
    .apply(meta, { description: 'Only sites that are deleted, and can still be restored' }),
  limit: limitParameter({ byDefault: 50, max: 100 }),
  cursor: z.optional(
    positionParameter(siteCursorOf, (cursor) => {
      const siteId = decodeCursor(cursor)
      return SITE_ID.test(siteId) ? siteId : undefined
    }).apply(meta, { description: '`nextCursor` of the page before' }),
  ),
})

const DateTime = z.iso.datetime({ offset: true })

const StuckAnswer = z
  .object({
    notifications: z.int().apply(meta, { description: 'Those that wait for longer than a minute' }),
    failedNotifications: z.int(),
    instructions: z.int().apply(meta, { description: 'Those that wait for longer than a minute' }),
    overdueInstructions: z.int().apply(meta, { description: 'Those that are not answered for an hour' }),
    lateReceipts: z
      .optional(z.int())
      .apply(meta, { description: 'Receipts that are not registered for ten minutes' }),
    failedReceipts: z
      .optional(z.int())
      .apply(meta, { description: 'Receipts that failed, and were not sent again' }),
    since: z.optional(DateTime).apply(meta, { description: 'Since when the oldest of those that wait does' }),
    restored: z.boolean().apply(meta, { description: 'Whether the site is restored, and not resumed yet' }),
    withoutKey: z.boolean().apply(meta, {
      description: 'Whether an address for notifications has no notification key: nothing is sent to it',
    }),
    large: z.boolean().apply(meta, { description: 'Whether the database has more than 5 GB' }),
  })
  .apply(meta, { id: 'StuckSite' })

export const TestAnswer = z
  .optional(z.literal(true))
  .apply(meta, { description: 'Of a test site; otherwise absent' })

/** The fields of a deleted site whose deletion can still be undone. */
export const ClosingAnswer = {
  deletedOn: z
    .optional(DateTime)
    .apply(meta, { description: 'When the operator deleted the site, if that can still be undone' }),
  dataDeletedOn: z.optional(DateTime).apply(meta, { description: 'When its data are deleted' }),
}

/** @param offset the deployment's offset from UTC */
export const closingAnswer = (closing: Closing | undefined, offset: string) =>
  closing && {
    deletedOn: formatDateTime(closing.closedAt, offset),
    dataDeletedOn: formatDateTime(closing.deletesAt, offset),
  }

const ListedSiteAnswer = z
  .object({
    siteId: z.string(),
    name: z.optional(z.string()).apply(meta, { description: 'The shop’s name in the settings' }),
    createdOn: DateTime,
    test: TestAnswer,
    stuck: z.optional(StuckAnswer).apply(meta, { description: 'Absent if nothing is stuck' }),
    ...ClosingAnswer,
  })
  .apply(meta, { id: 'ListedSite' })

export const SitesAnswer = z
  .object({ sites: z.array(ListedSiteAnswer), nextCursor: nextCursor('sites') })
  .apply(meta, { id: 'SitePage' })
export type SitesAnswer = z.infer<typeof SitesAnswer>

/** @param offset the deployment's offset from UTC */
export const listedSiteAnswer = (
  { siteId, name, createdAt, stuck, closing }: ListedSite,
  { offset, isTest }: { offset: string; isTest: boolean },
): z.infer<typeof ListedSiteAnswer> => ({
  siteId,
  ...(name !== undefined && { name }),
  createdOn: formatDateTime(createdAt, offset),
  ...(isTest && { test: true }),
  ...(stuck && { stuck: stuckAnswer(stuck, offset) }),
  ...closingAnswer(closing, offset),
})

const stuckAnswer = (
  { since, isRestored, lacksKey, isLarge, ...counts }: Stuck,
  offset: string,
): z.infer<typeof StuckAnswer> => ({
  ...counts,
  ...(since !== undefined && { since: formatDateTime(Math.floor(since / 1000), offset) }),
  restored: isRestored,
  withoutKey: lacksKey,
  large: isLarge,
})

export const SITES_EXAMPLE: Example = {
  summary: 'The only page',
  value: { sites: [{ siteId: 'demo', name: 'Tea shop', createdOn: '2026-11-20T20:10:32+03:00' }] },
}
