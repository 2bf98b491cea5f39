import { describe, expect, it } from 'vitest'
import { COLLECTION, call, qrCodeBody, serviceWith, tokenOf } from '../support/service.ts'

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
