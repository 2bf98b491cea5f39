// Who calls a site's object.
import type { Claims, Scope } from './access-token.ts'
import type { Actor } from './event.ts'

/** Crosses to the object with every call: events say who acted. */
export interface Caller {
  actor: Exclude<Actor, 'clock'>
  /** The access token's `jti`; a payer has no token, and a person none either. */
  keyId?: string | undefined
  /** A person who is signed in by a passkey: the object admits the call only if the session goes on and the rights are still these. */
  person?: PersonOfCall | undefined
  /** By a person: the assertion for what the call does. */
  confirmation?: Confirmation | undefined
  /** The COUNTER codes that exist for the caller; undefined: all. */
  tills?: readonly string[] | undefined
  scopes: readonly Scope[]
  /** The service itself calls, for nobody who has a key: a call that has neither a key nor a person is refused without this. */
  isService?: boolean | undefined
  /** `iat` and `exp` of the access token, Unix seconds: the site lists the keys that act on it. */
  issuedAt?: number | undefined
  expiresAt?: number | undefined
  /** The name of the key, where its token has one. */
  label?: string | undefined
  /** Whether the caller reaches a site that the operator has deleted, until its data are. */
  reachesDeleted?: boolean | undefined
  /** Whether the operator's call makes the tables of a site that nobody has written to. */
  makesSite?: boolean | undefined
}

/** Which person calls, and by which session. */
export interface PersonOfCall {
  id: string
  session: string
  /** As it was when the request came: the audit says it. */
  name?: string | undefined
}

/** A person's assertion for one form, which the Worker has verified. */
export interface Confirmation {
  /** The id of its challenge: it confirms once. */
  challenge: string
  /** Unix seconds. */
  expiresAt: number
  passkeyId: string
  counter: number
  /** Random, of the request: a call that is repeated because its answer was lost is of the same one. */
  request: string
}

/** Who is signed in by a passkey. */
export interface PersonClaims {
  /** The siteId, or OPERATOR. */
  sub: string
  /** The one of the role. */
  scope: readonly [Scope]
  tills?: readonly string[] | undefined
  person: PersonOfCall & { name: string }
  confirmation?: Confirmation | undefined
  /** A person has no key. */
  jti?: undefined
}

/** Who may do something: the holder of an access token, or a person. */
export type Holder = Claims | PersonClaims

export function callerOf(actor: Caller['actor'], holder: Holder): Caller {
  const { scope: scopes } = holder
  if (holder.jti === undefined) {
    const { id, session, name } = holder.person
    const { confirmation, tills } = holder
    return { actor, person: { id, session, name }, confirmation, scopes, tills }
  }
  const { jti: keyId, iat, exp, label, tills } = holder
  return {
    ...{ actor, keyId, scopes, label, tills },
    issuedAt: beforeYear9999(iat),
    expiresAt: beforeYear9999(exp),
  }
}

/** What a holder's requests are counted by. */
export const countedId = (holder: Holder): readonly string[] =>
  holder.jti === undefined ? ['person', holder.person.id] : [holder.jti]

/** The beginning of the year 9999: later dates have another form than those of an answer, in some offset. */
const MAX_SECONDS = 253_370_764_800

/** A time of a token as an answer can show it. */
export const beforeYear9999 = (time: number): number => Math.min(time, MAX_SECONDS)

/** A payer has no token: anyone with the link can see its page. */
export const PAYER: Caller = { actor: 'payer', scopes: [] }

/** A payer who sees, or ends, a saved account: a consent can be ended at any time. */
export const PAYER_OF_ACCOUNT: Caller = { ...PAYER, reachesDeleted: true }

/** The holder of a cookie of the console: the session that the call reads says who it is. */
export const NOBODY: Caller = { actor: 'merchant', scopes: [], isService: true }
