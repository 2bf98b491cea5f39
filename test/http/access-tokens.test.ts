import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { sign } from 'hono/jwt'
import { describe, expect, it, vi } from 'vitest'
import { accessTokens } from '../../src/http/access-tokens.ts'

const SECRET = 'a secret of at least 32 characters'
const NOT_SIGNED = { problem: 'not signed by this deployment' }
const tokenOf = (n: number) => sign({ sub: `site-${n}`, jti: 'test', iat: 0, exp: 1 }, SECRET, 'HS256')

it('a token that was verified once is not verified again, and has the same claims', async () => {
  const verify = vi.spyOn(crypto.subtle, 'verify')
  const verified = accessTokens([SECRET])
  const token = await tokenOf(1)
  const first = await verified(token)
  expect(first).toMatchObject({ claims: { sub: 'site-1', scope: ['merchant'] } })
  expect(await verified(token)).toBe(first)
  expect(verify).toHaveBeenCalledTimes(1)
  verify.mockRestore()
})

it('a token that was refused is verified, and refused, each time', async () => {
  const verify = vi.spyOn(crypto.subtle, 'verify')
  const verified = accessTokens([SECRET])
  const token = await sign(
    { sub: 'demo', jti: 'test', iat: 0, exp: 1 },
    'another secret of at least 32 characters',
    'HS256',
  )
  expect([await verified(token), await verified(token)]).toEqual([NOT_SIGNED, NOT_SIGNED])
  expect(verify).toHaveBeenCalledTimes(2)
  verify.mockRestore()
})

it('the cache has 1,000 tokens at most, and drops the oldest first', async () => {
  const verify = vi.spyOn(crypto.subtle, 'verify')
  const verified = accessTokens([SECRET])
  const tokens = await Promise.all(Array.from({ length: 1001 }, (_, n) => tokenOf(n)))
  for (const token of tokens) await verified(token)
  verify.mockClear()
  await verified(tokens[1000] ?? '')
  await verified(tokens[1] ?? '')
  expect(verify).not.toHaveBeenCalled()
  await verified(tokens[0] ?? '')
  expect(verify).toHaveBeenCalledTimes(1)
  verify.mockRestore()
})

describe('a token has one spelling:', () => {
  const MALFORMED = { problem: 'malformed' }
  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

  /** Other texts that a decoder of base64 reads as the same bytes, or passes over. */
  const respelled = (text: string): fc.Arbitrary<string> =>
    fc.oneof(
      fc.constantFrom('=', '==', '\n', ' ', '\t', '.', 'A').map((more) => text + more),
      fc.constantFrom('=', ' ', '\n').map((more) => more + text),
      fc.constant(Buffer.from(text, 'base64url').toString('base64')),
      // The lowest bits of the last digit, which no byte has.
      fc.constantFrom(...DIGITS).map((digit) => text.slice(0, -1) + digit),
    )

  /** The parts of a signed token; the length of its payload decides how many bits its last digit leaves. */
  const parts = fc.record({
    jti: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 9 }),
    part: fc.constantFrom<0 | 1 | 2>(0, 1, 2),
  })
  const signatureOf = (signed: string) => createHmac('sha256', SECRET).update(signed).digest('base64url')

  it('another spelling of one of its segments is refused, whoever spelt it', () =>
    fc.assert(
      fc.asyncProperty(
        parts.chain(({ jti, part }) => {
          const claims = { sub: 'demo', jti, iat: 0, exp: 1 }
          const segments = [{ alg: 'HS256', typ: 'JWT' }, claims].map((each) =>
            Buffer.from(JSON.stringify(each)).toString('base64url'),
          )
          const token = [...segments, signatureOf(segments.join('.'))]
          return respelled(token[part] ?? '').map((other) => ({ token, other, part }))
        }),
        async ({ token, other, part }) => {
          const verified = accessTokens([SECRET])
          expect(await verified(token.join('.'))).toHaveProperty('claims')
          if (other === token[part]) return
          const [head = '', payload = '', signature = ''] = token.with(part, other)
          expect(await verified(`${head}.${payload}.${signature}`)).not.toHaveProperty('claims')
          // A signer that spells it so signs that spelling.
          const resigned = `${head}.${payload}.${part === 2 ? signature : signatureOf(`${head}.${payload}`)}`
          const isSameBytes = Buffer.from(other, 'base64url').equals(
            Buffer.from(token[part] ?? '', 'base64url'),
          )
          if (isSameBytes) expect(await verified(resigned)).toEqual(MALFORMED)
        },
      ),
      { numRuns: 500 },
    ))
})
