// Money that goes back: refunds that a retry repeats once, cancelled orders, payments that pay nothing.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { money, type Order, PAID } from './answers.ts'
import { type Medusa, openMedusa } from './shop.ts'

let medusa: Medusa
beforeAll(async () => {
  medusa = await openMedusa()
})
afterAll(() => medusa.close())

/** An order that is paid, and its payment in Medusa. */
async function paidOrder() {
  const placed = await medusa.order()
  const paymentId = await medusa.pay(placed.session)
  await expect.poll(async () => money(await medusa.read(placed.order))).toEqual(PAID)
  const payment = (await medusa.read(placed.order)).payment_collections[0]?.payments[0]?.id ?? ''
  return { ...placed, paymentId, payment }
}

const refunds = ({ payment_collections }: Order) =>
  payment_collections.flatMap(({ payments }) =>
    payments.flatMap((each) => each.refunds.map(({ amount }) => amount)),
  )

/** The refunds of a payment at the service. */
async function atService(paymentId: string) {
  const answer = await medusa.site.value(`/payments/${paymentId}/refunds`)
  const Refunds = z.array(
    z.object({
      refundId: z.string(),
      amount: z.object({ value: z.string() }),
      status: z.object({ value: z.string() }),
    }),
  )
  return Refunds.parse(answer).map(({ amount, status }) => `${amount.value} ${status.value}`)
}

test('a part is refunded, then the rest', async () => {
  const { order, payment, paymentId } = await paidOrder()
  await medusa.admin(`/payments/${payment}/refund`, { amount: 100 })
  await medusa.admin(`/payments/${payment}/refund`, { amount: 249.9 })
  expect(await atService(paymentId)).toEqual(['100.00 COMPLETED', '249.90 COMPLETED'])
  expect(refunds(await medusa.read(order))).toEqual([100, 249.9])
  expect((await medusa.read(order)).payment_status).toBe('refunded')
})

// medusajs/medusa#16681
test('a refund whose answer is lost is refunded once, however often it is repeated', async () => {
  const { session, order, payment, paymentId } = await paidOrder()
  // The read of the code, its payments, and of the refund pass; the answer to the refund does not come until the shop gives up.
  const lost = Array.from({ length: 60 }, () => 'lost-answer' as const)
  medusa.proxy.faults.push('none', 'none', 'none', ...lost)
  expect(await medusa.refusal(`/payments/${payment}/refund`, { amount: 100 })).toContain('Repeat it')
  medusa.proxy.faults.length = 0
  // Its notification comes meanwhile: the repeat is the same refund all the same.
  await expect.poll(() => atService(paymentId)).toEqual(['100.00 COMPLETED'])
  await medusa.redeliver(session)
  expect(refunds(await medusa.read(order))).toEqual([])
  expect(await medusa.refusal(`/payments/${payment}/refund`, { amount: 50 })).toContain('Refund 100.00 first')
  await medusa.admin(`/payments/${payment}/refund`, { amount: 100 })
  expect(await atService(paymentId)).toEqual(['100.00 COMPLETED'])
  expect(refunds(await medusa.read(order))).toEqual([100])
})

test('two refunds of the same amount at once are two', async () => {
  const { order, payment, paymentId } = await paidOrder()
  await Promise.all([1, 2].map(() => medusa.admin(`/payments/${payment}/refund`, { amount: 100 })))
  expect(await atService(paymentId)).toEqual(['100.00 COMPLETED', '100.00 COMPLETED'])
  expect(refunds(await medusa.read(order))).toEqual([100, 100])
})

// woocommerce-gateway-stripe#4405. The sandbox declines refunds with the kopecks 13.
test('a refund that the bank declines is told as failed, and the order has none', async () => {
  const { order, payment, paymentId } = await paidOrder()
  expect(await medusa.refusal(`/payments/${payment}/refund`, { amount: 0.13 })).toContain('declined')
  expect(await medusa.refusal(`/payments/${payment}/refund`, { amount: 0.13 })).toContain('declined')
  expect(refunds(await medusa.read(order))).toEqual([])
  await medusa.admin(`/payments/${payment}/refund`, { amount: 349.9 })
  expect(await atService(paymentId)).toEqual(['0.13 DECLINED', '0.13 DECLINED', '349.90 COMPLETED'])
})

// The sandbox carries out a refund with the kopecks 17 after 30 seconds.
test('a refund that takes long is told as not done, and the same refund again records it', async () => {
  const { order, payment, paymentId } = await paidOrder()
  const refund = { amount: 100.17 }
  expect(await medusa.refusal(`/payments/${payment}/refund`, refund)).toContain('not carried out')
  expect(refunds(await medusa.read(order))).toEqual([])
  const unrecorded = (status: string) => [
    expect.objectContaining({ unrecorded: [{ amount: '100.17', status }] }),
  ]
  expect(await medusa.income(order)).toEqual(unrecorded('WAITING'))
  await expect.poll(() => medusa.income(order), { timeout: 60_000 }).toEqual(unrecorded('COMPLETED'))
  await medusa.admin(`/payments/${payment}/refund`, refund)
  expect(await atService(paymentId)).toEqual(['100.17 COMPLETED'])
  expect(refunds(await medusa.read(order))).toEqual([100.17])
  expect(await medusa.income(order)).toEqual([expect.objectContaining({ unrecorded: [] })])
})

