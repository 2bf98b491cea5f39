// Makes an access token (contract, section 2).
import { randomUUID } from 'node:crypto'
import { isScopeList, OPERATOR, SCOPE_LIST_RULE } from '../src/contract/access-token.ts'
import { SITE_ID } from '../src/contract/site-id.ts'
import { signToken } from '../src/http/access-tokens.ts'

export interface TokenRequest {
  /** OPERATOR for the operator's own token, which has the scope operator and no other. */
  siteId: string
  /** One or more of SITE_SCOPES, separated by spaces. */
  scope: string
  /** Lifetime, 1 to 3650. */
  days: number
}

/**
 * Signs a token of a site, or of the operator.
 * @throws RangeError naming the argument and its rule
 */
export async function mintToken(secret: string, { siteId, scope, days }: TokenRequest): Promise<string> {
  if (siteId === OPERATOR) {
    if (scope !== 'operator') throw new RangeError(`scope is "${scope}", must be operator for ${OPERATOR}`)
  } else {
    if (!SITE_ID.test(siteId))
      throw new RangeError(`siteId is "${siteId}", must be 1 to 64 of A-Z a-z 0-9 . _ -`)
    if (scope.split(' ').includes('operator'))
      throw new RangeError(`siteId is "${siteId}", must be '${OPERATOR}' with scope operator`)
    if (!isScopeList(scope)) throw new RangeError(`scope is "${scope}", must be ${SCOPE_LIST_RULE}`)
  }
  if (!Number.isInteger(days) || days < 1 || days > 3650) {
    throw new RangeError(`days is ${days}, must be a whole number from 1 to 3650`)
  }
  const issuedAt = Math.floor(Date.now() / 1000)
  const expiresAt = issuedAt + days * 86_400
  return signToken(secret, { siteId, keyId: randomUUID(), scope, issuedAt, expiresAt })
}
