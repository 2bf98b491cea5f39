// Refunds over HTTP: what the merchant requests and what the network reports (contract, section 8).
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { makeLinkId } from '../../src/fps/link-id.ts'
import {
  connected,
  type RefundingSite,
  refundIn,
  refundingSite,
  refusal,
  SECONDS,
  snapshot,
} from '../support/refunds.ts'
import { errorOf, serviceWith, siteWith } from '../support/service.ts'
import { strict } from '../support/strict.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

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
      by: { actor: 'network', keyId: 'network' },
      qrCodeUid,
    })
    expect(event?.refund).toEqual({
      refundUid: 'r-1',
      paymentUid,
      status: 'COMPLETED',
      amount: { value: '2.00', currency: 'RUB' },
    })
  })

  it('is read by its QR code’s address too', async () => {
    const site = refundingSite()
    const { paymentUid, qrCodeUid } = await site.paid()
    const refund = await refundIn(await site.refund(paymentUid, 2, 'r-1', { comment: 'One cup' }))
    const path = `/sbp/qrCodes/${qrCodeUid}/refunds/r-1`
    expect(await refundIn(await site.ask(path))).toEqual(refund)
    const reported = await refundIn(await site.reportRefund(paymentUid, 'r-1', { status: 'COMPLETED' }))
    for (const scope of ['merchant', 'merchant:read'])
      expect(await refundIn(await site.ask(path, { claims: { scope } }))).toEqual(reported)
  })

  it.each<[string, (site: RefundingSite) => Promise<string>, string]>([
    ['there is no such refund', async (site) => (await site.paid()).qrCodeUid, 'there is no such refund'],
    ['the QR code was not paid', async (site) => (await site.make()).qrCodeUid, 'there is no such refund'],
    [
      'there is no such QR code',
      async (site) => `${(await site.paid()).qrCodeUid}x`,
      'there is no such QR code',
    ],
    [
      'the refund is of a payment that the QR code did not take',
      async (site) => {
        const { qrCodeUid, linkId } = await site.paid()
        await site.refund(await site.payAgain(linkId, 4), 1, 'r-1')
        return qrCodeUid
      },
      'there is no such refund',
    ],
  ])('is 404 by its QR code’s address where %s', async (_, make, description) => {
    const site = refundingSite()
    const response = await site.ask(`/sbp/qrCodes/${await make(site)}/refunds/r-1`)
    expect(response.status).toBe(404)
    expect(await errorOf(response)).toMatchObject({ errorCode: 'payin.resource.not.found', description })
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
      site: () =>
        siteWith({
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
    const second = await site.pay(linkId)
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
    const replay = async (fetch = connected) =>
      (await site.at(fetch).refund(paymentUid, 5, 'r-1')).headers.get('Idempotent-Replayed')
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
    await site.pay(linkId)
    const options = { method: 'PUT', body: { amount: { value: 1 } } }
    const response = await site.ask(`/sbp/qrCodes/${qrCodeUid}/refunds/r-1`, options)
    const answer = strict(QrCodeAnswer).parse(await response.json())
    expect(answer).toMatchObject({ qrCodeUid, refunds: [{ refundUid: 'r-1', refundStatus: 'WAITING' }] })
    expect(await site.read(qrCodeUid)).toEqual(answer)
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
    const { refunds } = await site.read(qrCodeUid)
    expect(refunds?.map(({ refundUid }) => refundUid)).toEqual(uids)
  })

  it('has nothing to refund before a payment: 409; of an unknown QR code: 404', async () => {
    const site = refundingSite()
    await site.paid()
    const options = { method: 'PUT', body: { amount: { value: 1 } } }
    const { qrCodeUid, linkId } = await site.make()
    const at = (uid: string) => site.ask(`/sbp/qrCodes/${uid}/refunds/r-1`, options)
    expect(await errorOf(await at(qrCodeUid))).toMatchObject({
      errorCode: 'payin.incorrect-method-invocation',
      description: 'the QR code has no payment',
    })
    await site.pay(linkId, { status: 'DECLINED' })
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
      async (site) => (await site.pay((await site.paid()).linkId, { amount: { value: 4 } })).paymentUid,
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
        const linkId = makeLinkId(env.TOKEN_SECRET, site.siteId, 'AD1000', { now: Date.now(), random })
        return (await site.pay(linkId, { amount: { value: 4 } })).paymentUid
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
