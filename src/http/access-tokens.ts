// The signatures of access tokens (contract, section 2).
import { verify } from 'hono/utils/jwt/jwt'
import { Claims } from '../contract/access-token.ts'
import { setBounded } from '../gateway/bounded-map.ts'

/** Verified tokens kept in memory: more than the merchants' servers of a data centre use at a time. */
const MAX_ENTRIES = 1000

/**
 * Makes a function from a token to its claims, or to undefined unless one of the secrets signed it. Verified tokens
 * are cached, so that a merchant's next request costs no cryptography. The lifetime is not checked here: the caller
 * compares the claims with the clock each time, so that the cache does not prolong a token.
 */
export function accessTokens(secrets: readonly string[]): (token: string) => Promise<Claims | undefined> {
  const verified = new Map<string, Claims>()
  return async (token) => {
    const cached = verified.get(token)
    if (cached) return cached
    const claims = await claimsOf(token, secrets)
    if (claims) setBounded(verified, token, claims, MAX_ENTRIES)
    return claims
  }
}

async function claimsOf(token: string, secrets: readonly string[]): Promise<Claims | undefined> {
  for (const secret of secrets) {
    // The library's own clock is left out: the time is a parameter here.
    const options = { alg: 'HS256', exp: false, nbf: false, iat: false } as const
    const payload = await verify(token, secret, options).catch(() => undefined)
    if (payload) return Claims.safeParse(payload).data
  }
  return undefined
}
