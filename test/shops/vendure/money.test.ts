// What becomes of an order and its money, with the real shop and the real service. Where a public report has the same case, it is named.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { delivery, FOREIGN_KEY, paid } from '../../support/signed-notifications.ts'
import { refundOrder as refundOf, runTask as runTaskOf, transition as transitionOf } from './admin.ts'
import { openShop, type Shop } from './shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop?.dispose())

/** How often the order became paid, by its history. */
const timesSettled = ({ history }: Awaited<ReturnType<Shop['order']>>) =>
  history.items.filter(({ type, data }) => type === 'ORDER_STATE_TRANSITION' && data.to === 'PaymentSettled')
    .length
const notesOf = ({ history }: Awaited<ReturnType<Shop['order']>>) =>
  history.items.filter(({ type }) => type === 'ORDER_NOTE').map(({ data }) => String(data.note))
const settled = async (id: string) => {
  await expect.poll(async () => (await shop.order(id)).state).toBe('PaymentSettled')
  return shop.order(id)
}
const Result = z.object({ __typename: z.string(), message: z.string().optional() })
const transition = (id: string, state: string) => transitionOf(shop, id, state)
const runTask = () => runTaskOf(shop)
const refundOrder = (paymentId: string, amount: number) => refundOf(shop, paymentId, amount)

it('an order is paid by the notification of its payment', async () => {
  const customer = shop.customer()
  const { id, code, qrCodeUid } = await customer.order()
  expect(await shop.order(id)).toMatchObject({ state: 'ArrangingPayment', payments: [{ state: 'Created' }] })
  expect(await shop.service.code(qrCodeUid)).toMatchObject({ amount: { value: '300.00' } })
  const shown = await customer.shown(code)
  expect(shown).toMatchObject({ state: 'open', pageUrl: expect.stringContaining('/pay/tea/') })
  expect(Buffer.from(shown?.picture ?? '', 'base64').toString()).toMatch(/^<svg/)
  await shop.service.pay(qrCodeUid)
  const { payments, active } = await settled(id)
  expect(payments).toMatchObject([{ state: 'Settled', amount: 30_000, transactionId: qrCodeUid }])
  expect(active).toBe(false)
  expect(await customer.shown(code)).toMatchObject({ state: 'paid', pageUrl: null, picture: null })
})

// pinelab-vendure-plugins#620
it('three notifications at once settle the order once', async () => {
  shop.relay.isHeld = true
  const { id, qrCodeUid } = await shop.customer().order()
  const before = shop.relay.deliveries.length
  await shop.service.pay(qrCodeUid)
  await expect.poll(() => shop.relay.deliveries.length).toBeGreaterThan(before)
  const delivered = shop.relay.deliveries.at(-1)
  if (!delivered) throw new Error('no delivery')
  expect(await Promise.all([1, 2, 3].map(() => shop.relay.deliver(delivered)))).toEqual([204, 204, 204])
  shop.relay.isHeld = false
  const order = await settled(id)
  expect(timesSettled(order)).toBe(1)
  const transitions = order.history.items.filter(({ data }) => data.to === 'Settled')
  expect(transitions).toHaveLength(1)
  expect(order.payments).toHaveLength(1)
  expect(await shop.relay.deliver(delivered)).toBe(204)
  expect(await shop.order(id)).toEqual(order)
})

// vendurehq/vendure#2620
it('an order that is paid twice is settled once; the second payment is shown, and can be refunded', async () => {
  const { id, qrCodeUid } = await shop.customer().order()
  await shop.service.pay(qrCodeUid)
  await settled(id)
  await shop.service.pay(qrCodeUid)
  await expect.poll(async () => (await shop.order(id)).payments.length).toBe(2)
  const order = await shop.order(id)
  expect(timesSettled(order)).toBe(1)
  expect(notesOf(order)).toEqual([expect.stringContaining('A second payment: 300.00 RUB')])
  const [, second = ''] = await shop.service.payments(qrCodeUid)
  const surplus = order.payments.find(({ transactionId }) => transactionId === second)
  expect(surplus).toMatchObject({ state: 'Settled', amount: 30_000 })
  expect(await refundOrder(surplus?.id ?? '', 30_000)).toMatchObject({ __typename: 'Refund' })
  await expect
    .poll(async () => (await shop.order(id)).payments.flatMap(({ refunds }) => refunds))
    .toMatchObject([{ state: 'Settled', total: 30_000 }])
  expect(await shop.service.refunds(second)).toMatchObject([{ status: { value: 'COMPLETED' } }])
})

