// What the shop missed, because it, the service or the browser went away: it is found, and no money is lost or returned twice.
import { execFileSync } from 'node:child_process'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { money, type Order, PAID, UNPAID } from './answers.ts'
import { type Medusa, openMedusa } from './shop.ts'

let medusa: Medusa
beforeAll(async () => {
  medusa = await openMedusa()
})
afterEach(() => {
  medusa.proxy.faults.length = 0
  delete medusa.proxy.choose
})
afterAll(() => medusa.close())

const down = () => medusa.proxy.faults.push(...Array.from({ length: 80 }, () => 'reset' as const))
const isRefund = ({ method, path }: { method: string; path: string }) =>
  method === 'PUT' && path.includes('/refunds/')

const refunds = ({ payment_collections }: Order) =>
  payment_collections.flatMap(({ payments }) =>
    payments.flatMap((each) => each.refunds.map(({ amount }) => amount)),
  )
const medusaPayment = async (order: string) =>
  (await medusa.read(order)).payment_collections[0]?.payments[0]?.id ?? ''

/** The refunds of a payment at the service. */
async function atService(paymentId: string) {
  const answer = await medusa.site.value(`/payments/${paymentId}/refunds`)
  return z.array(z.looseObject({ amount: z.object({ value: z.string() }) })).parse(answer)
}

async function paidOrder() {
  const placed = await medusa.order()
  const paymentId = await medusa.pay(placed.session)
  await expect.poll(async () => money(await medusa.read(placed.order))).toEqual(PAID)
  return { ...placed, paymentId, payment: await medusaPayment(placed.order) }
}

/** An order that a timer cancelled, and the payment that came afterwards. */
async function lateOrder() {
  const { order, session } = await medusa.order()
  await medusa.cancelByTimer(order)
  await expect.poll(() => medusa.status(session)).toBe('CANCELLED')
  const paymentId = await medusa.pay(session)
  await expect.poll(async () => money(await medusa.read(order)).captures).toEqual([349.9])
  return { order, paymentId, path: `/fps-qr/orders/${order}/payments/${paymentId}/refund` }
}

const catchUp = async () => expect((await medusa.send('/demo/catch-up', {})).status).toBe(200)

test('a payment that no notification told of is recorded before it could be returned as a surplus', async () => {
  const { order, session } = await medusa.order()
  await medusa.withoutNotifications(async () => {
    const paymentId = await medusa.pay(session)
    const path = `/fps-qr/orders/${order}/payments/${paymentId}/refund`
    expect(await medusa.refusal(path, {})).toContain('is not a surplus payment')
    expect(await medusa.income(order)).toMatchObject([{ paymentId, kind: 'paid' }])
  })
  expect(money(await medusa.read(order))).toEqual(PAID)
})

test('a payment whose money went back before it was recorded pays no order', async () => {
  const { order, session } = await medusa.order()
  await medusa.withoutNotifications(async () => {
    const paymentId = await medusa.pay(session)
    const body = { amount: { value: '349.90', currency: 'RUB' } }
    await medusa.site.value(`/payments/${paymentId}/refunds/by-console`, { method: 'PUT', body })
    await expect.poll(() => atService(paymentId)).toMatchObject([{ status: { value: 'COMPLETED' } }])
  })
  expect(await medusa.state(session)).toMatchObject({ state: 'ended' })
  await medusa.redeliver(session)
  expect(money(await medusa.read(order))).toEqual(UNPAID)
})

// The sandbox carries out a refund with the kopecks 17 after 30 seconds.
test('a refund whose browser left, and that is repeated, is made once', async () => {
  const { order, payment, paymentId } = await paidOrder()
  const refund = async (signal?: AbortSignal) =>
    fetch(`${medusa.shop().address}/admin/payments/${payment}/refund`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(await medusa.authorization()) },
      body: JSON.stringify({ amount: 100.17 }),
      ...(signal && { signal }),
    })
  const browser = new AbortController()
  const left = refund(browser.signal).catch(() => undefined)
  await expect.poll(() => atService(paymentId)).toHaveLength(1)
  browser.abort()
  await left
  let status = (await refund()).status
  if (status !== 200) status = (await refund()).status
  expect(status).toBe(200)
  expect(await atService(paymentId)).toHaveLength(1)
  expect(refunds(await medusa.read(order))).toEqual([100.17])
})

test('a cancelled order gets no new code', async () => {
  const { order, collection } = await medusa.order()
  await medusa.cancelByTimer(order)
  await expect(medusa.session(collection)).rejects.toThrow()
  const waiting = await medusa.order()
  expect(await medusa.state(await medusa.session(waiting.collection))).toMatchObject({ state: 'open' })
})

