// What a site tells the registry of sites (contract, section 16).

/** `createdAt` and `deletedAt` are Unix seconds. */
export interface Announcement {
  siteId: string
  /** The shop's name in the settings. */
  name: string | undefined
  createdAt: number
  /** Differs after a restore, and in another database. */
  epoch: string
  /** The operator has deleted the site. */
  deletedAt?: number | undefined
}

/** The figures of a site that its operator watches; times are Unix milliseconds. */
export interface Figures {
  /** Notifications and instructions that wait for longer than a minute, and since when the oldest of them does. */
  notifications: number
  oldestNotification?: number | undefined
  failedNotifications: number
  instructions: number
  oldestInstruction?: number | undefined
  /** Instructions that the payment network has not answered for an hour. */
  overdueInstructions: number
  isRestored: boolean
  /** The size of the database. */
  bytes: number
}

/** The figures of all sites. */
export type Totals = Omit<Figures, 'isRestored'> & { sites: number; restoredSites: number }
