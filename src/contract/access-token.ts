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

/** Whether the claims grant one of the scopes. */
export const grants = ({ scope }: Claims, scopes: readonly Scope[]): boolean =>
  scopes.some((one) => scope.includes(one))

/** Whether a moment, in Unix seconds, lies in the token's lifetime. */
export const isAlive = ({ nbf = 0, exp }: Claims, now: number): boolean => now >= nbf && now < exp
