// Refunds over HTTP: what the merchant requests and what the network reports (contract, section 8).

import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PaymentAnswer } from '../../src/contract/payment.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { makeLinkId } from '../../src/fps/link-id.ts'
import { notificationSignature } from '../../src/gateway/signatures.ts'
import { RefundNotification } from '../../src/openapi/notification-bodies.ts'
import { callbackUrl, configure, logOf, makeKey, merchantServer, reportTo } from '../support/merchant.ts'
import { type RefundingSite, refundIn, refundingSite } from '../support/refunds.ts'
import { call, errorOf, serviceWith, siteThat, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const SECONDS = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+03:00$/)

/** What must not change where a request is refused. */
const snapshot = async (site: RefundingSite, paymentUid: string) => [
  await site.feed(),
  await site.refundsOf(paymentUid),
  await site.paymentOf(paymentUid),
]

/** The error of a request that is refused and changes nothing. */
async function refusal(site: RefundingSite, paymentUid: string, request: () => Promise<Response>) {
  const before = await snapshot(site, paymentUid)
  const response = await request()
  const { errorCode, description, cause } = await errorOf(response)
  expect(await snapshot(site, paymentUid)).toEqual(before)
  return { status: response.status, errorCode, description, cause }
}

describe('a refund', () => {
  it('is WAITING until the network has carried it out, and shows everywhere', async () => {
    const site = refundingSite()
    const { paymentUid, qrCodeUid } = await site.paid()
    const before = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    const response = await site.refund(paymentUid, 2.5, 'r-1', { comment: 'Одна чашка разбита' })
    expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([200, null])
    const refund = await refundIn(response)
    expect(refund).toEqual({
      refundId: 'r-1',
      paymentId: paymentUid,
      createdDateTime: SECONDS,
      amount: { value: '2.50', currency: 'RUB' },
      comment: 'Одна чашка разбита',
      status: { value: 'WAITING', changedDateTime: refund.createdDateTime },
      flags: ['REFUND'],
    })
    expect(await site.refundOf(paymentUid, 'r-1')).toEqual(refund)
    expect(await site.refundsOf(paymentUid)).toEqual([refund])
    expect((await site.paymentOf(paymentUid)).refundedAmount).toEqual({ value: '0.00', currency: 'RUB' })
    const after = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'))
    expect(QrCodeAnswer.parse(await after.json()).refunds).toEqual([
      { refundUid: 'r-1', refundStatus: 'WAITING' },
    ])
    expect((await site.feed()).at(-1)).toMatchObject({
      type: 'refund.waiting',
      by: { actor: 'merchant', keyId: 'admin' },
      qrCodeUid,
      status: 'PAYED',
      refund: { refundUid: 'r-1', paymentUid, status: 'WAITING', amount: { value: '2.50', currency: 'RUB' } },
    })
  })

  it('that the network completes counts as refunded', async () => {
    const site = refundingSite()
    const { paymentUid, qrCodeUid } = await site.paid()
    await site.refund(paymentUid, 2, 'r-1')
    const before = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    const reported = await refundIn(await site.reportRefund(paymentUid, 'r-1', { status: 'COMPLETED' }))
    expect(reported.status).toEqual({ value: 'COMPLETED', changedDateTime: SECONDS })
    expect(await site.refundOf(paymentUid, 'r-1')).toEqual(reported)
    const payment = await site.paymentOf(paymentUid)
    expect(payment.refundedAmount).toEqual({ value: '2.00', currency: 'RUB' })
    expect(payment).not.toHaveProperty('overRefunded')
    const after = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'))
    expect(QrCodeAnswer.parse(await after.json())).toMatchObject({
      qrCode: { status: 'PAYED' },
      refunds: [{ refundUid: 'r-1', refundStatus: 'COMPLETED' }],
    })
    const event = (await site.feed()).at(-1)
    expect(event).toMatchObject({
      type: 'refund.completed',
      by: { actor: 'network', keyId: 'test' },
      qrCodeUid,
    })
    expect(event?.refund).toEqual({
      refundUid: 'r-1',
      paymentUid,
      status: 'COMPLETED',
      amount: { value: '2.00', currency: 'RUB' },
    })
  })

  it('that the network declines says why, and frees its amount', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 5, 'r-1')
    const body = { status: 'DECLINED', reason: 'the account is closed', unknown: 1 }
    const { status } = await refundIn(await site.reportRefund(paymentUid, 'r-1', body))
    expect(status).toMatchObject({ value: 'DECLINED', reason: 'the account is closed' })
    expect((await site.feed()).at(-1)).toMatchObject({
      type: 'refund.declined',
      refund: { status: 'DECLINED' },
    })
    expect((await site.refund(paymentUid, 5, 'r-2')).status).toBe(200)
  })

  it('ends a long poll on its QR code, as every change of it does', async () => {
    const site = refundingSite()
    const { paymentUid, qrCodeUid } = await site.paid()
    const arrived = Promise.withResolvers<void>()
    const polled = serviceWith({
      site: () => ({
        ...siteThat(() => Promise.reject(new Error('no other operation is expected'))),
        longPoll(...poll) {
          arrived.resolve()
          return site.stub.longPoll(...poll)
        },
      }),
    })
    const etag = (await site.ask(`/sbp/qrCodes/${qrCodeUid}`)).headers.get('ETag') ?? ''
    const headers = { 'If-None-Match': etag, Prefer: 'wait=60' }
    const poll = site.ask(`/sbp/qrCodes/${qrCodeUid}`, { headers }, polled)
    await arrived.promise
    await site.refund(paymentUid, 1, 'r-1')
    const response = await poll
    expect([response.status, response.headers.get('Preference-Applied')]).toEqual([200, 'wait=60'])
    expect(QrCodeAnswer.parse(await response.json()).refunds).toHaveLength(1)
  })

  it('of a payment that the QR code did not take leaves the QR code as it is', async () => {
    const site = refundingSite()
    const { qrCodeUid, linkId, paymentUid } = await site.paid()
    const second = await reportTo(site, linkId)
    const before = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    await site.refund(second.paymentUid, 5, 'r-1')
    const after = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    expect(after.headers.get('ETag')).toBe(before.headers.get('ETag'))
    expect(await site.refundsOf(paymentUid)).toEqual([])
    expect((await site.feed()).at(-1)).toMatchObject({ type: 'refund.waiting', qrCodeUid, status: 'PAYED' })
  })
})