// razorpay-woocommerce#157
it('money for an order that a timer has cancelled is told as such, and can be refunded', async () => {
  const customer = shop.customer()
  const { id, code, qrCodeUid } = await customer.order()
  expect(await transition(id, 'Cancelled')).toMatchObject({ __typename: 'Order' })
  expect((await shop.service.code(qrCodeUid)).qrCode.status).toBe('CANCELLED')
  expect(await shop.order(id)).toMatchObject({ state: 'Cancelled', payments: [{ state: 'Cancelled' }] })
  await shop.service.pay(qrCodeUid)
  await expect.poll(async () => (await shop.order(id)).payments.length).toBe(2)
  const order = await shop.order(id)
  expect(order.state).toBe('Cancelled')
  expect(notesOf(order)).toEqual([expect.stringContaining('Paid after cancellation: 300.00 RUB')])
  expect(await customer.shown(code)).not.toMatchObject({ state: 'paid' })
  const late = order.payments.find(({ state }) => state === 'Settled')
  expect(await refundOrder(late?.id ?? '', 30_000)).toMatchObject({ __typename: 'Refund' })
  const [paymentId = ''] = await shop.service.payments(qrCodeUid)
  await expect
    .poll(() => shop.service.refunds(paymentId))
    .toMatchObject([{ amount: { value: '300.00' }, status: { value: 'COMPLETED' } }])
})

it('an order whose customer has just paid is not cancelled', async () => {
  shop.relay.isHeld = true
  const { id, qrCodeUid } = await shop.customer().order()
  await shop.service.pay(qrCodeUid)
  expect(await transition(id, 'Cancelled')).toMatchObject({ message: 'the customer has paid' })
  shop.relay.isHeld = false
  expect(timesSettled(await settled(id))).toBe(1)
})

