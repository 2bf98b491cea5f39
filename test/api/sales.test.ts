// The sales of a COUNTER code (contract, section 15).
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PaymentsAnswer } from '../../src/contract/payment.ts'
import { SaleAnswer, SalesAnswer } from '../../src/contract/sale.ts'
import { MAX_PURPOSE } from '../../src/contract/text.ts'
import { parseLink } from '../../src/fps/link.ts'
import { freshSite } from '../support/admin.ts'
import { type Call, type Made, qrCodeBody, qrCodeIn } from '../support/client.ts'
import { merchantServer } from '../support/merchant.ts'
import { notifiedSite, pass, paymentIn } from '../support/notified-site.ts'
import { call, errorOf, ORIGIN, serviceWith, siteWith, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

type Site = ReturnType<typeof freshSite>

const NOW = Date.parse('2036-11-20T12:00:00Z')
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString()
const setTime = (seconds: number) => vi.setSystemTime(NOW + seconds * 1000)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const makeCounter = (site: Pick<Site, 'make'>, more: Record<string, unknown> = {}) =>
  site.make({ amount: undefined, ...more }, { type: 'COUNTER' })
const salePath = (uid: string, saleUid: string) => `/sbp/qrCodes/${uid}/sales/${saleUid}`
const put = (site: Site, uid: string, saleUid: string, body: Record<string, unknown> = {}) =>
  site.ask(salePath(uid, saleUid), { method: 'PUT', body: { amount: { value: 5 }, ...body } })
const saleIn = async (response: Response) => {
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return strict(SaleAnswer).parse(await response.json())
}
const arm = async (site: Site, uid: string, saleUid: string, body: Record<string, unknown> = {}) =>
  saleIn(await put(site, uid, saleUid, body))
const saleOf = async (site: Site, uid: string, saleUid: string, more: Call = {}) =>
  saleIn(await site.ask(salePath(uid, saleUid), more))
const cancel = (site: Site, uid: string, saleUid: string) =>
  site.ask(salePath(uid, saleUid), { method: 'DELETE' })

async function counter() {
  const site = freshSite()
  const code: Made = await makeCounter(site)
  return { site, ...code }
}

describe('a COUNTER code', () => {
  it('has a link of type 01 without a sum, and no end', async () => {
    const { answer, linkId } = await counter()
    expect(answer.qrCode).toEqual({
      type: 'COUNTER',
      payload: expect.stringContaining('?type=01&'),
      status: 'CREATED',
    })
    expect(linkId).toMatch(/^AS1R00/)
    expect(parseLink(answer.qrCode.payload)).toMatchObject({ type: 'COUNTER', amount: undefined })
    expect(answer).not.toHaveProperty('expiresOn')
  })

  it.each([
    ['qrCode.ttl', { qrCode: { type: 'COUNTER', ttl: 60 } }],
    ['flags', { flags: ['CREATE_TOKEN'] }],
    ['tokenizationPurpose', { tokenizationPurpose: 'x' }],
    ['tokenizationAccount', { tokenizationAccount: 'x' }],
    ['amount', { amount: { value: 5 } }],
  ])('cannot have %s', async (field, more) => {
    const body = qrCodeBody({ qrCode: { type: 'COUNTER' }, ...more })
    const response = await freshSite().ask('/sbp/qrCodes', { body })
    expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, [field]])
  })

  it('is cancelled with its sale', async () => {
    const { site, qrCodeUid } = await counter()
    await arm(site, qrCodeUid, 's-1')
    const cancelled = await qrCodeIn(await site.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' }))
    expect(cancelled.qrCode.status).toBe('CANCELLED')
    expect((await saleOf(site, qrCodeUid, 's-1')).status).toBe('CANCELLED')
    const response = await put(site, qrCodeUid, 's-2')
    expect([response.status, (await errorOf(response)).description]).toEqual([
      409,
      'the QR code is CANCELLED, must be CREATED to be armed',
    ])
    expect((await site.eventsOf(qrCodeUid)).map(({ type, sale }) => [type, sale?.status])).toEqual([
      ['qrCode.created', undefined],
      ['sale.created', 'ACTIVE'],
      ['sale.cancelled', 'CANCELLED'],
      ['qrCode.cancelled', undefined],
    ])
  })
})

