import { sign } from 'hono/jwt'
import { expect, it, vi } from 'vitest'
import { tokenReader } from '../../src/http/access-tokens.ts'

const SECRET = 'a secret of at least 32 characters'
const tokenOf = (n: number) => sign({ sub: `site-${n}`, jti: 'test', iat: 0, exp: 1 }, SECRET, 'HS256')

it('a token that was good once is not checked again, and says the same', async () => {
  const verify = vi.spyOn(crypto.subtle, 'verify')
  const read = tokenReader([SECRET])
  const token = await tokenOf(1)
  const first = await read(token)
  expect(first).toMatchObject({ sub: 'site-1', scope: 'merchant' })
  expect(await read(token)).toBe(first)
  expect(verify).toHaveBeenCalledTimes(1)
  verify.mockRestore()
})

it('a token that was refused is checked, and refused, each time', async () => {
  const verify = vi.spyOn(crypto.subtle, 'verify')
  const read = tokenReader([SECRET])
  const token = await sign(
    { sub: 'demo', jti: 'test', iat: 0, exp: 1 },
    'another secret of at least 32 characters',
    'HS256',
  )
  expect([await read(token), await read(token)]).toEqual([undefined, undefined])
  expect(verify).toHaveBeenCalledTimes(2)
  verify.mockRestore()
})

it('no more than 1,000 are remembered, and the oldest goes first', async () => {
  const verify = vi.spyOn(crypto.subtle, 'verify')
  const read = tokenReader([SECRET])
  const tokens = await Promise.all(Array.from({ length: 1001 }, (_, n) => tokenOf(n)))
  for (const token of tokens) await read(token)
  verify.mockClear()
  await read(tokens[1000] ?? '')
  await read(tokens[1] ?? '')
  expect(verify).not.toHaveBeenCalled()
  await read(tokens[0] ?? '')
  expect(verify).toHaveBeenCalledTimes(1)
  verify.mockRestore()
})
