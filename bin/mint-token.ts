// Makes an access token (contract, section 2).
import { randomUUID } from 'node:crypto'
import { sign } from 'hono/jwt'
import { type ClaimsInput, SCOPES } from '../src/contract/access-token.ts'
import { SITE_ID } from '../src/contract/site-id.ts'

export interface TokenRequest {
  siteId: string
  /** One or more of SCOPES, separated by spaces. */
  scope: string
  /** Lifetime, 1 to 3650. */
  days: number
}

/**
 * Signs a token of a site.
 * @throws RangeError naming the argument and its rule
 */
export async function mintToken(secret: string, { siteId, scope, days }: TokenRequest): Promise<string> {
  if (!SITE_ID.test(siteId))
    throw new RangeError(`siteId is "${siteId}", must be 1 to 64 of A-Z a-z 0-9 . _ -`)
  const known: readonly string[] = SCOPES
  if (!scope.split(' ').every((one) => known.includes(one))) {
    throw new RangeError(`scope is "${scope}", must be of ${SCOPES.join(', ')}, separated by spaces`)
  }
  if (!Number.isInteger(days) || days < 1 || days > 3650) {
    throw new RangeError(`days is ${days}, must be a whole number from 1 to 3650`)
  }
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    sub: siteId,
    jti: randomUUID(),
    iat: now,
    exp: now + days * 86_400,
    scope,
  } satisfies ClaimsInput
  return sign(claims, secret, 'HS256')
}
