// Reports of declined payments, and of payments that were reported with other fields (contract, section 7).
import { afterEach, describe, expect, it, vi } from 'vitest'
import { INTO, read } from '../support/network.ts'
import { eventsOf, fresh, paymentOf, paymentsOf, report, statusOf } from '../support/qr-codes.ts'
import { errorOf } from '../support/service.ts'

afterEach(() => vi.useRealTimers())

describe('a declined payment', () => {
  it.each([
    ['CREATED', 'DECLINED', true],
    ['DECLINED', 'DECLINED', true],
    ['PAYED', 'PAYED', false],
    ['CANCELLED', 'CANCELLED', false],
    ['EXPIRED', 'EXPIRED', false],
  ])('of a QR code that is %s is recorded; then it is %s (applied: %j)', async (status, after, applied) => {
    const qrCode = await fresh()
    await INTO[status]?.(qrCode)
    const events = await eventsOf(qrCode)
    const before = await read(qrCode)
    const uid = crypto.randomUUID()
    expect((await report(qrCode, { status: 'DECLINED' }, uid)).status).toBe(200)
    const payment = await paymentOf(uid)
    expect(payment).toMatchObject({ status: { value: 'DECLINED' }, applied })
    expect(payment).not.toHaveProperty('notAppliedReason')
    expect((await eventsOf(qrCode)).slice(events.length)).toMatchObject([
      { type: 'payment.declined', status: after, payment: { paymentUid: uid, status: 'DECLINED', applied } },
    ])
    const now = await read(qrCode)
    expect(now.answer.qrCode.status).toBe(after)
    if (!applied) expect(now).toEqual(before)
    else {
      expect(now.answer.payment).toMatchObject({ paymentUid: uid, paymentStatus: 'DECLINED' })
      expect(now.etag).not.toBe(before.etag)
    }
  })

  it('of a QR code that binds an account is recorded, and changes nothing', async () => {
    const qrCode = await fresh({}, { type: 'TOKEN' })
    const before = await read(qrCode)
    const uid = crypto.randomUUID()
    expect(await (await report(qrCode, { status: 'DECLINED' }, uid)).json()).toEqual(before.answer)
    expect(await paymentOf(uid)).toMatchObject({ status: { value: 'DECLINED' }, applied: false })
  })

  it('has any amount: it moved no money', async () => {
    const qrCode = await fresh()
    await report(qrCode, { status: 'DECLINED', amount: { value: 7, currency: 'USD' } })
    expect((await read(qrCode)).answer).toMatchObject({
      qrCode: { status: 'DECLINED' },
      payment: { amount: { value: '7.00', currency: 'USD' } },
    })
  })

  it('that was completed after all counts', async () => {
    const qrCode = await fresh()
    const uid = crypto.randomUUID()
    await report(qrCode, { status: 'DECLINED', dateTime: '2026-11-20T17:00:00Z' }, uid)
    const completed = await report(qrCode, { dateTime: '2026-11-20T17:01:00Z' }, uid)
    expect([completed.status, completed.headers.has('Idempotent-Replayed')]).toEqual([200, false])
    expect(await statusOf(qrCode)).toBe('PAYED')
    expect(await paymentsOf(qrCode)).toMatchObject([
      {
        paymentId: uid,
        createdDateTime: '2026-11-20T20:00:00+03:00',
        status: { value: 'COMPLETED', changedDateTime: '2026-11-20T20:01:00+03:00' },
        applied: true,
      },
    ])
    expect((await eventsOf(qrCode)).map(({ type }) => type)).toEqual([
      'qrCode.created',
      'payment.declined',
      'payment.completed',
    ])
  })

  it.each([0, 1])(
    'that was completed with another amount is recorded so; the QR code shows the applied attempt before it (%i)',
    async (earlier) => {
      const qrCode = await fresh()
      if (earlier) await report(qrCode, { status: 'DECLINED' }, `${qrCode.uid}-0`)
      const uid = crypto.randomUUID()
      await report(qrCode, { status: 'DECLINED' }, uid)
      const before = await read(qrCode)
      const response = await report(qrCode, { amount: { value: 4.99 } }, uid)
      expect(response.status).toBe(200)
      expect(await paymentOf(uid)).toMatchObject({
        amount: { value: '4.99' },
        status: { value: 'COMPLETED' },
        applied: false,
        notAppliedReason: 'AMOUNT_MISMATCH',
      })
      const { etag, answer } = await read(qrCode)
      expect(await response.json()).toEqual(answer)
      expect(answer.qrCode.status).toBe('DECLINED')
      expect(answer.payment?.paymentUid).toBe(earlier ? `${qrCode.uid}-0` : undefined)
      expect(etag).not.toBe(before.etag)
    },
  )

  it('that was completed for another QR code counts there, and no longer shows here', async () => {
    const [first, second] = [await fresh(), await fresh()]
    const uid = crypto.randomUUID()
    await report(first, { status: 'DECLINED', amount: { value: 4 } }, uid)
    const before = await read(first)
    expect((await report(second, {}, uid)).status).toBe(200)
    expect(await paymentOf(uid)).toMatchObject({ qrCodeUid: second.uid, applied: true })
    expect(await statusOf(second)).toBe('PAYED')
    const { etag, answer } = await read(first)
    expect(answer.qrCode.status).toBe('DECLINED')
    expect(answer).not.toHaveProperty('payment')
    expect(etag).not.toBe(before.etag)
    expect((await eventsOf(first)).slice(2)).toMatchObject([
      {
        type: 'payment.declined',
        status: 'DECLINED',
        payment: { paymentUid: uid, status: 'DECLINED', amount: { value: '4.00' }, applied: false },
      },
    ])
    expect((await eventsOf(second)).slice(1)).toMatchObject([
      { type: 'payment.completed', status: 'PAYED', payment: { paymentUid: uid, applied: true } },
    ])
  })

  it('that an earlier report already replaced changes nothing here', async () => {
    const [first, second] = [await fresh(), await fresh()]
    const uid = crypto.randomUUID()
    await report(first, { status: 'DECLINED' }, uid)
    await report(first, { status: 'DECLINED' }, `${uid}-2`)
    const before = [await read(first), await eventsOf(first)]
    await report(second, {}, uid)
    expect([await read(first), await eventsOf(first)]).toEqual(before)
  })
})

