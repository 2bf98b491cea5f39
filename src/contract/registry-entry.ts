// What the registry has of a site, as the site tells it (contract, section 16).
import * as z from 'zod/mini'

/** Which site it is; times are Unix seconds. */
const Identity = {
  /** Differs after a restore, and in another database. */
  epoch: z.string(),
  /** The shop's name in the settings. */
  name: z.optional(z.string()),
  createdAt: z.int(),
  /** The operator has deleted the site, which can be undone until `deletesAt`. */
  closedAt: z.optional(z.int()),
  deletesAt: z.optional(z.int()),
  /** The data of the site were deleted. */
  deletedAt: z.optional(z.int()),
}

/** What the operator watches; times are Unix milliseconds. */
const Figures = {
  /** Notifications and instructions that wait for a minute or longer, and since when the oldest of them does. */
  notifications: z.int(),
  oldestNotification: z.optional(z.int()),
  failedNotifications: z.int(),
  instructions: z.int(),
  oldestInstruction: z.optional(z.int()),
  /** Instructions that the payment network has not answered for an hour. */
  overdueInstructions: z.int(),
  /** Receipts that a cash register has not registered for ten minutes, and since when the oldest of them waits; absent without any. */
  lateReceipts: z.optional(z.int()),
  oldestReceipt: z.optional(z.int()),
  /** Those that have failed, and were not sent again. */
  failedReceipts: z.optional(z.int()),
  isRestored: z.boolean(),
  /** An address for notifications has no notification key: nothing is sent to it. */
  lacksKey: z.optional(z.literal(true)),
  /** The size of the database. */
  bytes: z.int(),
}

const SiteIdentity = z.object(Identity)
export type SiteIdentity = z.infer<typeof SiteIdentity>

const SiteFigures = z.object(Figures)
export type SiteFigures = z.infer<typeof SiteFigures>

export const RegistryEntry = z.object({ ...Identity, ...Figures })
export type RegistryEntry = z.infer<typeof RegistryEntry>

/** The figures of a site in which nothing is stuck, and of a deleted one. */
export const NO_FIGURES: SiteFigures = {
  notifications: 0,
  failedNotifications: 0,
  instructions: 0,
  overdueInstructions: 0,
  isRestored: false,
  bytes: 0,
}

/** Whether something of the site needs the operator. */
export const isStuck = (figures: SiteFigures): boolean =>
  figures.isRestored ||
  figures.lacksKey === true ||
  figures.notifications + figures.failedNotifications > 0 ||
  figures.instructions + figures.overdueInstructions > 0 ||
  (figures.lateReceipts ?? 0) + (figures.failedReceipts ?? 0) > 0

/** A database can have 10 GB: from half of that on a site needs a plan. */
export const LARGE_BYTES = 5_000_000_000

/** The figures of all sites, and of the machine; times are Unix milliseconds. */
export type Totals = Omit<SiteFigures, 'isRestored' | 'lacksKey'> & {
  sites: number
  restoredSites: number
  sitesWithoutKey: number
  largeSites: number
  /** When the last backup was complete, as far as the registry was told. */
  backedUpAt?: number | undefined
  /** The starts that no stop of the operator preceded. */
  unplannedStarts: number
  /** The entries of bank files that the sites have, by state; a registry of an earlier version does not say. */
  settledEntries?: { matched: number; mismatched: number; unknown: number; expected: number } | undefined
}