describe('a sale', () => {
  it('is ACTIVE for five minutes, or as long as it says', async () => {
    const { site, qrCodeUid } = await counter()
    expect(await arm(site, qrCodeUid, 's-1', { paymentPurpose: 'Tea' })).toEqual({
      saleUid: 's-1',
      status: 'ACTIVE',
      amount: { value: '5.00', currency: 'RUB' },
      paymentPurpose: 'Tea',
      createdOn: '2036-11-20T15:00:00+03:00',
      expiresOn: '2036-11-20T15:05:00+03:00',
    })
    await cancel(site, qrCodeUid, 's-1')
    expect((await arm(site, qrCodeUid, 's-2', { ttl: 20 })).expiresOn).toBe('2036-11-20T15:20:00+03:00')
  })

  it('is replayed, in any later state, and never armed again', async () => {
    const { site, qrCodeUid } = await counter()
    const first = await arm(site, qrCodeUid, 's-1')
    const again = await put(site, qrCodeUid, 's-1')
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await saleIn(again)).toEqual(first)
    await cancel(site, qrCodeUid, 's-1')
    await arm(site, qrCodeUid, 's-2')
    expect((await arm(site, qrCodeUid, 's-1')).status).toBe('CANCELLED')
    expect((await saleOf(site, qrCodeUid, 's-2')).status).toBe('ACTIVE')
  })

  it.each([
    ['amount.value', { amount: { value: 6 } }],
    ['paymentPurpose', { paymentPurpose: 'Coffee' }],
    ['ttl', { ttl: 10 }],
  ])('with the same identifier and another %s is 409', async (field, more) => {
    const { site, qrCodeUid } = await counter()
    await arm(site, qrCodeUid, 's-1')
    const response = await put(site, qrCodeUid, 's-1', more)
    const { errorCode, cause } = await errorOf(response)
    expect([response.status, errorCode, Object.keys(cause ?? {})]).toEqual([
      409,
      'payin.resource.already.exists',
      [field],
    ])
  })

  it('is not charged to a token', async () => {
    const site = freshSite(serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } }))
    const bound = await site.make({ amount: undefined }, { type: 'TOKEN' })
    await site.bind(bound.linkId)
    const { token } = await site.read(bound.qrCodeUid)
    const { qrCodeUid } = await makeCounter(site)
    await arm(site, qrCodeUid, 's-1')
    const response = await site.ask(`/sbp/qrCodes/${qrCodeUid}/payments`, { body: { token: token?.value } })
    expect([response.status, (await errorOf(response)).description]).toEqual([
      409,
      'the QR code has type COUNTER, must be DYNAMIC to be charged',
    ])
    expect((await saleOf(site, qrCodeUid, 's-1')).status).toBe('ACTIVE')
  })

  it('while another is ACTIVE is 409, which names the one that stands', async () => {
    const { site, qrCodeUid } = await counter()
    await arm(site, qrCodeUid, 's-1')
    const response = await put(site, qrCodeUid, 's-2')
    const { errorCode, cause } = await errorOf(response)
    expect([response.status, errorCode, cause]).toEqual([
      409,
      'payin.incorrect-method-invocation',
      { saleUid: ['s-1'] },
    ])
    expect((await site.ask(salePath(qrCodeUid, 's-2'))).status).toBe(404)
    setTime(300)
    expect((await arm(site, qrCodeUid, 's-2')).status).toBe('ACTIVE')
  })

  it.each([
    ['amount', { amount: undefined }],
    ['amount.value', { amount: { value: 0 } }],
    ['amount.currency', { amount: { value: 5, currency: 'XXX' } }],
    ['ttl', { ttl: 4 }],
    ['ttl', { ttl: 21 }],
    ['paymentPurpose', { paymentPurpose: 'x'.repeat(MAX_PURPOSE + 1) }],
    ['tip', { tip: 1 }],
  ])('is refused for its %s', async (field, more) => {
    const { site, qrCodeUid } = await counter()
    const response = await put(site, qrCodeUid, 's-1', more)
    expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, [field]])
  })

  it.each(['', 'a b', 'x'.repeat(65), 'ж'])('has no identifier like %j', async (saleUid) => {
    const { site, qrCodeUid } = await counter()
    expect([400, 404]).toContain((await put(site, qrCodeUid, encodeURIComponent(saleUid))).status)
  })

  it.each(['DYNAMIC', 'STATIC'])('is not for %s codes', async (type) => {
    const site = freshSite()
    const { qrCodeUid } = await site.make({}, { type })
    const response = await put(site, qrCodeUid, 's-1')
    expect([response.status, (await errorOf(response)).description]).toEqual([
      409,
      `the QR code has type ${type}, must be COUNTER to have sales`,
    ])
    expect((await site.ask(salePath(qrCodeUid, 's-1'))).status).toBe(404)
  })

  it('is for codes that exist', async () => {
    const site = freshSite()
    expect((await put(site, 'missing', 's-1')).status).toBe(404)
    expect((await site.ask('/sbp/qrCodes/missing/sales')).status).toBe(404)
  })

  it('expires by the clock, recorded by the alarm with the time of its end, and the ETag stays', async () => {
    const { site, qrCodeUid } = await counter()
    await arm(site, qrCodeUid, 's-1')
    const alarm = () => runInDurableObject(site.stub, (_, { storage }) => storage.getAlarm())
    expect(await alarm()).toBe(NOW + 300_000)
    setTime(299)
    expect((await saleOf(site, qrCodeUid, 's-1')).status).toBe('ACTIVE')
    setTime(400)
    const late = await site.ask(salePath(qrCodeUid, 's-1'))
    expect((await saleIn(late.clone())).status).toBe('EXPIRED')
    const code = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    expect(await runDurableObjectAlarm(site.stub)).toBe(true)
    const recorded = await site.ask(salePath(qrCodeUid, 's-1'))
    expect(recorded.headers.get('ETag')).toBe(late.headers.get('ETag'))
    const after = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    expect(after.headers.get('ETag')).toBe(code.headers.get('ETag'))
    expect((await site.eventsOf(qrCodeUid)).at(-1)).toMatchObject({
      type: 'sale.expired',
      dateTime: '2036-11-20T15:05:00+03:00',
      by: { actor: 'clock' },
      sale: { saleUid: 's-1', status: 'EXPIRED', amount: { value: '5.00' } },
    })
    expect(await alarm()).toBeNull()
  })

  it('is cancelled while it is ACTIVE; again the same; later 409', async () => {
    const { site, qrCodeUid, linkId } = await counter()
    await arm(site, qrCodeUid, 's-1')
    expect((await saleIn(await cancel(site, qrCodeUid, 's-1'))).status).toBe('CANCELLED')
    expect((await saleIn(await cancel(site, qrCodeUid, 's-1'))).status).toBe('CANCELLED')
    await arm(site, qrCodeUid, 's-2')
    await site.report(linkId, 'p-1', { saleUid: 's-2' })
    await arm(site, qrCodeUid, 's-3')
    setTime(300)
    for (const [saleUid, status] of [
      ['s-2', 'PAYED'],
      ['s-3', 'EXPIRED'],
    ] as const) {
      const response = await cancel(site, qrCodeUid, saleUid)
      expect([response.status, (await errorOf(response)).description]).toEqual([
        409,
        `the sale is ${status}, must be ACTIVE to be cancelled`,
      ])
    }
    expect((await cancel(site, qrCodeUid, 'missing')).status).toBe(404)
  })

  it('is listed newest first, in pages', async () => {
    const { site, qrCodeUid } = await counter()
    for (const saleUid of ['s-1', 's-2', 's-3']) {
      await arm(site, qrCodeUid, saleUid)
      await cancel(site, qrCodeUid, saleUid)
    }
    const page = async (query: string) =>
      strict(SalesAnswer).parse(await (await site.ask(`/sbp/qrCodes/${qrCodeUid}/sales${query}`)).json())
    const first = await page('?limit=2')
    expect(first.sales.map(({ saleUid }) => saleUid)).toEqual(['s-3', 's-2'])
    const second = await page(`?limit=2&cursor=${first.nextCursor}`)
    expect([second.sales.map(({ saleUid }) => saleUid), second.nextCursor]).toEqual([['s-1'], undefined])
  })

  it('of 50 tills at once is armed once; the others learn of it', async () => {
    const { site, qrCodeUid } = await counter()
    const tills = await Promise.all(
      Array.from({ length: 50 }, (_, till) => put(site, qrCodeUid, `till-${till}`)),
    )
    const won = tills.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    const [winner] = await Promise.all(won.map(saleIn))
    for (const till of tills.filter(({ status }) => status !== 200)) {
      expect([till.status, (await errorOf(till)).cause]).toEqual([409, { saleUid: [winner?.saleUid] }])
    }
  })
})