describe('a paymentUid that was reported with other fields', () => {
  it.each<[string[], Record<string, unknown>, Record<string, unknown>]>([
    [['status'], {}, { status: 'DECLINED' }],
    [['amount.value'], {}, { amount: { value: 5.01 } }],
    [['amount.currency'], {}, { amount: { value: 5, currency: 'USD' } }],
    [['amount.value', 'amount.currency'], {}, { amount: { value: 6, currency: 'USD' } }],
    [['status', 'amount.value'], {}, { status: 'DECLINED', amount: { value: 6 } }],
    [['amount.value'], { amount: { value: 4.99 } }, {}],
    [['amount.value'], { status: 'DECLINED' }, { status: 'DECLINED', amount: { value: 6 } }],
    [
      ['amount.currency'],
      { status: 'DECLINED' },
      { status: 'DECLINED', amount: { value: 5, currency: 'USD' } },
    ],
  ])('is refused, and cause names exactly %j', async (fields, first, second) => {
    const qrCode = await fresh()
    const uid = crypto.randomUUID()
    await report(qrCode, first, uid)
    const before = [await read(qrCode), await paymentOf(uid), await eventsOf(qrCode)]
    const response = await report(qrCode, second, uid)
    expect(response.status).toBe(409)
    const { errorCode, cause } = await errorOf(response)
    expect([errorCode, Object.keys(cause ?? {}).sort()]).toEqual([
      'payin.resource.already.exists',
      fields.toSorted(),
    ])
    expect([await read(qrCode), await paymentOf(uid), await eventsOf(qrCode)]).toEqual(before)
  })

  it.each([
    ['COMPLETED', 'COMPLETED'],
    ['COMPLETED', 'DECLINED'],
    ['DECLINED', 'DECLINED'],
  ])('is refused for another QR code (%s, then %s)', async (first, second) => {
    const [one, two] = [await fresh(), await fresh()]
    const uid = crypto.randomUUID()
    await report(one, { status: first }, uid)
    const before = await read(two)
    const response = await report(two, { status: second }, uid)
    expect(response.status).toBe(409)
    const fields = first === second ? ['qrcId'] : ['qrcId', 'status']
    expect(Object.keys((await errorOf(response)).cause ?? {}).sort()).toEqual(fields)
    expect(await read(two)).toEqual(before)
    expect(await paymentOf(uid)).toMatchObject({ qrCodeUid: one.uid, status: { value: first } })
  })

  it('stays COMPLETED after it was DECLINED before', async () => {
    const qrCode = await fresh()
    const uid = crypto.randomUUID()
    await report(qrCode, { status: 'DECLINED' }, uid)
    await report(qrCode, {}, uid)
    const back = await report(qrCode, { status: 'DECLINED' }, uid)
    expect([back.status, Object.keys((await errorOf(back)).cause ?? {})]).toEqual([409, ['status']])
    expect((await report(qrCode, {}, uid)).headers.get('Idempotent-Replayed')).toBe('true')
  })
})
