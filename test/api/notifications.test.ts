// Notifications over HTTP, to a merchant's server inside the test (contract, section 11).
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DeliveryAnswer, NotificationAnswer } from '../../src/contract/delivery.ts'
import { FeedAnswer } from '../../src/contract/event.ts'
import { notificationSignature } from '../../src/gateway/signatures.ts'
import { PaymentNotification, QrCodeNotification } from '../../src/openapi/notification-bodies.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import {
  callbackUrl,
  configure,
  logOf,
  makeKey,
  merchantServer,
  qrCodeOf,
  type Received,
  reportTo,
} from '../support/merchant.ts'
import { errorOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

const DAY = 86_400_000
const ALL_TYPES = ['PAYMENT', 'REFUND', 'TOKEN', 'QR_CODE']

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** A site with a callbackUrl and an active key. */
async function notifiedSite(settings: Record<string, unknown> = {}) {
  const site = freshSite()
  await configure(site, { callbackUrl: callbackUrl(), ...settings })
  return { ...site, ...(await makeKey(site)) }
}

const paymentIn = ({ body }: Received) => strict(PaymentNotification).parse(JSON.parse(body)).payment
const qrCodeIn = ({ body }: Received) => strict(QrCodeNotification).parse(JSON.parse(body)).qrCode
const cancel = ({ ask }: FreshSite, qrCodeUid: string) =>
  ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' })

/** Lets a time pass, and the alarm ring if it is due then. */
async function pass({ stub }: FreshSite, milliseconds: number): Promise<void> {
  vi.setSystemTime(Date.now() + milliseconds)
  const alarm = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm())
  if (alarm !== null && alarm <= Date.now()) await runDurableObjectAlarm(stub)
}

/** Waits until the log is as expected: a result is recorded after its answer. */
const until = async (site: FreshSite, expected: Record<string, unknown>) =>
  vi.waitFor(async () => expect((await logOf(site)).notifications[0]).toMatchObject(expected), {
    timeout: 20_000,
    interval: 5,
  })

