// The one-time link to the console that npm start prints (contract, section 17).
import { randomUUID } from 'node:crypto'
import { type Role, SCOPE_OF } from '../../src/contract/role.ts'
import { MAX_SESSION_SECONDS } from '../../src/contract/session.ts'
import { LINK_SECONDS, makeSignInLink } from '../../src/http/sign-in-links.ts'

/**
 * The link with which a browser signs in once to a site, or to the pages of the operator, in a role.
 * @param address of the service
 * @param siteId OPERATOR for the operator's pages, with a role of OPERATOR_ROLES
 * @param label of the session
 */
export async function consoleLink(
  address: string,
  secret: string,
  siteId: string,
  { role, label }: { role: Role; label: string },
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const claims = {
    sub: siteId,
    jti: randomUUID(),
    iat,
    exp: iat + MAX_SESSION_SECONDS,
    scope: SCOPE_OF[role],
    label,
  }
  const code = await makeSignInLink(secret, { claims, id: randomUUID(), exp: iat + LINK_SECONDS })
  return `${address}/console/sign-in?link=${code}`
}
