// A payment reported by the network is a fact, whether or not the QR code takes it (contract, section 7).
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { INTO, lastEvent, read, send } from '../support/network.ts'
import { eventsOf, fresh, paymentOf, paymentsOf, report, statusOf } from '../support/qr-codes.ts'
import { call, errorOf, serviceWith } from '../support/service.ts'

afterEach(() => vi.useRealTimers())

describe('a report', () => {
  it('shows in its answer, in the QR code, in the payment and in the events', async () => {
    const qrCode = await fresh()
    const declined = await report(qrCode, { status: 'DECLINED' }, `${qrCode.uid}-1`)
    expect(await declined.json()).toMatchObject({
      qrCode: { status: 'DECLINED' },
      payment: { paymentUid: `${qrCode.uid}-1`, paymentStatus: 'DECLINED' },
    })
    const uid = `${qrCode.uid}_2.a`
    const paid = await report(qrCode, {}, uid)
    const answer = await paid.json()
    const amount = { value: '5.00', currency: 'RUB' }
    expect(answer).toMatchObject({ qrCode: { status: 'PAYED' } })
    expect(answer).toHaveProperty('payment', {
      paymentUid: uid,
      paymentStatus: 'COMPLETED',
      amount,
      dateTime: expect.stringMatching(/\+03:00$/),
    })
    expect((await read(qrCode)).answer).toEqual(answer)

    const dateTime = expect.any(String)
    expect(await paymentOf(uid)).toEqual({
      paymentId: uid,
      qrCodeUid: qrCode.uid,
      createdDateTime: dateTime,
      amount,
      refundedAmount: { value: '0.00', currency: 'RUB' },
      paymentMethod: { type: 'SBP' },
      status: { value: 'COMPLETED', changedDateTime: dateTime },
      applied: true,
      flags: ['SALE'],
    })
    const by = { actor: 'network', keyId: 'test' }
    const payment = { amount, applied: true }
    const qrCodeUid = qrCode.uid
    expect((await eventsOf(qrCode)).map(({ id: _, ...event }) => event)).toEqual([
      { type: 'qrCode.created', dateTime, by: { ...by, actor: 'merchant' }, qrCodeUid, status: 'CREATED' },
      {
        ...{ type: 'payment.declined', dateTime, by, qrCodeUid, status: 'DECLINED' },
        payment: { ...payment, paymentUid: `${qrCode.uid}-1`, status: 'DECLINED' },
      },
      {
        ...{ type: 'payment.completed', dateTime, by, qrCodeUid, status: 'PAYED' },
        payment: { ...payment, paymentUid: uid, status: 'COMPLETED' },
      },
    ])
  })

  it.each<[string, string, Record<string, unknown>]>([
    ['completed', 'CREATED', {}],
    ['declined', 'CREATED', { status: 'DECLINED' }],
    ['completed, of another amount', 'CREATED', { amount: { value: 4.99 } }],
    ['completed a second time', 'PAYED', {}],
    ['declined after the payment', 'PAYED', { status: 'DECLINED' }],
    ['completed after the cancellation', 'CANCELLED', {}],
    ['declined after the expiry', 'EXPIRED', { status: 'DECLINED' }],
  ])('(%s, of a QR code that is %s) sent again changes nothing, and says so', async (_, status, body) => {
    const qrCode = await fresh()
    await INTO[status]?.(qrCode)
    const uid = crypto.randomUUID()
    const first = await report(qrCode, body, uid)
    expect([first.status, first.headers.has('Idempotent-Replayed')]).toEqual([200, false])
    const before = [await read(qrCode), await paymentOf(uid), await lastEvent()]
    const again = await report(qrCode, body, uid)
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect(await again.json()).toEqual(await first.json())
    expect([await read(qrCode), await paymentOf(uid), await lastEvent()]).toEqual(before)
  })

  it('sent again, its amount or its time written in another way, is the same report', async () => {
    const qrCode = await fresh()
    const uid = crypto.randomUUID()
    await report(qrCode, {}, uid)
    const body = { amount: { value: '5.00', currency: 'RUB' }, dateTime: '2026-11-20T20:11:40Z' }
    expect((await report(qrCode, body, uid)).headers.get('Idempotent-Replayed')).toBe('true')
  })

  it('sent again after a later one answers the QR code as it stands', async () => {
    const qrCode = await fresh()
    const uid = crypto.randomUUID()
    await report(qrCode, { status: 'DECLINED' }, uid)
    await report(qrCode)
    const again = await report(qrCode, { status: 'DECLINED' }, uid)
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await again.json()).toEqual((await read(qrCode)).answer)
  })

  it('takes the network’s time, reason, own uid and payer', async () => {
    const qrCode = await fresh()
    const uid = crypto.randomUUID()
    const response = await report(
      qrCode,
      {
        ...{ status: 'DECLINED', dateTime: '2026-11-20T17:11:40Z', reason: 'insufficient funds' },
        ...{ networkUid: 'A6325171030000001', payer: { bankMemberId: '100000000111', phone: '79161234567' } },
      },
      uid,
    )
    expect(await response.json()).toMatchObject({ payment: { dateTime: '2026-11-20T20:11:40+03:00' } })
    expect(await paymentOf(uid)).toMatchObject({
      createdDateTime: '2026-11-20T20:11:40+03:00',
      status: { changedDateTime: '2026-11-20T20:11:40+03:00', reason: 'insufficient funds' },
    })
    const row = await runInDurableObject(env.SITES.getByName('demo'), (_, { storage }) =>
      storage.sql.exec('SELECT * FROM payments WHERE payment_uid = ?', uid).one(),
    )
    expect(row).toMatchObject({
      network: 'external',
      network_uid: 'A6325171030000001',
      payer_bank: '100000000111',
      payer_phone: '79161234567',
    })
  })

  it('without a time is of the time of its receipt', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T17:00:00Z') })
    const qrCode = await fresh()
    vi.setSystemTime('2026-11-20T17:05:06.789Z')
    const uid = crypto.randomUUID()
    await report(qrCode, {}, uid)
    expect(await paymentOf(uid)).toMatchObject({ createdDateTime: '2026-11-20T20:05:06+03:00' })
    expect((await eventsOf(qrCode)).at(-1)).toMatchObject({ dateTime: '2026-11-20T20:05:06+03:00' })
  })

  it('ignores fields that it does not know, at any depth', async () => {
    const qrCode = await fresh()
    const body = { amount: { value: 5, scale: 2 }, payer: { name: 'x' }, custom: [1] }
    expect((await report(qrCode, body)).status).toBe(200)
    expect(await statusOf(qrCode)).toBe('PAYED')
  })

  it.each(['x', 'A-z_0.9', '7'.repeat(64)])('takes the paymentUid %j', async (uid) => {
    expect((await report(await fresh(), {}, uid)).status).toBe(200)
    expect(await paymentOf(uid)).toMatchObject({ paymentId: uid, applied: true })
  })

  it.each<[string, Record<string, unknown>]>([
    ['status', { status: 'PAID' }],
    ['status', { status: undefined }],
    ['amount', { amount: undefined }],
    ['amount.value', { amount: { value: 0 } }],
    ['amount.value', { amount: { value: -5 } }],
    ['amount.value', { amount: { value: 5.001 } }],
    ['amount.currency', { amount: { value: 5, currency: 'rub' } }],
    ['amount.currency', { amount: { value: 5, currency: 'RUBL' } }],
  ])('with an invalid %s is refused by name: %j', async (field, body) => {
    const qrCode = await fresh()
    const response = await report(qrCode, body)
    expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, [field]])
    expect(await paymentsOf(qrCode)).toEqual([])
  })

  it.each([
    { dateTime: 'yesterday' },
    { dateTime: '2026-11-20T20:11:40' },
    { dateTime: '9999-12-31T23:59:59Z' },
    { dateTime: '0000-01-01T00:00:00Z' },
    { reason: 'x'.repeat(256) },
    { networkUid: 'x'.repeat(65) },
    { payer: '79161234567' },
    { payer: { phone: 79161234567 } },
  ])('is recorded without an optional field that breaks its rule: %j', async (body) => {
    const qrCode = await fresh()
    expect((await report(qrCode, body)).status).toBe(200)
    expect(await paymentsOf(qrCode)).toMatchObject([{ status: { value: 'COMPLETED' }, applied: true }])
  })

  it.each<[string, string, string | undefined]>([
    ['255 characters outside the BMP', '💳'.repeat(255), '💳'.repeat(255)],
    ['256 of them', '💳'.repeat(256), undefined],
    ['an unpaired surrogate', 'a\ud83d', undefined],
  ])('has a reason of at most 255 code points: %s', async (_, reason, kept) => {
    const qrCode = await fresh()
    expect((await report(qrCode, { status: 'DECLINED', reason })).status).toBe(200)
    expect((await paymentsOf(qrCode)).map(({ status }) => status.reason)).toEqual([kept])
  })

  it.each(['7'.repeat(65), 'a b', 'a/b', 'a%b', 'платёж', 'a\u0000'])(
    'with the paymentUid %j is refused by name',
    async (uid) => {
      const response = await report(await fresh(), {}, uid)
      expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([
        400,
        ['paymentUid'],
      ])
    },
  )

  it('passes no rate limiter, which limits everyone else', async () => {
    const limited = serviceWith({
      settings: { PAYMENT_NETWORK: 'sandbox' },
      limiter: { limit: async () => ({ success: false }) },
    })
    const qrCode = await fresh()
    for (let n = 0; n < 3; n++) {
      expect((await send(qrCode.linkId, `${qrCode.uid}-${n}`, {}, limited)).status).toBe(200)
    }
    expect(await statusOf(qrCode)).toBe('PAYED')
    const sandbox = `/sandbox/v1/sites/demo/qrCodes/${qrCode.uid}/payments`
    for (const response of [
      await call(qrCode.path, {}, limited),
      await call(sandbox, { body: {} }, limited),
    ]) {
      expect([response.status, (await errorOf(response)).errorCode]).toEqual([429, 'http.too.many.requests'])
    }
  })
})

