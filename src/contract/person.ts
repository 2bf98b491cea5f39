// People: those of a site as its object keeps them, and those of the deployment as the registry does (contract, section 12).
import type { Role } from './role.ts'

/** Times are Unix seconds. */
export interface Person {
  /** The caller's own identifier. */
  id: string
  name: string
  role: Role
  /** The COUNTER codes to which a cashier is bound; undefined: all. */
  tills?: readonly string[] | undefined
  /** The WebAuthn user handle: 16 random bytes as base64url. */
  handle: string
  createdAt: number
  /** The latest use of a passkey or of its session, to the day. */
  lastUsedAt?: number | undefined
  removedAt?: number | undefined
  /** Until when the latest invitation can be used. */
  invitedUntil?: number | undefined
  passkeys: readonly Passkey[]
}

export interface Passkey {
  /** The credential id as base64url. */
  id: string
  /** The COSE key as base64url. */
  publicKey: string
  /** The signature counter of the latest use; 0 where the authenticator has none. */
  counter: number
  /** A name by which the person recognises it. */
  label: string
  createdAt: number
  lastUsedAt?: number | undefined
}

/** What an invitation's link has of it. */
export interface Invitation {
  /** Random. */
  id: string
  expiresAt: number
  /** Joining by it ends the earlier passkeys and sessions of the person: of an owner whom the operator invites again. */
  replaces?: boolean | undefined
}

/** A person to add. */
export interface NewPerson extends Pick<Person, 'id' | 'name' | 'role' | 'tills' | 'handle'> {
  invitation: Invitation
}

/** What to change of a person; tills null: all. */
export interface PersonChange {
  name?: string | undefined
  role?: Role | undefined
  tills?: readonly string[] | null | undefined
}

/** A passkey to store. */
export type NewPasskey = Pick<Passkey, 'id' | 'publicKey' | 'counter' | 'label'>

/** A challenge that was answered: it is used up until it would have expired. */
export interface UsedChallenge {
  id: string
  expiresAt: number
}

/** An assertion that the Worker has verified, and the session that it begins. */
export interface SignIn {
  handle: string
  passkeyId: string
  counter: number
  challenge: UsedChallenge
  /** The random part of the cookie. */
  session: string
}

/** Whom an invitation is for: what its page shows, and the user handle for the new passkey. */
export interface Invited extends Pick<Person, 'id' | 'name' | 'role' | 'handle'> {
  /** The name of the shop, where it has one. */
  shop?: string | undefined
}

/** Whose passkey it is, and what checks an assertion. */
export interface PasskeyOfPerson {
  person: Pick<Person, 'id' | 'name' | 'role'>
  passkey: Passkey
}

/** A session that a passkey began. */
export interface PersonSession {
  /** The random part of the cookie. */
  id: string
  personId: string
  passkeyId: string
  startedAt: number
  /** Written once a day at most. */
  usedAt: number
}

/** A challenge of a passkey can be answered for five minutes. */
export const CHALLENGE_SECONDS = 300
/** An invitation can be used for 72 hours. */
export const INVITATION_SECONDS = 72 * 3600
/** A session ends so long after its last use, and after its start. */
export const IDLE_SESSION_SECONDS = 30 * 86_400
export const LONGEST_SESSION_SECONDS = 180 * 86_400
export const MAX_PEOPLE = 200
export const MAX_PASSKEYS = 10
