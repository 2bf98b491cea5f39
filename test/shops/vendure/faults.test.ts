// What goes wrong around an order: the payment method is disabled or moved, answers are lost, the administrator errs.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { mintToken } from '../../../bin/mint-token.ts'
import { enable, refundOrder, runTask, saveSettings, transition } from './admin.ts'
import { openShop, type Shop } from './shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop?.dispose())
afterEach(() => {
  shop.service.proxy.faults.length = 0
})

/** The task runs within a minute. */
const TASK = { timeout: 90_000 }

const paidOrder = async () => {
  const { id, qrCodeUid } = await shop.customer().order()
  await shop.service.pay(qrCodeUid)
  await expect.poll(async () => (await shop.order(id)).state).toBe('PaymentSettled')
  const { payments } = await shop.order(id)
  const [paymentId = ''] = await shop.service.payments(qrCodeUid)
  return { id, qrCodeUid, payment: payments[0]?.id ?? '', paymentId }
}
const refundsOf = async (id: string) => (await shop.order(id)).payments.flatMap(({ refunds }) => refunds)
const statusOf = async (qrCodeUid: string) => (await shop.service.code(qrCodeUid)).qrCode.status
const statesOf = async (id: string) => (await shop.order(id)).payments.map(({ state }) => state)

it('a disabled payment method makes no new codes; what was begun goes on', async () => {
  const paid = await paidOrder()
  const cancelled = await shop.customer().order()
  const { id, qrCodeUid } = await shop.customer().order()
  await enable(shop, false)
  try {
    await shop.service.pay(qrCodeUid)
    await expect.poll(async () => (await shop.order(id)).state).toBe('PaymentSettled')
    expect(await transition(shop, cancelled.id, 'Cancelled')).toMatchObject({ __typename: 'Order' })
    expect(await statusOf(cancelled.qrCodeUid)).toBe('CANCELLED')
    expect(await statesOf(cancelled.id)).toEqual(['Cancelled'])
    await refundOrder(shop, paid.payment, 20_000)
    await expect.poll(() => refundsOf(paid.id)).toMatchObject([{ state: 'Settled' }])
    expect(await shop.service.refunds(paid.paymentId)).toHaveLength(1)
    await expect(shop.customer().order()).rejects.toThrow()
  } finally {
    await enable(shop, true)
  }
})

it('the administrator settles no refund that the bank has not made; it is sent all the same', async () => {
  const { id, payment, paymentId } = await paidOrder()
  const { faults } = shop.service.proxy
  faults.push(...Array<'503'>(200).fill('503'))
  await refundOrder(shop, payment, 20_000)
  const [refund] = await refundsOf(id)
  const settle = `mutation($input: SettleRefundInput!) { settleRefund(input: $input) {
    __typename ... on ErrorResult { message } } }`
  const Result = z.object({ __typename: z.string() })
  const settled = (transactionId: string) =>
    shop.admin.ask(Result, settle, { input: { id: refund?.id, transactionId } })
  await expect(settled('by hand')).rejects.toThrow()
  faults.length = 0
  await runTask(shop)
  await expect.poll(() => refundsOf(id), TASK).toMatchObject([{ state: 'Settled' }])
  expect(await shop.service.refunds(paymentId)).toHaveLength(1)
})

it('a refund that the bank still makes is not settled by hand', async () => {
  const { id, payment } = await paidOrder()
  await refundOrder(shop, payment, 117)
  const [refund] = await refundsOf(id)
  const input = { id: refund?.id, transactionId: 'by hand' }
  await expect(
    shop.admin.ask(
      z.unknown(),
      'mutation($input: SettleRefundInput!) { settleRefund(input: $input) { __typename } }',
      { input },
    ),
  ).rejects.toThrow(/bank has not made/)
  expect(await refundsOf(id)).toMatchObject([{ state: 'Pending', transactionId: refund?.transactionId }])
})

it('a code whose creation had no answer is cancelled with its order', async () => {
  const customer = shop.customer()
  const { id, code } = await customer.arrange(1)
  const { faults } = shop.service.proxy
  faults.push(...Array<'lost-answer'>(100).fill('lost-answer'))
  await expect(customer.addPayment()).rejects.toThrow()
  faults.length = 0
  expect(await statusOf(`${code}-1`)).toBe('CREATED')
  expect(await transition(shop, id, 'Cancelled')).toMatchObject({ __typename: 'Order' })
  expect(await statusOf(`${code}-1`)).toBe('CANCELLED')
})

