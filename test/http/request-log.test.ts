// The log has one line for each request, without secrets; every response has its trace id and security headers.
import { describe, expect, it, vi } from 'vitest'
import { Metrics } from '../../src/gateway/metrics.ts'
import { qrCodeBody } from '../support/client.ts'
import { COLLECTION, call, serviceWith, siteThat, tokenOf } from '../support/service.ts'

/** Sends a request and reads the lines that it logged. */
async function logged(...[path, options]: Parameters<typeof call>) {
  const lines: string[] = []
  const response = await call(path, options, serviceWith({ log: (line) => lines.push(line) }))
  return { response, lines, entry: JSON.parse(lines[0] ?? '{}') as Record<string, unknown> }
}

describe('the log', () => {
  it('has one line per request: time, method, route, site, key and result', async () => {
    const { response, lines, entry } = await logged(COLLECTION, { body: qrCodeBody() })
    expect(lines).toHaveLength(1)
    expect(entry).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: 'info',
      traceId: response.headers.get('X-Trace-Id'),
      method: 'POST',
      route: '/payin/v1/sites/:siteId/sbp/qrCodes',
      site: 'demo',
      keyId: 'test',
      status: 200,
      ms: expect.any(Number),
    })
  })

  it.each([
    ['/nothing', {}, 404, 'http.url.not.found', '/*'],
    [COLLECTION, { token: null }, 401, 'auth.unauthorized', '/payin/v1/sites/:siteId/sbp/qrCodes'],
    [COLLECTION, { body: '{' }, 400, 'http.message.conversion.failed', '/payin/v1/sites/:siteId/sbp/qrCodes'],
    [COLLECTION, { method: 'PATCH' }, 405, 'http.method.not.supported', '/payin/v1/sites/:siteId/*'],
    ['/payin/v1/nothing', {}, 404, 'http.url.not.found', '/payin/v1/*'],
  ])(
    'of a refusal on %s %j names its errorCode and its route',
    async (path, options, status, errorCode, route) => {
      const { lines, entry } = await logged(path, options)
      expect(lines).toHaveLength(1)
      expect(entry).toMatchObject({ status, errorCode, route })
    },
  )

  it.each([
    ['refused for its site', { sub: 'other' }, 403],
    ['refused for its scope', { scope: 'merchant:read' }, 403],
    ['expired', { exp: 1 }, 401],
  ])('names the key whose token is %s', async (_, claims, status) => {
    const token = await tokenOf({ jti: 'key-1', ...claims })
    expect((await logged(COLLECTION, { body: qrCodeBody(), token })).entry).toMatchObject({
      status,
      keyId: 'key-1',
    })
  })

  it('names no key of a token that this deployment did not sign', async () => {
    const forged = await tokenOf({ jti: 'key-1' }, 'another secret of at least 32 characters')
    for (const token of [forged, 'key-1', null])
      expect((await logged(COLLECTION, { body: qrCodeBody(), token })).entry).not.toHaveProperty('keyId')
  })

  it('never has a token, a body, a text of the merchant or an identifier', async () => {
    const token = await tokenOf()
    const secret = 'confidential'
    const texts = {
      paymentPurpose: secret,
      redirectUrl: `https://shop.example/${secret}`,
      tokenizationAccount: secret,
    }
    const requests: Parameters<typeof call>[] = [
      [COLLECTION, { token, body: qrCodeBody({ qrCodeUid: secret, ...texts }) }],
      [`${COLLECTION}/${secret}`, { token, method: 'PUT', body: qrCodeBody({ qrCodeUid: `not ${secret}` }) }],
      [COLLECTION, { token, body: qrCodeBody({ qrCodeUid: secret, amount: { value: 7 } }) }],
      [
        COLLECTION,
        { token, body: qrCodeBody({ paymentPurpose: secret.repeat(50), amount: { value: secret } }) },
      ],
      [COLLECTION, { token, body: `{"x":"${secret}` }],
      [`/payin/v1/${secret}?access_token=${token}`, { token }],
      [COLLECTION, { token: `${token}x` }],
    ]
    for (const [path, options] of requests) {
      const { lines } = await logged(path, options)
      expect(lines.join()).not.toContain(secret)
      expect(lines.join()).not.toContain(token.slice(0, 20))
    }
  })

  it('of an internal error has its stack, and the answer does not', async () => {
    const lines: string[] = []
    const broken = serviceWith({
      log: (line) => lines.push(line),
      site: () => siteThat(() => Promise.reject(new Error('disk on fire'))),
    })
    const response = await call(COLLECTION, { body: qrCodeBody() }, broken)
    expect(response.status).toBe(500)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('disk on fire')
    expect(await response.text()).not.toContain('disk on fire')
  })
})

it('counts a failure for its site, unless that is a test site', async () => {
  const metrics = new Metrics()
  const note = vi.spyOn(metrics.failingSites, 'note')
  const broken = serviceWith({
    settings: { TEST_SITES: 'on' },
    metrics,
    site: () => siteThat(() => Promise.reject(new Error('disk on fire'))),
  })
  for (const siteId of ['demo-test', 'demo']) {
    const token = await tokenOf({ sub: siteId })
    const path = `/payin/v1/sites/${siteId}/sbp/qrCodes`
    expect((await call(path, { token, body: qrCodeBody() }, broken)).status).toBe(500)
  }
  const operation = 'POST /payin/v1/sites/:siteId/sbp/qrCodes'
  expect(note.mock.calls).toEqual([['demo', operation, 500, expect.any(Number)]])
})

it.each([
  [503, Object.assign(new Error('too many requests'), { overloaded: true }), 0],
  [500, new Error('disk on fire'), 2],
])('counts a %s of a live site; of a test site none but a defect', async (status, fault, errors) => {
  const metrics = new Metrics()
  const broken = serviceWith({
    settings: { TEST_SITES: 'on' },
    metrics,
    site: () => siteThat(() => Promise.reject(fault)),
  })
  const countsOf = () =>
    metrics
      .text()
      .split('\n')
      .filter((line) => /^fps_qr_(requests_total|unavailable_total|request_seconds_count)\W/.test(line))
  const create = async (siteId: string) => {
    const token = await tokenOf({ sub: siteId })
    const path = `/payin/v1/sites/${siteId}/sbp/qrCodes`
    return (await call(path, { token, body: qrCodeBody() }, broken)).status
  }
  expect(await create('demo-test')).toBe(status)
  expect(countsOf()).toEqual([])
  expect(await create('demo')).toBe(status)
  expect(countsOf().length).toBeGreaterThan(1)
  expect(metrics.text()).toContain(`fps_qr_errors_total ${errors}\n`)
})

describe('every response', () => {
  it.each<[string, Parameters<typeof call>]>([
    ['a QR code', [COLLECTION, { body: qrCodeBody() }]],
    ['a refusal', [COLLECTION, { token: null }]],
    ['an unknown endpoint', ['/nothing', {}]],
    ['a wrong method', [COLLECTION, { method: 'PATCH' }]],
    ['the home page', ['/', {}]],
    ['the documentation', ['/docs', {}]],
    ['the document', ['/openapi.json', {}]],
    ['the health check', ['/healthz', {}]],
  ])(
    '(%s) has its own trace id, must not be stored, and has the security headers',
    async (_, [path, options]) => {
      const [{ headers }, { headers: other }] = [await call(path, options), await call(path, options)]
      expect(headers.get('X-Trace-Id')).toMatch(/^[0-9a-f]{16}$/)
      expect(headers.get('X-Trace-Id')).not.toBe(other.get('X-Trace-Id'))
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': 'max-age=31536000',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      })
    },
  )
})
