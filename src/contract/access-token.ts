// What an access token says, once its signature is known to be good.
import * as z from 'zod'

/** What a token may do (contract, section 2): everything of its site, reads only, or report payment results. */
export const SCOPES = ['merchant', 'merchant:read', 'network'] as const
export type Scope = (typeof SCOPES)[number]

/** The claims of a token; times are Unix seconds, `jti` is the key's id. */
export const Claims = z.object({
  sub: z.string().min(1),
  jti: z.string().min(1),
  iat: z.number(),
  nbf: z.number().optional(),
  exp: z.number(),
  scope: z.string().default('merchant'),
})
export type Claims = z.infer<typeof Claims>

/** Whether the claims grant one of the scopes. */
export const grants = (claims: Claims, scopes: readonly Scope[]): boolean => {
  const granted = claims.scope.split(' ')
  return scopes.some((scope) => granted.includes(scope))
}

/** Whether the moment, in Unix seconds, lies in the token's lifetime. */
export const isAlive = (claims: Claims, now: number): boolean =>
  now < claims.exp && now >= (claims.nbf ?? now)