describe('a long poll of a sale', () => {
  it('ends when the sale is paid, and not by another change of its code', async () => {
    const { site, qrCodeUid, linkId } = await counter()
    await arm(site, qrCodeUid, 's-0')
    await cancel(site, qrCodeUid, 's-0')
    await arm(site, qrCodeUid, 's-1')
    const known = await site.ask(salePath(qrCodeUid, 's-1'))
    const waiting = site.ask(salePath(qrCodeUid, 's-1'), {
      headers: { 'If-None-Match': known.headers.get('ETag') ?? '', Prefer: 'wait=60' },
    })
    await site.report(linkId, 'late', { saleUid: 's-0' })
    await site.report(linkId, 'p-1', { saleUid: 's-1' })
    const ended = await waiting
    expect(ended.headers.get('Preference-Applied')).toBe('wait=60')
    expect(await saleIn(ended)).toMatchObject({ status: 'PAYED', payment: { paymentUid: 'p-1' } })
  })

  it('ends when the client disconnects', async () => {
    const { site, qrCodeUid } = await counter()
    await arm(site, qrCodeUid, 's-1')
    let polls = 0
    const service = serviceWith({
      site: () =>
        siteWith({
          sale: (...asked) => site.stub.sale(...asked),
          longPollSale(...asked) {
            polls++
            return site.stub.longPollSale(...asked)
          },
          stopListening: (id) => site.stub.stopListening(id),
        }),
    })
    const client = new AbortController()
    const headers = { Authorization: `Bearer ${await tokenOf({ sub: site.siteId })}`, Prefer: 'wait=60' }
    const url = `${ORIGIN}${site.path}${salePath(qrCodeUid, 's-1')}`
    const lost = Promise.resolve(service(new Request(url, { headers, signal: client.signal })))
    await vi.waitFor(() => expect(polls).toBe(1), 20_000)
    client.abort()
    // Sooner than its call would end by itself.
    const late = scheduler.wait(7000).then(() => 'late')
    expect(await Promise.race([lost.then(({ status }) => status), late])).toBe(200)
  })

  it('does not wait for a sale that has ended', async () => {
    const { site, qrCodeUid } = await counter()
    await arm(site, qrCodeUid, 's-1')
    await cancel(site, qrCodeUid, 's-1')
    const response = await site.ask(salePath(qrCodeUid, 's-1'), { headers: { Prefer: 'wait=60' } })
    expect([response.status, response.headers.get('Preference-Applied')]).toEqual([200, null])
  })
})

