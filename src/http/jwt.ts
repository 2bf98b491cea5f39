// JSON Web Tokens with HS256 (RFC 7519) that have one spelling each.
import { decode, sign, verify } from 'hono/utils/jwt/jwt'

/** Signs claims. */
export const signJwt = (claims: Record<string, unknown>, key: string): Promise<string> =>
  sign(claims, key, 'HS256')

/**
 * The claims of a JWT, which are not checked any further: the time is a parameter of the caller, not the library's own clock.
 * @param keys the present one and, during a rotation, the previous one
 */
export async function verifyJwt(
  keys: readonly string[],
  jwt: string,
): Promise<{ claims: unknown } | { problem: 'malformed' | 'not signed by this deployment' }> {
  if (!isWellFormed(jwt)) return { problem: 'malformed' }
  for (const key of keys) {
    const options = { alg: 'HS256', exp: false, nbf: false, iat: false } as const
    const claims = await verify(jwt, key, options).catch(() => undefined)
    if (claims) return { claims }
  }
  return { problem: 'not signed by this deployment' }
}

/**
 * Base64url without padding, whose last digit has no bit that no byte has (RFC 4648, sections 3.2 and 3.5). A decoder takes other
 * spellings of the same bytes as well.
 */
const CANONICAL = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$/

function isWellFormed(jwt: string): boolean {
  const segments = jwt.split('.')
  if (segments.length !== 3 || !segments.every((segment) => CANONICAL.test(segment))) return false
  try {
    decode(jwt)
    return true
  } catch {
    return false
  }
}
