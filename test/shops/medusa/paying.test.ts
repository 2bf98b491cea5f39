// An order is paid by what the service says of its code, and once.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { captures, money, PAID, UNPAID } from './answers.ts'
import { type Medusa, openMedusa } from './shop.ts'

let medusa: Medusa
beforeAll(async () => {
  medusa = await openMedusa()
})
afterAll(() => medusa.close())

const paid = (order: string) => expect.poll(async () => money(await medusa.read(order))).toEqual(PAID)

test('an order waits for its payment, and a notification pays it', async () => {
  const { order, session } = await medusa.order()
  expect(money(await medusa.read(order))).toEqual(UNPAID)
  await medusa.pay(session)
  await paid(order)
  expect(await medusa.state(session)).toMatchObject({ state: 'paid', amount: { value: '349.90' } })
})

test('a customer who pays before the order is placed, and never comes back, has it placed and paid', async () => {
  const { cart, session } = await medusa.checkout()
  const before = await medusa.orders()
  await medusa.pay(session)
  await expect.poll(() => medusa.orders()).toBe(before + 1)
  // Medusa answers with the order that there is.
  const order = await medusa.complete(cart)
  await paid(order)
})

// antiwork/gumroad#7710
test('a customer who comes back early fails nothing: the payment that follows pays the order', async () => {
  const { cart, session } = await medusa.checkout()
  const order = await medusa.complete(cart)
  expect(await medusa.state(session)).toMatchObject({ state: 'open' })
  expect(await medusa.complete(cart)).toBe(order)
  expect(money(await medusa.read(order))).toEqual(UNPAID)
  await medusa.pay(session)
  await paid(order)
})

test('an order is placed while the service does not answer, and is paid afterwards', async () => {
  const { cart, session } = await medusa.checkout()
  medusa.proxy.faults.push(...Array.from({ length: 40 }, () => '503' as const))
  const order = await medusa.complete(cart)
  medusa.proxy.faults.length = 0
  expect(money(await medusa.read(order))).toEqual(UNPAID)
  await medusa.pay(session)
  await paid(order)
})

test('the return of the browser pays nothing', async () => {
  const { order, session } = await medusa.order()
  expect((await medusa.send(`/shop?payment_session=${session}`)).status).toBe(200)
  expect(await medusa.state(session)).toMatchObject({ state: 'open' })
  expect(money(await medusa.read(order))).toEqual(UNPAID)
})

test('a read of a paid code pays the order where no notification comes', async () => {
  const { order, session } = await medusa.order()
  await medusa.withoutNotifications(async () => {
    await medusa.pay(session)
    await sleep(300)
    expect(money(await medusa.read(order))).toEqual(UNPAID)
    expect(await medusa.state(session)).toMatchObject({ state: 'paid' })
    expect(money(await medusa.read(order))).toEqual(PAID)
  })
})

// pinelab-vendure-plugins#620
test('notifications that come at once, and again, record one payment', async () => {
  const { order, session } = await medusa.order()
  await medusa.withoutNotifications(() => medusa.pay(session))
  const events = () => medusa.shop().log().split(`captured ${order}`).length - 1
  expect(await medusa.redeliver(session, 5)).toEqual([204, 204, 204, 204, 204])
  expect(await medusa.redeliver(session, 2)).toEqual([204, 204])
  expect(money(await medusa.read(order))).toEqual(PAID)
  // Subscribers of the shop hear of one payment.
  await sleep(200)
  expect(events()).toBe(1)
})

// omise-woocommerce#100
test('a failed attempt that is told late leaves the order paid', async () => {
  const { order, session } = await medusa.order()
  await medusa.withoutNotifications(async () => {
    await medusa.pay(session, { status: 'DECLINED' })
    await medusa.pay(session)
  })
  // The newest first: the success, then the failure.
  expect(await medusa.redeliver(session)).toEqual([204, 204])
  await paid(order)
  expect(await medusa.redeliver(session)).toEqual([204, 204])
  expect(money(await medusa.read(order))).toEqual(PAID)
})

test('a notification that the service did not sign is refused, and pays nothing', async () => {
  const { order, session } = await medusa.order()
  const body = {
    payment: {
      paymentId: 'A1',
      qrCodeUid: session,
      status: { value: 'SUCCESS' },
      amount: { value: 349.9 },
      applied: true,
    },
    type: 'PAYMENT',
  }
  const headers = {
    'webhook-id': 'made-up',
    'webhook-timestamp': `${Math.floor(Date.now() / 1000)}`,
    'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
  }
  expect((await medusa.send('/fps-qr/notifications', body, headers)).status).toBe(401)
  expect((await medusa.send('/fps-qr/notifications', body)).status).toBe(401)
  await medusa.send('/hooks/payment/fps-qr_sbp', body, headers)
  expect(money(await medusa.read(order))).toEqual(UNPAID)
})

