// Charges of bound accounts, in what Raiffeisenbank alone has: orders, codes of errors, callbacks that it is asked about.
import { expect, it } from 'vitest'
import type { Fault } from '../support/banks/fake-bank.ts'
import { charge, charged, PRICE, RAIFFEISEN } from './bound.ts'
import { HOUR, MINUTE, type Running, type Surroundings, start } from './harness.ts'

/** The order that was charged, and the bank's code of it. */
function chargedOf({ raiffeisen }: Surroundings) {
  const order = raiffeisen.charged[0]?.order ?? ''
  const code = Array.from(raiffeisen.codes.values()).find((each) => each.order === order)
  if (!code) throw new Error('no order was charged')
  return { order, code }
}

/** What the bank says of the order of a charge that it has made. */
function statedOrder({ raiffeisen }: Surroundings, { core }: Running, paymentUid: string) {
  const { order } = core.disk.charges.get({ site: 'farm', paymentUid }) ?? {}
  const { sbpMerchantId } = raiffeisen
  return { amount: 50, currency: 'RUB', order, paymentStatus: 'SUCCESS', qrId: 'Q', sbpMerchantId }
}

/** Refused, and made all the same. */
const REFUSED = { status: 400, body: { code: 'ERROR.INVALID_REQUEST', message: 'x' }, executed: true }

it.each([
  ['ERROR.ACCOUNT_IS_NOT_REGISTERED', true],
  ['ERROR.INVALID_REQUEST', true],
  ['ERROR.MERCHANT_NOT_REGISTERED', true],
  ['ERROR.SBP_MERCHANT_ID_IS_MISSING', true],
  ['ERROR.INVALID_ORDER', true],
  ['ERROR.ORDER_NUMBER_ALREADY_REGISTERED', false],
  ['ERROR.NOT_FOUND', false],
  ['ERROR.QR_EXPIRATION_DATE_NOT_VALID', false],
  ['ERROR.DYNAMIC_QR_WITHOUT_AMOUNT', false],
  ['ERROR.REFUND_INSUFFICIENT_FUNDS', false],
  ['ERROR.REFUND_NOT_FOUND', false],
  ['ERROR.ANYTHING', false],
])('%s of a charge declines it: %j', async (code, isDeclined) => {
  const { running, asked, calls } = await charged(RAIFFEISEN, (of) => RAIFFEISEN.decide(of.at, code))
  await running.later(MINUTE, 2)
  if (isDeclined) {
    const reason = expect.stringContaining(code)
    expect(asked.result()).toMatchObject({ status: 'DECLINED', linkCancelled: true, reason })
  } else expect(asked.result()).toBeUndefined()
  expect(calls()).toBe(1)
})

it.each([
  ['ERROR.NOT_FOUND', 404, true],
  ['ERROR.ORDER_NOT_FOUND', 404, true],
  ['ERROR.ANYTHING', 200, true],
  ['ERROR.NOT_FOUND', 403, false],
  ['ERROR.ANYTHING', 429, false],
  ['ERROR.ANYTHING', 500, false],
  ['no_route', 404, false],
])(
  'a lost order of which the bank says %s with %i is held after an hour, and never sent again: %j',
  async (code, status, isHeld) => {
    const { at, running, asked, calls } = await charged(RAIFFEISEN, (of) =>
      of.bank.fail('charge', { broken: 'before' }),
    )
    const held = () => running.core.disk.charges.held().map(({ paymentUid }) => paymentUid)
    at.raiffeisen.fail('charge_status', { status, body: { code, message: 'x' } }, 999)
    await running.later(HOUR - MINUTE, 1, 1)
    expect(held()).toEqual([])
    await running.later(HOUR)
    expect(held()).toEqual(isHeld ? [asked.paymentUid] : [])
    expect([asked.result(), calls()]).toEqual([undefined, 1])
    // It goes on being asked about, and the bank's word ends it.
    at.raiffeisen.heal()
    at.raiffeisen.fail('charge_status', { status: 200, body: statedOrder(at, running, asked.paymentUid) })
    await running.later(HOUR)
    expect([asked.result()?.status, calls()]).toEqual(['COMPLETED', 1])
  },
)

