// People of a site who are signed in by a passkey, as the object knows them: no assertion is made here, the Worker verifies those.
import { env } from 'cloudflare:workers'
import type { Caller, Confirmation } from '../../src/contract/caller.ts'
import { SCOPE_OF, type SiteRole } from '../../src/contract/role.ts'
import { unwrap } from '../../src/gateway/site-client.ts'

const ADMIN: Caller = { actor: 'merchant', keyId: 'admin', scopes: ['merchant:admin'] }

export const inFiveMinutes = (): number => Math.floor(Date.now() / 1000) + 300

/** A person with a passkey and a session, who calls a site's object. @param counter of the passkey */
export async function signedIn(siteId: string, id: string, role: SiteRole, counter = 0) {
  const object = env.SITES.getByName(siteId)
  const [invitation, session] = [crypto.randomUUID(), crypto.randomUUID()]
  const person = { id, name: `Name of ${id}`, role, handle: crypto.randomUUID() }
  const invited = await object.addPerson(ADMIN, {
    ...person,
    invitation: { id: invitation, expiresAt: inFiveMinutes() },
  })
  unwrap(invited)
  const passkeyId = `passkey-${id}`
  const passkey = { id: passkeyId, publicKey: 'key', counter, label: 'Phone' }
  unwrap(await object.join(invitation, passkey, session))
  const caller: Caller = { actor: 'merchant', person: { id, session }, scopes: [SCOPE_OF[role]] }
  /** The same person with a confirmation of a form. */
  const confirming = (more: Partial<Confirmation> = {}): Caller => ({
    ...caller,
    confirmation: {
      challenge: crypto.randomUUID(),
      expiresAt: inFiveMinutes(),
      passkeyId,
      counter: 0,
      request: crypto.randomUUID(),
      ...more,
    },
  })
  return { caller, confirming, passkeyId }
}
