// Access tokens: how they are made, and who signed them (contract, section 2).
import { Claims, type ClaimsInput, type TokenProblem } from '../contract/access-token.ts'
import { setBounded } from '../gateway/bounded-map.ts'
import { signJwt, verifyJwt } from './jwt.ts'

/** Verified tokens that are cached: more than the merchants' servers of a data centre use at a time. */
const MAX_ENTRIES = 1000

/** The claims of a token that one of the secrets signed, or why it cannot be used. */
type Verified = { claims: Claims } | { problem: TokenProblem }

/**
 * Makes a function that verifies tokens. Verified tokens are cached, so that a merchant's next request costs no
 * cryptography. The lifetime is not checked here: the caller compares the claims with the clock each time, so that the
 * cache does not prolong a token.
 */
export function accessTokens(secrets: readonly string[]): (token: string) => Promise<Verified> {
  const cache = new Map<string, Verified>()
  return async (token) => {
    const cached = cache.get(token)
    if (cached) return cached
    const verified = await verifyWith(secrets, token)
    if ('claims' in verified) setBounded(cache, token, verified, MAX_ENTRIES)
    return verified
  }
}

interface NewToken {
  siteId: string
  /** The `jti`. */
  keyId: string
  /** Separated by spaces. */
  scope: string
  /** Unix seconds. */
  issuedAt: number
  expiresAt: number
  label?: string | undefined
  tills?: readonly string[] | undefined
}

/** Signs an access token. */
export const signToken = (
  secret: string,
  { siteId, keyId, scope, issuedAt, expiresAt, label, tills }: NewToken,
): Promise<string> =>
  signJwt(
    {
      sub: siteId,
      jti: keyId,
      iat: issuedAt,
      exp: expiresAt,
      scope,
      label,
      tills: tills && [...tills],
    } satisfies ClaimsInput,
    secret,
  )

async function verifyWith(secrets: readonly string[], token: string): Promise<Verified> {
  const verified = await verifyJwt(secrets, token)
  if ('problem' in verified) return verified
  const { data: claims } = Claims.safeParse(verified.claims)
  return claims ? { claims } : { problem: 'malformed' }
}
