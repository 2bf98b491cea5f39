// The sandbox bank, for a merchant's automated tests.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Call } from '../support/client.ts'
import { eventsOf, fresh, paymentsOf, report } from '../support/qr-codes.ts'
import { call, errorOf, FORM, ORIGIN, sandbox, serviceWith } from '../support/service.ts'

afterEach(() => vi.useRealTimers())

const pay = (uid: string, body: unknown = {}, options: Call = {}) =>
  call(`/sandbox/v1/sites/demo/qrCodes/${encodeURIComponent(uid)}/payments`, { body, ...options }, sandbox)

describe('a payment made up in the sandbox', () => {
  it('is completed and of the QR code’s own amount, unless it says otherwise', async () => {
    const qrCode = await fresh()
    const response = await pay(qrCode.uid)
    expect(await response.json()).toMatchObject({
      qrCode: { status: 'PAYED' },
      payment: { paymentUid: expect.stringMatching(/^sandbox-/), paymentStatus: 'COMPLETED' },
    })
    expect((await eventsOf(qrCode)).at(-1)).toMatchObject({
      status: 'PAYED',
      by: { actor: 'merchant', keyId: 'test' },
      payment: { amount: { value: '5.00', currency: 'RUB' } },
    })
  })

  it('may be declined, and tried again', async () => {
    const { uid } = await fresh({ qrCodeUid: `заказ ${crypto.randomUUID()}/1` })
    expect(await (await pay(uid, { status: 'DECLINED' })).json()).toMatchObject({
      qrCode: { status: 'DECLINED' },
    })
    expect(await (await pay(uid)).json()).toMatchObject({ qrCode: { status: 'PAYED' } })
  })

  it('needs an amount where the QR code has none', async () => {
    const { uid } = await fresh({ amount: undefined })
    const response = await pay(uid)
    expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, ['amount']])
    expect((await pay(uid, { amount: { value: 12.34 } })).status).toBe(200)
  })

  it('goes by the rules of the network’s report', async () => {
    const qrCode = await fresh()
    const { uid } = qrCode
    expect((await pay(uid, { status: 'PAID' })).status).toBe(400)
    expect((await pay('nothing')).status).toBe(404)
    for (const [amount, status] of [
      [4.99, 'CREATED'],
      [5, 'PAYED'],
      [5, 'PAYED'],
    ]) {
      const response = await pay(uid, { amount: { value: amount } })
      expect([response.status, await response.json()]).toMatchObject([200, { qrCode: { status } }])
    }
    expect((await paymentsOf(qrCode)).map(({ notAppliedReason }) => notAppliedReason)).toEqual([
      'AMOUNT_MISMATCH',
      undefined,
      'ALREADY_PAYED',
    ])
  })

  it('refuses unknown fields', async () => {
    const { uid } = await fresh()
    const response = await pay(uid, { stauts: 'DECLINED' })
    expect([response.status, (await errorOf(response)).cause]).toEqual([
      400,
      { stauts: ['is unknown, did you mean status'] },
    ])
  })

  it('is of the network sandbox', async () => {
    const { uid } = await fresh()
    await pay(uid)
    const networks = await runInDurableObject(env.SITES.getByName('demo'), (_, { storage }) =>
      storage.sql
        .exec(
          'SELECT network FROM payments WHERE qr_code = (SELECT number FROM qr_codes WHERE qr_code_uid = ?)',
          uid,
        )
        .toArray(),
    )
    expect(networks).toEqual([{ network: 'sandbox' }])
  })

  it.each(['payments', 'qrCodes', 'sites'])(
    'pays the QR code that the path means, even one named %s',
    async (qrCodeUid) => {
      await fresh({ qrCodeUid })
      expect(await (await pay(qrCodeUid)).json()).toMatchObject({ qrCodeUid, qrCode: { status: 'PAYED' } })
    },
  )

  it('is refused after 20 declined ones within a minute, by the page too; the network’s are not', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const [qrCode, other] = [await fresh(), await fresh()]
    const { qrCode: shown } = await (await call(qrCode.path)).json<{ qrCode: { payload: string } }>()
    const submit = (action: string) =>
      call(
        shown.payload.slice(ORIGIN.length),
        {
          body: `action=${action}`,
          headers: FORM,
          token: null,
        },
        sandbox,
      )
    for (let n = 0; n < 10; n++) {
      expect((await pay(qrCode.uid, { status: 'DECLINED' })).status).toBe(200)
      expect((await submit('decline')).status).toBe(303)
    }
    for (const status of ['DECLINED', 'COMPLETED']) {
      const response = await pay(qrCode.uid, { status })
      expect([response.status, response.headers.get('Retry-After')]).toEqual([429, '60'])
      expect((await errorOf(response)).errorCode).toBe('http.too.many.requests')
    }
    for (const action of ['decline', 'pay']) {
      const response = await submit(action)
      expect([response.status, response.headers.get('Retry-After')]).toEqual([429, '60'])
      expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
    }
    expect(await eventsOf(qrCode)).toHaveLength(21)
    expect((await pay(other.uid, { status: 'DECLINED' })).status).toBe(200)
    expect((await report(qrCode, { status: 'DECLINED' })).status).toBe(200)

    vi.setSystemTime(Date.now() + 59_000)
    expect((await pay(qrCode.uid)).status).toBe(429)
    vi.setSystemTime(Date.now() + 1000)
    expect((await pay(qrCode.uid)).status).toBe(200)
  })

  it('is not refused for long where the clock was set back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const qrCode = await fresh()
    for (let n = 0; n < 20; n++) await pay(qrCode.uid, { status: 'DECLINED' })
    vi.setSystemTime(Date.now() - 1_800_000)
    expect((await pay(qrCode.uid)).status).toBe(200)
  })

  it('does not exist outside the sandbox', async () => {
    const { uid } = await fresh()
    const path = `/sandbox/v1/sites/demo/qrCodes/${uid}/payments`
    const response = await call(path, { body: {} })
    expect([response.status, (await errorOf(response)).errorCode]).toEqual([404, 'http.url.not.found'])
    const document = await (await call('/openapi.json', {}, serviceWith({}))).text()
    expect(document).not.toContain('sandbox/v1')
  })
})