/** Why a QR code does not take a completed payment; the earlier reasons come before the later ones. */
const NOT_APPLIED: [
  reason: string,
  why: string,
  code: { type?: string; amount?: object | undefined; status?: string },
  amount: { value: number; currency?: string },
][] = [
  ['NOT_PAYABLE', 'a QR code that binds an account', { type: 'TOKEN', amount: undefined }, { value: 5 }],
  ['NOT_PAYABLE', 'another amount, too', { type: 'TOKEN' }, { value: 6 }],
  ['ALREADY_PAYED', 'a second payment', { status: 'PAYED' }, { value: 5 }],
  ['ALREADY_PAYED', 'another amount, too', { status: 'PAYED' }, { value: 6 }],
  ['AMOUNT_MISMATCH', 'less', {}, { value: 4.99 }],
  ['AMOUNT_MISMATCH', 'more', {}, { value: 5.01 }],
  ['AMOUNT_MISMATCH', 'more than any QR code can have', {}, { value: 1_000_000_000 }],
  ['AMOUNT_MISMATCH', 'another currency', {}, { value: 5, currency: 'USD' }],
  ['AMOUNT_MISMATCH', 'less, of a declined QR code', { status: 'DECLINED' }, { value: 4.99 }],
  ['AMOUNT_MISMATCH', 'less, of a cancelled QR code', { status: 'CANCELLED' }, { value: 4.99 }],
  ['AMOUNT_MISMATCH', 'less, of an expired QR code', { status: 'EXPIRED' }, { value: 4.99 }],
  [
    'AMOUNT_MISMATCH',
    'a currency that is not the deployment’s, without an amount of its own',
    { amount: undefined },
    { value: 5, currency: 'USD' },
  ],
]