describe('the sum of refunds', () => {
  it('may be the payment, to the kopeck, and no more', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 1.99, 'r-1')
    await site.refund(paymentUid, 3, 'r-2')
    await site.reportRefund(paymentUid, 'r-2', { status: 'COMPLETED' })
    expect(await refusal(site, paymentUid, () => site.refund(paymentUid, 0.02, 'r-3'))).toEqual({
      status: 400,
      errorCode: 'validation.error',
      description: 'amount.value is 0.02, must be at most 0.01, which is left of the payment',
      cause: { 'amount.value': ['is 0.02, must be at most 0.01, which is left of the payment'] },
    })
    expect((await site.refund(paymentUid, 0.01, 'r-3')).status).toBe(200)
    expect((await refusal(site, paymentUid, () => site.refund(paymentUid, 0.01, 'r-4'))).description).toBe(
      'amount.value is 0.01, but nothing is left of the payment',
    )
    expect((await site.refundsOf(paymentUid)).map(({ refundId }) => refundId)).toEqual(['r-1', 'r-2', 'r-3'])
    expect((await site.paymentOf(paymentUid)).refundedAmount.value).toBe('3.00')
  })

  it('is exact where 100 refunds are requested at once', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid({ amount: { value: 5 } })
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, n) => site.refund(paymentUid, 0.07 + (n % 5) / 100, `r-${n}`)),
    )
    const refunds = await site.refundsOf(paymentUid)
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(refunds.length)
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(100 - refunds.length)
    const accepted = refunds.reduce((sum, { amount }) => sum + Math.round(Number(amount.value) * 100), 0)
    expect(accepted).toBeLessThanOrEqual(500)
    // What was refused did not fit: not even the smallest of them would.
    expect(accepted).toBeGreaterThan(500 - 11)
    const { description } = await refusal(site, paymentUid, () => site.refund(paymentUid, 5, 'last'))
    const left = ((500 - accepted) / 100).toFixed(2)
    expect(description).toContain(accepted === 500 ? 'nothing is left' : `at most ${left}`)
  })

  it('exceeds the payment only where the network completes what it had declined', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 5, 'r-1')
    await site.reportRefund(paymentUid, 'r-1', { status: 'DECLINED' })
    await site.refund(paymentUid, 4, 'r-2')
    await site.reportRefund(paymentUid, 'r-2', { status: 'COMPLETED' })
    expect((await site.feed()).at(-1)?.refund).not.toHaveProperty('overRefunded')
    const late = await refundIn(await site.reportRefund(paymentUid, 'r-1', { status: 'COMPLETED' }))
    expect(late.status.value).toBe('COMPLETED')
    expect((await site.feed()).at(-1)).toMatchObject({
      type: 'refund.completed',
      refund: { refundUid: 'r-1', overRefunded: true },
    })
    expect(await site.paymentOf(paymentUid)).toMatchObject({
      refundedAmount: { value: '9.00' },
      overRefunded: true,
    })
    const { errorCode } = await refusal(site, paymentUid, () => site.refund(paymentUid, 0.01))
    expect(errorCode).toBe('validation.error')
  })
})