describe('a payment', () => {
  it('is notified when it is completed, with both signatures, and the log says so', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    const { qrCodeUid, linkId } = await qrCodeOf(site, { tokenizationAccount: undefined })
    const payer = { bankMemberId: '100000000111', phone: '+7 *** ***-**-00' }
    const { paymentUid } = await reportTo(site, linkId, { payer, dateTime: '2026-11-20T20:11:40+03:00' })
    const [received] = await server.got(1)
    if (!received) throw new Error('nothing came')
    const { url, redirect, headers, body, id } = received
    expect([url, redirect]).toEqual([callbackUrl(), 'manual'])
    expect(headers.get('Content-Type')).toBe('application/json')
    expect(headers.get('Accept')).toBe('application/json')
    expect(paymentIn(received)).toMatchObject({
      ...{ paymentId: paymentUid, qrCodeUid, merchantSiteUid: site.siteId, applied: true },
      ...{ createdDateTime: '2026-11-20T20:11:40+03:00', amount: { value: 5, currency: 'RUB' } },
      ...{ status: { value: 'SUCCESS' }, customer: { bankMemberId: '100000000111' } },
      paymentMethod: { type: 'SBP', phone: '+7 *** ***-**-00' },
    })
    expect(body).toContain('"value":5.00')
    expect(new Webhook(site.key).verify(body, Object.fromEntries(headers))).toEqual(JSON.parse(body))
    const signed = [paymentUid, '2026-11-20T20:11:40+03:00', '5.00']
    expect(headers.get('Signature')).toBe(notificationSignature(site.key, signed))
    await until(site, { id, type: 'PAYMENT', status: 'DELIVERED', qrCodeUid, paymentId: paymentUid })
    const { notifications } = await logOf(site)
    expect(notifications).toMatchObject([{ attempts: [{ httpStatus: 204 }] }])
    expect(notifications[0]).not.toHaveProperty('nextAttempt')
  })

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'of another amount',
      { amount: { value: 6 } },
      { applied: false, notAppliedReason: 'AMOUNT_MISMATCH', amount: { value: 6, currency: 'RUB' } },
    ],
    [
      'in another currency',
      { amount: { value: 5, currency: 'USD' } },
      { applied: false, notAppliedReason: 'AMOUNT_MISMATCH', amount: { value: 5, currency: 'USD' } },
    ],
  ])('%s is notified as not applied, without the QR code', async (_, body, expected) => {
    const server = merchantServer()
    const site = await notifiedSite()
    const { linkId } = await qrCodeOf(site)
    await reportTo(site, linkId, body)
    const [received] = await server.got(1)
    const payment = received && paymentIn(received)
    expect(payment).toMatchObject(expected)
    expect(payment).not.toHaveProperty('qrCodeUid')
  })

  it('that is the second one is notified as not applied', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    const { linkId } = await qrCodeOf(site)
    for (let i = 0; i < 2; i++) await reportTo(site, linkId)
    const received = await server.got(2)
    expect(received.map((each) => paymentIn(each).notAppliedReason)).toEqual([undefined, 'ALREADY_PAYED'])
  })

  it('that is declined is notified where it changed the QR code, and then the completed one', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    const { linkId } = await qrCodeOf(site)
    await reportTo(site, linkId, { status: 'DECLINED', reason: 'no funds' }, 'p')
    await reportTo(site, linkId, {}, 'p')
    await reportTo(site, linkId, { status: 'DECLINED' }, 'late')
    const received = await server.got(2)
    expect(received.map((each) => paymentIn(each).status)).toMatchObject([
      { value: 'DECLINE', reasonMessage: 'no funds' },
      { value: 'SUCCESS' },
    ])
    expect((await logOf(site)).notifications).toHaveLength(2)
  })

  it('is notified as it was at its event, whatever happened since', async () => {
    const server = merchantServer()
    const site = freshSite()
    await configure(site, { callbackUrl: callbackUrl() })
    const { linkId } = await qrCodeOf(site)
    await reportTo(site, linkId, { status: 'DECLINED', reason: 'no funds' }, 'p')
    await reportTo(site, linkId, { dateTime: '2026-11-20T20:11:40+03:00' }, 'p')
    await makeKey(site)
    const received = await server.got(2)
    expect(received.map((each) => paymentIn(each).status.value)).toEqual(['DECLINE', 'SUCCESS'])
  })
})

describe('a QR code', () => {
  it('that is cancelled or expires is notified where the settings name QR_CODE', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const server = merchantServer()
    const site = await notifiedSite({ notificationTypes: ALL_TYPES })
    const [cancelled, expired] = [
      await qrCodeOf(site),
      await qrCodeOf(site, { qrCode: { type: 'DYNAMIC', ttl: 1 } }),
    ]
    await cancel(site, cancelled.qrCodeUid)
    await server.got(1)
    await pass(site, 61_000)
    const received = await server.got(2)
    expect(received.map((each) => [qrCodeIn(each).qrCodeUid, qrCodeIn(each).status.value])).toEqual([
      [cancelled.qrCodeUid, 'CANCELLED'],
      [expired.qrCodeUid, 'EXPIRED'],
    ])
    for (const { headers, body } of received) {
      const { qrCode } = QrCodeNotification.parse(JSON.parse(body))
      const { value, changedDateTime } = qrCode.status
      const signed = [site.siteId, qrCode.qrCodeUid, value, changedDateTime]
      expect(headers.get('Signature')).toBe(notificationSignature(site.key, signed))
    }
  })

  it('is not notified by default', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    const [first, second] = [await qrCodeOf(site), await qrCodeOf(site)]
    await cancel(site, first.qrCodeUid)
    await reportTo(site, second.linkId)
    expect((await server.got(1)).map((each) => paymentIn(each).qrCodeUid)).toEqual([second.qrCodeUid])
    expect((await logOf(site)).notifications).toHaveLength(1)
  })
})

