import { env } from 'cloudflare:workers'
import { sign } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import { qrCodeBody } from '../support/client.ts'
import { COLLECTION, call, errorOf, serviceWith, tokenOf } from '../support/service.ts'

const CURRENT = 'the current secret, 32 characters or more'
const PREVIOUS = 'the previous secret, 32 characters or more'
const status = async (token: string, fetch?: ReturnType<typeof serviceWith>) =>
  (await call(COLLECTION, { body: qrCodeBody(), token }, fetch)).status

describe('a rotation of the secret', () => {
  const rotating = serviceWith({ settings: { TOKEN_SECRET: CURRENT, TOKEN_SECRET_PREVIOUS: PREVIOUS } })
  const rotated = serviceWith({ settings: { TOKEN_SECRET: CURRENT } })

  it('accepts tokens of both secrets while it lasts, and of the current one alone after it', async () => {
    const [old, fresh] = [await tokenOf({}, PREVIOUS), await tokenOf({}, CURRENT)]
    expect([await status(old, rotating), await status(fresh, rotating)]).toEqual([200, 200])
    expect([await status(old, rotated), await status(fresh, rotated)]).toEqual([401, 200])
  })
})

describe('a token', () => {
  it('is accepted in its last millisecond, and not in the next', async () => {
    const exp = 2_000_000_000
    const token = await tokenOf({ exp, iat: exp - 10 })
    const at = (now: number) => status(token, serviceWith({ now: () => now }))
    expect(await at(exp * 1000 - 1)).toBe(200)
    expect(await at(exp * 1000)).toBe(401)
  })

  it.each([
    ['merchant', 200],
    ['merchant network', 200],
    ['network merchant:read merchant', 200],
    ['merchant:read', 403],
    ['merchant:accounting', 403],
    ['network', 403],
    ['MERCHANT', 403],
    [undefined, 200],
  ])('with scope %j creates: %i', async (scope, expected) =>
    expect(await status(await tokenOf({ scope }))).toBe(expected),
  )

  it('may have its scheme in any case', async () => {
    const token = await tokenOf()
    for (const scheme of ['bearer', 'BEARER']) {
      const response = await call(COLLECTION, {
        body: qrCodeBody(),
        headers: { Authorization: `${scheme} ${token}` },
      })
      expect(response.status).toBe(200)
    }
  })
})

const INVALID = 'Bearer error="invalid_token"'
const NOT_BEARER = 'Authorization is of another form, must be Bearer and an access token'
const payload = { sub: 'demo', jti: 'test', iat: 1, exp: 4_000_000_000 }
const [head = '', body = '', signature = ''] = (await tokenOf(payload)).split('.')
const signed = (claims: Record<string, unknown>) => sign(claims, env.TOKEN_SECRET, 'HS256')

/** The Authorization, the description of its refusal and the challenge. */
const REFUSED: [name: string, authorization: string | undefined, description: string, challenge: string][] = [
  ['no Authorization', undefined, 'Authorization is missing, must be Bearer and an access token', 'Bearer'],
  ['another scheme', 'Basic dXNlcjpwYXNz', NOT_BEARER, 'Bearer'],
  ['the scheme alone', 'Bearer', NOT_BEARER, 'Bearer'],
  ['two tokens', 'Bearer a b', NOT_BEARER, 'Bearer'],
  ['a token without the scheme', `${head}.${body}.${signature}`, NOT_BEARER, 'Bearer'],
  ['text', 'Bearer token', 'the access token is malformed', INVALID],
  ['two parts', `Bearer ${head}.${body}`, 'the access token is malformed', INVALID],
  ['four parts', `Bearer ${head}.${body}.${signature}.x`, 'the access token is malformed', INVALID],
  ['parts that are not JSON', 'Bearer a.b.c', 'the access token is malformed', INVALID],
  [
    'no sub',
    `Bearer ${await signed({ ...payload, sub: undefined })}`,
    'the access token is malformed',
    INVALID,
  ],
  [
    'an empty sub',
    `Bearer ${await signed({ ...payload, sub: '' })}`,
    'the access token is malformed',
    INVALID,
  ],
  [
    'no jti',
    `Bearer ${await signed({ ...payload, jti: undefined })}`,
    'the access token is malformed',
    INVALID,
  ],
  [
    'a jti that is no Unicode text',
    `Bearer ${await signed({ ...payload, jti: '\ud800' })}`,
    'the access token is malformed',
    INVALID,
  ],
  [
    'a jti of 129 characters',
    `Bearer ${await signed({ ...payload, jti: 'x'.repeat(129) })}`,
    'the access token is malformed',
    INVALID,
  ],
  [
    'no exp',
    `Bearer ${await signed({ ...payload, exp: undefined })}`,
    'the access token is malformed',
    INVALID,
  ],
  [
    'exp as text',
    `Bearer ${await signed({ ...payload, exp: 'never' })}`,
    'the access token is malformed',
    INVALID,
  ],
  [
    'another secret',
    `Bearer ${await tokenOf(payload, PREVIOUS)}`,
    'the access token is not signed by this deployment',
    INVALID,
  ],
  [
    'another payload',
    `Bearer ${head}.${btoa(JSON.stringify({ ...payload, sub: 'other' })).replaceAll('=', '')}.${signature}`,
    'the access token is not signed by this deployment',
    INVALID,
  ],
  [
    'another algorithm',
    `Bearer ${await sign(payload, env.TOKEN_SECRET, 'HS512')}`,
    'the access token is not signed by this deployment',
    INVALID,
  ],
  [
    'no algorithm',
    `Bearer ${btoa('{"alg":"none","typ":"JWT"}').replaceAll('=', '')}.${body}.`,
    'the access token is not signed by this deployment',
    INVALID,
  ],
  ['the past', `Bearer ${await signed({ ...payload, exp: 2 })}`, 'the access token is expired', INVALID],
  [
    'the future',
    `Bearer ${await signed({ ...payload, nbf: 3_999_999_999 })}`,
    'the access token is not valid yet',
    INVALID,
  ],
]

