// Refunds that the network reports, and their notifications (contract, section 8).
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { RefundNotification } from '../../src/contract/notifications/bodies.ts'
import { PaymentAnswer, PaymentsAnswer } from '../../src/contract/payment.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { makeLinkId } from '../../src/fps/link-id.ts'
import { notificationSignature } from '../../src/gateway/signatures.ts'
import { callbackUrl, configure, logOf, makeKey, merchantServer } from '../support/merchant.ts'
import { refundIn, refundingSite, refusal, SECONDS, snapshot } from '../support/refunds.ts'
import { strict } from '../support/strict.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
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

  it('in no status, and WAITING without a reason: 400', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 5, 'r-1')
    for (const status of ['WAITING', undefined]) {
      const error = await refusal(site, paymentUid, () => site.reportRefund(paymentUid, 'r-1', { status }))
      expect(Object.keys(error.cause ?? {})).toEqual(['status'])
    }
  })

  it('WAITING with a reason: the refund shows what it waits for, until it has its result', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 2, 'r-1')
    await site.refund(paymentUid, 3, 'other')
    const held = await site.reportRefund(paymentUid, 'r-1', { status: 'WAITING', reason: 'held' })
    expect([held.status, await held.json()]).toMatchObject([
      200,
      { status: { value: 'WAITING', reason: 'held' } },
    ])
    const reasonOf = async (uid: string) =>
      (await refundIn(await site.readRefund(paymentUid, uid))).status.reason
    expect([await reasonOf('r-1'), await reasonOf('other')]).toEqual(['held', undefined])
    await site.reportRefund(paymentUid, 'r-1', { status: 'COMPLETED' })
    const before = await snapshot(site, paymentUid)
    const late = await site.reportRefund(paymentUid, 'r-1', { status: 'WAITING', reason: 'late' })
    expect([late.status, late.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect(await late.json()).toMatchObject({ status: { value: 'COMPLETED' } })
    expect(await snapshot(site, paymentUid)).toEqual(before)
    const unknown = await site.reportRefund(paymentUid, 'r-2', { status: 'WAITING', reason: 'held' })
    expect(unknown.status).toBe(404)
  })

  it.each([
    [{ amount: { value: 4.99 } }, 'amount.value'],
    [{ amount: { value: '5.00', currency: 'USD' } }, 'amount.currency'],
  ])(
    'of a known refund with %j: 409, in either status, before and after it is recorded',
    async (report, field) => {
      const site = refundingSite()
      const { paymentUid } = await site.paid()
      await site.refund(paymentUid, 5, 'r-1')
      const refuse = async () => {
        for (const status of ['COMPLETED', 'DECLINED']) {
          const error = await refusal(site, paymentUid, () =>
            site.reportRefund(paymentUid, 'r-1', { status, ...report }),
          )
          expect([error.status, error.errorCode]).toEqual([409, 'payin.resource.already.exists'])
          expect(Object.keys(error.cause ?? {})).toEqual([field])
        }
      }
      await refuse()
      await site.reportRefund(paymentUid, 'r-1', { status: 'DECLINED', amount: { value: 5 } })
      await refuse()
      // A known refund needs no amount, so one that breaks its rule counts as absent.
      for (const amount of [
        { value: 5, currency: 'RUB' },
        { value: '5.00' },
        { value: 'five' },
        'five',
        undefined,
      ]) {
        const response = await site.reportRefund(paymentUid, 'r-1', { status: 'COMPLETED', amount })
        expect(response.status).toBe(200)
      }
    },
  )
})

