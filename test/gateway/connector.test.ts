// Instructions on their way to the payment network: what is sent where, and what its answer means for the outbox.
import { env } from 'cloudflare:workers'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { type Config, readConfig } from '../../src/config.ts'
import type { Refund } from '../../src/contract/refund.ts'
import type { ErrorCode, Outcome } from '../../src/errors.ts'
import { connectionOf } from '../../src/gateway/connection.ts'
import { type ConnectorPlatform, instruct } from '../../src/gateway/connector.ts'
import type { SiteStub } from '../../src/gateway/context.ts'
import { Metrics } from '../../src/gateway/metrics.ts'
import type { InstructionDelivery } from '../../src/site/outbox/courier.ts'
import type { RefundResult } from '../../src/site/refunds/reports.ts'
import { siteThat } from '../support/service.ts'

const NOW = Date.UTC(2026, 10, 20, 17, 15, 0)
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const URL_OF_CONNECTOR = 'http://connector.internal:8080/instructions?deployment=1'
const EXTERNAL = { PAYMENT_NETWORK: 'external', NETWORK_URL: URL_OF_CONNECTOR, NETWORK_SECRET: SECRET }
const SANDBOX = { PAYMENT_NETWORK: 'sandbox' }

const configOf = (settings: object): Config => {
  const read = readConfig({ ...env, ...settings })
  if (!read.ok) throw new Error(read.problems.join('; '))
  return read.config
}

const unused = () => Promise.reject(new Error('must not be called'))

const platformOf = (settings: object, parts: Partial<ConnectorPlatform> = {}): ConnectorPlatform => ({
  config: configOf(settings),
  fetch: unused,
  site: () => siteThat(unused),
  now: () => NOW,
  random: (bytes) => new Uint8Array(bytes),
  sleep: async () => {},
  metrics: undefined,
  ...parts,
})

const deliveryOf = (network: 'external' | 'sandbox', minorUnits = 500): InstructionDelivery => ({
  id: '8c1f0d5a9b3e7f42-4',
  siteId: 'shop-1',
  network,
  createdAt: NOW,
  instruction: {
    type: 'refund.create',
    linkId: 'AD100004BAL7227F9BNP6KNE007J9B3K',
    paymentUid: 'A6325171030000001',
    refundUid: 'refund-1',
    amount: { minorUnits, currency: 'RUB' },
  },
})

describe('the connection', () => {
  it.each([
    [EXTERNAL, { network: 'external', isConnected: true }],
    [{ PAYMENT_NETWORK: 'external' }, { network: 'external', isConnected: false }],
    [SANDBOX, { network: 'sandbox', isConnected: true }],
    [
      { ...EXTERNAL, ...SANDBOX },
      { network: 'sandbox', isConnected: true },
    ],
  ])('of %j is %j', (settings, connection) =>
    expect(connectionOf(configOf(settings), 'shop-1')).toEqual(connection),
  )
})