it.each([
  ['the bank states it at once', undefined],
  ...RAIFFEISEN.lost,
  [
    'the bank states at first that it is in progress',
    { status: 200, body: { paymentStatus: 'IN_PROGRESS' } },
  ],
] satisfies [string, Fault | undefined][])(
  'one that was refused, and of which a callback says SUCCESS, is completed where %s',
  async (_, fault) => {
    const { at, running, asked, calls } = await charged(RAIFFEISEN, (of) => of.bank.fail('charge', REFUSED))
    expect(asked.result()?.status).toBe('DECLINED')
    const { order, code } = chargedOf(at)
    if (fault && 'body' in fault && fault.status === 200 && typeof fault.body === 'object')
      Object.assign(fault.body ?? {}, { amount: 50, order, qrId: code.qrId, sbpMerchantId: 'MA0000000552' })
    if (fault) at.raiffeisen.fail('charge_status', fault)
    await at.raiffeisen.deliver(code.qrId)
    await running.connector.settle()
    expect(asked.result()?.status).toBe(fault ? 'DECLINED' : 'COMPLETED')
    await running.later(MINUTE, 3)
    expect(asked.result()).toMatchObject({ status: 'COMPLETED', reference: `raif-farm:${order}` })
    expect([running.core.disk.webhooks.countWaiting(), calls()]).toEqual([0, 1])
  },
)

it('a callback that comes before the answer to the charge is kept until the charge has ended', async () => {
  const { at, running, asked } = await charged(RAIFFEISEN, (of) => {
    of.bank.fail('charge', REFUSED)
    of.bank.beforeAnswer = async (operation) => {
      if (operation !== 'charge') return
      await of.at.raiffeisen.deliver(chargedOf(of.at).code.qrId)
      of.running.connector.turn()
      await expect.poll(() => of.running.core.disk.webhooks.waiting()[0]?.attempts).toBe(1)
    }
  })
  await running.later(MINUTE, 2)
  const ofCharge = at.service.reports.filter(({ path }) => path.includes(asked.paymentUid))
  expect(ofCharge.map(({ body }) => body.status)).toEqual(['DECLINED', 'COMPLETED'])
  expect(running.core.disk.webhooks.countWaiting()).toBe(0)
})

const unended = ({ log }: Running) => log.filter(({ message }) => message === 'a call did not end a charge')

it.each([
  ['DECLINED', 0, 'DECLINED'],
  ['DECLINED', 1.234, 'DECLINED'],
  ['IN_PROGRESS', 0, undefined],
  ['IN_PROGRESS', 1.234, undefined],
])('%s with the amount %d: %s', async (paymentStatus, amount, status) => {
  const { running, asked } = await charged(RAIFFEISEN, (of) => {
    RAIFFEISEN.decide(of.at, paymentStatus)
    of.bank.fail('charge', { changes: { amount } })
  })
  expect([asked.result()?.status, unended(running)]).toEqual([status, []])
})

/** Until the end of the charge has passed the bank says nothing more of it. */
async function outlast(at: Surroundings, running: Running) {
  at.raiffeisen.fail('charge_status', { status: 502 }, 99)
  await running.later(2 * HOUR)
  at.raiffeisen.heal()
  await running.later(HOUR)
}

it('SUCCESS without an amount that one can have is asked about again, and says so', async () => {
  const { at, running, asked, calls } = await charged(RAIFFEISEN, (of) =>
    of.bank.fail('charge', { changes: { amount: 0 } }),
  )
  expect(asked.result()).toBeUndefined()
  expect(unended(running)).toMatchObject([{ fields: { reason: 'charge: SUCCESS without an amount' } }])
  await outlast(at, running)
  expect(asked.result()).toMatchObject({ status: 'COMPLETED', amount: PRICE })
  expect(calls()).toBe(1)
})