it('every change of the table has exactly one notification, a replay and any other event none', async () => {
  const server = merchantServer()
  const action = fc.constantFrom(
    ...[
      'create',
      'cancel',
      'complete',
      'decline',
      'mismatch',
      'replay',
      'unknown',
      'name',
      'type',
      'off',
      'on',
    ],
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(action, fc.nat({ max: 2 })), { maxLength: 25 }), async (actions) => {
      server.received = []
      const site = await notifiedSite()
      let settings: Record<string, unknown> = { callbackUrl: callbackUrl() }
      const foreign = await qrCodeOf(freshSite())
      const qrCodes = [await qrCodeOf(site), await qrCodeOf(site), await qrCodeOf(site)]
      const reports: [string, Record<string, unknown>, string][] = []
      const expected: string[] = []
      const report = async (linkId: string, body: Record<string, unknown>) => {
        const paymentUid = crypto.randomUUID()
        reports.push([linkId, body, paymentUid])
        await reportTo(site, linkId, body, paymentUid)
      }
      let known = 0
      for (const [name, index] of actions) {
        const { qrCodeUid, linkId } = qrCodes[index] ?? foreign
        if (name === 'create') await qrCodeOf(site, { qrCodeUid })
        if (name === 'cancel') await cancel(site, qrCodeUid)
        if (name === 'complete') await report(linkId, {})
        if (name === 'decline') await report(linkId, { status: 'DECLINED' })
        if (name === 'mismatch') await report(linkId, { amount: { value: 7 } })
        if (name === 'replay' && reports[index]) await reportTo(site, ...reports[index])
        if (name === 'unknown') await report(foreign.linkId, {})
        if (name === 'name') settings = { ...settings, name: `shop ${index}` }
        if (name === 'type') settings = { ...settings, notificationTypes: index === 0 ? [] : ALL_TYPES }
        if (name === 'off') settings = { ...settings, callbackUrl: undefined }
        if (name === 'on') settings = { ...settings, callbackUrl: callbackUrl() }
        // What the events say, by the settings under which they happened.
        const types = settings.notificationTypes ?? ['PAYMENT', 'REFUND', 'TOKEN']
        const feed = FeedAnswer.parse(await (await site.ask('/events?limit=1000')).json())
        const epoch = feed.nextCursor.split('-')[0]
        for (const { id, type, payment } of feed.events.filter((event) => event.id > known)) {
          known = id
          const of =
            type === 'payment.completed' || (type === 'payment.declined' && payment?.applied)
              ? 'PAYMENT'
              : type === 'qrCode.cancelled' && 'QR_CODE'
          if (settings.callbackUrl && of && JSON.stringify(types).includes(of))
            expected.push(`${epoch}-${id}`)
        }
        if (['name', 'type', 'off', 'on'].includes(name)) await configure(site, settings)
      }
      const { notifications } = await logOf(site)
      expect(notifications.map(({ id }) => id).toReversed()).toEqual(expected)
      await configure(site, { callbackUrl: callbackUrl() })
      const received = await server.got(expected.length)
      expect(received.map(({ id }) => id).toSorted()).toEqual(expected.toSorted())
      await until(site, {}).catch(() => expect(expected).toEqual([]))
    }),
    { numRuns: 25 },
  )
})

describe('without a callbackUrl', () => {
  it('nothing is queued, nor later for what happened before', async () => {
    const server = merchantServer()
    const site = freshSite()
    await makeKey(site)
    const [first, second] = [await qrCodeOf(site), await qrCodeOf(site)]
    await reportTo(site, first.linkId)
    expect((await logOf(site)).notifications).toEqual([])
    await configure(site, { callbackUrl: callbackUrl() })
    await reportTo(site, second.linkId)
    await server.got(1)
    expect((await logOf(site)).notifications).toMatchObject([{ qrCodeUid: second.qrCodeUid }])
  })

  it('that was there before, what is PENDING stays so, and is sent to the next one', async () => {
    const server = merchantServer(
      () => new Response(null, { status: 503, headers: { 'Retry-After': '3600' } }),
    )
    const site = await notifiedSite()
    const { linkId } = await qrCodeOf(site)
    await reportTo(site, linkId)
    await server.got(1)
    await until(site, { attempts: [{ httpStatus: 503 }] })
    await configure(site, {})
    expect(await runDurableObjectAlarm(site.stub)).toBe(false)
    expect((await logOf(site)).notifications).toMatchObject([{ status: 'PENDING', attempts: [{}] }])
    server.answer = () => new Response()
    const newUrl = callbackUrl('/new')
    await configure(site, { callbackUrl: newUrl })
    expect((await server.got(2)).map(({ url }) => url)).toEqual([callbackUrl(), newUrl])
  })
})