describe('an instruction to a connector', () => {
  it('is a POST in JSON, signed by NETWORK_SECRET, that follows no redirect', async () => {
    const sent: Request[] = []
    const fetch = async (request: Request) => {
      sent.push(request)
      return new Response(null, { status: 202 })
    }
    const delivered = await instruct(platformOf(EXTERNAL, { fetch, now: Date.now }), deliveryOf('external'))
    expect(delivered).toEqual({ httpStatus: 202, ms: expect.any(Number) })
    const [request] = sent
    if (!request) throw new Error('nothing was sent')
    const { url, method, redirect, headers } = request
    expect({ url, method, redirect }).toEqual({ url: URL_OF_CONNECTOR, method: 'POST', redirect: 'manual' })
    expect(headers.get('Content-Type')).toBe('application/json')
    expect(headers.get('Accept')).toBe('application/json')
    expect(headers.get('webhook-id')).toBe('8c1f0d5a9b3e7f42-4')
    // The headers of notifications, and none that only merchants get.
    expect(headers.get('Signature')).toBeNull()
    const body = await request.text()
    expect(new Webhook(SECRET).verify(body, Object.fromEntries(headers))).toEqual({
      type: 'refund.create',
      timestamp: '2026-11-20T20:15:00+03:00',
      data: {
        siteId: 'shop-1',
        qrcId: 'AD100004BAL7227F9BNP6KNE007J9B3K',
        paymentUid: 'A6325171030000001',
        refundUid: 'refund-1',
        amount: { value: '5.00', currency: 'RUB' },
      },
    })
  })

  it.each([
    [200, undefined, undefined],
    [204, '30', 30],
    [202, '7200', 7200],
    [202, '864000', 864_000],
    [500, undefined, undefined],
    [503, '60', 60],
    [503, '7200', 3600],
    [429, 'Sat, 21 Nov 2026 17:15:00 GMT', 3600],
    [302, '7200', 3600],
    [410, undefined, undefined],
  ])('with the answer %i and Retry-After %s: retryAfter %s', async (status, header, retryAfter) => {
    const headers = new Headers(header === undefined ? {} : { 'Retry-After': header })
    const fetch = async () => new Response(null, { status, headers })
    const delivered = await instruct(platformOf(EXTERNAL, { fetch }), deliveryOf('external'))
    expect(delivered).toEqual({ httpStatus: status, ms: 0, ...(retryAfter !== undefined && { retryAfter }) })
  })

  it.each([
    [new DOMException('', 'TimeoutError'), 'no answer within 10 seconds'],
    [new TypeError(`connect to ${URL_OF_CONNECTOR} failed`), 'no connection'],
  ])('without an answer (%s) says why, without the address', async (reason, error) => {
    const fetch = () => Promise.reject(reason)
    expect(await instruct(platformOf(EXTERNAL, { fetch }), deliveryOf('external'))).toEqual({ error, ms: 0 })
  })

  it('is not sent without NETWORK_URL', async () => {
    const platform = platformOf({ PAYMENT_NETWORK: 'external' })
    expect(await instruct(platform, deliveryOf('external'))).toEqual({
      error: 'NETWORK_URL is not set',
      ms: 0,
      isUnconnected: true,
    })
  })

  it.each([
    ['external', { ...EXTERNAL, ...SANDBOX }],
    ['sandbox', EXTERNAL],
  ] as const)(
    'of the network %s is never sent to another one: it rests for an hour',
    async (network, settings) =>
      expect(await instruct(platformOf(settings), deliveryOf(network))).toEqual({
        error: `the payment network is no longer ${network}`,
        ms: 0,
        retryAfter: 3600,
      }),
  )
})