/** Claims that break a rule of section 2. */
const BROKEN_CLAIMS: [rule: string, claims: Record<string, unknown>][] = [
  ['an exp above 2^53', { exp: 1e308 }],
  ['an exp of 2^53', { exp: 2 ** 53 }],
  ['an exp with a fraction', { exp: 4_000_000_000.5 }],
  ['an iat with a fraction', { iat: 1.5 }],
  ['an iat before 1970', { iat: -1 }],
  ['an nbf with a fraction', { nbf: 1.5 }],
  ['an nbf of -2^53', { nbf: -(2 ** 53) }],
  ['a sub of 65 characters', { sub: 'x'.repeat(65) }],
  ['a sub that is no siteId', { sub: 'a b' }],
  ['a label of 61 characters', { label: 'x'.repeat(61) }],
  ['a label of 6,000 characters', { label: 'x'.repeat(6000) }],
  ['a label of two lines', { label: 'a\nb' }],
  ['an empty label', { label: '' }],
  ['a label that is no text', { label: 1 }],
  ['a scope of 257 characters', { scope: 'merchant'.padEnd(257) }],
  ['a scope that is no text', { scope: ['merchant'] }],
]

it.each(BROKEN_CLAIMS)('a token with %s is malformed', async (_, claims) => {
  const response = await call(COLLECTION, { token: await signed({ ...payload, ...claims }) })
  expect([response.status, (await errorOf(response)).description]).toEqual([
    401,
    'the access token is malformed',
  ])
})

it.each([
  ['the last second below 2^53', { exp: 2 ** 53 - 1 }],
  ['an iat and an nbf of 0', { iat: 0, nbf: 0 }],
  ['a label of 60 characters', { label: '🫖'.repeat(60) }],
  ['a scope of 256 characters', { scope: 'merchant'.padEnd(256) }],
  ['a sub of 64 characters', { sub: 'x'.repeat(64) }],
  ['claims that the service does not know', { aud: 'x'.repeat(1000), more: { a: [1] } }],
])('a token with %s is accepted', async (_, claims) => {
  const { sub } = { ...payload, ...claims }
  const token = await signed({ ...payload, ...claims })
  expect((await call(`/payin/v1/sites/${sub}/sbp/qrCodes`, { token })).status).toBe(200)
})

describe('a 401 says why', () => {
  it.each(REFUSED)('%s', async (_, authorization, description, challenge) => {
    const response = await call(COLLECTION, {
      token: null,
      ...(authorization !== undefined && { headers: { Authorization: authorization } }),
    })
    expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([401, challenge])
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({ errorCode: 'auth.unauthorized', description })
    // Neither a token nor a part of it comes back.
    for (const part of [body, signature]) expect(text).not.toContain(part)
  })

  it('and a 403 says whether it is the site or the scope', async () => {
    for (const [claims, description] of [
      [{ sub: 'other' }, 'the access token is not for site demo'],
      [{ scope: 'merchant:read' }, 'the access token lacks the scope, must have merchant'],
      [{ scope: '' }, 'the access token lacks the scope, must have merchant'],
    ] as const) {
      const response = await call(COLLECTION, { body: qrCodeBody(), token: await tokenOf(claims) })
      expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([
        403,
        'Bearer error="insufficient_scope"',
      ])
      expect((await errorOf(response)).description).toBe(description)
    }
  })
})
