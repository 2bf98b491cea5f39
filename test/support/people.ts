// People of a site in tests: invited over HTTP, joined by RPC, as the console does after it has verified a passkey.

import { env } from 'cloudflare:workers'
import type { Caller, Confirmation } from '../../src/contract/caller.ts'
import { PersonAnswer } from '../../src/contract/people.ts'
import type { PersonSession } from '../../src/contract/person.ts'
import { type Role, SCOPE_OF } from '../../src/contract/role.ts'
import type { Outcome } from '../../src/errors.ts'
import { unwrap } from '../../src/gateway/site-client.ts'
import { readInvitation } from '../../src/http/invitations.ts'
import type { FreshSite } from './admin.ts'

let counted = 0
/** A text that no other has. */
export const another = (what: string): string => `${what}-${++counted}`

export const passkeyOf = (id: string) => ({ id, publicKey: `key of ${id}`, counter: 0, label: 'Phone' })

/** A challenge that can still be used. */
export const challenge = () => ({ id: another('challenge'), expiresAt: Math.floor(Date.now() / 1000) + 300 })

/** The id of the invitation that an address has. */
export async function invitationIn(url: string): Promise<string> {
  const code = new URL(url).searchParams.get('code') ?? ''
  const link = await readInvitation([env.TOKEN_SECRET], code, Math.floor(Date.now() / 1000))
  return link?.invitationId ?? 'unreadable'
}

/** Adds a person. @returns the id of the invitation */
export async function added(
  { ask }: FreshSite,
  id: string,
  role: Role = 'manager',
  more: object = {},
): Promise<string> {
  const response = await ask('/people', {
    method: 'POST',
    body: { id, name: `Name of ${id}`, role, ...more },
  })
  const { invitation } = (await response.json()) as { invitation: { url: string } }
  return invitationIn(invitation.url)
}

/** The caller that the Worker makes of a session. */
export const callerOf = (
  { id: session, personId: id }: PersonSession,
  role: Role,
  tills?: readonly string[],
): Caller => ({ actor: 'merchant', person: { id, session }, scopes: [SCOPE_OF[role]], tills })

/** The caller with an assertion that the Worker has verified: one that was not used. */
export const confirming = (caller: Caller, passkeyId: string, more: Partial<Confirmation> = {}): Caller => ({
  ...caller,
  confirmation: {
    challenge: another('challenge'),
    expiresAt: Math.floor(Date.now() / 1000) + 300,
    passkeyId,
    counter: 0,
    request: another('request'),
    ...more,
  },
})

/** Adds a person, who joins with a passkey. */
export async function joined(site: FreshSite, id: string, role: Role = 'manager', more: object = {}) {
  const invitation = await added(site, id, role, more)
  const passkey = another('passkey')
  const session = unwrap(await site.stub.join(invitation, passkeyOf(passkey), another('session')))
  return { id, passkey, session, caller: callerOf(session, role) }
}

export const codeOf = (outcome: Outcome<unknown>): string => (outcome.ok ? 'ok' : outcome.code)

export const personIn = async (response: Response) => PersonAnswer.parse(await response.json())
