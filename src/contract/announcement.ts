// What a site tells the registry of sites (contract, section 16).

/** `createdAt` is Unix seconds. */
export interface Announcement {
  siteId: string
  /** The shop's name in the settings. */
  name: string | undefined
  createdAt: number
  /** Differs after a restore, and in another database. */
  epoch: string
}
