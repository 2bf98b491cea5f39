import { sign } from 'hono/jwt'
import { expect, it, vi } from 'vitest'
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
