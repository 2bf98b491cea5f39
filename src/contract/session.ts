// A session of the console: who is signed in, as its object keeps it (contract, section 17).
import type { Claims, Scope } from './access-token.ts'
import type { FeedCursor } from './event.ts'

/** Times are Unix seconds. */
export interface Session {
  /** The random part of the cookie. */
  id: string
  /** The key (`jti`) of the access token that began the session. */
  keyId: string
  scopes: readonly Scope[]
  label?: string | undefined
  issuedAt: number
  tokenExpiresAt: number
  expiresAt: number
}

export interface NewSession extends Session {
  /** The one-time link that made it, if one did. */
  link?: string | undefined
}

/** What every page of a site begins with, read at once. */
export interface SessionView {
  session: Session
  /** The name of the shop, where it has one. */
  shop: string | undefined
  /** The hash of its logo, where it has one. */
  logo?: string | undefined
  /** The colour of its buttons, where it has one. */
  color?: string | undefined
  /** The end of the feed: what the page shows is as new or newer. */
  feed: FeedCursor
  undelivered: Undelivered
}

/** Which notifications of a site are not delivered. */
export interface Undelivered {
  /** Some that the service tries no more. */
  hasFailed: boolean
  /** Some that wait to be repeated, or until the receiver works again. */
  hasDelayed: boolean
  /** All of an address, which has no key that signs: its identifier. */
  keyless?: string | undefined
}

/** A session lasts at most 12 hours. */
export const MAX_SESSION_SECONDS = 12 * 3600

/** The claims that the access token of a session had. */
export const claimsOf = (siteId: string, session: Session): Claims => ({
  sub: siteId,
  jti: session.keyId,
  iat: session.issuedAt,
  exp: session.tokenExpiresAt,
  scope: [...session.scopes],
  label: session.label,
})
