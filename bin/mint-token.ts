// Makes an access token (contract, section 2).
import { randomUUID } from 'node:crypto'
import {
  isOperatorScope,
  isScopeList,
  isTillScope,
  Label,
  OPERATOR,
  OPERATOR_SCOPES,
  SCOPE_LIST_RULE,
} from '../src/contract/access-token.ts'
import { SITE_ID } from '../src/contract/site-id.ts'
import { Tills } from '../src/contract/tills.ts'
import { signToken } from '../src/http/access-tokens.ts'

interface TokenRequest {
  /** OPERATOR for the operator's own token, which has one of OPERATOR_SCOPES and no other. */
  siteId: string
  /** One or more of SITE_SCOPES, separated by spaces. */
  scope: string
  /** Lifetime, 1 to 3650. */
  days: number
  /** The name by which people recognise the key. */
  label?: string | undefined
  /** Of the scope merchant:till: the qrCodeUids of the tills that exist for it. */
  tills?: readonly string[] | undefined
}

/** A token, and by what its key is known. */
export interface MintedToken {
  token: string
  /** The `jti`. */
  keyId: string
  /** Unix seconds. */
  expiresAt: number
}

/** Signs a token of a site, or of the operator. @throws RangeError, as mint does */
export const mintToken = async (secret: string, request: TokenRequest): Promise<string> =>
  (await mint(secret, request)).token

/**
 * Signs a token of a site, or of the operator, with a new key id.
 * @throws RangeError naming the argument and its rule
 */
export async function mint(
  secret: string,
  { siteId, scope, days, label, tills }: TokenRequest,
): Promise<MintedToken> {
  if (siteId === OPERATOR) {
    if (!isOperatorScope(scope))
      throw new RangeError(`scope is "${scope}", must be ${OPERATOR_SCOPES.join(' or ')} for ${OPERATOR}`)
  } else {
    if (!SITE_ID.test(siteId))
      throw new RangeError(`siteId is "${siteId}", must be 1 to 64 of A-Z a-z 0-9 . _ -`)
    if (scope.split(' ').some(isOperatorScope))
      throw new RangeError(
        `siteId is "${siteId}", must be '${OPERATOR}' with scope ${OPERATOR_SCOPES.join(' or ')}`,
      )
    if (!isScopeList(scope)) throw new RangeError(`scope is "${scope}", must be ${SCOPE_LIST_RULE}`)
  }
  if (!Number.isInteger(days) || days < 1 || days > 3650) {
    throw new RangeError(`days is ${days}, must be a whole number from 1 to 3650`)
  }
  const broken = label === undefined ? undefined : Label.safeParse(label).error?.issues[0]?.message
  if (broken) throw new RangeError(`label is "${label}", must be ${broken}`)
  if (tills !== undefined && (!isTillScope(scope) || !Tills.safeParse(tills).success))
    throw new RangeError(`tills is "${tills}", must be 1 to 20 qrCodeUids, for the scope merchant:till alone`)
  const issuedAt = Math.floor(Date.now() / 1000)
  const expiresAt = issuedAt + days * 86_400
  const keyId = randomUUID()
  const token = await signToken(secret, { siteId, keyId, scope, issuedAt, expiresAt, label, tills })
  return { token, keyId, expiresAt }
}