test('another amount pays nothing, and is shown as money to return', async () => {
  const { order, session } = await medusa.order()
  const paymentId = await medusa.pay(session, { amount: { value: '1.00' } })
  await medusa.redeliver(session)
  expect(money(await medusa.read(order))).toEqual(UNPAID)
  expect(await medusa.state(session)).toMatchObject({ state: 'open' })
  expect(await medusa.income(order)).toEqual([
    expect.objectContaining({ paymentId, amount: '1.00', left: '1.00', kind: 'surplus' }),
  ])
})

test('a session that names the code of another one gets its own', async () => {
  const cheap = await medusa.order()
  const { collection } = await medusa.checkout(3)
  const data = {
    session_id: cheap.session,
    qrCodeUid: cheap.session,
    amount: { value: '349.90', currency: 'RUB' },
  }
  const answer = await medusa.store(`/payment-collections/${collection}/payment-sessions`, {
    ...{ provider_id: 'pp_fps-qr_sbp', data },
  })
  const made = z.object({
    payment_collection: z.object({
      payment_sessions: z.array(z.object({ id: z.string(), data: z.record(z.string(), z.unknown()) })),
    }),
  })
  const [session] = made.parse(answer).payment_collection.payment_sessions
  expect(session?.data).toMatchObject({
    qrCodeUid: session?.id,
    amount: { value: '849.90', currency: 'RUB' },
  })
})

// mollie/WooCommerce#1289
test('a code that ended shows nothing to pay with, and another one takes its place', async () => {
  const { order, session, collection } = await medusa.order()
  const open = await medusa.state(session)
  expect(open).toMatchObject({
    state: 'open',
    pageUrl: expect.stringContaining('http'),
    link: expect.anything(),
  })
  expect(open.picture).toMatch(/^data:image\/svg\+xml;base64,/)
  await medusa.site.ask(`/sbp/qrCodes/${session}`, { method: 'DELETE' })
  expect(await medusa.state(session)).toEqual({
    state: 'ended',
    amount: { value: '349.90', currency: 'RUB' },
  })
  const again = await medusa.session(collection)
  expect(await medusa.state(again)).toMatchObject({ state: 'open' })
  await medusa.pay(again)
  await paid(order)
})

test('a new session cancels the code before it; where that is paid, there is no new one', async () => {
  const { session, collection, order } = await medusa.order()
  const second = await medusa.session(collection)
  expect(await medusa.status(session)).toBe('CANCELLED')
  await medusa.withoutNotifications(() => medusa.pay(second))
  await expect(medusa.session(collection)).rejects.toThrow()
  expect(await medusa.redeliver(second)).toEqual([204])
  await paid(order)
})

test('the receipt has the lines of the cart and the delivery, which add up to the payment', async () => {
  const { order, session } = await medusa.order(3)
  const paymentId = await medusa.pay(session)
  await expect.poll(async () => captures(await medusa.read(order))).toEqual([849.9])
  const answer = await medusa.site.ask(`/payments/${paymentId}/receipts`)
  expect(answer.text).toContain('"price":"250.00","quantity":"3"')
  expect(answer.text).toContain('"name":"Курьер","price":"99.90"')
})

test('no secret is in a log or in an answer', async () => {
  const { order, session } = await medusa.order()
  const answers = [
    await medusa.admin('/fps-qr/check'),
    await medusa.admin('/fps-qr/check', {}),
    await medusa.admin(`/orders/${order}`),
    await medusa.state(session),
  ]
  for (const secret of medusa.secrets) {
    expect(JSON.stringify(answers)).not.toContain(secret)
    expect(medusa.shop().log()).not.toContain(secret)
  }
})

test('a tax rate that no receipt can state does not keep the shop from selling', async () => {
  await medusa.shop().kill()
  await medusa.start({ FPS_QR_VAT_FROM_TAXES: 'on' })
  const rate = { name: 'VAT', code: 'vat', rate: 20 }
  await medusa.admin('/tax-regions', {
    ...{ country_code: 'ru', provider_id: 'tp_system', default_tax_rate: rate },
  })
  const { session } = await medusa.checkout()
  const { amount } = await medusa.state(session)
  expect(amount).toMatchObject({ value: '419.88' })
})