describe('the same request again', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['equal', { comment: 'a' }, { comment: 'a' }],
    ['with the currency of the payment', {}, { amount: { value: '2.00', currency: 'RUB' } }],
    ['with null for what is absent', {}, { comment: null }],
  ])('%s: 200, Idempotent-Replayed, and nothing changes', async (_, first, again) => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    const refund = await refundIn(await site.refund(paymentUid, 2, 'r-1', first))
    const before = await snapshot(site, paymentUid)
    const response = await site.refund(paymentUid, 2, 'r-1', again)
    expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect(await refundIn(response)).toEqual(refund)
    expect(await snapshot(site, paymentUid)).toEqual(before)
  })

  it.each<[string, unknown, Record<string, unknown>]>([
    ['amount.value', 3, { comment: 'a' }],
    ['amount.currency', 2, { comment: 'a', amount: { value: 2, currency: 'USD' } }],
    ['comment', 2, { comment: 'b' }],
    ['comment', 2, {}],
  ])('with another %s: 409 that names it', async (field, value, more) => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 2, 'r-1', { comment: 'a' })
    const error = await refusal(site, paymentUid, () => site.refund(paymentUid, value, 'r-1', more))
    expect(error).toMatchObject({ status: 409, errorCode: 'payin.resource.already.exists' })
    expect(Object.keys(error.cause ?? {})).toEqual([field])
  })

  it('is answered when nothing is left, when it is declined, and where the network takes no instructions', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 5, 'r-1')
    const replay = async (fetch?: Parameters<typeof site.refund>[4]) =>
      (await site.refund(paymentUid, 5, 'r-1', {}, fetch)).headers.get('Idempotent-Replayed')
    expect(await replay()).toBe('true')
    await site.reportRefund(paymentUid, 'r-1', { status: 'DECLINED' })
    expect(await replay()).toBe('true')
    expect(await replay(serviceWith({}))).toBe('true')
    expect(await replay(serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } }))).toBe('true')
  })
})

