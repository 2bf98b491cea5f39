// Bound accounts at Raiffeisenbank: bind, pay and bind, charge once, let go.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Fault } from '../support/banks/fake-bank.ts'
import { boundBy, charge, deleteToken, minutes, PRICE, registerToken, UNANSWERED } from './bound.ts'
import {
  DAY,
  HOUR,
  MINUTE,
  type Running,
  refund,
  register,
  registerData,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'

/** A connector, a binding that its customer has agreed to, and a code to charge. */
async function bound() {
  const at = await surroundings()
  const running = await start(at)
  at.clock.now += 1_000
  const token = await registerToken(at, 'farm')
  // An unsigned notification makes the bank asked once a minute.
  at.clock.now += MINUTE
  await at.raiffeisen.consent(token.qrcId, 'SUBSCRIBED')
  await running.connector.settle()
  const binding = boundBy(at, 'farm', token.qrcId)
  const link = await register(at, 'farm', { amount: PRICE })
  return { at, running, token, binding, link }
}

const statusOf = (at: Surroundings, bindingUid: string) => at.service.site('farm').bindings.get(bindingUid)

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

const LOST: [string, Fault][] = [
  ...UNANSWERED,
  [
    'an error that no document has',
    { status: 400, body: { code: 'ERROR.UNKNOWN', message: 'x' }, executed: true },
  ],
]

describe('bind', () => {
  it('asks for a subscription under the key of the register, and reports the consent once', async () => {
    const { at, running, token, binding } = await bound()
    const { id, purpose } = at.raiffeisen.subscription(token.qrcId)
    expect(id).toMatch(/^KEY\d{29}$/)
    expect(purpose).toBe('Monthly tea')
    expect(token.reference).toBe(`raif-farm:#${id}`)
    expect(statusOf(at, binding.bindingUid)).toEqual({
      ...{ status: 'CREATED', reference: `raif-farm:#${id}` },
    })
    at.clock.now += 2 * MINUTE
    await at.raiffeisen.deliverSubscription(id)
    await running.connector.settle()
    expect(at.service.reports.filter(({ path }) => path.includes('/bindings/'))).toHaveLength(1)
  })

  it.each(LOST)('where %s, the same request has the same link, on a new disk too', async (_, fault) => {
    const at = await surroundings()
    const running = await start(at)
    const data = registerData(at, 'farm', { type: 'TOKEN', amount: undefined, tokenizationPurpose: 'Tea' })
    const ask = async () => {
      const { status, body } = await at.service.instruct('qrCode.register', data, at.clock.now)
      return [status, body.qrcId]
    }
    at.raiffeisen.fail('subscribe', fault)
    await ask()
    const first = await ask()
    await running.stop()
    rmSync(join(at.directory, 'connector.sqlite'))
    await start(at)
    expect(await ask()).toEqual(first)
    expect(first[0]).toBe(200)
    expect(at.raiffeisen.subscriptions.size).toBe(1)
  })

  it.each(LOST)('a consent is learned where of the question about it %s', async (_, fault) => {
    const at = await surroundings()
    const running = await start(at)
    const { qrcId } = await registerToken(at, 'farm')
    await at.raiffeisen.consent(qrcId, 'SUBSCRIBED', { times: 0 })
    at.raiffeisen.fail('subscription', fault)
    await minutes({ at, running }, 3)
    expect(statusOf(at, boundBy(at, 'farm', qrcId).bindingUid)).toMatchObject({ status: 'CREATED' })
    expect(at.service.reports.filter(({ path }) => path.includes('/bindings/'))).toHaveLength(1)
  })

  it('whose repeat the bank refuses takes the subscription that it has', async () => {
    const at = await surroundings()
    await start(at)
    const data = registerData(at, 'farm', { type: 'TOKEN', amount: undefined, tokenizationPurpose: 'Tea' })
    at.raiffeisen.fail('subscribe', { broken: 'after' })
    at.raiffeisen.fail('subscription', { status: 502 })
    expect((await at.service.instruct('qrCode.register', data, at.clock.now)).status).toBe(503)
    const refusal = { code: 'ERROR.INVALID_REQUEST', message: 'the id is used' }
    at.raiffeisen.fail('subscribe', { status: 400, body: refusal })
    const { status, body } = await at.service.instruct('qrCode.register', data, at.clock.now)
    expect([status, body.qrcId]).toEqual([200, at.raiffeisen.subscriptions.get(data.key)?.qrId])
  })

  it.each([
    ['ERROR.INVALID_REQUEST', 422],
    ['ERROR.MERCHANT_NOT_REGISTERED', 422],
    ['ERROR.SBP_MERCHANT_ID_IS_MISSING', 422],
    ['ERROR.ACCOUNT_IS_NOT_REGISTERED', 503],
    ['ERROR.QR_EXPIRATION_DATE_NOT_VALID', 503],
    ['ERROR.DYNAMIC_QR_WITHOUT_AMOUNT', 503],
    ['ERROR.INVALID_ORDER', 503],
    ['ERROR.NOT_FOUND', 503],
    ['ERROR.ORDER_NUMBER_ALREADY_REGISTERED', 503],
    ['ERROR.REFUND_INSUFFICIENT_FUNDS', 503],
    ['ERROR.REFUND_NOT_FOUND', 503],
  ])('%s of a subscription: %i', async (code, status) => {
    const at = await surroundings()
    await start(at)
    at.raiffeisen.fail('subscribe', { status: 400, body: { code, message: 'no' } })
    const data = registerData(at, 'farm', { type: 'TOKEN', amount: undefined, tokenizationPurpose: 'Tea' })
    const answer = await at.service.instruct('qrCode.register', data, at.clock.now)
    expect(answer.status).toBe(status)
    if (status === 422) expect(answer.body.description).toMatch(/^Raiffeisenbank: ERROR/)
  })

  it('an answer of another subscription is none', async () => {
    const at = await surroundings()
    const running = await start(at)
    const other = {
      id: 'other',
      createDate: '',
      status: 'SUBSCRIBED',
      qr: { id: 'Q', payload: 'https://x', url: 'u' },
    }
    at.raiffeisen.fail('subscribe', { status: 200, body: other })
    await expect(registerToken(at, 'farm')).rejects.toThrow('503')
    const { qrcId } = await registerToken(at, 'farm')
    at.raiffeisen.fail('subscription', { status: 200, body: other }, 5)
    await minutes({ at, running }, 2)
    expect(at.service.site('farm').bindings.size).toBe(0)
    at.raiffeisen.heal()
    await at.raiffeisen.consent(qrcId, 'SUBSCRIBED', { times: 0 })
    await minutes({ at, running }, 10)
    expect(at.service.site('farm').bindings.size).toBe(1)
  })

  it('a consent whose notification is lost, or comes after the end of the code, is asked for', async () => {
    const at = await surroundings()
    const running = await start(at)
    const first = await registerToken(at, 'farm')
    const late = await registerToken(at, 'farm')
    await at.raiffeisen.consent(first.qrcId, 'SUBSCRIBED', { times: 0 })
    await minutes({ at, running }, 2)
    expect(statusOf(at, boundBy(at, 'farm', first.qrcId).bindingUid)?.status).toBe('CREATED')
    at.clock.now += 2 * DAY
    await at.raiffeisen.consent(late.qrcId, 'SUBSCRIBED', { times: 0 })
    at.clock.now += HOUR
    await running.connector.settle()
    expect(statusOf(at, boundBy(at, 'farm', late.qrcId).bindingUid)?.status).toBe('CREATED')
  })

  it('INACTIVE is nobody’s answer: a refusal is left to the service’s clock', async () => {
    const at = await surroundings()
    const running = await start(at)
    const { qrcId } = await registerToken(at, 'farm')
    await at.raiffeisen.consent(qrcId, 'INACTIVE')
    await minutes({ at, running }, 3)
    expect(at.service.site('farm').bindings.size).toBe(0)
  })

  it('an end at the bank is reported within a day', async () => {
    const { at, running, token, binding } = await bound()
    await at.raiffeisen.consent(token.qrcId, 'UNSUBSCRIBED', { times: 0 })
    for (let hour = 0; hour < 23; hour++) {
      at.clock.now += HOUR
      await running.connector.settle(1)
    }
    expect(statusOf(at, binding.bindingUid)?.status).toBe('DELETED')
  })

  it('an unsigned notification is believed in nothing, stores nothing, and makes the bank asked once a minute', async () => {
    const at = await surroundings()
    const running = await start(at)
    const { qrcId } = await registerToken(at, 'farm')
    const { id } = at.raiffeisen.subscription(qrcId)
    at.clock.now += 5 * MINUTE
    await running.connector.settle()
    const asked = () => at.raiffeisen.callsOf('subscription').length
    const before = asked()
    const forged = { event: 'subscription', subscription: { id, status: 'SUBSCRIBED' } }
    for (let i = 0; i < 3; i++) {
      const response = await fetch(at.raiffeisen.callbackUrl ?? '', {
        method: 'POST',
        body: JSON.stringify(forged),
      })
      expect(response.status).toBe(200)
      await running.connector.settle()
    }
    expect(at.service.site('farm').bindings.size).toBe(0)
    expect(asked() - before).toBeLessThanOrEqual(1)
    await fetch(at.raiffeisen.callbackUrl ?? '', {
      method: 'POST',
      body: JSON.stringify({ event: 'subscription', subscription: { id: 'unknown', status: 'SUBSCRIBED' } }),
    })
    expect(running.core.disk.webhooks.countWaiting()).toBe(0)
  })

  it('a bank that does not answer is asked once a minute for unsigned notifications, and no later', async () => {
    const at = await surroundings()
    const running = await start(at)
    const { qrcId } = await registerToken(at, 'farm')
    const { id } = at.raiffeisen.subscription(qrcId)
    // By now it is asked each ten minutes.
    for (let quarter = 0; quarter < 3; quarter++) {
      at.clock.now += 15 * MINUTE
      await running.connector.settle()
    }
    at.raiffeisen.fail('subscription', { status: 502 }, 99)
    at.clock.now += 10 * MINUTE
    await running.connector.settle()
    const asked = () => at.raiffeisen.callsOf('subscription').length
    const before = asked()
    const body = JSON.stringify({ event: 'subscription', subscription: { id, status: 'SUBSCRIBED' } })
    for (let i = 0; i < 10; i++) {
      await fetch(at.raiffeisen.callbackUrl ?? '', { method: 'POST', body })
      await running.connector.settle(1)
    }
    expect(asked() - before).toBe(0)
    at.raiffeisen.heal()
    await at.raiffeisen.consent(qrcId, 'SUBSCRIBED')
    at.clock.now += MINUTE
    await running.connector.settle()
    expect(asked() - before).toBe(1)
    expect(statusOf(at, boundBy(at, 'farm', qrcId).bindingUid)?.status).toBe('CREATED')
  })

  it('nor is it asked more often once it is asked of itself no more', async () => {
    const at = await surroundings()
    const running = await start(at)
    const { qrcId } = await registerToken(at, 'farm')
    const { id } = at.raiffeisen.subscription(qrcId)
    for (let month = 0; month < 4; month++) {
      at.clock.now += 30 * 24 * HOUR
      await running.connector.settle()
    }
    expect(running.core.disk.bindings.countOpen()).toBe(0)
    const body = JSON.stringify({ event: 'subscription', subscription: { id, status: 'SUBSCRIBED' } })
    const before = at.raiffeisen.callsOf('subscription').length
    for (let i = 0; i < 10; i++) {
      await fetch(at.raiffeisen.callbackUrl ?? '', { method: 'POST', body })
      await running.connector.settle(1)
    }
    expect(at.raiffeisen.callsOf('subscription').length - before).toBeLessThanOrEqual(1)
  })

  it('the same request after the end of its code has the same subscription again', async () => {
    const at = await surroundings()
    const running = await start(at)
    const more = {
      type: 'TOKEN',
      amount: undefined,
      tokenizationPurpose: 'Tea',
      ttl: 1,
      expiresOn: undefined,
    }
    const data = registerData(at, 'farm', more)
    const ask = () => at.service.instruct('qrCode.register', data, at.clock.now)
    const { qrcId, reference } = (await ask()).body
    at.clock.now += 2 * MINUTE
    const expiresOn = new Date(at.clock.now + MINUTE).toISOString()
    const again = { status: 200, body: { qrcId, reference, expiresOn } }
    expect(await ask()).toMatchObject(again)
    expect(await ask()).toMatchObject(again)
    await at.raiffeisen.consent(String(qrcId), 'SUBSCRIBED', { times: 0 })
    at.clock.now += 2 * HOUR
    await running.connector.settle()
    expect(statusOf(at, boundBy(at, 'farm', String(qrcId)).bindingUid)?.status).toBe('CREATED')
  })

  it('a subscription that is given again is asked about each minute, as a new one', async () => {
    const at = await surroundings()
    const running = await start(at)
    const binds = { type: 'TOKEN', amount: undefined, tokenizationPurpose: 'Tea', expiresOn: undefined }
    const data = registerData(at, 'farm', { ...binds, ttl: 1 })
    const ask = (ttl: number) => at.service.instruct('qrCode.register', { ...data, ttl }, at.clock.now)
    const first = await ask(1)
    at.clock.now += 2 * HOUR
    await running.connector.settle()
    const again = await ask(60)
    expect(again.body.qrcId).toBe(first.body.qrcId)
    const qrcId = String(again.body.qrcId)
    await at.raiffeisen.consent(qrcId, 'SUBSCRIBED', { times: 0 })
    await minutes({ at, running }, 1)
    expect(statusOf(at, boundBy(at, 'farm', qrcId).bindingUid)?.status).toBe('CREATED')
  })

  it('a code that binds is not cancelled at the bank, which states no way: a consent that comes is a fact', async () => {
    const at = await surroundings()
    const running = await start(at)
    const token = await registerToken(at, 'farm')
    const { qrcId, reference } = token
    const cancelled = await at.service.instruct(
      'qrCode.cancel',
      { siteId: 'farm', qrcId, reference },
      at.clock.now,
    )
    expect(cancelled.status).toBe(204)
    expect(at.raiffeisen.callsOf('cancel')).toEqual([])
    at.clock.now += MINUTE
    await at.raiffeisen.consent(qrcId, 'SUBSCRIBED')
    await running.connector.settle()
    expect(statusOf(at, boundBy(at, 'farm', qrcId).bindingUid)?.status).toBe('CREATED')
  })
})

describe('pay and bind', () => {
  it.each([
    ['paid and agreed', true, true],
    ['paid, and did not agree, or in an app that cannot bind', true, false],
    ['agreed, and did not pay', false, true],
  ])('%s: two facts', async (_, isPaid, hasAgreed) => {
    const at = await surroundings()
    const running = await start(at)
    const link = await register(at, 'farm', { flags: ['CREATE_TOKEN'], tokenizationPurpose: 'Monthly tea' })
    const { id, purpose } = at.raiffeisen.subscription(link.qrcId)
    expect(purpose).toBe('Monthly tea')
    expect(link.reference).toBe(`raif-farm:${at.raiffeisen.codes.get(link.qrcId)?.order}#${id}`)
    at.clock.now += MINUTE
    if (hasAgreed) await at.raiffeisen.consent(link.qrcId, 'SUBSCRIBED')
    if (isPaid) await at.raiffeisen.pay(link.qrcId)
    await running.connector.settle()
    const { payments, bindings } = at.service.site('farm')
    expect(payments.get(link.qrcId)?.status).toBe(isPaid ? 'COMPLETED' : undefined)
    expect(Array.from(bindings.values(), ({ status }) => status)).toEqual(hasAgreed ? ['CREATED'] : [])
    if (!isPaid) return
    // Its refund goes to the payment.
    const asked = await refund(at, 'farm', link, '10.00')
    await running.connector.settle()
    expect(at.raiffeisen.codes.get(link.qrcId)?.refunded).toBe(1_000)
    expect(at.service.site('farm').refunds.get(`${link.qrcId}/${asked.refundUid}`)?.status).toBe('COMPLETED')
  })

  it.each(LOST)('where %s, the same request has one link, one payment and one binding', async (_, fault) => {
    const at = await surroundings()
    const running = await start(at)
    const data = registerData(at, 'farm', { flags: ['CREATE_TOKEN'], tokenizationPurpose: 'Monthly tea' })
    const ask = () => at.service.instruct('qrCode.register', data, at.clock.now)
    at.raiffeisen.fail('register', fault)
    await ask()
    const { status, body } = await ask()
    expect([status, (await ask()).body.qrcId]).toEqual([200, body.qrcId])
    at.clock.now += MINUTE
    await at.raiffeisen.consent(String(body.qrcId), 'SUBSCRIBED')
    await at.raiffeisen.pay(String(body.qrcId))
    await running.connector.settle()
    const { payments, bindings } = at.service.site('farm')
    expect([Array.from(payments.keys()), bindings.size]).toEqual([[body.qrcId], 1])
  })
})

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
    'IN_PROGRESS is asked about without end, until %s',
    async (end) => {
      const { at, running, binding, link } = await bound()
      at.raiffeisen.chargeResult = 'IN_PROGRESS'
      const asked = await charge(at, binding, link)
      await running.connector.settle()
      for (let day = 0; day < 20; day++) {
        at.clock.now += DAY
        await running.connector.settle(1)
      }
      expect(asked.result()).toBeUndefined()
      expect(running.core.disk.charges.held()).toEqual([])
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

  it('an answer about another order, or of another merchant, decides nothing', async () => {
    for (const changes of [{ order: 'other' }, { sbpMerchantId: 'MA0000000001' }, { amount: 1.234 }]) {
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
