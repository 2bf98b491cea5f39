// Links of invitations: the one who opens it can join once (contract, section 12). The object knows whether it was used.
import { createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import type { Config } from '../config.ts'
import { UnixSeconds } from '../contract/access-token.ts'
import type { Invitation } from '../contract/person.ts'
import { signJwt, verifyJwt } from './jwt.ts'

const Link = z.object({
  /** The siteId, or OPERATOR. */
  site: z.string().check(z.minLength(1), z.maxLength(64)),
  invitation: z.string().check(z.minLength(1), z.maxLength(128)),
  exp: UnixSeconds,
})

/** What the code of an invitation says. */
export interface InvitationLink {
  /** The siteId, or OPERATOR. */
  siteId: string
  invitationId: string
}

/** The key differs from those of access tokens and of one-time links: none can be used as another. */
const keyOf = (secret: string): string => createHmac('sha256', secret).update('invitation').digest('base64')

/** The address of the page of an invitation. @param origin of the request, where the deployment has no PUBLIC_URL */
export async function invitationUrl(
  { secrets, publicUrl }: Pick<Config, 'secrets' | 'publicUrl'>,
  origin: string,
  siteId: string,
  { id, expiresAt }: Pick<Invitation, 'id' | 'expiresAt'>,
): Promise<string> {
  const link = { site: siteId, invitation: id, exp: expiresAt } satisfies z.input<typeof Link>
  return `${publicUrl ?? origin}/console/join?code=${await signJwt(link, keyOf(secrets[0]))}`
}

/** What a code says; undefined if no secret signed it, or it has expired. @param now Unix seconds */
export async function readInvitation(
  secrets: readonly string[],
  code: string,
  now: number,
): Promise<InvitationLink | undefined> {
  const verified = await verifyJwt(secrets.map(keyOf), code)
  const { data: link } = Link.safeParse('claims' in verified ? verified.claims : undefined)
  return link && now < link.exp ? { siteId: link.site, invitationId: link.invitation } : undefined
}