test('an order that is cancelled while the service is down has its code cancelled afterwards', async () => {
  const { order, session } = await medusa.order()
  const paid = await medusa.order()
  await medusa.withoutNotifications(() => medusa.pay(paid.session))
  down()
  await medusa.cancelByTimer(order)
  await expect.poll(() => medusa.shop().log()).toContain('order.canceled')
  await catchUp()
  expect(await medusa.status(session)).toBe('CREATED')
  medusa.proxy.faults.length = 0
  await catchUp()
  expect(await medusa.status(session)).toBe('CANCELLED')
  // The same job records what no notification told of.
  expect(money(await medusa.read(paid.order))).toEqual(PAID)
})

test('no answer of the service is not shown as no money, and refunds nothing', async () => {
  const { order, session } = await paidOrder()
  const second = await medusa.pay(session)
  down()
  const headers = await medusa.authorization()
  const answer = await medusa.send(`/admin/fps-qr/orders/${order}`, undefined, headers)
  expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('cannot be read') } })
  expect(await medusa.refusal(`/fps-qr/orders/${order}/payments/${second}/refund`, {})).toContain(
    'cannot be read',
  )
})

test('a refund of a cancelled order whose answer is lost is recorded, and made once', async () => {
  const { order, paymentId, path } = await lateOrder()
  medusa.proxy.choose = (request) => (isRefund(request) ? 'lost-answer' : undefined)
  expect(await medusa.refusal(path, {})).toContain('Repeat it')
  delete medusa.proxy.choose
  await expect.poll(() => atService(paymentId)).toMatchObject([{ status: { value: 'COMPLETED' } }])
  const unrecorded = [{ amount: '349.90', status: 'COMPLETED' }]
  expect(await medusa.income(order)).toMatchObject([{ kind: 'late', left: '0.00', unrecorded }])
  await medusa.admin(path, {})
  expect(await medusa.income(order)).toMatchObject([{ kind: 'late', left: '0.00', unrecorded: [] }])
  const after = await medusa.read(order)
  expect(refunds(after)).toEqual([349.9])
  expect(after.summary.refunded_total).toBe(349.9)
  expect(await atService(paymentId)).toHaveLength(1)
})

test('a refund whose transaction the order lost is shown, and gets it', async () => {
  const { order, path } = await lateOrder()
  await medusa.admin(path, {})
  // As if the shop had been killed before it was written.
  sql(`delete from order_transaction where order_id = '${order}' and reference = 'refund'`)
  const unrecorded = [{ amount: '349.90', status: 'COMPLETED' }]
  expect(await medusa.income(order)).toMatchObject([{ left: '0.00', unrecorded }])
  await medusa.admin(path, {})
  expect(await medusa.income(order)).toMatchObject([{ left: '0.00', unrecorded: [] }])
  const count = `select count(*) from order_transaction where order_id = '${order}' and reference = 'refund'`
  expect(sql(count)).toBe('1')
})

test('a refund that the shop wrote down and never requested is shown, and taken back', async () => {
  const { order, payment, paymentId } = await paidOrder()
  medusa.proxy.choose = (request) => (isRefund(request) ? 'reset' : undefined)
  const asked = medusa.admin(`/payments/${payment}/refund`, { amount: 100 }).catch(() => undefined)
  await medusa.proxy.until((request) => isRefund(request) && request.fault === 'reset')
  await medusa.shop().kill()
  await asked
  delete medusa.proxy.choose
  await medusa.start()
  expect(refunds(await medusa.read(order))).toEqual([100])
  expect(await medusa.income(order)).toMatchObject([{ kind: 'paid', mistaken: [{ amount: '100.00' }] }])
  await medusa.admin(`/fps-qr/orders/${order}/payments/${paymentId}/refund`, {})
  expect(refunds(await medusa.read(order))).toEqual([])
  await medusa.admin(`/payments/${payment}/refund`, { amount: 100 })
  expect(await atService(paymentId)).toHaveLength(1)
  expect(await medusa.income(order)).toMatchObject([{ kind: 'paid', mistaken: [], unrecorded: [] }])
})

test('money for a cart without an order is shown in the settings, and goes back once', async () => {
  const { session, collection } = await medusa.checkout()
  await medusa.session(collection)
  const unclaimed = async () =>
    z.object({ payments: z.array(z.unknown()) }).parse(await medusa.admin('/fps-qr/unclaimed')).payments
  expect(await unclaimed()).toEqual([])
  // The session of this code is gone.
  const paymentId = await medusa.pay(session)
  await expect
    .poll(unclaimed)
    .toEqual([expect.objectContaining({ paymentId, qrCodeUid: session, left: '349.90' })])
  const path = `/fps-qr/unclaimed/${paymentId}/refund`
  await Promise.allSettled([medusa.admin(path, {}), medusa.admin(path, {})])
  expect(await atService(paymentId)).toHaveLength(1)
  expect(await unclaimed()).toEqual([])
})

const sql = (text: string) => execFileSync('psql', [medusa.database, '-Atc', text]).toString().trim()