describe('the older address', () => {
  it('refunds the payment that the QR code took, and answers the QR code', async () => {
    const site = refundingSite()
    const { paymentUid, qrCodeUid, linkId } = await site.paid()
    await reportTo(site, linkId)
    const options = { method: 'PUT', body: { amount: { value: 1 } } }
    const response = await site.ask(`/sbp/qrCodes/${qrCodeUid}/refunds/r-1`, options)
    const answer = strict(QrCodeAnswer).parse(await response.json())
    expect(answer).toMatchObject({ qrCodeUid, refunds: [{ refundUid: 'r-1', refundStatus: 'WAITING' }] })
    expect(await site.qrCodeOf(qrCodeUid)).toEqual(answer)
    expect((await site.refundOf(paymentUid, 'r-1')).amount.value).toBe('1.00')
    for (const below of [`/sbp/qrCodes/${qrCodeUid}/refunds/r-1`, `/payments/${paymentUid}/refunds/r-1`]) {
      expect((await site.ask(below, options)).headers.get('Idempotent-Replayed')).toBe('true')
    }
  })

  it('lists the refunds in the order of their requests', async () => {
    const site = refundingSite()
    const { qrCodeUid, paymentUid } = await site.paid()
    const uids = ['z', 'a', 'm']
    for (const uid of uids) await site.refund(paymentUid, 1, uid)
    await site.reportRefund(paymentUid, 'm', { status: 'COMPLETED' })
    const { refunds } = await site.qrCodeOf(qrCodeUid)
    expect(refunds?.map(({ refundUid }) => refundUid)).toEqual(uids)
  })

  it('has nothing to refund before a payment: 409; of an unknown QR code: 404', async () => {
    const site = refundingSite()
    await site.paid()
    const options = { method: 'PUT', body: { amount: { value: 1 } } }
    const { qrCodeUid, linkId } = await site.unpaid()
    const at = (uid: string) => site.ask(`/sbp/qrCodes/${uid}/refunds/r-1`, options)
    expect(await errorOf(await at(qrCodeUid))).toMatchObject({
      errorCode: 'payin.incorrect-method-invocation',
      description: 'the QR code has no payment',
    })
    await reportTo(site, linkId, { status: 'DECLINED' })
    expect((await errorOf(await at(qrCodeUid))).description).toBe(
      'the payment is DECLINED, must be COMPLETED',
    )
    expect((await at('unknown')).status).toBe(404)
  })
})

describe('a completed payment can be refunded where the QR code did not take it', () => {
  it.each<[string, (site: RefundingSite) => Promise<string>]>([
    ['AMOUNT_MISMATCH', async (site) => (await site.paid({ amount: { value: 4 } })).paymentUid],
    [
      'ALREADY_PAYED',
      async (site) => (await reportTo(site, (await site.paid()).linkId, { amount: { value: 4 } })).paymentUid,
    ],
    [
      'NOT_PAYABLE',
      async (site) => (await site.paid({ amount: { value: 4 } }, { qrCode: { type: 'TOKEN' } })).paymentUid,
    ],
    [
      'UNKNOWN_QR_CODE',
      async (site) => {
        await site.paid()
        const random = crypto.getRandomValues(new Uint8Array(7))
        const linkId = makeLinkId(env.TOKEN_SECRET, site.siteId, 'AD1000', Date.now(), random)
        return (await reportTo(site, linkId, { amount: { value: 4 } })).paymentUid
      },
    ],
  ])('%s', async (reason, pay) => {
    const site = refundingSite()
    const paymentUid = await pay(site)
    expect((await site.paymentOf(paymentUid)).notAppliedReason).toBe(reason)
    expect((await site.refund(paymentUid, 4, 'r-1')).status).toBe(200)
    await site.reportRefund(paymentUid, 'r-1', { status: 'COMPLETED' })
    expect((await site.paymentOf(paymentUid)).refundedAmount.value).toBe('4.00')
  })

  it('in its own currency, which need not be the deployment’s', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid({ amount: { value: 5, currency: 'USD' } })
    const { description } = await refusal(site, paymentUid, () =>
      site.refund(paymentUid, 0, 'r-0', { amount: { value: 1, currency: 'RUB' } }),
    )
    expect(description).toBe('amount.currency is "RUB", must be USD, as of the payment')
    for (const amount of [{ value: 1 }, { value: 1, currency: 'USD' }]) {
      const refund = await refundIn(await site.refund(paymentUid, 0, crypto.randomUUID(), { amount }))
      expect(refund.amount).toEqual({ value: '1.00', currency: 'USD' })
    }
  })
})