it.each([{ order: 'other' }, { sbpMerchantId: 'MA0000000001' }])(
  'an answer about another order, or of another merchant, decides nothing: %j',
  async (changes) => {
    const { at, running, asked, calls } = await charged(RAIFFEISEN, (of) =>
      of.bank.fail('charge', { changes: { paymentStatus: 'DECLINED', ...changes } }),
    )
    await outlast(at, running)
    expect([asked.result()?.status, calls()]).toEqual(['COMPLETED', 1])
  },
)

it('LINK_PAID where the bank states the link as paid before its payment: nothing is charged meanwhile', async () => {
  const { at, running, link, asked, calls } = await charged(RAIFFEISEN, async (of) => {
    of.at.raiffeisen.hidePayments = true
    await RAIFFEISEN.pay(of.at, of.link.qrcId, true)
  })
  await running.later(MINUTE, 3)
  expect([asked.result(), calls()]).toEqual([undefined, 0])
  at.raiffeisen.hidePayments = false
  await running.later(HOUR / 2)
  expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'LINK_PAID' })
  expect(calls()).toBe(0)
  expect(at.service.site('farm').payments.get(link.qrcId)?.status).toBe('COMPLETED')
})

it('cancels the link before: nobody can pay by it any more, also where the charge is declined', async () => {
  const { at, link, asked } = await charged(RAIFFEISEN, (of) => RAIFFEISEN.decide(of.at, 'DECLINED'))
  const operations = at.raiffeisen.calls.map(({ operation }) => operation)
  expect(operations.indexOf('cancel')).toBeLessThan(operations.indexOf('charge'))
  expect(asked.result()).toMatchObject({ status: 'DECLINED', linkCancelled: true })
  expect(at.raiffeisen.codes.get(link.qrcId)?.isCancelled).toBe(true)
})

it.each([
  ['answers at once', undefined],
  ['answers 502 at first', { status: 502, body: '<html>' }],
  ['answers 429 at first', { status: 429, body: { code: 'ERROR.TOO_MANY', message: 'x' } }],
  ['is behind a gateway that answers 404 at first', { status: 404, body: '<html>' }],
  ['is behind a gateway that answers 408 at first', { status: 408, body: '<html>' }],
  ['is behind a gateway that answers 404 in JSON at first', { status: 404, body: { message: 'no route' } }],
] satisfies [string, Fault | undefined][])(
  'in progress at a bank that %s is not made again where both disks have lost it, and the merchant repeats it',
  async (_, fault) => {
    const { at, running, binding, link, asked, calls } = await charged(RAIFFEISEN, (of) =>
      RAIFFEISEN.decide(of.at, 'IN_PROGRESS'),
    )
    await running.loseDisk()
    at.clock.now += MINUTE
    const next = await start(at)
    await next.connector.settle()
    at.clock.now += 10 * MINUTE
    const { paymentUid, expiresOn } = asked
    if (fault) at.raiffeisen.fail('charge_status', fault)
    const repeated = await charge(at, binding, link, { paymentUid, expiresOn })
    await next.later(MINUTE)
    expect([calls(), at.raiffeisen.charged.length]).toEqual([1, 1])
    await RAIFFEISEN.finish(at, chargedOf(at).order, true)
    await next.later(MINUTE, 2)
    expect(repeated.result()?.status).toBe('COMPLETED')
  },
)

it.each([200, 400, 404])(
  'is made where the bank refuses the question about its order with %i',
  async (status) => {
    const { asked, bank } = await charged(RAIFFEISEN, (of) =>
      of.bank.fail('charge_status', { status, body: { code: 'ERROR.ANYTHING', message: 'x' } }),
    )
    expect(bank.callsOf('charge_status')).toHaveLength(1)
    expect(asked.result()?.status).toBe('COMPLETED')
  },
)
