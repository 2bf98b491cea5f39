// The claims of an access token (contract, section 2).
import * as z from 'zod'

/** What a token allows: all operations of its site, reads alone, or reports of the payment network. */
export const SCOPES = ['merchant', 'merchant:read', 'network'] as const
export type Scope = (typeof SCOPES)[number]

const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text)

/** `sub` is the siteId, `jti` the key's id, times are Unix seconds. A scope that is not known grants nothing. */
export const Claims = z.object({
  sub: z.string().min(1),
  jti: z.string().min(1),
  iat: z.number(),
  nbf: z.number().optional(),
  exp: z.number(),
  scope: z
    .string()
    .default('merchant')
    .transform((list) => list.split(' ').filter(isScope)),
})
export type Claims = z.output<typeof Claims>
/** The claims as a token has them. */
export type ClaimsInput = z.input<typeof Claims>

/** Whether the claims grant one of the scopes. */
export const grants = ({ scope }: Claims, scopes: readonly Scope[]): boolean =>
  scopes.some((one) => scope.includes(one))

/** Why the token cannot be used at a time in Unix seconds; undefined within its lifetime. */
export function lifetimeProblem(
  { nbf = 0, exp }: Claims,
  now: number,
): 'expired' | 'not valid yet' | undefined {
  if (now >= exp) return 'expired'
  return now < nbf ? 'not valid yet' : undefined
}
