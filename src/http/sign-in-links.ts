// One-time links to the console: the one who opens it can sign in once, without a token (contract, section 17).
import { createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import { Claims, type ClaimsInput, UnixSeconds } from '../contract/access-token.ts'
import { signJwt, verifyJwt } from './jwt.ts'

/** A link can be used for this time after it was made, in seconds. */
export const LINK_SECONDS = 600

const Link = z.object({
  /** What the session may do. */
  claims: Claims,
  /** Differs in each link. */
  id: z.string().check(z.minLength(1), z.maxLength(128)),
  exp: UnixSeconds,
})
type SignInLink = z.output<typeof Link>

/** The key differs from that of access tokens, so a link cannot be used as an access token. */
const keyOf = (secret: string): string => createHmac('sha256', secret).update('sign-in link').digest('base64')

/** Makes the code of a link, for its query. */
export const makeSignInLink = (
  secret: string,
  link: { claims: ClaimsInput; id: string; exp: number },
): Promise<string> => signJwt({ ...link }, keyOf(secret))

/** What a code says; undefined if no secret signed it, or it has expired. @param now Unix seconds */
export async function readSignInLink(
  secrets: readonly string[],
  code: string,
  now: number,
): Promise<SignInLink | undefined> {
  const verified = await verifyJwt(secrets.map(keyOf), code)
  const { data: link } = Link.safeParse('claims' in verified ? verified.claims : undefined)
  return link && now < link.exp ? link : undefined
}
