// A session of the console: who is signed in, as its object keeps it (contract, section 17).
import type { Scope } from './access-token.ts'
import type { Holder } from './caller.ts'
import type { FeedCursor } from './event.ts'
import type { PersonSession } from './person.ts'
import type { CashRegister } from './receipts/cash-register.ts'
import { type Role, SCOPE_OF } from './role.ts'

/** Times are Unix seconds. */
export interface Session {
  /** The random part of the cookie. */
  id: string
  /** The key (`jti`) of the access token that began the session. */
  keyId: string
  scopes: readonly Scope[]
  label?: string | undefined
  tills?: readonly string[] | undefined
  issuedAt: number
  tokenExpiresAt: number
  expiresAt: number
}

/** A session that a passkey began, and its person as they are now. */
export interface SessionOfPerson extends PersonSession {
  name: string
  role: Role
  tills?: readonly string[] | undefined
}

export type AnySession = Session | SessionOfPerson

export interface NewSession extends Session {
  /** The one-time link that made it, if one did. */
  link?: string | undefined
}

/** What every page of a site begins with, read at once. */
export interface SessionView {
  session: AnySession
  /** The name of the shop, where it has one. */
  shop: string | undefined
  /** The hash of its logo, where it has one. */
  logo?: string | undefined
  /** The colour of its buttons, where it has one. */
  color?: string | undefined
  /** The end of the feed: what the page shows is as new or newer. */
  feed: FeedCursor
  undelivered: Undelivered
  /** Undefined of a site that has no cash register, and never had one. */
  receipts?: SiteReceipts | undefined
}

/** What every page of a site knows of its receipts. */
export interface SiteReceipts {
  /** Undefined where it was removed. */
  register?: CashRegister | undefined
  /** Whether each payment gets a receipt. */
  isOfAll: boolean
  /** Whether one of the last days failed, and no other attempt followed. */
  hasFailed: boolean
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

/** Whom a session is of: the claims that its access token had, or the person. */
export function holderOf(siteId: string, session: AnySession): Holder {
  if ('personId' in session) {
    const { id, personId, name, role, tills } = session
    return { sub: siteId, scope: [SCOPE_OF[role]], tills, person: { id: personId, name, session: id } }
  }
  return {
    sub: siteId,
    jti: session.keyId,
    iat: session.issuedAt,
    exp: session.tokenExpiresAt,
    scope: [...session.scopes],
    label: session.label,
    tills: session.tills && [...session.tills],
  }
}