it('an order that is cancelled while its code is created leaves no code that can be paid', async () => {
  const customer = shop.customer()
  const { id, code } = await customer.arrange(1)
  const { faults, requests } = shop.service.proxy
  const before = requests.length
  faults.push('silent')
  const added = customer.addPayment().catch(() => undefined)
  await expect.poll(() => requests.length).toBeGreaterThan(before)
  await transition(shop, id, 'Cancelled')
  await added
  expect(await shop.order(id)).toMatchObject({ state: 'Cancelled' })
  await expect.poll(() => statusOf(`${code}-1`)).toBe('CANCELLED')
})

it('a code that comes to be after its order is cancelled is cancelled by the task', async () => {
  const customer = shop.customer()
  const { id, code } = await customer.arrange(1)
  const { faults } = shop.service.proxy
  faults.push(...Array<'503'>(100).fill('503'))
  await expect(customer.addPayment()).rejects.toThrow()
  faults.length = 0
  expect(await transition(shop, id, 'Cancelled')).toMatchObject({ __typename: 'Order' })
  const late = { qrCodeUid: `${code}-1`, qrCode: { type: 'DYNAMIC' }, amount: { value: '300.00' } }
  await shop.service.site.value('/sbp/qrCodes', { body: late })
  await runTask(shop)
  await expect.poll(() => statusOf(`${code}-1`), TASK).toBe('CANCELLED')
})

it('a refund is not told as failed where only the setting of the test site is wrong', async () => {
  const { id, payment, paymentId } = await paidOrder()
  await saveSettings(shop, { testSite: 'true', checkOnSave: 'false' })
  try {
    await refundOrder(shop, payment, 20_000)
    await expect.poll(() => shop.service.refunds(paymentId)).toHaveLength(1)
    await expect.poll(() => shop.log()).toContain('shop.test.site')
    expect(await refundsOf(id)).toMatchObject([{ state: 'Pending' }])
  } finally {
    await saveSettings(shop, { testSite: 'false', checkOnSave: 'true' })
  }
  await runTask(shop)
  await expect.poll(() => refundsOf(id), TASK).toMatchObject([{ state: 'Settled' }])
  expect(await shop.service.refunds(paymentId)).toHaveLength(1)
})

it('a code of another site waits: it is neither ended nor paid by the new site', async () => {
  const customer = shop.customer()
  const { id, code, qrCodeUid } = await customer.order()
  const paid = await paidOrder()
  const token = await mintToken(shop.service.secret, { siteId: 'other', scope: 'merchant', days: 1 })
  await saveSettings(shop, { siteId: 'other', token })
  try {
    await expect(customer.shown(code)).rejects.toThrow(/site tea/)
    const message = expect.stringContaining('is of site tea')
    expect(await transition(shop, id, 'Cancelled')).toMatchObject({ message })
    // Nor is money of a payment of the same name returned there.
    await refundOrder(shop, paid.payment, 20_000)
    await expect.poll(() => shop.log()).toContain('is of site tea')
    expect(await refundsOf(paid.id)).toMatchObject([{ state: 'Pending' }])
  } finally {
    await saveSettings(shop, { siteId: 'tea', token: shop.service.token })
  }
  expect(await shop.order(id)).toMatchObject({ state: 'ArrangingPayment', payments: [{ state: 'Created' }] })
  await shop.service.pay(qrCodeUid)
  await expect.poll(async () => (await shop.order(id)).state).toBe('PaymentSettled')
  await runTask(shop)
  await expect.poll(() => refundsOf(paid.id), TASK).toMatchObject([{ state: 'Settled' }])
})

it('a second payment pays nothing of an order that is modified or waits for an additional payment', async () => {
  const { id, qrCodeUid } = await paidOrder()
  await transition(shop, id, 'Modifying')
  await shop.service.pay(qrCodeUid)
  await expect.poll(() => statesOf(id)).toEqual(['Settled', 'Declined'])
  await shop.admin.ask(
    z.unknown(),
    `mutation($input: ModifyOrderInput!) { modifyOrder(input: $input) { __typename } }`,
    { input: { orderId: id, dryRun: false, addItems: [{ productVariantId: 1, quantity: 1 }] } },
  )
  expect(await transition(shop, id, 'ArrangingAdditionalPayment')).toMatchObject({ __typename: 'Order' })
  await shop.service.pay(qrCodeUid)
  await expect.poll(() => statesOf(id)).toEqual(['Settled', 'Declined', 'Declined'])
})
