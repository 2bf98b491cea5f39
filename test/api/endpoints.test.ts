// Paths that are not endpoints, and requests that are refused before a site is called (contract, sections 1 and 2).
import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import type { Platform } from '../../src/gateway/context.ts'
import { type Call, qrCodeBody } from '../support/client.ts'
import { call, create, errorOf, serviceWith, tokenOf } from '../support/service.ts'

// Every endpoint of a merchant takes every notification.
vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response())

describe('a path that is not an endpoint', () => {
  const at = async (path: string, token?: null) => {
    const response = await call(path, token === null ? { token } : {})
    const { errorCode, description } = await errorOf(response)
    return [response.status, errorCode, description]
  }

  it('is 401 for an unauthenticated caller inside the API, 404 with a token and everywhere else', async () => {
    for (const path of [
      '/payin/v1/nothing',
      '/payin/v1/sites/demo/nothing',
      '/partner/payin/v1/sites/demo/sbp/qrCodes/',
      '/payin/v1/sites/demo//sbp/qrCodes',
      '//payin/v1/sites/demo/sbp/qrCodes',
      '///partner//payin/v1/nothing',
      '/network//v1/sites/demo/qrCodes',
      '//operator/v1/sites',
      '//payin/v1',
    ]) {
      expect((await at(path, null)).slice(0, 2)).toEqual([401, 'auth.unauthorized'])
      expect((await at(path)).slice(0, 2)).toEqual([404, 'http.url.not.found'])
    }
    for (const path of ['/nothing', '//nothing', '//payin/v2/sites'])
      expect((await at(path, null)).slice(0, 2)).toEqual([404, 'http.url.not.found'])
  })

  it.each([
    ['/payin/v1/sites/demo/sbp/qrCodes/', '/payin/v1/sites/{siteId}/sbp/qrCodes'],
    ['/payin/v1/sites/demo/qrCodes', '/payin/v1/sites/{siteId}/sbp/qrCodes'],
    ['/payin/v1/sites/demo/qrCodes/a/', '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}'],
    [
      '/partner/payin/v1/sites/demo/qrCodes/a/image',
      '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/image',
    ],
    ['/payin/v1/site/demo/sbp/qrCodes', '/payin/v1/sites/{siteId}/sbp/qrCodes'],
    ['/partner/payin/v1/site/demo/qrCodes/a/', '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}'],
    ['/payin/v1/sites/demo/events/', '/payin/v1/sites/{siteId}/events'],
    ['//payin/v1/sites/demo/sbp/qrCodes', '/payin/v1/sites/{siteId}/sbp/qrCodes'],
    ['//partner/payin/v1/sites/demo/sbp/qrCodes/a', '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}'],
    ['/payin/v1//sites/demo/sbp/qrCodes', '/payin/v1/sites/{siteId}/sbp/qrCodes'],
    ['/payin/v1/sites/demo//sbp/qrCodes', '/payin/v1/sites/{siteId}/sbp/qrCodes'],
    ['/payin/v1/sites//demo/sbp///qrCodes//', '/payin/v1/sites/{siteId}/sbp/qrCodes'],
    ['//payin/v1/site/demo/qrCodes', '/payin/v1/sites/{siteId}/sbp/qrCodes'],
    ['//operator/v1/sites', '/operator/v1/sites'],
    [
      '/network/v1/sites/demo/qrCodes/a/payments/b/',
      '/network/v1/sites/{siteId}/qrCodes/{qrcId}/payments/{paymentUid}',
    ],
  ])('(%s) names the endpoint that is near: %s', async (path, near) => {
    expect(await at(path)).toEqual([
      404,
      'http.url.not.found',
      `${path}: no such endpoint, did you mean ${near}`,
    ])
  })

  it.each([
    '/payin/v1/sites/demo/nothing',
    '/payin/v1/site/demo/nothing',
    '/payin/v1/sites/demo/sbp',
    '/payin/v2/sites/demo/sbp/qrCodes',
    '//payin/v2/sites/demo/sbp/qrCodes',
    '//',
  ])('(%s) names none where none is near', async (path) =>
    expect(await at(path)).toEqual([404, 'http.url.not.found', `${path}: no such endpoint`]),
  )
})

it('a path of the API with a slash too many is for programs: the 404 is no page', async () => {
  const response = await call('//payin/v1/sites/demo/sbp/qrCodes', { headers: { Accept: 'text/html' } })
  expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'application/json'])
})

it('a request that is refused leaves no trace: no site is called, and no object is made', async () => {
  const site = vi.fn<Platform['site']>((siteId) => env.SITES.getByName(siteId))
  const spied = serviceWith({ site })
  const before = await listDurableObjectIds(env.SITES)
  const body = { qrCodeUid: 'x', qrCode: { type: 'DYNAMIC' } }
  const attempts: [string, Call, number][] = [
    ['foreign-1', { token: null }, 401],
    ['foreign-2', { token: 'forged' }, 401],
    [
      'foreign-3',
      { token: await tokenOf({ sub: 'foreign-3' }, 'another secret of at least 32 characters') },
      401,
    ],
    ['foreign-4', { token: await tokenOf() }, 403],
    ['foreign-5', { token: await tokenOf({ sub: 'foreign-5', exp: 1 }) }, 401],
    ['foreign-6', { token: await tokenOf({ sub: 'foreign-6', scope: 'merchant:read' }) }, 403],
    ['foreign-7', { token: await tokenOf({ sub: 'foreign-7' }), body: '{' }, 400],
    ['foreign-8', { token: await tokenOf({ sub: 'foreign-8' }), body: {} }, 400],
  ]
  for (const [siteId, more, status] of attempts) {
    const response = await call(`/payin/v1/sites/${siteId}/sbp/qrCodes`, { body, ...more }, spied)
    expect(response.status).toBe(status)
  }
  expect(site).not.toHaveBeenCalled()
  expect(await listDurableObjectIds(env.SITES)).toEqual(before)

  await create(qrCodeBody(), {}, spied)
  expect(site).toHaveBeenCalledOnce()
})