describe('notification keys', () => {
  it('without one, notifications stay PENDING without an alarm, and are sent when one is made', async () => {
    const server = merchantServer()
    const site = freshSite()
    await configure(site, { callbackUrl: callbackUrl() })
    const { linkId } = await qrCodeOf(site)
    await reportTo(site, linkId)
    expect(await runDurableObjectAlarm(site.stub)).toBe(false)
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
      await reportTo(site, (await qrCodeOf(site)).linkId)
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
    await reportTo(site, (await qrCodeOf(site)).linkId)
    await until(site, { attempts: [expected] })
    const { notifications } = await logOf(site)
    expect(notifications).toMatchObject([{ status: 'PENDING' }])
    expect(JSON.stringify(notifications)).not.toContain('secret')
    const delay = Date.parse(notifications[0]?.nextAttempt ?? '') - Date.now()
    expect(delay).toBeGreaterThan(1000)
    expect(delay).toBeLessThan(6000)
    expect(server.received).toHaveLength(1)
  })

  it.each([200, 201, 299])('and %i is success, whatever becomes of the body', async (status) => {
    merchantServer(
      () => new Response(new ReadableStream({ cancel: () => Promise.reject(new Error()) }), { status }),
    )
    const site = await notifiedSite()
    await reportTo(site, (await qrCodeOf(site)).linkId)
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
    await reportTo(site, (await qrCodeOf(site)).linkId)
    await until(site, { attempts: [{ error: expect.stringContaining('callbackUrl must be') }] })
    expect(server.received).toEqual([])
  })

  it('and it is repeated with the same id and body, another time and signature, until it succeeds', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const server = merchantServer(() => new Response(null, { status: 500 }))
    const site = await notifiedSite()
    await reportTo(site, (await qrCodeOf(site)).linkId)
    await until(site, { attempts: [{}] })
    await pass(site, 6_000)
    await until(site, { attempts: [{}, {}] })
    server.answer = () => new Response()
    await pass(site, 67_000)
    await until(site, { status: 'DELIVERED', attempts: [{}, {}, { httpStatus: 200 }] })
    expect(new Set(server.received.map(({ id }) => id)).size).toBe(1)
    expect(new Set(server.received.map(({ body }) => body)).size).toBe(1)
    expect(new Set(server.received.map(({ headers }) => headers.get('webhook-signature'))).size).toBe(3)
    expect(await runInDurableObject(site.stub, (_, { storage }) => storage.getAlarm())).toBeGreaterThan(
      Date.now() + 29 * DAY,
    )
    await pass(site, 30 * DAY)
    expect((await logOf(site)).notifications).toEqual([])
  })

  it('with 410, and there is no other: FAILED, kept for 90 days', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    merchantServer(() => new Response(null, { status: 410 }))
    const site = await notifiedSite()
    await reportTo(site, (await qrCodeOf(site)).linkId)
    await until(site, { status: 'FAILED', attempts: [{ httpStatus: 410 }] })
    await pass(site, 89 * DAY)
    expect((await logOf(site)).notifications).toHaveLength(1)
    await pass(site, DAY)
    expect((await logOf(site)).notifications).toEqual([])
  })

  it('and Retry-After delays the next one', async () => {
    merchantServer(() => new Response(null, { status: 503, headers: { 'Retry-After': '3600' } }))
    const site = await notifiedSite()
    await reportTo(site, (await qrCodeOf(site)).linkId)
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
    const [qrCode, other] = [await qrCodeOf(site), await qrCodeOf(site)]
    await reportTo(site, qrCode.linkId, { status: 'DECLINED' })
    await server.got(1)
    await reportTo(site, qrCode.linkId)
    await reportTo(site, other.linkId)
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
    await reportTo(site, (await qrCodeOf(site)).linkId)
    await server.got(1)
    server.answer = () => new Response()
    await runInDurableObject(site.stub, (_, state) => state.abort('the machine fails')).catch(() => {})
    await logOf(site)
    const [first, second] = await server.got(2)
    expect(second?.id).toBe(first?.id)
    await until(site, { status: 'DELIVERED', attempts: [{ httpStatus: 200 }] })
  })
})