describe('a payment of a COUNTER code', () => {
  /** s-1 for 5.00 from 0 s on; cancelled or not; s-2 for 7.00 from 400 s on. */
  async function twoSales() {
    const code = await counter()
    await arm(code.site, code.qrCodeUid, 's-1')
    setTime(400)
    await arm(code.site, code.qrCodeUid, 's-2', { amount: { value: 7 } })
    setTime(500)
    return code
  }

  it.each<[string, Record<string, unknown>, string | undefined, string | undefined]>([
    ['the sale that it names', { saleUid: 's-2', amount: { value: 7 } }, 's-2', undefined],
    ['a sale that has expired, which it names', { saleUid: 's-1' }, 's-1', undefined],
    ['another amount than that of the sale', { saleUid: 's-2' }, 's-2', 'AMOUNT_MISMATCH'],
    ['a sale that does not exist', { saleUid: 's-9' }, undefined, 'NOT_PAYABLE'],
    ['the sale of its time', { dateTime: at(400), amount: { value: 7 } }, 's-2', undefined],
    ['the first second of an earlier sale', { dateTime: at(0) }, 's-1', undefined],
    ['the last second of an earlier sale', { dateTime: at(299) }, 's-1', undefined],
    ['the end of an earlier sale', { dateTime: at(300) }, undefined, 'NOT_PAYABLE'],
    ['a time before all sales', { dateTime: at(-1) }, undefined, 'NOT_PAYABLE'],
    ['yesterday’s amount at the time of today’s sale', { dateTime: at(450) }, 's-2', 'AMOUNT_MISMATCH'],
    ['neither a sale nor a time', {}, undefined, 'NOT_PAYABLE'],
  ])('for %s', async (_, report, saleUid, notAppliedReason) => {
    const { site, qrCodeUid, linkId } = await twoSales()
    const { status, paymentUid } = await site.pay(linkId, report)
    expect(status).toBe(200)
    const payment = await site.paymentOf(paymentUid)
    expect([payment.applied, payment.notAppliedReason, payment.saleUid]).toEqual([
      !notAppliedReason,
      notAppliedReason,
      saleUid,
    ])
    const code = await site.read(qrCodeUid)
    expect(code.qrCode.status).toBe('CREATED')
    expect(code.lastPayment).toEqual(
      notAppliedReason ? undefined : expect.objectContaining({ paymentUid, saleUid }),
    )
    if (saleUid && !notAppliedReason) {
      expect(await saleOf(site, qrCodeUid, saleUid)).toMatchObject({
        status: 'PAYED',
        payment: { paymentUid, paymentStatus: 'COMPLETED' },
      })
    }
    const event = (await site.eventsOf(qrCodeUid)).at(-1)
    expect(event).toMatchObject({ type: 'payment.completed', status: 'CREATED', payment: { paymentUid } })
    expect(event?.payment?.saleUid).toBe(saleUid)
  })

  it('of a sale that was cancelled while the payer confirmed makes it PAYED', async () => {
    const { site, qrCodeUid, linkId } = await counter()
    await arm(site, qrCodeUid, 's-1')
    setTime(10)
    await cancel(site, qrCodeUid, 's-1')
    await arm(site, qrCodeUid, 's-2')
    expect((await site.report(linkId, 'p-1', { dateTime: at(5) })).status).toBe(200)
    expect((await saleOf(site, qrCodeUid, 's-1')).status).toBe('PAYED')
    expect((await saleOf(site, qrCodeUid, 's-2')).status).toBe('ACTIVE')
  })

  it('that is the second one of a sale is not applied', async () => {
    const { site, qrCodeUid, linkId } = await counter()
    await arm(site, qrCodeUid, 's-1')
    await site.report(linkId, 'p-1', { saleUid: 's-1' })
    await site.report(linkId, 'p-2', { saleUid: 's-1' })
    expect(await site.paymentOf('p-2')).toMatchObject({
      applied: false,
      notAppliedReason: 'ALREADY_PAYED',
      saleUid: 's-1',
    })
    expect((await saleOf(site, qrCodeUid, 's-1')).payment?.paymentUid).toBe('p-1')
    expect((await arm(site, qrCodeUid, 's-2')).status).toBe('ACTIVE')
  })

  it('that was declined leaves the sale ACTIVE', async () => {
    const { site, qrCodeUid, linkId } = await counter()
    await arm(site, qrCodeUid, 's-1')
    const before = await site.ask(salePath(qrCodeUid, 's-1'))
    await site.report(linkId, 'p-1', { saleUid: 's-1', status: 'DECLINED' })
    const after = await site.ask(salePath(qrCodeUid, 's-1'))
    expect(after.headers.get('ETag')).toBe(before.headers.get('ETag'))
    expect(await site.paymentOf('p-1')).toMatchObject({ applied: false, saleUid: 's-1' })
    await site.report(linkId, 'p-1', { saleUid: 's-1' })
    expect((await saleOf(site, qrCodeUid, 's-1')).status).toBe('PAYED')
  })

  it('is notified with its sale, applied or not', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    const { qrCodeUid, linkId } = await makeCounter(site)
    await arm(site, qrCodeUid, 's-1')
    await site.pay(linkId, { saleUid: 's-1', status: 'DECLINED' })
    await site.pay(linkId, { saleUid: 's-1', amount: { value: 6 } })
    await site.pay(linkId, { saleUid: 's-1' })
    await site.pay(linkId, { saleUid: 's-1' })
    await site.pay(linkId, { saleUid: 's-9' })
    await pass(site, 1000)
    const received = (await server.got(4)).map(paymentIn)
    const shown = received.map(({ applied, notAppliedReason, ...payment }) => [
      notAppliedReason ?? applied,
      payment.qrCodeUid,
      payment.saleUid,
    ])
    // None of the declined one: it changed nothing.
    expect(shown).toEqual([
      ['AMOUNT_MISMATCH', undefined, 's-1'],
      [true, qrCodeUid, 's-1'],
      ['ALREADY_PAYED', undefined, 's-1'],
      ['NOT_PAYABLE', undefined, undefined],
    ])
  })

  it('that is refunded changes its sale, alone and in the list; a long poll ends', async () => {
    const site = freshSite()
    const { qrCodeUid, linkId } = await makeCounter(site)
    await arm(site, qrCodeUid, 's-1')
    await site.report(linkId, 'p-1', { saleUid: 's-1' })
    await site.report(linkId, 'p-2', { saleUid: 's-1' })
    // The sale shows its payment alone, and what was returned of it.
    const before = await site.ask(salePath(qrCodeUid, 's-1'))
    await site.reportRefund('p-2', 'r-0', { status: 'COMPLETED', amount: { value: 5 } })
    const paid = await site.ask(salePath(qrCodeUid, 's-1'))
    expect(paid.headers.get('ETag')).toBe(before.headers.get('ETag'))
    expect((await saleIn(paid.clone())).payment).not.toHaveProperty('refundedAmount')
    const waiting = site.ask(salePath(qrCodeUid, 's-1'), {
      headers: { 'If-None-Match': paid.headers.get('ETag') ?? '', Prefer: 'wait=60' },
    })
    await site.reportRefund('p-1', 'r-1', { status: 'COMPLETED', amount: { value: 1.5 } })
    const ended = await waiting
    expect(ended.headers.get('Preference-Applied')).toBe('wait=60')
    const sale = await saleIn(ended)
    expect(sale.payment?.refundedAmount).toEqual({ value: '1.50', currency: 'RUB' })
    const listed = await site.ask(`/sbp/qrCodes/${qrCodeUid}/sales`)
    expect(strict(SalesAnswer).parse(await listed.json()).sales).toEqual([sale])
    // That of the code is one of many.
    expect((await site.read(qrCodeUid)).lastPayment).not.toHaveProperty('refundedAmount')
  })

  it('is refunded by the payment', async () => {
    const site = freshSite(serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } }))
    const { qrCodeUid, linkId } = await makeCounter(site)
    await arm(site, qrCodeUid, 's-1')
    await site.report(linkId, 'p-1', { saleUid: 's-1' })
    expect((await site.refund('p-1', 5)).status).toBe(200)
    const older = await site.ask(`/sbp/qrCodes/${qrCodeUid}/refunds/r-1`, {
      method: 'PUT',
      body: { amount: { value: 1 } },
    })
    expect(older.status).toBe(409)
    expect((await saleOf(site, qrCodeUid, 's-1')).status).toBe('PAYED')
  })
})

it('the sandbox pays the ACTIVE sale with its amount', async () => {
  const sandbox = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } })
  const site = freshSite(sandbox)
  const { qrCodeUid } = await makeCounter(site)
  await arm(site, qrCodeUid, 's-1', { amount: { value: 12.34 } })
  const pay = async (body: object) =>
    call(
      `/sandbox/v1/sites/${site.siteId}/qrCodes/${qrCodeUid}/payments`,
      { body, token: await tokenOf({ sub: site.siteId }) },
      sandbox,
    )
  expect((await qrCodeIn(await pay({}))).lastPayment).toMatchObject({
    saleUid: 's-1',
    amount: { value: '12.34' },
  })
  expect((await saleOf(site, qrCodeUid, 's-1')).status).toBe('PAYED')
  expect((await pay({})).status).toBe(400)
  expect((await pay({ amount: { value: 1 } })).status).toBe(200)
  const { payments } = PaymentsAnswer.parse(
    await (await site.ask(`/sbp/qrCodes/${qrCodeUid}/payments`)).json(),
  )
  expect(payments.at(-1)).toMatchObject({ applied: false, notAppliedReason: 'NOT_PAYABLE' })
})
