// Access tokens and their signatures (contract, section 2).
import { verify } from 'hono/utils/jwt/jwt'
import { Claims } from '../contract/access-token.ts'
import { remember } from '../gateway/bounded-map.ts'

/** Tokens that are remembered: more than the servers of a data centre's merchants use at a time. */
const REMEMBERED = 1000

/**
 * Makes a reader of tokens: what a token that one of the secrets signed says, or undefined for any other.
 * It remembers the last tokens that were good, so that a merchant's next request costs no cryptography. Whether a
 * token is still alive is asked of its claims each time, so that remembering does not prolong it.
 */
export function tokenReader(secrets: readonly string[]): (token: string) => Promise<Claims | undefined> {
  const remembered = new Map<string, Claims>()
  return async (token) => {
    const known = remembered.get(token)
    if (known) return known
    const claims = await check(token, secrets)
    if (!claims) return undefined
    remember(remembered, token, claims, REMEMBERED)
    return claims
  }
}

async function check(token: string, secrets: readonly string[]): Promise<Claims | undefined> {
  for (const secret of secrets) {
    // The library's own clock is left out: the moment is a parameter here.
    const options = { alg: 'HS256', exp: false, nbf: false, iat: false } as const
    const payload = await verify(token, secret, options).catch(() => undefined)
    if (payload) return Claims.safeParse(payload).data
  }
  return undefined
}
