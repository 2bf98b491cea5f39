// Requests for refunds that are refused, and change nothing (contract, section 8).
import { afterEach, describe, expect, it, vi } from 'vitest'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { connected, refundingSite, refusal } from '../support/refunds.ts'
import { call, sandbox, serviceWith, tokenOf } from '../support/service.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
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
    const error = await refusal(site, paymentUid, () => site.at(serviceWith({})).refund(paymentUid, 1, 'r-1'))
    expect([error.status, error.errorCode]).toEqual([503, 'network.not.connected'])
  })

  it('where the payment is of the sandbox and the network is another by now: 409 network.changed, and the reverse', async () => {
    const site = refundingSite()
    const { qrCodeUid } = await site.make()
    const token = await tokenOf({ sub: site.siteId })
    const made = await call(
      `/sandbox/v1/sites/${site.siteId}/qrCodes/${qrCodeUid}/payments`,
      { body: {}, token },
      sandbox,
    )
    const madeUp = QrCodeAnswer.parse(await made.json()).payment?.paymentUid ?? ''
    const { paymentUid } = await site.paid()
    for (const [uid, fetch] of [
      [madeUp, connected],
      [paymentUid, sandbox],
    ] as const) {
      const error = await refusal(site, uid, () => site.at(fetch).refund(uid, 1, 'r-1'))
      expect([error.status, error.errorCode]).toEqual([409, 'network.changed'])
    }
  })
})