describe('a request is refused, and changes nothing,', () => {
  it.each<[Record<string, unknown>, string[]]>([
    [{ amount: { value: 0 } }, ['amount.value']],
    [{ amount: { value: -1 } }, ['amount.value']],
    [{ amount: { value: 1.005 } }, ['amount.value']],
    [{ amount: { value: '1,00' } }, ['amount.value']],
    [{ amount: { value: 1, currency: 'rub' } }, ['amount.currency']],
    [{ amount: { value: 1, cur: 'RUB' } }, ['amount.cur']],
    [{ amount: null }, ['amount']],
    [{ amount: { value: 1 }, comment: 'x'.repeat(256) }, ['comment']],
    [{ amount: { value: 1 }, coment: 'x' }, ['coment']],
    [{}, ['amount']],
  ])('with %j: 400 that names the field', async (body, fields) => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    const error = await refusal(site, paymentUid, () =>
      site.ask(`/payments/${paymentUid}/refunds/r-1`, { method: 'PUT', body }),
    )
    expect([error.status, error.errorCode]).toEqual([400, 'validation.error'])
    expect(Object.keys(error.cause ?? {})).toEqual(fields)
  })

  it.each(['x'.repeat(65), 'a b', 'ж', 'a/b'])('with the refundId %j: 400', async (refundUid) => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    const error = await refusal(site, paymentUid, () =>
      site.refund(paymentUid, 1, encodeURIComponent(refundUid)),
    )
    expect(error.status).toBe(400)
    expect(Object.keys(error.cause ?? {})).toEqual(['refundId'])
  })

  it('of a payment that was declined: 409; of an unknown one: 404', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid({ status: 'DECLINED' })
    expect(await refusal(site, paymentUid, () => site.refund(paymentUid, 1))).toMatchObject({
      status: 409,
      errorCode: 'payin.incorrect-method-invocation',
      description: 'the payment is DECLINED, must be COMPLETED',
    })
    expect(await refusal(site, paymentUid, () => site.refund('unknown', 1))).toMatchObject({
      status: 404,
      description: 'there is no such payment',
    })
  })

  it('after 100 refunds of the payment, declined ones included: 409', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    for (let n = 0; n < 100; n++) {
      await site.refund(paymentUid, 0.01, `r-${n}`)
      if (n % 2) await site.reportRefund(paymentUid, `r-${n}`, { status: 'DECLINED' })
    }
    expect(await refusal(site, paymentUid, () => site.refund(paymentUid, 0.01, 'r-100'))).toMatchObject({
      status: 409,
      errorCode: 'payin.incorrect-method-invocation',
    })
    expect((await site.refund(paymentUid, 0.01, 'r-99')).headers.get('Idempotent-Replayed')).toBe('true')
  })

  it('where the deployment has no connector: 503 network.not.connected', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    const error = await refusal(site, paymentUid, () =>
      site.refund(paymentUid, 1, 'r-1', {}, serviceWith({})),
    )
    expect([error.status, error.errorCode]).toEqual([503, 'network.not.connected'])
  })

  it('where the payment is of the sandbox and the network is another by now: 409 network.changed, and the reverse', async () => {
    const sandbox = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } })
    const site = refundingSite()
    const { qrCodeUid } = await site.unpaid()
    const token = await tokenOf({ sub: site.siteId })
    const made = await call(
      `/sandbox/v1/sites/${site.siteId}/qrCodes/${qrCodeUid}/payments`,
      { body: {}, token },
      sandbox,
    )
    const madeUp = QrCodeAnswer.parse(await made.json()).payment?.paymentUid ?? ''
    const { paymentUid } = await site.paid()
    for (const [uid, fetch] of [
      [madeUp, undefined],
      [paymentUid, sandbox],
    ] as const) {
      const error = await refusal(site, uid, () => site.refund(uid, 1, 'r-1', {}, fetch))
      expect([error.status, error.errorCode]).toEqual([409, 'network.changed'])
    }
  })
})