test('a cancelled order cancels its code first', async () => {
  const { order, session } = await medusa.order()
  await medusa.admin(`/orders/${order}/cancel`, {})
  expect(await medusa.status(session)).toBe('CANCELLED')
  expect((await medusa.read(order)).status).toBe('canceled')
  expect((await medusa.send(`/admin/orders/${order}/cancel`, {})).status).toBe(401)
})

test('somebody who is not signed in cancels no code', async () => {
  const { order, session } = await medusa.order()
  expect((await medusa.send(`/admin/orders/${order}/cancel`, {})).status).toBe(401)
  expect(await medusa.status(session)).toBe('CREATED')
})

test('an order whose payment was faster than its cancellation stays, and is paid', async () => {
  const { order, session } = await medusa.order()
  await medusa.withoutNotifications(async () => {
    await medusa.pay(session)
    expect(await medusa.refusal(`/orders/${order}/cancel`, {})).toContain('has paid the order just now')
  })
  const after = await medusa.read(order)
  expect(after.status).toBe('pending')
  expect(money(after)).toEqual(PAID)
  await medusa.admin(`/orders/${order}/cancel`, {})
  expect(refunds(await medusa.read(order))).toEqual([349.9])
})

test('a paid order is not cancelled where its refund is declined', async () => {
  const { order, payment, paymentId } = await paidOrder()
  // What is left has the kopecks 13.
  await medusa.admin(`/payments/${payment}/refund`, { amount: 49.77 })
  expect(await medusa.refusal(`/orders/${order}/cancel`, {})).toContain('declined')
  expect((await medusa.read(order)).status).toBe('pending')
  expect(refunds(await medusa.read(order))).toEqual([49.77])
  expect(await atService(paymentId)).toEqual(['49.77 COMPLETED', '300.13 DECLINED'])
})

// razorpay-woocommerce#157
test('money that comes after a timer cancelled the order is shown as such, and goes back', async () => {
  const { order, session } = await medusa.order()
  await medusa.cancelByTimer(order)
  await expect.poll(() => medusa.status(session)).toBe('CANCELLED')
  const paymentId = await medusa.pay(session)
  await expect.poll(async () => money(await medusa.read(order)).captures).toEqual([349.9])
  expect((await medusa.read(order)).status).toBe('canceled')
  const [late] = await medusa.income(order)
  expect(late).toMatchObject({ kind: 'late', paymentId, left: '349.90' })
  expect(await medusa.refusal(`/payments/${late?.medusaPaymentId}/refund`, { amount: 349.9 })).toContain(
    'is cancelled',
  )
  expect(await atService(paymentId)).toEqual([])
  await medusa.admin(`/fps-qr/orders/${order}/payments/${paymentId}/refund`, {})
  expect(refunds(await medusa.read(order))).toEqual([349.9])
  expect(await atService(paymentId)).toEqual(['349.90 COMPLETED'])
  expect(await medusa.income(order)).toMatchObject([{ kind: 'late', left: '0.00' }])
})

// vendurehq/vendure#2620
test('a second payment is shown as surplus, and goes back once', async () => {
  const { order, session, paymentId } = await paidOrder()
  const second = await medusa.pay(session)
  await medusa.redeliver(session)
  expect(money(await medusa.read(order))).toEqual(PAID)
  expect(await medusa.income(order)).toMatchObject([
    { paymentId, kind: 'paid', left: '349.90' },
    { paymentId: second, kind: 'surplus', left: '349.90' },
  ])
  const path = `/fps-qr/orders/${order}/payments/${second}/refund`
  await Promise.allSettled([medusa.admin(path, {}), medusa.admin(path, {})])
  expect(await atService(second)).toEqual(['349.90 COMPLETED'])
  expect(await atService(paymentId)).toEqual([])
  expect(await medusa.refusal(path, {})).toContain('Nothing is left')
  const first = `/fps-qr/orders/${order}/payments/${paymentId}/refund`
  expect(await medusa.refusal(first, {})).toContain('is not a surplus payment')
})

test('money for a code whose session is gone is shown with its order', async () => {
  const { order, session, collection } = await medusa.order()
  const second = await medusa.session(collection)
  await medusa.pay(second)
  await expect.poll(async () => money(await medusa.read(order))).toEqual(PAID)
  const late = await medusa.pay(session)
  expect(await medusa.income(order)).toMatchObject([
    { qrCodeUid: session, paymentId: late, kind: 'surplus' },
    { qrCodeUid: second, kind: 'paid' },
  ])
})

test('the check says that the settings work, and names the one that does not', async () => {
  const check = () => medusa.admin('/fps-qr/check', {})
  expect(await check()).toEqual({ providers: [{ providerId: 'pp_fps-qr_sbp', ok: true }] })
  await medusa.withoutNotifications(async () => {
    expect(await check()).toMatchObject({ providers: [{ ok: false, setting: 'notifications' }] })
  })
})

test('a shop with wrong settings does not start, and says which are wrong, without what they have', async () => {
  const started = (env: Record<string, string>) => medusa.start(env).catch((error: Error) => error.message)
  expect(await started({ FPS_QR_TTL: '0' })).toContain('fps-qr: ttl: ')
  const secret = 'a token with spaces'
  const said = await started({ FPS_QR_TOKEN: secret })
  expect(said).toContain('fps-qr: token must be')
  expect(said).not.toContain(secret)
})