describe('the log', () => {
  it('has all notifications, newest first, page by page, by status', async () => {
    const server = merchantServer(
      () => new Response(null, { status: server.received.length === 1 ? 410 : 204 }),
    )
    const site = await notifiedSite()
    const uids: string[] = []
    for (let i = 0; i < 5; i++) {
      const { qrCodeUid, linkId } = await qrCodeOf(site)
      uids.unshift(qrCodeUid)
      await reportTo(site, linkId)
      await server.got(i + 1)
      await until(site, { attempts: [{}] })
    }
    const all = (await logOf(site)).notifications
    expect(all.map(({ qrCodeUid }) => qrCodeUid)).toEqual(uids)
    const pages: string[][] = []
    for (let query: string | undefined = 'limit=2'; query !== undefined; ) {
      const page = await logOf(site, query)
      pages.push(page.notifications.map(({ id }) => id))
      query = page.nextCursor === undefined ? undefined : `limit=2&cursor=${page.nextCursor}`
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1])
    expect(pages.flat()).toEqual(all.map(({ id }) => id))
    const ofStatus = async (status: string) => (await logOf(site, `status=${status}`)).notifications.length
    expect(await Promise.all(['PENDING', 'DELIVERED', 'FAILED'].map(ofStatus))).toEqual([0, 4, 1])
    const first = await logOf(site, 'status=DELIVERED&limit=3')
    const second = await logOf(site, `status=DELIVERED&limit=3&cursor=${first.nextCursor}`)
    expect([...first.notifications, ...second.notifications].map(({ qrCodeUid }) => qrCodeUid)).toEqual(
      uids.slice(0, 4),
    )
    expect(second).not.toHaveProperty('nextCursor')
  })

  it('of a site that nobody wrote to is empty', async () =>
    expect(await logOf(freshSite())).toEqual({ notifications: [] }))

  it.each([
    'status=WAITING',
    'status=PENDING,FAILED',
    'limit=0',
    'limit=101',
    'limit=a',
    'cursor=a',
    'offset=1',
  ])('refuses %s', async (query) => {
    const response = await freshSite().ask(`/notifications?${query}`)
    expect(response.status).toBe(400)
    expect((await errorOf(response)).errorCode).toBe('validation.error')
  })

  it('has one notification with the body as it is sent', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    await reportTo(site, (await qrCodeOf(site)).linkId)
    const [received] = await server.got(1)
    await until(site, { status: 'DELIVERED' })
    const response = await site.ask(`/notifications/${received?.id}`, { claims: { scope: 'merchant:read' } })
    const answer = strict(NotificationAnswer).parse(await response.json())
    expect(answer).toEqual({ ...(await logOf(site)).notifications[0], body: received?.body })
  })
})

describe('a notification that is not there', () => {
  it.each<[string, (id: string) => string]>([
    ['an unknown number', (id) => id.replace(/\d+$/, '99')],
    ['an event that has none', (id) => id.replace(/\d+$/, '1')],
    ['another epoch', (id) => id.replace(/^.{16}/, '0123456789abcdef')],
    ['a number with a zero before it', (id) => id.replace(/(\d+)$/, '0$1')],
    ['more behind the number', (id) => `${id}-1`],
    ['a number alone', (id) => id.replace(/.*-/, '')],
  ])('is 404: %s', async (_, change) => {
    merchantServer()
    const site = await notifiedSite()
    await reportTo(site, (await qrCodeOf(site)).linkId)
    await until(site, { status: 'DELIVERED' })
    const id = change((await logOf(site)).notifications[0]?.id ?? '')
    for (const call of [{ method: 'GET' }, { method: 'POST', below: '/redeliver' }]) {
      const response = await site.ask(`/notifications/${id}${call.below ?? ''}`, { method: call.method })
      expect([response.status, (await errorOf(response)).errorCode]).toEqual([
        404,
        'payin.resource.not.found',
      ])
    }
  })

  it('is 404 on a site that nobody wrote to', async () => {
    const response = await freshSite().ask('/notifications/0123456789abcdef-1')
    expect(response.status).toBe(404)
  })
})

