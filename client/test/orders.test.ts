// What shops need of an order, by the client, at the running service.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { bareWorkerd } from '../../test/support/bare-workerd.ts'
import {
  type CreateQrCode,
  cancelOrder,
  createOrderCode,
  FpsQr,
  InvalidRequestError,
  NotFoundError,
  type Notification,
  orderOf,
  readOrder,
} from '../src/index.ts'
import { openShop, type Shop } from './shop.ts'

let shop: Shop
let fps: FpsQr
beforeAll(async () => {
  shop = await openShop()
  fps = new FpsQr({ baseUrl: shop.address(), siteId: 'demo', token: shop.token })
})
afterAll(() => shop.close())

const TEN = { value: '10.00' }
const create = (qrCodeUid: string) =>
  fps.createQrCode({ qrCodeUid, qrCode: { type: 'DYNAMIC' }, amount: TEN })
const idsOf = (payments: readonly { paymentId: string }[]) => payments.map(({ paymentId }) => paymentId)

it('an order is paid once; a second payment is surplus until its money is returned', async () => {
  const order = { qrCodeUid: 'twice', amount: TEN }
  await create(order.qrCodeUid)
  expect(await readOrder(fps, order)).toMatchObject({ state: 'open', surplus: [] })
  await shop.pay(order.qrCodeUid, { status: 'DECLINED' })
  expect(await readOrder(fps, order)).toMatchObject({ state: 'open', surplus: [] })
  await shop.pay(order.qrCodeUid)
  const { payment } = await readOrder(fps, order)
  await shop.pay(order.qrCodeUid)
  const paid = await readOrder(fps, order)
  expect(paid).toMatchObject({ state: 'paid', payment: { paymentId: payment?.paymentId } })
  const [second = ''] = idsOf(paid.surplus)
  await fps.refund(second, 'part', { amount: { value: '4.00' } })
  await fps.waitForRefund(second, 'part')
  expect(idsOf((await readOrder(fps, order)).surplus)).toEqual([second])
  await fps.refund(second, 'rest', { amount: { value: '6.00' } })
  await fps.waitForRefund(second, 'rest')
  expect(await readOrder(fps, order)).toMatchObject({ state: 'paid', surplus: [] })
})

it('a payment whose money went back is told apart from one that still pays', async () => {
  const order = { qrCodeUid: 'back', amount: TEN }
  await create(order.qrCodeUid)
  expect(await readOrder(fps, order)).toMatchObject({ state: 'open', returned: false })
  await shop.pay(order.qrCodeUid)
  const { paymentId = '' } = (await readOrder(fps, order)).payment ?? {}
  await fps.refund(paymentId, 'part', { amount: { value: '4.00' } })
  await fps.waitForRefund(paymentId, 'part')
  expect(await readOrder(fps, order)).toMatchObject({ state: 'paid', returned: false })
  await fps.refund(paymentId, 'rest', { amount: { value: '6.00' } })
  await fps.waitForRefund(paymentId, 'rest')
  expect(await readOrder(fps, order)).toMatchObject({ state: 'paid', returned: true, surplus: [] })
})

it('a surplus payment that is marked as delivered needs nothing more', async () => {
  const order = { qrCodeUid: 'decided', amount: TEN }
  await create(order.qrCodeUid)
  for (let times = 0; times < 2; times++) await shop.pay(order.qrCodeUid)
  const [second = ''] = idsOf((await readOrder(fps, order)).surplus)
  await fps.decidePayment(second, { value: 'DELIVERED' })
  expect((await readOrder(fps, order)).surplus).toEqual([])
})

it('another amount than that of the order never pays it', async () => {
  await create('other')
  await shop.pay('other', { amount: { value: '9.99' } })
  const order = { qrCodeUid: 'other', amount: TEN }
  expect(await readOrder(fps, order)).toMatchObject({ state: 'open', surplus: [{ applied: false }] })
  await shop.pay('other')
  // The order became dearer after its code was made: what the code took does not pay it.
  const dearer = await readOrder(fps, { qrCodeUid: 'other', amount: { value: '10.01' } })
  expect(dearer).toMatchObject({ state: 'ended', surplus: [{ applied: false }, { applied: true }] })
  expect(dearer.payment).toBeUndefined()
  const inDollars = await readOrder(fps, { qrCodeUid: 'other', amount: { value: '10.00', currency: 'USD' } })
  expect(inDollars.state).toBe('ended')
  expect((await readOrder(fps, order)).state).toBe('paid')
})

