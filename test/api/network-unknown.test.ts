// Reports on link ids that the site does not have (contract, section 7).
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PaymentAnswer } from '../../src/contract/payment.ts'
import { makeLinkId } from '../../src/fps/link-id.ts'
import { lastEvent, read, send } from '../support/network.ts'
import { feedPage, fresh, paymentOf, report, statusOf } from '../support/qr-codes.ts'
import { call, errorOf, serviceWith, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

afterEach(() => vi.useRealTimers())

/** The id of a link that the deployment could have made for a site, which does not have it. */
const unknownLinkId = (siteId = 'demo', secret = env.TOKEN_SECRET) =>
  makeLinkId(secret, siteId, 'AD1000', { now: Date.now(), random: crypto.getRandomValues(new Uint8Array(7)) })

describe('a qrcId that the site does not have', () => {
  it('is kept: its payment is recorded, and is the answer', async () => {
    const uid = crypto.randomUUID()
    const linkId = unknownLinkId()
    const before = await lastEvent()
    const response = await send(linkId, uid, { body: { reason: 'restored' } })
    expect(response.status).toBe(200)
    const payment = strict(PaymentAnswer).parse(await response.json())
    expect(payment).toMatchObject({
      paymentId: uid,
      amount: { value: '5.00', currency: 'RUB' },
      status: { value: 'COMPLETED' },
      applied: false,
      notAppliedReason: 'UNKNOWN_QR_CODE',
    })
    expect(payment).not.toHaveProperty('qrCodeUid')
    expect(await paymentOf(uid)).toEqual(payment)

    const again = await send(linkId, uid, { body: { reason: 'restored' } })
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await again.json()).toEqual(payment)
    const other = await send(unknownLinkId(), uid)
    expect([other.status, Object.keys((await errorOf(other)).cause ?? {})]).toEqual([409, ['qrcId']])

    const { nextCursor } = await feedPage()
    const { events } = await feedPage(nextCursor.replace(/-\d+$/, `-${before}`))
    expect(events).toEqual([
      {
        id: before + 1,
        type: 'payment.completed',
        dateTime: payment.createdDateTime,
        by: { actor: 'network', keyId: 'test' },
        payment: { paymentUid: uid, status: 'COMPLETED', amount: payment.amount, applied: false },
      },
    ])
  })

  it('is kept: its declined payment is recorded too, and can complete', async () => {
    const uid = crypto.randomUUID()
    const linkId = unknownLinkId()
    for (const [status, value] of [
      ['DECLINED', 5],
      ['COMPLETED', 6],
    ]) {
      const response = await send(linkId, uid, { body: { status, amount: { value } } })
      expect(await response.json()).toMatchObject({ status: { value: status }, applied: false })
    }
    expect(await paymentOf(uid)).toMatchObject({ amount: { value: '6.00' } })
  })

  it('is kept: even a site that nobody wrote to records it', async () => {
    const siteId = crypto.randomUUID()
    expect((await send(unknownLinkId(siteId), 'p', { siteId })).status).toBe(200)
    const path = `/payin/v1/sites/${siteId}/payments/p`
    const response = await call(path, { token: await tokenOf({ sub: siteId }) })
    expect(await response.json()).toMatchObject({ paymentId: 'p', notAppliedReason: 'UNKNOWN_QR_CODE' })
  })

  const altered = (id: string) => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`
  const OTHERS: readonly [string, (linkId: string) => string][] = [
    ['an altered link id', altered],
    ['a link id of another site', () => unknownLinkId('other')],
    [
      'a link id of another deployment',
      () => unknownLinkId('demo', 'another secret of at least 32 characters'),
    ],
    ['a link id in lower case', (id) => id.toLowerCase()],
    ['the shortest id of a bank', () => 'x'],
    ['the longest id of a bank', () => `._-aA0${crypto.randomUUID()}`.padEnd(64, 'z')],
  ]

  it.each(OTHERS)('is kept where it is %s, because banks make links too', async (_, other) => {
    const { linkId } = await fresh()
    const uid = crypto.randomUUID()
    const response = await report({ linkId: other(linkId) }, {}, uid)
    expect(await response.json()).toMatchObject({ paymentId: uid, notAppliedReason: 'UNKNOWN_QR_CODE' })
  })

  it.each(OTHERS)('is refused with 404 where it is %s, and the network is the sandbox', async (_, other) => {
    const sandbox = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } })
    const { linkId } = await fresh()
    const before = await lastEvent()
    expect((await send(other(linkId), crypto.randomUUID(), {}, sandbox)).status).toBe(404)
    expect(await lastEvent()).toBe(before)
  })

  it.each([
    ['that is too long', 'x'.repeat(65)],
    ['with a space', 'x%20y'],
    ['with a letter of another alphabet', '%D1%85'],
  ])('is refused with 404 for an id %s, and nothing is recorded', async (_, linkId) => {
    const qrCode = await fresh()
    const before = [await read(qrCode), await lastEvent()]
    const uid = crypto.randomUUID()
    const response = await report({ linkId }, {}, uid)
    expect([response.status, (await errorOf(response)).errorCode]).toEqual([404, 'payin.resource.not.found'])
    expect([await read(qrCode), await lastEvent()]).toEqual(before)
    expect(await paymentOf(uid)).toBeUndefined()
  })

  it('needs a MAC of the secret in the sandbox; one that the site has does not, as after two rotations', async () => {
    const qrCode = await fresh()
    const secret = 'the next secret but one, of 32 characters and more'
    const later = serviceWith({ settings: { TOKEN_SECRET: secret, PAYMENT_NETWORK: 'sandbox' } })
    const mine = await tokenOf({ scope: 'network' }, secret)
    expect((await send(qrCode.linkId, crypto.randomUUID(), { token: mine }, later)).status).toBe(200)
    expect(await statusOf(qrCode)).toBe('PAYED')
    expect((await send(unknownLinkId(), crypto.randomUUID(), { token: mine }, later)).status).toBe(404)
  })
})