describe('the sandbox bank', () => {
  const refund: Refund = {
    ...{ refundUid: 'refund-1', paymentUid: 'A6325171030000001', createdAt: 0, changedAt: 0 },
    ...{ amount: { minorUnits: 500, currency: 'RUB' }, status: 'COMPLETED' },
  }
  const done: Outcome<RefundResult> = { ok: true, value: { refund, isReplayed: false } }

  /** Gives it a refund. @param outcome of its report */
  async function give(minorUnits: number, { elapsed = 0, outcome = done } = {}) {
    const reports: Parameters<SiteStub['reportRefund']>[] = []
    const metrics = new Metrics()
    const reportRefund: SiteStub['reportRefund'] = async (...report) => {
      reports.push(report)
      return outcome
    }
    const site = () => siteThat(unused, { reportRefund })
    const platform = platformOf(SANDBOX, { site, metrics, now: () => NOW + elapsed })
    const delivered = await instruct(platform, deliveryOf('sandbox', minorUnits))
    return { delivered, reports: reports.map(([caller, ...rest]) => [caller.actor, ...rest]), metrics }
  }
  const reported = (report: object) => [['network', 'A6325171030000001', 'refund-1', report]]

  it.each([1, 12, 14, 16, 18, 100, 1300, 1700, 99_999_999_999])(
    'completes a refund of %i kopecks at once',
    async (minorUnits) => {
      const { delivered, reports } = await give(minorUnits)
      expect(delivered).toEqual({ httpStatus: 200, ms: 0 })
      expect(reports).toEqual(reported({ status: 'COMPLETED' }))
    },
  )

  it.each([13, 113, 1_000_013])('declines one of %i kopecks', async (minorUnits) => {
    const { delivered, reports } = await give(minorUnits)
    expect(delivered).toEqual({ httpStatus: 200, ms: 0 })
    expect(reports).toEqual(reported({ status: 'DECLINED', reason: 'test amount' }))
  })

  it.each([
    [0, 30],
    [1, 30],
    [15_000, 15],
    [29_999, 1],
  ])('lets one with kopecks 17 wait: after %i ms, for %i s more', async (elapsed, retryAfter) => {
    const { delivered, reports } = await give(517, { elapsed })
    expect(delivered).toEqual({ httpStatus: 202, ms: 0, retryAfter })
    expect(reports).toEqual([])
  })

  it.each([30_000, 1_000_000])('and completes it after %i ms', async (elapsed) => {
    const { delivered, reports } = await give(517, { elapsed })
    expect(delivered).toEqual({ httpStatus: 200, ms: 0 })
    expect(reports).toEqual(reported({ status: 'COMPLETED' }))
  })

  it.each<[ErrorCode, string]>([
    ['service.unavailable', 'the site has too many queued writes'],
    ['payin.resource.already.exists', 'refund "refund-1" was reported COMPLETED, which is final'],
  ])('takes the refusal %s as a failed attempt', async (code, description) => {
    const { delivered } = await give(500, { outcome: { ok: false, code, description } })
    expect(delivered).toEqual({ error: `the report was refused: ${description}`, ms: 0 })
  })

  it('counts its reports in the metrics, replays left out', async () => {
    const { metrics } = await give(500)
    expect(metrics.text()).toContain('refunds_total{status="COMPLETED"} 1')
    const replayed = await give(500, { outcome: { ok: true, value: { refund, isReplayed: true } } })
    expect(replayed.metrics.text()).not.toContain('refunds_total{')
  })
})

describe('docs/connector.md', () => {
  const [whole = ''] = Object.values(
    import.meta.glob<string>('../../docs/connector.md', { query: '?raw', import: 'default', eager: true }),
  )
  const text = whole.slice(whole.indexOf('An instruction is a `POST`'))
  const found = (pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
  const [body, id] = [found(/^(\{"type":"refund\.create".+\})$/m), found(/^webhook-id: (.+)$/m)]
  const timestamp = Number(found(/^webhook-timestamp: (\d+)$/m))

  it('shows an instruction as it is sent, under the secret that it names', async () => {
    const sent: Request[] = []
    const fetch = async (request: Request) => {
      sent.push(request)
      return new Response()
    }
    const NETWORK_SECRET = found(/`(whsec_[^`…]+)`/)
    const platform = platformOf({ ...EXTERNAL, NETWORK_SECRET }, { fetch, now: () => timestamp * 1000 })
    const delivery = deliveryOf('external', 1)
    await instruct(platform, { ...delivery, id, siteId: 'demo' })
    const [request] = sent
    expect(await request?.text()).toBe(body)
    const shown = text.matchAll(/^(webhook-\w+|Accept|Content-Type): (.+)$/gm)
    for (const [, name = '', value] of shown)
      expect([name, request?.headers.get(name)]).toEqual([name, value])
    expect(text.split(request?.headers.get('webhook-signature')?.slice('v1,'.length) ?? '-')).toHaveLength(3)
    expect(text).toContain(`"${id}.${timestamp}.$BODY"`)
  })
})