describe('a refund that nobody requested, reported COMPLETED with its amount', () => {
  it('is recorded, whatever the sum: one that is too large to show exactly is shown as the largest', async () => {
    const site = refundingSite()
    const { paymentUid, qrCodeUid } = await site.paid()
    const most = { value: '90071992547409.91', currency: 'RUB' }
    const shown = { refundedAmount: most, overRefunded: true }
    for (const uid of ['bank-1', 'bank-2']) {
      const report = { status: 'COMPLETED', amount: most }
      expect((await site.reportRefund(paymentUid, uid, report)).status).toBe(200)
      expect(await site.paymentOf(paymentUid)).toMatchObject(shown)
    }
    expect(await site.refundsOf(paymentUid)).toMatchObject([{ amount: most }, { amount: most }])
    // As many as the integers of SQLite cannot add up, of as many quarters of an hour.
    await runInDurableObject(site.stub, (_, { storage }) =>
      storage.sql.exec(
        `INSERT INTO refunds (payment, refund_uid, minor_units, status, created_at, changed_at, event)
         SELECT payment, 'more-' || value, minor_units, status, created_at - 900 * value, changed_at, event
         FROM refunds, json_each(?) WHERE refund_uid = 'bank-2'`,
        JSON.stringify(Array.from({ length: 1024 }, (_, n) => n + 1)),
      ),
    )
    const { payments } = PaymentsAnswer.parse(await (await site.ask('/payments')).json())
    expect(payments).toMatchObject([{ paymentId: paymentUid, ...shown }])
    expect((await site.ask(`/sbp/qrCodes/${qrCodeUid}`)).status).toBe(200)
  })

  it('is recorded: it shows everywhere, has an event and no instruction, and leaves less to refund', async () => {
    const site = refundingSite()
    await configure(site, { callbackUrl: 'https://shop.example/notifications' })
    const { paymentUid, qrCodeUid } = await site.paid()
    const before = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    const report = { status: 'COMPLETED', amount: { value: 2 } }
    const response = await site.reportRefund(paymentUid, 'bank-200', report)
    expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([200, null])
    const refund = await refundIn(response)
    expect(refund).toEqual({
      refundId: 'bank-200',
      paymentId: paymentUid,
      createdDateTime: SECONDS,
      amount: { value: '2.00', currency: 'RUB' },
      status: { value: 'COMPLETED', changedDateTime: refund.createdDateTime },
      flags: ['REFUND'],
    })
    expect(await site.refundsOf(paymentUid)).toEqual([refund])
    expect((await site.paymentOf(paymentUid)).refundedAmount.value).toBe('2.00')
    const after = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'))
    expect(QrCodeAnswer.parse(await after.json()).refunds).toEqual([
      { refundUid: 'bank-200', refundStatus: 'COMPLETED' },
    ])
    const refunds = (await site.feed()).filter((event) => event.refund)
    expect(refunds).toMatchObject([
      {
        type: 'refund.completed',
        by: { actor: 'network', keyId: 'network' },
        qrCodeUid,
        status: 'PAYED',
      },
    ])
    expect(refunds[0]?.refund).toEqual({
      refundUid: 'bank-200',
      paymentUid,
      status: 'COMPLETED',
      amount: { value: '2.00', currency: 'RUB' },
    })
    expect((await logOf(site)).notifications[0]).toMatchObject({ type: 'REFUND', refundId: 'bank-200' })
    expect(await site.instructions()).toEqual([])
    const error = await refusal(site, paymentUid, () => site.refund(paymentUid, 3.01, 'r-1'))
    expect(error.cause).toEqual({
      'amount.value': ['is 3.01, must be at most 3.00, which is left of the payment'],
    })
  })

  it('is replayed by the same report, with its amount or without, and contradicted by another', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    const report = { status: 'COMPLETED', amount: { value: 2 } }
    const first = await (await site.reportRefund(paymentUid, 'bank-1', report)).text()
    const before = await snapshot(site, paymentUid)
    for (const again of [
      report,
      { ...report, amount: { value: '2.00', currency: 'RUB' } },
      { status: 'COMPLETED' },
    ]) {
      const response = await site.reportRefund(paymentUid, 'bank-1', again)
      expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
      expect(await response.text()).toBe(first)
    }
    expect(await snapshot(site, paymentUid)).toEqual(before)
    for (const [other, field] of [
      [{ ...report, amount: { value: 2.01 } }, 'amount.value'],
      [{ status: 'DECLINED' }, 'status'],
    ] as const) {
      const error = await refusal(site, paymentUid, () => site.reportRefund(paymentUid, 'bank-1', other))
      expect([error.status, Object.keys(error.cause ?? {})]).toEqual([409, [field]])
    }
  })

  it('is replayed by the merchant’s own request, whatever its comment, and contradicted by another amount', async () => {
    const site = refundingSite()
    const { paymentUid, qrCodeUid } = await site.paid()
    await site.reportRefund(paymentUid, 'r-1', { status: 'COMPLETED', amount: { value: 5 } })
    const before = await snapshot(site, paymentUid)
    for (const more of [{}, { comment: 'One cup was broken' }]) {
      const response = await site.refund(paymentUid, 5, 'r-1', more)
      expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
      const body = { amount: { value: 5 }, ...more }
      const byQrCode = await site.ask(`/sbp/qrCodes/${qrCodeUid}/refunds/r-1`, { method: 'PUT', body })
      expect(byQrCode.headers.get('Idempotent-Replayed')).toBe('true')
    }
    expect(await snapshot(site, paymentUid)).toEqual(before)
    expect(await site.instructions()).toEqual([])
    const error = await refusal(site, paymentUid, () => site.refund(paymentUid, 4, 'r-1'))
    expect([error.status, Object.keys(error.cause ?? {})]).toEqual([409, ['amount.value']])
  })

  it('can exceed what was paid, also beside a refund that waits: overRefunded, and nothing more is accepted', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 4, 'r-1')
    await site.reportRefund(paymentUid, 'bank-1', { status: 'COMPLETED', amount: { value: 1 } })
    expect((await site.feed()).at(-1)?.refund).not.toHaveProperty('overRefunded')
    await site.reportRefund(paymentUid, 'bank-2', { status: 'COMPLETED', amount: { value: 0.01 } })
    expect((await site.feed()).at(-1)?.refund).toMatchObject({ refundUid: 'bank-2', overRefunded: true })
    expect(await site.paymentOf(paymentUid)).toMatchObject({
      refundedAmount: { value: '1.01' },
      overRefunded: true,
    })
    expect(await refusal(site, paymentUid, () => site.refund(paymentUid, 0.01, 'r-2'))).toMatchObject({
      status: 400,
      cause: { 'amount.value': ['is 0.01, but nothing is left of the payment'] },
    })
  })

  it('is recorded where the payment has 100 refunds already', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    for (let n = 0; n < 100; n++) await site.refund(paymentUid, 0.01, `r-${n}`)
    const report = { status: 'COMPLETED', amount: { value: 0.01 } }
    expect((await site.reportRefund(paymentUid, 'bank-1', report)).status).toBe(200)
    expect(await site.refundsOf(paymentUid)).toHaveLength(101)
    expect((await refusal(site, paymentUid, () => site.refund(paymentUid, 0.01, 'r-100'))).status).toBe(409)
  })

  it('is recorded of a payment that the QR code did not take, and one whose QR code is gone', async () => {
    const site = refundingSite()
    const lost = makeLinkId(env.TOKEN_SECRET, site.siteId, 'AD1000', {
      now: Date.now(),
      random: new Uint8Array(7),
    })
    const { linkId } = await site.paid()
    const unknown = (await site.pay(lost, { amount: { value: 5 } })).paymentUid
    for (const paymentUid of [await site.payAgain(linkId, 4), unknown]) {
      const report = { status: 'COMPLETED', amount: { value: 4 } }
      expect((await site.reportRefund(paymentUid, 'bank-1', report)).status).toBe(200)
      expect((await site.paymentOf(paymentUid)).refundedAmount.value).toBe('4.00')
    }
  })

  it.each<[string, unknown, number]>([
    ['COMPLETED without an amount', { status: 'COMPLETED' }, 404],
    ['COMPLETED with an amount that is none', { status: 'COMPLETED', amount: { value: 0 } }, 404],
    ['DECLINED', { status: 'DECLINED', amount: { value: 1 } }, 404],
    ['COMPLETED in another currency', { status: 'COMPLETED', amount: { value: 1, currency: 'USD' } }, 409],
  ])('is not made by a report %s', async (_, report, status) => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    const error = await refusal(site, paymentUid, () => site.reportRefund(paymentUid, 'bank-1', report))
    expect(error.status).toBe(status)
    if (status === 409) expect(Object.keys(error.cause ?? {})).toEqual(['amount.currency'])
  })

  it('is not made for an unknown payment: 404; nor for one that is DECLINED: 409', async () => {
    const site = refundingSite()
    const { linkId } = await site.paid()
    const { paymentUid } = await site.pay(linkId, { status: 'DECLINED' })
    const report = { status: 'COMPLETED', amount: { value: 1 } }
    const declined = await refusal(site, paymentUid, () => site.reportRefund(paymentUid, 'bank-1', report))
    expect([declined.status, declined.errorCode]).toEqual([409, 'payin.incorrect-method-invocation'])
    const unknown = await refusal(site, paymentUid, () => site.reportRefund('unknown', 'bank-1', report))
    expect([unknown.status, unknown.description]).toEqual([404, 'there is no such payment'])
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
