// Notifications over HTTP, to a merchant's server inside the test (contract, section 11).
import { runDurableObjectAlarm } from 'cloudflare:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FeedAnswer } from '../../src/contract/event.ts'
import { QrCodeNotification } from '../../src/contract/notifications/bodies.ts'
import { notificationSignature } from '../../src/gateway/signatures.ts'
import { freshSite } from '../support/admin.ts'
import { callbackUrl, configure, logOf, makeKey, merchantServer, type Received } from '../support/merchant.ts'
import { cancel, notifiedSite, pass, paymentIn, until } from '../support/notified-site.ts'
import { strict } from '../support/strict.ts'

const ALL_TYPES = ['PAYMENT', 'REFUND', 'TOKEN', 'QR_CODE']

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const qrCodeIn = ({ body }: Received) => strict(QrCodeNotification).parse(JSON.parse(body)).qrCode

describe('a payment', () => {
  it('is notified when it is completed, with both signatures, and the log says so', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    const { qrCodeUid, linkId } = await site.make({ tokenizationAccount: undefined })
    const payer = { bankMemberId: '100000000111', phone: '+7 *** ***-**-00' }
    const { paymentUid } = await site.pay(linkId, { payer, dateTime: '2026-11-20T20:11:40+03:00' })
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
    const { linkId } = await site.make()
    await site.pay(linkId, body)
    const [received] = await server.got(1)
    const payment = received && paymentIn(received)
    expect(payment).toMatchObject(expected)
    expect(payment).not.toHaveProperty('qrCodeUid')
  })

  it('that is the second one is notified as not applied', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    const { linkId } = await site.make()
    for (let i = 0; i < 2; i++) await site.pay(linkId)
    const received = await server.got(2)
    expect(received.map((each) => paymentIn(each).notAppliedReason)).toEqual([undefined, 'ALREADY_PAYED'])
  })

  it('that is declined is notified where it changed the QR code, and then the completed one', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    const { linkId } = await site.make()
    await site.pay(linkId, { status: 'DECLINED', reason: 'no funds' }, 'p')
    await site.pay(linkId, {}, 'p')
    await site.pay(linkId, { status: 'DECLINED' }, 'late')
    const received = await server.got(2)
    expect(received.map((each) => paymentIn(each).status)).toMatchObject([
      { value: 'DECLINE', reasonMessage: 'no funds' },
      { value: 'SUCCESS' },
    ])
    expect((await logOf(site)).notifications).toHaveLength(2)
  })

  it('that was declined for another QR code makes one notification of the completed one', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    const [first, second] = [await site.make(), await site.make()]
    await site.pay(first.linkId, { status: 'DECLINED' }, 'p')
    await site.pay(second.linkId, {}, 'p')
    const received = await server.got(2)
    expect(received.map((each) => [paymentIn(each).qrCodeUid, paymentIn(each).status.value])).toEqual([
      [first.qrCodeUid, 'DECLINE'],
      [second.qrCodeUid, 'SUCCESS'],
    ])
    expect((await logOf(site)).notifications).toHaveLength(2)
  })

  it('is notified as it was at its event, whatever happened since', async () => {
    const server = merchantServer()
    const site = freshSite()
    await configure(site, { callbackUrl: callbackUrl() })
    const { linkId } = await site.make()
    await site.pay(linkId, { status: 'DECLINED', reason: 'no funds' }, 'p')
    await site.pay(linkId, { dateTime: '2026-11-20T20:11:40+03:00' }, 'p')
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
    const [cancelled, expired] = [await site.make(), await site.make({ qrCode: { type: 'DYNAMIC', ttl: 1 } })]
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
    const [first, second] = [await site.make(), await site.make()]
    await cancel(site, first.qrCodeUid)
    await site.pay(second.linkId)
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
      const foreign = await freshSite().make()
      const qrCodes = [await site.make(), await site.make(), await site.make()]
      const reports: [string, Record<string, unknown>, string][] = []
      const expected: string[] = []
      const report = async (linkId: string, body: Record<string, unknown>) => {
        const paymentUid = crypto.randomUUID()
        reports.push([linkId, body, paymentUid])
        await site.pay(linkId, body, paymentUid)
      }
      let known = 0
      for (const [name, index] of actions) {
        const { qrCodeUid, linkId } = qrCodes[index] ?? foreign
        if (name === 'create') await site.make({ qrCodeUid })
        if (name === 'cancel') await cancel(site, qrCodeUid)
        if (name === 'complete') await report(linkId, {})
        if (name === 'decline') await report(linkId, { status: 'DECLINED' })
        if (name === 'mismatch') await report(linkId, { amount: { value: 7 } })
        if (name === 'replay' && reports[index]) await site.pay(...reports[index])
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
    const [first, second] = [await site.make(), await site.make()]
    await site.pay(first.linkId)
    expect((await logOf(site)).notifications).toEqual([])
    await configure(site, { callbackUrl: callbackUrl() })
    await site.pay(second.linkId)
    await server.got(1)
    expect((await logOf(site)).notifications).toMatchObject([{ qrCodeUid: second.qrCodeUid }])
  })

  it('that was there before, what is PENDING stays so, and is sent to the next one', async () => {
    const server = merchantServer(
      () => new Response(null, { status: 503, headers: { 'Retry-After': '3600' } }),
    )
    const site = await notifiedSite()
    const { linkId } = await site.make()
    await site.pay(linkId)
    await server.got(1)
    await until(site, { attempts: [{ httpStatus: 503 }] })
    await configure(site, {})
    // The alarm looks at what waits, and sends nothing.
    await runDurableObjectAlarm(site.stub)
    expect((await logOf(site)).notifications).toMatchObject([{ status: 'PENDING', attempts: [{}] }])
    server.answer = () => new Response()
    const newUrl = callbackUrl('/new')
    await configure(site, { callbackUrl: newUrl })
    expect((await server.got(2)).map(({ url }) => url)).toEqual([callbackUrl(), newUrl])
  })
})
