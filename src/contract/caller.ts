// Who calls a site's object.
import type { Scope } from './access-token.ts'
import type { Actor } from './event.ts'

/** Crosses to the object with every call: events say who acted. */
export interface Caller {
  actor: Exclude<Actor, 'clock'>
  /** The access token's `jti`; a payer has no token. */
  keyId?: string | undefined
  scopes: readonly Scope[]
}

/** A payer has no token: anyone with the link can see its page. */
export const PAYER: Caller = { actor: 'payer', scopes: [] }
