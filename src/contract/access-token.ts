// The claims of an access token (contract, section 2).
import * as z from 'zod/mini'
import { meta } from './meta.ts'
import { SITE_ID } from './site-id.ts'
import { line } from './text.ts'
import { Tills } from './tills.ts'

/**
 * What a site's token allows: all merchant operations of the site, its reads only, these and its settlement files, its settings and
 * API keys as well, sales at its tills, or reports of the payment network.
 */
export const SITE_SCOPES = [
  'merchant',
  'merchant:read',
  'merchant:accounting',
  'merchant:admin',
  'merchant:till',
  'network',
] as const
/** Of no site: their `sub` is OPERATOR, and no operation of a merchant or of the network accepts them. */
export const OPERATOR_SCOPES = ['operator', 'operator:read'] as const
export const SCOPES = [...SITE_SCOPES, ...OPERATOR_SCOPES] as const
export type Scope = (typeof SCOPES)[number]

/** The `sub` of the operator's tokens: no site has this name. */
export const OPERATOR = '*'

/** Whether the scopes are those of an operation of the operator: none is of a site as well. */
export const isOfOperator = (scopes: readonly Scope[]): boolean =>
  OPERATOR_SCOPES.some((scope) => scopes.includes(scope))

const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text)
/** Whether the text is one scope of an operator. */
export const isOperatorScope = (text: string): boolean => OPERATOR_SCOPES.some((scope) => scope === text)
const isSiteScope = (text: string): boolean => SITE_SCOPES.some((scope) => scope === text)

/** Whether a list of scopes is that of a cashier alone: only then it can be bound to tills. */
export const isTillScope = (list: string): boolean => list === 'merchant:till'

/** The most characters of a list of scopes: several times what all of them have. */
const MAX_SCOPE = 256

export const SCOPE_LIST_RULE = `one or more of ${SITE_SCOPES.join(', ')}, separated by spaces`

/** Whether a text is scopes of a site, separated by single spaces. */
export const isScopeList = (text: string): boolean =>
  text.length <= MAX_SCOPE && text.split(' ').every(isSiteScope)

/** A name by which people recognise a key. */
export const Label = line(60)

const KEY_ID_RULE = '1 to 128 characters of Unicode text without control characters'

/** The `jti` of a token of any signer. One of another form could be neither shown nor revoked. */
export const KeyId = z
  .string(KEY_ID_RULE)
  .check(z.refine((id) => /^\P{Cc}{1,128}$/u.test(id) && id.isWellFormed(), KEY_ID_RULE))
  .apply(meta, { minLength: 1, maxLength: 128, description: '`jti` of the access token' })

/** A time of a token: whole seconds from 0 to 2^53 - 1. */
export const UnixSeconds = z.int().check(z.minimum(0))

/** `sub` is the siteId, or OPERATOR, `jti` the key's id. A scope that is not known grants nothing. */
export const Claims = z
  .object({
    sub: z.string().check(z.refine((sub) => sub === OPERATOR || SITE_ID.test(sub))),
    jti: KeyId,
    iat: UnixSeconds,
    nbf: z.optional(UnixSeconds),
    exp: UnixSeconds,
    scope: z.pipe(
      z._default(z.string().check(z.maxLength(MAX_SCOPE)), 'merchant'),
      z.transform((list) => list.split(' ').filter(isScope)),
    ),
    label: z.optional(Label),
    tills: z.optional(Tills),
  })
  .check(
    // Beside another scope it would limit nothing: such a token is refused, not taken for more than it says.
    z.refine(({ scope, tills }) => tills === undefined || isTillScope(scope.join(' '))),
  )
export type Claims = z.output<typeof Claims>
/** The claims as a token has them. */
export type ClaimsInput = z.input<typeof Claims>

/** The scopes that allow what another one does, and more. */
const INCLUDED_IN: Partial<Record<Scope, Scope>> = {
  merchant: 'merchant:admin',
  'merchant:read': 'merchant:accounting',
}

/** Whether the claims grant one of the scopes. */
export const grants = ({ scope }: { scope: readonly Scope[] }, scopes: readonly Scope[]): boolean =>
  scopes.some((one) => {
    const larger = INCLUDED_IN[one]
    return scope.includes(one) || (larger !== undefined && scope.includes(larger))
  })

/** Why a token cannot be used, in the words of the API. */
export type TokenProblem =
  | 'malformed'
  | 'not signed by this deployment'
  | 'expired'
  | 'not valid yet'
  | 'revoked'

/** Why the token cannot be used at a time in Unix seconds; undefined within its lifetime. */
export function lifetimeProblem({ nbf = 0, exp }: Claims, now: number): TokenProblem | undefined {
  if (now >= exp) return 'expired'
  return now < nbf ? 'not valid yet' : undefined
}
