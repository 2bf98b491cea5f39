// One-time links to the console: the one who opens it can sign in once, without a token (contract, section 17).
import { createHmac } from 'node:crypto'
import { sign, verify } from 'hono/utils/jwt/jwt'
import * as z from 'zod/mini'
import { Claims, type ClaimsInput } from '../contract/access-token.ts'

/** A link can be used for this time after it was made, in seconds. */
export const LINK_SECONDS = 600

const Link = z.object({
  /** What the session may do. */
  claims: Claims,
  /** Differs in each link. */
  id: z.string().check(z.minLength(1)),
  /** Unix seconds. */
  exp: z.number(),
})
type SignInLink = z.output<typeof Link>

/** The key differs from that of access tokens, so a link cannot be used as an access token. */
const keyOf = (secret: string): string => createHmac('sha256', secret).update('sign-in link').digest('base64')

/** Makes the code of a link, for its query. */
export const makeSignInLink = (
  secret: string,
  link: { claims: ClaimsInput; id: string; exp: number },
): Promise<string> => sign({ ...link }, keyOf(secret), 'HS256')

/** What a code says; undefined if no secret signed it, or it has expired. @param now Unix seconds */
export async function readSignInLink(
  secrets: readonly string[],
  code: string,
  now: number,
): Promise<SignInLink | undefined> {
  for (const secret of secrets) {
    // The library's own clock is left out: the time is a parameter here.
    const options = { alg: 'HS256', exp: false, nbf: false, iat: false } as const
    const payload = await verify(code, keyOf(secret), options).catch(() => undefined)
    const { data: link } = Link.safeParse(payload)
    if (link) return now < link.exp ? link : undefined
  }
  return undefined
}