it('a cancelled order cannot be paid, and a late payment pays it all the same', async () => {
  const order = { qrCodeUid: 'cancelled', amount: TEN }
  expect(await cancelOrder(fps, order)).toBeUndefined()
  await expect(readOrder(fps, order)).rejects.toThrow(NotFoundError)
  await create(order.qrCodeUid)
  expect(await cancelOrder(fps, order)).toMatchObject({ state: 'ended', surplus: [] })
  expect(await cancelOrder(fps, order)).toMatchObject({ state: 'ended', surplus: [] })
  await shop.pay(order.qrCodeUid)
  expect(await readOrder(fps, order)).toMatchObject({ state: 'paid', surplus: [] })
  expect(await cancelOrder(fps, order)).toMatchObject({ state: 'paid' })
})

it('notifications name the order that is to be read, and no other', async () => {
  const order = { qrCodeUid: 'named', amount: TEN }
  await create(order.qrCodeUid)
  for (let times = 0; times < 2; times++) await shop.pay(order.qrCodeUid)
  const { payment, surplus } = await readOrder(fps, order)
  const named = (notification: Notification, testSite = false) => orderOf(fps, notification, { testSite })
  const common = {
    createdDateTime: '',
    amount: { value: '10.00', currency: 'RUB' },
    flags: [],
    customFields: {},
  }
  const status = { value: 'SUCCESS', changedDateTime: '' } as const
  const more = {
    ...common,
    status,
    paymentMethod: { type: 'SBP' },
    merchantSiteUid: 'demo',
    customer: {},
  } as const
  const ofPayment = (fields: {
    qrCodeUid?: string
    paymentId?: string
    customFields?: { test: 'true' }
  }): Notification => ({
    id: 'a',
    type: 'PAYMENT',
    version: '1',
    payment: { ...more, paymentId: '', type: 'PAYMENT', applied: true, ...fields },
  })
  const { paymentId = '' } = payment ?? {}
  expect(await named(ofPayment({ qrCodeUid: 'named' }))).toBe('named')
  expect(await named(ofPayment({ paymentId: surplus[0]?.paymentId ?? '' }))).toBe('named')
  const refund = { ...more, paymentId, refundId: 'a', type: 'REFUND' } as const
  expect(await named({ id: 'a', type: 'REFUND', version: '1', refund })).toBe('named')
  const ended = { value: 'EXPIRED', changedDateTime: '' } as const
  const qrCode = { qrCodeUid: 'named', status: ended, merchantSiteUid: 'demo' }
  expect(await named({ id: 'a', type: 'QR_CODE', version: '1', qrCode })).toBe('named')
  expect(await named(ofPayment({ qrCodeUid: 'named', customFields: { test: 'true' } }))).toBeUndefined()
  const ofTestSite: Notification = { ...ofPayment({ qrCodeUid: 'named' }), test: true }
  expect(await named(ofTestSite)).toBeUndefined()
  expect(await named(ofTestSite, true)).toBe('named')
})

const RECEIPT = {
  contact: { email: 'anna@shop.example' },
  taxation: 'usnIncome',
  items: [{ name: 'Tea', price: '10.00', vat: 'none' }],
} satisfies CreateQrCode['receipt']
const withReceipt = (qrCodeUid: string): CreateQrCode => ({
  qrCodeUid,
  qrCode: { type: 'DYNAMIC' },
  amount: TEN,
  receipt: RECEIPT,
})

it('a receipt goes along at a site that makes receipts', async () => {
  await createOrderCode(fps, withReceipt('receipt'))
  await shop.pay('receipt')
  expect((await readOrder(fps, { qrCodeUid: 'receipt', amount: TEN })).payment?.receipt).toBeDefined()
  const wrong = { ...withReceipt('wrong'), amount: { value: '11.00' } }
  await expect(createOrderCode(fps, wrong)).rejects.toThrow(InvalidRequestError)
  await expect(
    createOrderCode(fps, { ...withReceipt('receipt'), amount: { value: '10.01' } }),
  ).rejects.toThrow()
})

it('a site without a cash register gets the code without its receipt; the same again is the same code', async () => {
  const service = bareWorkerd({})
  try {
    const address = `http://127.0.0.1:${await service.start()}`
    const token = await mintToken(service.secret, { siteId: 'tea', scope: 'merchant', days: 1 })
    const site = new FpsQr({ baseUrl: address, siteId: 'tea', token })
    const code = await createOrderCode(site, withReceipt('none'))
    expect(await createOrderCode(site, withReceipt('none'))).toEqual(code)
    // The operator connects a register afterwards: the code stays as it is.
    const operator = await mintToken(service.secret, { siteId: '*', scope: 'operator', days: 1 })
    const connected = await fetch(`${address}/operator/v1/sites/tea/cashRegister`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${operator}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ kind: 'atol', ffd: '1.2' }),
    })
    expect(connected.status).toBe(200)
    expect(await createOrderCode(site, withReceipt('none'))).toEqual(code)
  } finally {
    await service.dispose()
  }
})