describe('a completed payment that the QR code cannot take', () => {
  it.each(NOT_APPLIED)('is recorded as not applied: %s (%s)', async (reason, _, code, amount) => {
    const { type = 'DYNAMIC', status = 'CREATED' } = code
    const qrCode = await fresh('amount' in code ? { amount: code.amount } : {}, { type })
    await INTO[status]?.(qrCode)
    // Reading the events records an expiry that is due.
    const events = await eventsOf(qrCode)
    const before = await read(qrCode)
    expect(before.answer.qrCode.status).toBe(status)

    const uid = crypto.randomUUID()
    const response = await report(qrCode, { amount }, uid)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(before.answer)
    expect(await read(qrCode)).toEqual(before)

    const reported = { value: amount.value.toFixed(2), currency: amount.currency ?? 'RUB' }
    const payment = await paymentOf(uid)
    expect(payment).toMatchObject({
      qrCodeUid: qrCode.uid,
      amount: reported,
      status: { value: 'COMPLETED' },
      applied: false,
      notAppliedReason: reason,
    })
    expect((await paymentsOf(qrCode)).at(-1)).toEqual(payment)
    const [event, ...more] = (await eventsOf(qrCode)).slice(events.length)
    expect(more).toEqual([])
    expect(event).toMatchObject({
      type: 'payment.completed',
      by: { actor: 'network' },
      status,
      payment: { paymentUid: uid, status: 'COMPLETED', amount: reported, applied: false },
    })
  })

  it('leaves the QR code payable by the next one', async () => {
    const qrCode = await fresh()
    await report(qrCode, { amount: { value: 4.99 } })
    expect((await report(qrCode)).status).toBe(200)
    expect((await paymentsOf(qrCode)).map(({ applied }) => applied)).toEqual([false, true])
    expect(await statusOf(qrCode)).toBe('PAYED')
  })
})

describe('a QR code without an amount', () => {
  it.each([
    ['RUB', '5', true],
    ['USD', '123.45', true],
    ['EUR', '5', false],
  ])(
    'takes any sum in the deployment’s currencies: %s %s (applied: %j)',
    async (currency, value, applied) => {
      const twoCurrencies = serviceWith({ settings: { CURRENCIES: 'RUB,USD' } })
      const qrCode = await fresh({ amount: undefined })
      const uid = crypto.randomUUID()
      const body = { amount: { value, currency } }
      expect((await send(qrCode.linkId, uid, { body }, twoCurrencies)).status).toBe(200)
      expect(await paymentOf(uid)).toMatchObject({ applied })
      expect(await statusOf(qrCode)).toBe(applied ? 'PAYED' : 'CREATED')
    },
  )
})
