// The one-time link to the console that npm start prints (contract, section 17).
import { randomUUID } from 'node:crypto'
import { SCOPE_OF, type SITE_ROLES } from '../../src/contract/role.ts'
import { MAX_SESSION_SECONDS } from '../../src/contract/session.ts'
import { LINK_SECONDS, makeSignInLink } from '../../src/http/sign-in-links.ts'

/** The link with which a browser signs in once to a site, in a role. @param address of the service @param label of the session */
export async function consoleLink(
  address: string,
  secret: string,
  siteId: string,
  { role, label }: { role: (typeof SITE_ROLES)[number]; label: string },
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
