// How notifications are delivered: keys, failed attempts, and what happens meanwhile (contract, section 11).
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { notificationSignature } from '../../src/gateway/signatures.ts'
import { freshSite } from '../support/admin.ts'
import { callbackUrl, configure, logOf, makeKey, merchantServer } from '../support/merchant.ts'
import { notifiedSite, pass, paymentIn, until } from '../support/notified-site.ts'

const DAY = 86_400_000

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('notification keys', () => {
  it('without one, notifications stay PENDING without an attempt, and are sent when one is made', async () => {
    const server = merchantServer()
    const site = freshSite()
    await configure(site, { callbackUrl: callbackUrl() })
    const { linkId } = await site.make()
    await site.pay(linkId)
    // The operator is told of them.
    await runDurableObjectAlarm(site.stub)
    expect(server.received).toEqual([])
    expect((await logOf(site)).notifications).toMatchObject([{ status: 'PENDING', attempts: [] }])
    const { key } = await makeKey(site)
    const [received] = await server.got(1)
    expect(
      new Webhook(key).verify(received?.body ?? '', Object.fromEntries(received?.headers ?? [])),
    ).toBeTruthy()
  })

  it('are rotated without a notification that either misses: both sign, Signature is of the active one', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    const next = await makeKey(site)
    const notified = async () => {
      const count = server.received.length
      await site.pay((await site.make()).linkId)
      const received = (await server.got(count + 1))[count]
      if (!received) throw new Error('nothing came')
      const { paymentId, createdDateTime } = paymentIn(received)
      const verifiedBy = ({ key }: { key: string }) => {
        try {
          return Boolean(new Webhook(key).verify(received.body, Object.fromEntries(received.headers)))
        } catch {
          return false
        }
      }
      const signs = ({ key }: { key: string }) =>
        received.headers.get('Signature') === notificationSignature(key, [paymentId, createdDateTime, '5.00'])
      return [verifiedBy(site), verifiedBy(next), signs(site), signs(next)]
    }
    expect(await notified()).toEqual([true, true, true, false])
    await site.ask(`/settings/notificationKeys/${next.id}/activate`, { method: 'POST' })
    expect(await notified()).toEqual([false, true, false, true])
  })
})