it('money that comes after the code has ended pays the order that still waits', async () => {
  const customer = shop.customer()
  const { id, code, qrCodeUid } = await customer.order()
  await shop.service.site.value(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' })
  expect(await customer.shown(code)).toMatchObject({ state: 'ended' })
  expect(await shop.order(id)).toMatchObject({
    state: 'ArrangingPayment',
    payments: [{ state: 'Cancelled' }],
  })
  await shop.service.pay(qrCodeUid)
  const order = await settled(id)
  expect(notesOf(order)).toEqual([expect.stringContaining('the order is paid')])
  expect(await customer.shown(code)).toMatchObject({ state: 'paid' })
  const late = order.payments.find(({ state }) => state === 'Settled')
  expect(await refundOrder(late?.id ?? '', 30_000)).toMatchObject({ __typename: 'Refund' })
  const [paymentId = ''] = await shop.service.payments(qrCodeUid)
  await expect.poll(() => shop.service.refunds(paymentId)).toMatchObject([{ status: { value: 'COMPLETED' } }])
  // It was paid by this code, whatever went back.
  expect(await customer.shown(code)).toMatchObject({ state: 'paid' })
})

describe('refunds', () => {
  const paidOrder = async () => {
    const { id, qrCodeUid } = await shop.customer().order()
    await shop.service.pay(qrCodeUid)
    const { payments } = await settled(id)
    const [paymentId = ''] = await shop.service.payments(qrCodeUid)
    return { id, payment: payments[0]?.id ?? '', paymentId }
  }
  const refundsOf = async (id: string) => (await shop.order(id)).payments.flatMap(({ refunds }) => refunds)

  // woocommerce-gateway-stripe#4405
  it('a refund that the bank declines is told as failed', async () => {
    const { id, payment } = await paidOrder()
    await refundOrder(payment, 113)
    await expect.poll(() => refundsOf(id)).toMatchObject([{ state: 'Failed', total: 113 }])
    expect(notesOf(await shop.order(id))).toEqual([
      expect.stringMatching(/^The refund of 1.13 RUB has failed/),
    ])
    await refundOrder(payment, 30_000)
    await expect
      .poll(() => refundsOf(id))
      .toMatchObject([{ state: 'Failed' }, { state: 'Settled', total: 30_000 }])
  })

  // medusajs/medusa#16681
  it('a refund whose answers are lost is sent again by the task, under its own id: the money is returned once', async () => {
    const { id, payment, paymentId } = await paidOrder()
    const { requests, faults } = shop.service.proxy
    const before = requests.length
    const puts = () => requests.slice(before).filter(({ method }) => method === 'PUT')
    faults.push(...Array<'lost-answer'>(100).fill('lost-answer'))
    await refundOrder(payment, 20_000)
    await expect.poll(() => puts().length).toBeGreaterThan(0)
    // The shop gives up after eight seconds.
    await expect.poll(() => shop.log()).toContain('/refunds/')
    expect(await shop.service.refunds(paymentId)).toHaveLength(1)
    expect(await refundsOf(id)).toMatchObject([{ state: 'Pending' }])
    faults.length = 0
    await runTask()
    await expect.poll(() => refundsOf(id), { timeout: 90_000 }).toMatchObject([{ state: 'Settled' }])
    expect(new Set(puts().map(({ path }) => path)).size).toBe(1)
    expect(await shop.service.refunds(paymentId)).toHaveLength(1)
  })

  it('a refund that takes long is pending, and settled by its notification', async () => {
    const { id, payment } = await paidOrder()
    await refundOrder(payment, 117)
    await expect.poll(() => refundsOf(id)).toMatchObject([{ state: 'Pending' }])
    await expect
      .poll(() => refundsOf(id), { timeout: 60_000 })
      .toMatchObject([{ state: 'Settled', total: 117 }])
  })
})

// omise-woocommerce#100
it('a late failure does not overwrite a paid order', async () => {
  shop.relay.isHeld = true
  const { id, qrCodeUid } = await shop.customer().order()
  const before = shop.relay.deliveries.length
  await shop.service.pay(qrCodeUid, { status: 'DECLINED' })
  await expect.poll(() => shop.relay.deliveries.length).toBeGreaterThan(before)
  const declined = shop.relay.deliveries[before]
  if (!declined?.body.includes('DECLINE')) throw new Error('not the declined attempt')
  shop.relay.isHeld = false
  await shop.service.pay(qrCodeUid)
  const order = await settled(id)
  expect(await shop.relay.deliver(declined)).toBe(204)
  expect(await shop.order(id)).toEqual(order)
})

// antiwork/gumroad#7710
it('a customer who comes back before the money fails nothing: the order is paid later', async () => {
  const customer = shop.customer()
  const { id, code, qrCodeUid } = await customer.order()
  const returned = await fetch(`${shop.origin}/?order=${code}&status=paid`)
  expect(returned.status).toBe(200)
  expect(await customer.shown(code)).toMatchObject({ state: 'open' })
  await shop.service.pay(qrCodeUid, { status: 'DECLINED' })
  expect(await customer.shown(code)).toMatchObject({ state: 'open' })
  expect(await shop.order(id)).toMatchObject({ state: 'ArrangingPayment', payments: [{ state: 'Created' }] })
  await shop.service.pay(qrCodeUid)
  await settled(id)
})

it('money for an old amount of the cart waits for its refund, and the customer can pay the new one', async () => {
  const customer = shop.customer()
  const { id, code, qrCodeUid } = await customer.order()
  await customer.session.ask(
    z.unknown(),
    'mutation { transitionOrderToState(state: "AddingItems") { __typename } }',
  )
  await customer.arrange(1)
  await shop.service.pay(qrCodeUid)
  await expect
    .poll(async () => (await shop.order(id)).payments.map(({ state }) => state))
    .toContain('Declined')
  expect(await customer.shown(code)).toMatchObject({ state: 'ended' })
  await customer.addPayment()
  await shop.service.pay(`${code}-2`)
  const { payments } = await settled(id)
  expect(payments.map(({ state, amount }) => `${state} ${amount}`).toSorted()).toEqual([
    'Cancelled 30000',
    'Declined 30000',
    'Settled 55000',
  ])
})

// mollie/WooCommerce#1289
it('nobody is told how to pay a code that has ended; the customer gets another one', async () => {
  const customer = shop.customer()
  const { id, code, qrCodeUid } = await customer.order()
  await shop.service.site.value(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' })
  expect(await customer.shown(code)).toEqual({ state: 'ended', pageUrl: null, link: null, picture: null })
  const Metadata = z.object({ payments: z.array(z.object({ metadata: z.unknown() })) })
  const stored = await customer.session.ask(Metadata, '{ activeOrder { payments { metadata } } }')
  expect(JSON.stringify(stored)).not.toMatch(/https?:/)
  await customer.addPayment()
  expect(await customer.shown(code)).toMatchObject({ state: 'open' })
  await shop.service.pay(`${code}-2`)
  expect(timesSettled(await settled(id))).toBe(1)
})

it('another amount never pays the order; it can be refunded while the order waits', async () => {
  const { id, qrCodeUid } = await shop.customer().order()
  await shop.service.pay(qrCodeUid, { amount: { value: '400.00' } })
  await expect.poll(async () => (await shop.order(id)).payments.length).toBe(2)
  const order = await shop.order(id)
  expect(order.state).toBe('ArrangingPayment')
  expect(notesOf(order)).toEqual([expect.stringContaining('Another amount: 400.00 RUB')])
  const wrong = order.payments.find(({ amount }) => amount === 40_000)
  expect(wrong).toMatchObject({ state: 'Declined' })
  await shop.admin.ask(z.unknown(), 'mutation($id: ID!) { fpsQrRefundPayment(paymentId: $id) { id } }', {
    id: wrong?.id,
  })
  const [paymentId = ''] = await shop.service.payments(qrCodeUid)
  await expect.poll(() => shop.service.refunds(paymentId)).toMatchObject([{ status: { value: 'COMPLETED' } }])
  await shop.service.pay(qrCodeUid)
  expect(timesSettled(await settled(id))).toBe(1)
})

it('only a notification that the service signed is taken', async () => {
  const { id, qrCodeUid } = await shop.customer().order()
  const forged = delivery(paid(qrCodeUid, {}, undefined, { siteId: 'tea', utcOffset: '+03:00' }), {
    key: FOREIGN_KEY,
  })
  expect(await shop.relay.deliver(forged)).toBe(401)
  // Signed, and not true: the service says that nobody has paid.
  const signed = delivery(paid(qrCodeUid, {}, undefined, { siteId: 'tea', utcOffset: '+03:00' }), {
    key: shop.key,
  })
  expect(await shop.relay.deliver(signed)).toBe(204)
  expect(await shop.order(id)).toMatchObject({ state: 'ArrangingPayment', payments: [{ state: 'Created' }] })
})

it('a payment whose notification is lost is found by reading the code', async () => {
  shop.relay.isHeld = true
  const customer = shop.customer()
  const { id, code, qrCodeUid } = await customer.order()
  await shop.service.pay(qrCodeUid)
  expect(await customer.shown(code)).toMatchObject({ state: 'paid' })
  expect(timesSettled(await settled(id))).toBe(1)
  shop.relay.isHeld = false
})

it('a payment that nobody asks about is found by the task', async () => {
  shop.relay.isTaken = true
  const { id, qrCodeUid } = await shop.customer().order()
  await shop.service.pay(qrCodeUid)
  await runTask()
  await expect.poll(async () => (await shop.order(id)).state, { timeout: 90_000 }).toBe('PaymentSettled')
  shop.relay.isTaken = false
})

it('the administrator’s button settles only what is paid', async () => {
  const { id } = await shop.customer().order()
  const { payments } = await shop.order(id)
  const settle = 'mutation($id: ID!) { settlePayment(id: $id) { __typename ... on ErrorResult { message } } }'
  expect(await shop.admin.ask(Result, settle, { id: payments[0]?.id })).toMatchObject({
    __typename: 'SettlePaymentError',
  })
  expect(await shop.order(id)).toMatchObject({ state: 'ArrangingPayment', payments: [{ state: 'Created' }] })
})

it('a second click gets the same code, and the order is settled once', async () => {
  const customer = shop.customer()
  const { id, code, qrCodeUid } = await customer.order()
  await Promise.all([customer.addPayment(), customer.addPayment()])
  expect((await shop.service.site.ask(`/sbp/qrCodes/${code}-2`)).status).toBe(404)
  await shop.service.pay(qrCodeUid)
  const { payments } = await settled(id)
  expect(payments.filter(({ state }) => state === 'Settled')).toHaveLength(1)
  expect(payments.filter(({ state }) => state === 'Created')).toEqual([])
})

it('a customer who goes back to the cart cannot pay the old amount', async () => {
  const customer = shop.customer()
  const { id, code, qrCodeUid } = await customer.order()
  await customer.session.ask(
    z.unknown(),
    'mutation { transitionOrderToState(state: "AddingItems") { __typename } }',
  )
  expect((await shop.service.code(qrCodeUid)).qrCode.status).toBe('CANCELLED')
  await customer.arrange(1)
  await customer.addPayment()
  expect(await shop.service.code(`${code}-2`)).toMatchObject({ amount: { value: '550.00' } })
  await shop.service.pay(`${code}-2`)
  expect(timesSettled(await settled(id))).toBe(1)
})
