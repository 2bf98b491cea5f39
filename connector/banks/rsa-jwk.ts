// Public RSA keys as a bank publishes them: one JWK, or a list of them.
import * as z from 'zod'

const Base64Url = z.string().regex(/^[A-Za-z0-9_-]+$/)

/** The fields that say which key it is. */
export const Jwk = z
  .looseObject({ kty: z.literal('RSA'), n: Base64Url, e: Base64Url })
  .transform(({ kty, n, e }) => ({ kty, n, e }))
export type Jwk = z.output<typeof Jwk>

export const Jwks = z.union([
  z.object({ keys: z.array(Jwk).min(1) }).transform(({ keys }) => keys),
  Jwk.transform((key) => [key]),
])
export type Jwks = z.output<typeof Jwks>
