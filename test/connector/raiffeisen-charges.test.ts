// Charges of bound accounts at Raiffeisenbank: each once, and none after its account is let go.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Fault } from '../support/banks/fake-bank.ts'
import { charge, deleteToken, heldAfter, minutes, PRICE } from './bound.ts'
import { DAY, HOUR, MINUTE, type Running, refund, register, type Surroundings, start } from './harness.ts'
import { bound, LOST, statusOf } from './raiffeisen-bound.ts'

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

describe('charge', () => {
  it('is one order under the instruction’s uid, with its own reference; its refund goes to it', async () => {
    const { at, running, binding, link } = await bound()
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    const [{ order = '' } = {}] = at.raiffeisen.charged
    expect(asked.result()).toEqual({
      ...{ qrcId: link.qrcId, status: 'COMPLETED', amount: PRICE, linkCancelled: true },
      ...{ networkUid: order, reference: `raif-farm:${order}`, bindingUid: binding.bindingUid },
    })
    // The webhook of the charge is none of a payment of the link.
    const code = Array.from(at.raiffeisen.codes.values()).find((each) => each.order === order)
    await at.raiffeisen.deliver(code?.qrId ?? '')
    await asked.again()
    await minutes({ at, running }, 3)
    expect(Array.from(at.service.site('farm').payments.keys())).toEqual([asked.paymentUid])
    expect(at.raiffeisen.callsOf('charge')).toHaveLength(1)
    const { paymentUid } = asked
    await refund(at, 'farm', { ...link, paymentUid, reference: `raif-farm:${order}` }, '20.00')
    await running.connector.settle()
    expect(code?.refunded).toBe(2_000)
    expect(at.raiffeisen.codes.get(link.qrcId)?.refunded).toBe(0)
  })

  const CALLS = ['subscription', 'charge_status', 'cancel', 'status', 'code', 'charge']
  const cases = CALLS.flatMap((operation) => LOST.map(([name, fault]) => [operation, name, fault] as const))
  it.each(cases)('charges at most once where of %s %s', async (operation, _, fault) => {
    const { at, running, binding, link } = await bound()
    at.raiffeisen.fail(operation, fault)
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    await asked.again()
    await minutes({ at, running }, 3)
    const isMade = at.raiffeisen.charged.length === 1
    expect(at.raiffeisen.callsOf('charge')).toHaveLength(1)
    if (operation !== 'charge') expect(isMade).toBe(true)
    expect(asked.result()?.status).toBe(isMade ? 'COMPLETED' : undefined)
    if (isMade) return
    // The bank does not have it an hour later: it is held, and is never sent again.
    for (let i = 0; i < 4; i++) {
      at.clock.now += HOUR
      await running.connector.settle()
    }
    expect(running.core.disk.charges.held()).toMatchObject([{ paymentUid: asked.paymentUid }])
    expect(at.raiffeisen.callsOf('charge')).toHaveLength(1)
    expect(asked.result()).toBeUndefined()
  })

  it.each(LOST)(
    'is completed where its answer is lost, and of the question about it %s',
    async (_, fault) => {
      const { at, running, binding, link } = await bound()
      at.raiffeisen.fail('charge', { broken: 'after' })
      at.raiffeisen.beforeExecution = async (operation) => {
        if (operation === 'charge') at.raiffeisen.fail('charge_status', fault)
      }
      const asked = await charge(at, binding, link)
      await minutes({ at, running }, 4)
      expect(asked.result()?.status).toBe('COMPLETED')
      expect(at.raiffeisen.callsOf('charge')).toHaveLength(1)
    },
  )

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
  ] as const)('%s of a charge declines it: %j', async (code, isDeclined) => {
    const { at, running, binding, link } = await bound()
    at.raiffeisen.chargeResult = code
    const asked = await charge(at, binding, link)
    await minutes({ at, running }, 2)
    if (isDeclined) {
      expect(asked.result()).toMatchObject({ status: 'DECLINED', linkCancelled: true })
      expect(asked.result()?.reason).toContain(code)
    } else expect(asked.result()).toBeUndefined()
    expect(at.raiffeisen.callsOf('charge')).toHaveLength(1)
  })

  it.each([
    ['ERROR.NOT_FOUND', 404, true],
    ['ERROR.ORDER_NOT_FOUND', 404, true],
    ['ERROR.ANYTHING', 200, true],
    ['ERROR.NOT_FOUND', 403, false],
    ['ERROR.ANYTHING', 429, false],
    ['ERROR.ANYTHING', 500, false],
    ['no_route', 404, false],
  ] as const)(
    'a lost order of which the bank says %s with %i is held after an hour, and never sent again: %j',
    async (code, status, isHeld) => {
      const { at, running, binding, link } = await bound()
      at.raiffeisen.fail('charge', { broken: 'before' })
      const asked = await charge(at, binding, link)
      await running.connector.settle()
      const held = () => running.core.disk.charges.held().map(({ paymentUid }) => paymentUid)
      at.raiffeisen.fail('charge_status', { status, body: { code, message: 'x' } }, 999)
      at.clock.now += HOUR - MINUTE
      await running.connector.settle(1)
      expect(held()).toEqual([])
      at.clock.now += HOUR
      await running.connector.settle()
      expect(held()).toEqual(isHeld ? [asked.paymentUid] : [])
      expect(asked.result()).toBeUndefined()
      expect(at.raiffeisen.callsOf('charge')).toHaveLength(1)
      // It goes on being asked about, and the bank's word ends it.
      at.raiffeisen.heal()
      at.raiffeisen.fail('charge_status', { status: 200, body: statedOrder(at, running, asked.paymentUid) })
      at.clock.now += HOUR
      await running.connector.settle()
      expect(asked.result()?.status).toBe('COMPLETED')
      expect(at.raiffeisen.callsOf('charge')).toHaveLength(1)
    },
  )

  it('DECLINED declines it', async () => {
    const { at, running, binding, link } = await bound()
    at.raiffeisen.chargeResult = 'DECLINED'
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'declined by the bank' })
  })

  it.each(['SUCCESS', 'DECLINED'] as const)(
    'IN_PROGRESS is asked about without end, and held after three days, until %s',
    async (end) => {
      const { at, running, binding, link } = await bound()
      at.raiffeisen.chargeResult = 'IN_PROGRESS'
      const asked = await charge(at, binding, link)
      await running.connector.settle()
      expect(await heldAfter({ at, running }, [2, 1, 17])).toEqual([0, 1, 1])
      expect(asked.result()).toBeUndefined()
      at.raiffeisen.finishCharge(at.raiffeisen.charged[0]?.order ?? '', end)
      at.clock.now += DAY
      await running.connector.settle()
      expect(asked.result()?.status).toBe(end === 'SUCCESS' ? 'COMPLETED' : 'DECLINED')
      expect(at.raiffeisen.callsOf('charge')).toHaveLength(1)
    },
  )

  const questions: [string, Fault | undefined][] = [
    ['the bank states it at once', undefined],
    ...LOST,
    [
      'the bank states at first that it is in progress',
      { status: 200, body: { paymentStatus: 'IN_PROGRESS' } },
    ],
  ]
  it.each(questions)(
    'one that was refused, and of which a callback says SUCCESS, is completed where %s',
    async (...given) => {
      const [, fault] = given
      const { at, running, binding, link } = await bound()
      const refusal = { code: 'ERROR.INVALID_REQUEST', message: 'x' }
      at.raiffeisen.fail('charge', { status: 400, body: refusal, executed: true })
      const asked = await charge(at, binding, link)
      await running.connector.settle()
      expect(asked.result()?.status).toBe('DECLINED')
      const { order, code } = chargedOf(at)
      if (fault && 'body' in fault && fault.status === 200 && typeof fault.body === 'object')
        Object.assign(fault.body ?? {}, { amount: 50, order, qrId: code.qrId, sbpMerchantId: 'MA0000000552' })
      if (fault) at.raiffeisen.fail('charge_status', fault)
      await at.raiffeisen.deliver(code.qrId)
      await running.connector.settle()
      expect(asked.result()?.status).toBe(fault ? 'DECLINED' : 'COMPLETED')
      await minutes({ at, running }, 3)
      expect(asked.result()).toMatchObject({ status: 'COMPLETED', reference: `raif-farm:${order}` })
      expect(running.core.disk.webhooks.countWaiting()).toBe(0)
      expect(at.raiffeisen.callsOf('charge')).toHaveLength(1)
    },
  )

  it('a callback that comes before the answer to the charge is kept until the charge has ended', async () => {
    const { at, running, binding, link } = await bound()
    const refusal = { code: 'ERROR.INVALID_REQUEST', message: 'x' }
    at.raiffeisen.fail('charge', { status: 400, body: refusal, executed: true })
    at.raiffeisen.beforeAnswer = async (operation) => {
      if (operation !== 'charge') return
      await at.raiffeisen.deliver(chargedOf(at).code.qrId)
      running.connector.turn()
      await expect.poll(() => running.core.disk.webhooks.waiting()[0]?.attempts).toBe(1)
    }
    const asked = await charge(at, binding, link)
    await minutes({ at, running }, 2)
    const ofCharge = at.service.reports.filter(({ path }) => path.includes(asked.paymentUid))
    expect(ofCharge.map(({ body }) => body.status)).toEqual(['DECLINED', 'COMPLETED'])
    expect(running.core.disk.webhooks.countWaiting()).toBe(0)
  })

  const unended = ({ log }: Running) => log.filter(({ message }) => message === 'a call did not end a charge')

  it.each([0, 1.234])('DECLINED declines it, and IN_PROGRESS waits, with the amount %d', async (amount) => {
    for (const paymentStatus of ['DECLINED', 'IN_PROGRESS'] as const) {
      const { at, running, binding, link } = await bound()
      at.raiffeisen.chargeResult = paymentStatus
      at.raiffeisen.fail('charge', { changes: { amount } })
      const asked = await charge(at, binding, link)
      await running.connector.settle()
      expect(asked.result()?.status).toBe(paymentStatus === 'DECLINED' ? 'DECLINED' : undefined)
      expect(unended(running)).toEqual([])
    }
  })

  it('SUCCESS without an amount that one can have is asked about again, and says so', async () => {
    const { at, running, binding, link } = await bound()
    at.raiffeisen.fail('charge', { changes: { amount: 0 } })
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    expect(asked.result()).toBeUndefined()
    expect(unended(running)).toMatchObject([{ fields: { reason: 'charge: SUCCESS without an amount' } }])
    await minutes({ at, running }, 2)
    expect(asked.result()).toMatchObject({ status: 'COMPLETED', amount: PRICE })
  })

  it('an answer about another order, or of another merchant, decides nothing', async () => {
    for (const changes of [{ order: 'other' }, { sbpMerchantId: 'MA0000000001' }]) {
      const { at, running, binding, link } = await bound()
      const answer = { amount: 50, currency: 'RUB', qrId: 'Q', paymentStatus: 'DECLINED' }
      const body = { ...answer, order: 'x', sbpMerchantId: 'MA0000000552', ...changes }
      at.raiffeisen.fail('charge', { status: 200, body, executed: true })
      const asked = await charge(at, binding, link)
      await running.connector.settle()
      await minutes({ at, running }, 2)
      expect(asked.result()?.status).toBe('COMPLETED')
    }
  })

  it.each(['SUCCESS', 'IN_PROGRESS'] as const)(
    'LINK_PAID where the payment of the link is %s: nothing is charged',
    async (status) => {
      const { at, running, binding, link } = await bound()
      await at.raiffeisen.pay(link.qrcId, { status, times: 0 })
      const asked = await charge(at, binding, link)
      await minutes({ at, running }, 1)
      const isDone = status === 'SUCCESS'
      // A link whose payment is in progress is cancelled all the same, and says so.
      expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'LINK_PAID' })
      expect(at.raiffeisen.charged).toEqual([])
      expect(at.service.site('farm').payments.get(link.qrcId)?.status).toBe(isDone ? 'COMPLETED' : undefined)
    },
  )

  it('LINK_PAID where the bank states the link as paid before its payment: nothing is charged meanwhile', async () => {
    const { at, running, binding, link } = await bound()
    at.raiffeisen.hidePayments = true
    await at.raiffeisen.pay(link.qrcId, { times: 0 })
    const asked = await charge(at, binding, link)
    await minutes({ at, running }, 3)
    expect([asked.result(), at.raiffeisen.charged]).toEqual([undefined, []])
    at.raiffeisen.hidePayments = false
    at.clock.now += HOUR / 2
    await running.connector.settle()
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'LINK_PAID' })
    expect(at.raiffeisen.charged).toEqual([])
    expect(at.service.site('farm').payments.get(link.qrcId)?.status).toBe('COMPLETED')
  })

  it('cancels the link before: nobody can pay by it any more, also where the charge is declined', async () => {
    const { at, running, binding, link } = await bound()
    at.raiffeisen.chargeResult = 'DECLINED'
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    const operations = at.raiffeisen.calls.map(({ operation }) => operation)
    expect(operations.indexOf('cancel')).toBeLessThan(operations.indexOf('charge'))
    expect(asked.result()).toMatchObject({ status: 'DECLINED', linkCancelled: true })
    expect(at.raiffeisen.codes.get(link.qrcId)?.isCancelled).toBe(true)
  })

  it('of a subscription that has ended, or was never agreed to, is not made', async () => {
    const { at, running, token, binding, link } = await bound()
    await at.raiffeisen.consent(token.qrcId, 'UNSUBSCRIBED', { times: 0 })
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'TOKEN_DELETED' })
    expect(statusOf(at, binding.bindingUid)?.status).toBe('DELETED')
    expect(at.raiffeisen.callsOf('charge')).toEqual([])
  })

  it('on a new disk is never sent anew: what the bank has is reported, what it does not have is held', async () => {
    for (const isMade of [true, false]) {
      const { at, running, binding, link } = await bound()
      if (!isMade) at.raiffeisen.fail('subscription', { status: 502 }, 9)
      const asked = await charge(at, binding, link)
      at.service.failures.push(...Array<number>(99).fill(500))
      await running.connector.settle()
      at.service.failures.length = 0
      await running.stop()
      rmSync(join(at.directory, 'connector.sqlite'))
      at.service.charges = [{ ...asked, createdOn: new Date(at.clock.now).toISOString() }]
      at.raiffeisen.heal()
      at.clock.now += MINUTE
      const next = await start(at)
      for (let hour = 0; hour < 3; hour++) {
        await next.connector.settle()
        await asked.again()
        at.clock.now += HOUR
      }
      expect(asked.result()?.status).toBe(isMade ? 'COMPLETED' : undefined)
      expect(next.core.disk.charges.held()).toHaveLength(isMade ? 0 : 1)
      expect(at.raiffeisen.charged).toHaveLength(isMade ? 1 : 0)
    }
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
      const { at, running, binding, link } = await bound()
      at.raiffeisen.chargeResult = 'IN_PROGRESS'
      const asked = await charge(at, binding, link)
      await running.connector.settle()
      await running.stop()
      rmSync(join(at.directory, 'connector.sqlite'))
      at.clock.now += MINUTE
      const next = await start(at)
      await next.connector.settle()
      at.clock.now += 10 * MINUTE
      const { paymentUid, expiresOn } = asked
      if (fault) at.raiffeisen.fail('charge_status', fault)
      const repeated = await charge(at, binding, link, { paymentUid, expiresOn })
      await minutes({ at, running: next }, 1)
      expect(at.raiffeisen.callsOf('charge')).toHaveLength(1)
      expect(at.raiffeisen.charged).toHaveLength(1)
      at.raiffeisen.finishCharge(at.raiffeisen.charged[0]?.order ?? '', 'SUCCESS')
      await minutes({ at, running: next }, 2)
      expect(repeated.result()?.status).toBe('COMPLETED')
    },
  )

  it.each([200, 400, 404])(
    'is made where the bank refuses the question about its order with %i',
    async (status) => {
      const { at, running, binding, link } = await bound()
      at.raiffeisen.fail('charge_status', { status, body: { code: 'ERROR.ANYTHING', message: 'x' } })
      const asked = await charge(at, binding, link)
      await running.connector.settle()
      expect(at.raiffeisen.callsOf('charge_status')).toHaveLength(1)
      expect(asked.result()?.status).toBe('COMPLETED')
    },
  )
})

describe('let go', () => {
  it('charges that were not sent are declined, one that was sent goes on, and the bank is not called', async () => {
    const { at, running, binding, link } = await bound()
    at.raiffeisen.chargeResult = 'IN_PROGRESS'
    const sent = await charge(at, binding, link)
    await running.connector.settle()
    const waiting = await charge(at, binding, await register(at, 'farm', { amount: PRICE }))
    expect((await deleteToken(at, binding)).status).toBe(202)
    const late = await charge(at, binding, await register(at, 'farm', { amount: PRICE }))
    await running.connector.settle()
    expect(statusOf(at, binding.bindingUid)).toEqual({ status: 'DELETED' })
    for (const each of [waiting, late]) {
      expect(each.result()).toMatchObject({ status: 'DECLINED', reason: 'TOKEN_DELETED' })
    }
    at.raiffeisen.finishCharge(at.raiffeisen.charged[0]?.order ?? '', 'SUCCESS')
    await minutes({ at, running }, 5)
    expect(sent.result()?.status).toBe('COMPLETED')
    expect(at.raiffeisen.callsOf('charge')).toHaveLength(1)
  })
})
