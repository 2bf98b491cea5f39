// The scope operator:read, of those who support merchants: reads of the deployment, and nothing else (contract, section 16).
import { describe, expect, it } from 'vitest'
import { call, errorOf, tokenOf } from '../support/service.ts'

const asSupport = async (path: string, more: object = {}, claims: object = {}) =>
  call(path, {
    token: await tokenOf({ sub: '*', scope: 'operator:read', jti: 'support', ...claims }),
    ...more,
  })

describe('operator:read', () => {
  it.each(['/sites', '/keys', '/audit'])('reads %s', async (path) => {
    expect((await asSupport(`/operator/v1${path}`)).status).toBe(200)
  })

  it('is not refused a site', async () => {
    expect([401, 403]).not.toContain((await asSupport('/operator/v1/sites/nobody')).status)
  })

  it.each([
    ['GET', '/sites/shop/export'],
    ['DELETE', '/sites/shop'],
    ['POST', '/sites/shop/restore'],
    ['POST', '/sites/shop/resume'],
    ['POST', '/sites/shop/instructions/1/send'],
    ['PUT', '/sites/shop/limits'],
    ['DELETE', '/keys/other'],
  ])('is refused %s %s', async (method, path) => {
    const response = await asSupport(`/operator/v1${path}`, { method })
    expect(response.status).toBe(403)
    expect((await errorOf(response)).description).toBe('the access token lacks the scope, must have operator')
  })

  it.each(['/sites', '/keys', '/audit', '/sites/shop'])(
    'reads no %s with a token of a site',
    async (path) => {
      expect((await asSupport(`/operator/v1${path}`, {}, { sub: 'shop' })).status).toBe(403)
    },
  )
})