describe('a redelivery', () => {
  const redeliver = async (site: FreshSite) => {
    const { id } = (await logOf(site)).notifications[0] ?? {}
    const response = await site.ask(`/notifications/${id}/redeliver`, { method: 'POST' })
    expect(response.status).toBe(200)
    return strict(DeliveryAnswer).parse(await response.json())
  }

  it('of a delivered notification bears the same id, and is in the log', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    await reportTo(site, (await qrCodeOf(site)).linkId)
    await until(site, { status: 'DELIVERED' })
    expect(await redeliver(site)).toMatchObject({ httpStatus: 204 })
    expect(server.received.map(({ id }) => id)).toEqual([server.received[0]?.id, server.received[0]?.id])
    expect(server.received[1]?.body).toBe(server.received[0]?.body)
    await until(site, { status: 'DELIVERED', attempts: [{}, {}] })
  })

  it('of a failed one delivers it, or says why not', async () => {
    const server = merchantServer(() => new Response(null, { status: 410 }))
    const site = await notifiedSite()
    await reportTo(site, (await qrCodeOf(site)).linkId)
    await until(site, { status: 'FAILED' })
    server.answer = () => Promise.reject(new Error())
    expect(await redeliver(site)).toMatchObject({ error: 'no connection' })
    await until(site, { status: 'FAILED', attempts: [{}, { error: 'no connection' }] })
    server.answer = () => new Response()
    expect(await redeliver(site)).toMatchObject({ httpStatus: 200 })
    await until(site, { status: 'DELIVERED', attempts: [{}, {}, {}] })
  })

  it('of one that is in flight and fails after it changes nothing', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    const server = merchantServer(() => (server.received.length === 1 ? promise : new Response()))
    const site = await notifiedSite()
    await reportTo(site, (await qrCodeOf(site)).linkId)
    await server.got(1)
    expect(await redeliver(site)).toMatchObject({ httpStatus: 200 })
    resolve(new Response(null, { status: 500 }))
    await until(site, { status: 'DELIVERED', attempts: [{ httpStatus: 200 }, { httpStatus: 500 }] })
    expect((await logOf(site)).notifications[0]).not.toHaveProperty('nextAttempt')
  })
})

describe('a test notification', () => {
  const test = (site: FreshSite) => site.ask('/notifications/test', { method: 'POST' })

  it('is a made-up payment of 1.00 that is signed, not applied and not stored', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    const answer = strict(DeliveryAnswer).parse(await (await test(site)).json())
    expect(answer).toMatchObject({ httpStatus: 204 })
    const [received] = server.received
    if (!received) throw new Error('nothing came')
    expect(paymentIn(received)).toMatchObject({
      customFields: { test: 'true' },
      amount: { value: 1 },
      applied: false,
    })
    expect(new Webhook(site.key).verify(received.body, Object.fromEntries(received.headers))).toBeTruthy()
    expect(await logOf(site)).toEqual({ notifications: [] })
    expect((await site.events()).map(({ type }) => type)).toEqual(['settings.changed', 'settings.changed'])
  })

  it('says what failed', async () => {
    merchantServer(() => new Response(null, { status: 401 }))
    expect(await (await test(await notifiedSite())).json()).toMatchObject({ httpStatus: 401 })
  })

  it.each<[string, (site: FreshSite) => Promise<unknown>]>([
    ['a site that nobody wrote to', async () => {}],
    ['a site without a key', (site) => configure(site, { callbackUrl: callbackUrl() })],
    ['a site without a callbackUrl', (site) => makeKey(site)],
  ])('to %s: 409', async (_, prepare) => {
    const site = freshSite()
    await prepare(site)
    const response = await test(site)
    expect(response.status).toBe(409)
    expect(await errorOf(response)).toMatchObject({
      errorCode: 'payin.incorrect-method-invocation',
      description: 'the site has no callbackUrl or no notification key, must have both',
    })
  })
})