describe('an attempt fails', () => {
  it.each<[string, () => Response | Promise<Response>, Record<string, unknown>]>([
    [
      'with a redirect, which is not followed',
      () => Response.redirect('https://evil.example/'),
      { httpStatus: 302 },
    ],
    ['with 404', () => new Response(null, { status: 404 }), { httpStatus: 404 }],
    [
      'with 500 and a long body',
      () => new Response('x'.repeat(100_000), { status: 500 }),
      { httpStatus: 500 },
    ],
    ['without a connection', () => Promise.reject(new TypeError('secret')), { error: 'no connection' }],
    [
      'without an answer in time',
      () => Promise.reject(new DOMException('', 'TimeoutError')),
      { error: 'no answer within 10 seconds' },
    ],
  ])('%s', async (_, answer, expected) => {
    const server = merchantServer(answer)
    const site = await notifiedSite()
    const before = Date.now()
    await site.pay((await site.make()).linkId)
    await until(site, { attempts: [expected] })
    const { notifications } = await logOf(site)
    expect(notifications).toMatchObject([{ status: 'PENDING' }])
    expect(JSON.stringify(notifications)).not.toContain('secret')
    const next = Date.parse(notifications[0]?.nextAttempt ?? '')
    expect(next).toBeGreaterThan(before + 1000)
    expect(next).toBeLessThan(Date.now() + 6000)
    expect(server.received).toHaveLength(1)
  })

  it.each([200, 201, 299])('and %i is success, whatever becomes of the body', async (status) => {
    merchantServer(
      () => new Response(new ReadableStream({ cancel: () => Promise.reject(new Error()) }), { status }),
    )
    const site = await notifiedSite()
    await site.pay((await site.make()).linkId)
    await until(site, { status: 'DELIVERED', attempts: [{ httpStatus: status }] })
  })

  it.each([
    ['http', 'http://shop.example/'],
    ['a private address', 'https://10.0.0.1/'],
  ])('where the deployment does not call %s any more, and no request is sent', async (_, url) => {
    const server = merchantServer()
    const site = await notifiedSite()
    await runInDurableObject(site.stub, (_, { storage }) => {
      const settings = JSON.stringify({ callbackUrl: url, notificationTypes: ['PAYMENT'] })
      storage.sql.exec('UPDATE settings SET settings = ?', settings)
    })
    await site.pay((await site.make()).linkId)
    await until(site, { attempts: [{ error: expect.stringContaining('callbackUrl must be') }] })
    expect(server.received).toEqual([])
  })

  it('and it is repeated with the same id and body, another time and signature, until it succeeds', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const server = merchantServer(() => new Response(null, { status: 500 }))
    const site = await notifiedSite()
    await site.pay((await site.make()).linkId)
    await until(site, { attempts: [{}] })
    await pass(site, 6_000)
    await until(site, { attempts: [{}, {}] })
    server.answer = () => new Response()
    await pass(site, 67_000)
    await until(site, { status: 'DELIVERED', attempts: [{}, {}, { httpStatus: 200 }] })
    expect(new Set(server.received.map(({ id }) => id)).size).toBe(1)
    expect(new Set(server.received.map(({ body }) => body)).size).toBe(1)
    expect(new Set(server.received.map(({ headers }) => headers.get('webhook-signature'))).size).toBe(3)
    // The registry is told that nothing waits any more.
    await pass(site, 61_000)
    await vi.waitFor(
      async () =>
        expect(await runInDurableObject(site.stub, (_, { storage }) => storage.getAlarm())).toBeGreaterThan(
          Date.now() + 29 * DAY,
        ),
      10_000,
    )
    await pass(site, 30 * DAY)
    expect((await logOf(site)).notifications).toEqual([])
  })

  it('with 410, and there is no other: FAILED, kept for 90 days', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    merchantServer(() => new Response(null, { status: 410 }))
    const site = await notifiedSite()
    await site.pay((await site.make()).linkId)
    await until(site, { status: 'FAILED', attempts: [{ httpStatus: 410 }] })
    await pass(site, 89 * DAY)
    expect((await logOf(site)).notifications).toHaveLength(1)
    await pass(site, DAY)
    expect((await logOf(site)).notifications).toEqual([])
  })

  it('and Retry-After delays the next one', async () => {
    merchantServer(() => new Response(null, { status: 503, headers: { 'Retry-After': '3600' } }))
    const site = await notifiedSite()
    await site.pay((await site.make()).linkId)
    await until(site, { attempts: [{ httpStatus: 503 }] })
    const { notifications } = await logOf(site)
    expect(Date.parse(notifications[0]?.nextAttempt ?? '') - Date.now()).toBeGreaterThan(3_500_000)
  })
})

describe('while a delivery is in flight', () => {
  it('the site answers, and another notification of the QR code waits for its result', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    const server = merchantServer(() => promise)
    const site = await notifiedSite()
    const [qrCode, other] = [await site.make(), await site.make()]
    await site.pay(qrCode.linkId, { status: 'DECLINED' })
    await server.got(1)
    await site.pay(qrCode.linkId)
    await site.pay(other.linkId)
    const received = await server.got(2)
    expect(received.map((each) => paymentIn(each).qrCodeUid)).toEqual([qrCode.qrCodeUid, other.qrCodeUid])
    resolve(new Response())
    expect((await server.got(3)).map((each) => paymentIn(each).status.value)).toEqual([
      'DECLINE',
      'SUCCESS',
      'SUCCESS',
    ])
  })

  it('and the object ends, it is sent again when the object starts, with the same id', async () => {
    const server = merchantServer(() => new Promise(() => {}))
    const site = await notifiedSite()
    await site.pay((await site.make()).linkId)
    await server.got(1)
    server.answer = () => new Response()
    await runInDurableObject(site.stub, (_, state) => state.abort('the machine fails')).catch(() => {})
    await logOf(site)
    const [first, second] = await server.got(2)
    expect(second?.id).toBe(first?.id)
    await until(site, { status: 'DELIVERED', attempts: [{ httpStatus: 200 }] })
  })
})