describe('the network’s report', () => {
  it.each(['COMPLETED', 'DECLINED'])('%s again: Idempotent-Replayed, and nothing changes', async (status) => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 5, 'r-1')
    const first = await site.reportRefund(paymentUid, 'r-1', { status, reason: 'a' })
    expect(first.headers.get('Idempotent-Replayed')).toBeNull()
    const before = await snapshot(site, paymentUid)
    const again = await site.reportRefund(paymentUid, 'r-1', { status, reason: 'b' })
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await again.text()).toBe(await first.text())
    expect(await snapshot(site, paymentUid)).toEqual(before)
  })

  it('DECLINED after COMPLETED: 409, because what is completed is final', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 5, 'r-1')
    await site.reportRefund(paymentUid, 'r-1', { status: 'COMPLETED' })
    expect(
      await refusal(site, paymentUid, () => site.reportRefund(paymentUid, 'r-1', { status: 'DECLINED' })),
    ).toMatchObject({ status: 409, errorCode: 'payin.resource.already.exists' })
  })

  it('of a refund that nobody requested: 404; in another status than these two: 400', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    for (const [payment, refund] of [
      [paymentUid, 'unknown'],
      ['unknown', 'r-1'],
    ] as const) {
      const error = await refusal(site, paymentUid, () =>
        site.reportRefund(payment, refund, { status: 'COMPLETED' }),
      )
      expect(error.status).toBe(404)
    }
    await site.refund(paymentUid, 5, 'r-1')
    for (const status of ['WAITING', undefined]) {
      const error = await refusal(site, paymentUid, () => site.reportRefund(paymentUid, 'r-1', { status }))
      expect(Object.keys(error.cause ?? {})).toEqual(['status'])
    }
  })
})

describe('a REFUND notification', () => {
  it.each([
    ['COMPLETED', 'SUCCESS'],
    ['DECLINED', 'DECLINE'],
  ])('tells that the refund is %s, with both signatures; none tells that it waits', async (status, value) => {
    const server = merchantServer()
    const site = refundingSite()
    await configure(site, { callbackUrl: callbackUrl() })
    const { key } = await makeKey(site)
    const { paymentUid, qrCodeUid } = await site.paid(
      { payer: { bankMemberId: '100000000111', phone: '+79005550100' } },
      { tokenizationAccount: 'customer-7' },
    )
    await site.refund(paymentUid, 2.5, 'r-1')
    await site.reportRefund(paymentUid, 'r-1', { status, reason: 'why' })
    const [, received, ...others] = await server.got(2)
    expect(others).toEqual([])
    const { refund, type, version } = strict(RefundNotification).parse(JSON.parse(received?.body ?? ''))
    const { createdDateTime } = await site.refundOf(paymentUid, 'r-1')
    expect([type, version]).toEqual(['REFUND', '1'])
    expect(refund).toEqual({
      paymentId: paymentUid,
      refundId: 'r-1',
      type: 'REFUND',
      createdDateTime,
      amount: { value: 2.5, currency: 'RUB' },
      status: { value, changedDateTime: SECONDS, reasonMessage: 'why' },
      paymentMethod: { type: 'SBP', phone: '+79005550100' },
      merchantSiteUid: site.siteId,
      customer: { account: 'customer-7', bankMemberId: '100000000111' },
      customFields: {},
      flags: ['REFUND'],
    })
    expect(received?.headers.get('Signature')).toBe(
      notificationSignature(key, ['r-1', createdDateTime, '2.50']),
    )
    expect((await logOf(site)).notifications[0]).toMatchObject({
      type: 'REFUND',
      paymentId: paymentUid,
      refundId: 'r-1',
      qrCodeUid,
    })
  })

  it('does not name the customer of a payment that the QR code did not take', async () => {
    const server = merchantServer()
    const site = refundingSite()
    await configure(site, { callbackUrl: callbackUrl() })
    await makeKey(site)
    const { paymentUid } = await site.paid({ amount: { value: 4 } }, { tokenizationAccount: 'customer-7' })
    await site.refund(paymentUid, 4, 'r-1')
    await site.reportRefund(paymentUid, 'r-1', { status: 'COMPLETED' })
    const received = await server.got(2)
    expect(received.map(({ body }) => body).join()).not.toMatch(/account|customer-7|qrCodeUid/)
    expect(PaymentAnswer.parse(await site.paymentOf(paymentUid)).applied).toBe(false)
  })
})
