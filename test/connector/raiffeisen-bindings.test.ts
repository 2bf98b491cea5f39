// Bound accounts, in what Raiffeisenbank alone has: subscriptions by our key, and notifications without a signature.
import { describe, expect, it } from 'vitest'
import { awaiting, bindingOf, bound, RAIFFEISEN, registerToken } from './bound.ts'
import { HOUR, launched, MINUTE, register, registerData, type Surroundings } from './harness.ts'

/** The data of a register of a code that binds. */
const tokenData = (at: Surroundings, changes: object = {}) =>
  registerData(at, 'farm', { type: 'TOKEN', amount: undefined, tokenizationPurpose: 'Tea', ...changes })

/** A notification of a subscription, which the bank does not sign: anybody can send it. */
const notify = ({ raiffeisen }: Surroundings, id: string) =>
  fetch(raiffeisen.callbackUrl ?? '', {
    method: 'POST',
    body: JSON.stringify({ event: 'subscription', subscription: { id, status: 'SUBSCRIBED' } }),
  })

describe('bind', () => {
  it('asks for a subscription under the key of the register, and reports the consent once', async () => {
    const { at, running, token } = await bound(RAIFFEISEN)
    const { id, purpose } = at.raiffeisen.subscription(token.qrcId)
    expect(id).toMatch(/^KEY\d{29}$/)
    expect(purpose).toBe('Monthly tea')
    expect(token.reference).toBe(`raif-farm:#${id}`)
    expect(bindingOf(at, 'farm', token.qrcId)).toEqual({
      ...{ status: 'CREATED', reference: `raif-farm:#${id}` },
    })
    at.clock.now += 2 * MINUTE
    await at.raiffeisen.deliverSubscription(id)
    await running.connector.settle()
    expect(at.service.reports.filter(({ path }) => path.includes('/bindings/'))).toHaveLength(1)
  })

  it('asks for a subscription with a payment for the purpose of the register', async () => {
    const { at } = await launched()
    const link = await register(at, 'farm', { flags: ['CREATE_TOKEN'], tokenizationPurpose: 'Monthly tea' })
    expect(at.raiffeisen.subscription(link.qrcId).purpose).toBe('Monthly tea')
  })

  it('whose repeat the bank refuses takes the subscription that it has', async () => {
    const { at } = await launched()
    const data = tokenData(at)
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
    const { at } = await launched()
    at.raiffeisen.fail('subscribe', { status: 400, body: { code, message: 'no' } })
    const data = tokenData(at)
    const answer = await at.service.instruct('qrCode.register', data, at.clock.now)
    expect(answer.status).toBe(status)
    if (status === 422) expect(answer.body.description).toMatch(/^Raiffeisenbank: ERROR/)
  })

  it('an answer of another subscription is none', async () => {
    const { at, running } = await launched()
    const qr = { id: 'Q', payload: 'https://x', url: 'u' }
    const other = { id: 'other', createDate: '', status: 'SUBSCRIBED', qr }
    at.raiffeisen.fail('subscribe', { status: 200, body: other })
    await expect(registerToken(at, 'farm')).rejects.toThrow('503')
    const { qrcId } = await registerToken(at, 'farm')
    at.raiffeisen.fail('subscription', { status: 200, body: other }, 5)
    await running.later(MINUTE, 2)
    expect(at.service.site('farm').bindings.size).toBe(0)
    at.raiffeisen.heal()
    await at.raiffeisen.consent(qrcId, 'SUBSCRIBED', { times: 0 })
    await running.later(MINUTE, 10)
    expect(at.service.site('farm').bindings.size).toBe(1)
  })

  it('INACTIVE is nobody’s answer: a refusal is left to the service’s clock', async () => {
    const { at, running, qrcId } = await awaiting(RAIFFEISEN)
    await at.raiffeisen.consent(qrcId, 'INACTIVE')
    await running.later(MINUTE, 3)
    expect(at.service.site('farm').bindings.size).toBe(0)
  })

  it.each([
    ['has answered from before', undefined],
    ['does not answer', { status: 502, executed: true }],
  ])('a consent that is notified while the bank %s is learned a minute later', async (_, fault) => {
    const { at, running, qrcId } = await awaiting(RAIFFEISEN)
    // By now it is asked each ten minutes.
    await running.later(MINUTE, 30)
    if (fault) at.raiffeisen.fail('subscription', fault)
    at.raiffeisen.beforeAnswer = async (operation) => {
      if (operation !== 'subscription') return
      at.raiffeisen.beforeAnswer = async () => {}
      await at.raiffeisen.consent(qrcId, 'SUBSCRIBED')
    }
    await running.later(10 * MINUTE, 1, 1)
    expect(at.service.site('farm').bindings.size).toBe(0)
    await running.later(MINUTE)
    expect(bindingOf(at, 'farm', qrcId)?.status).toBe('CREATED')
  })

  it('an end at the bank is reported within a day', async () => {
    const { at, running, token } = await bound(RAIFFEISEN)
    await at.raiffeisen.consent(token.qrcId, 'UNSUBSCRIBED', { times: 0 })
    await running.later(HOUR, 23, 1)
    expect(bindingOf(at, 'farm', token.qrcId)?.status).toBe('DELETED')
  })

  it('an unsigned notification is believed in nothing, stores nothing, and makes the bank asked once a minute', async () => {
    const { at, running, qrcId } = await awaiting(RAIFFEISEN)
    const { id } = at.raiffeisen.subscription(qrcId)
    await running.later(5 * MINUTE)
    const asked = () => at.raiffeisen.callsOf('subscription').length
    const before = asked()
    for (let i = 0; i < 3; i++) {
      expect((await notify(at, id)).status).toBe(200)
      await running.connector.settle()
    }
    expect(at.service.site('farm').bindings.size).toBe(0)
    expect(asked() - before).toBeLessThanOrEqual(1)
    await notify(at, 'unknown')
    expect(running.core.disk.webhooks.countWaiting()).toBe(0)
  })

  it('a bank that does not answer is asked once a minute for unsigned notifications, and no later', async () => {
    const { at, running, qrcId } = await awaiting(RAIFFEISEN)
    const { id } = at.raiffeisen.subscription(qrcId)
    // By now it is asked each ten minutes.
    await running.later(15 * MINUTE, 3)
    at.raiffeisen.fail('subscription', { status: 502 }, 99)
    await running.later(10 * MINUTE)
    const asked = () => at.raiffeisen.callsOf('subscription').length
    const before = asked()
    for (let i = 0; i < 10; i++) {
      await notify(at, id)
      await running.connector.settle(1)
    }
    expect(asked() - before).toBe(0)
    at.raiffeisen.heal()
    await at.raiffeisen.consent(qrcId, 'SUBSCRIBED')
    await running.later(MINUTE)
    expect(asked() - before).toBe(1)
    expect(bindingOf(at, 'farm', qrcId)?.status).toBe('CREATED')
  })

  it('nor is it asked more often once it is asked of itself no more', async () => {
    const { at, running, qrcId } = await awaiting(RAIFFEISEN)
    const { id } = at.raiffeisen.subscription(qrcId)
    await running.later(30 * 24 * HOUR, 4)
    expect(running.core.disk.bindings.countOpen()).toBe(0)
    const before = at.raiffeisen.callsOf('subscription').length
    for (let i = 0; i < 10; i++) {
      await notify(at, id)
      await running.connector.settle(1)
    }
    expect(at.raiffeisen.callsOf('subscription').length - before).toBeLessThanOrEqual(1)
  })

  it('the same request after the end of its code has the same subscription again', async () => {
    const { at, running } = await launched()
    const data = tokenData(at, { ttl: 1, expiresOn: undefined })
    const ask = () => at.service.instruct('qrCode.register', data, at.clock.now)
    const { qrcId, reference } = (await ask()).body
    at.clock.now += 2 * MINUTE
    const expiresOn = new Date(at.clock.now + MINUTE).toISOString()
    const again = { status: 200, body: { qrcId, reference, expiresOn } }
    expect(await ask()).toMatchObject(again)
    expect(await ask()).toMatchObject(again)
    await at.raiffeisen.consent(String(qrcId), 'SUBSCRIBED', { times: 0 })
    await running.later(2 * HOUR)
    expect(bindingOf(at, 'farm', String(qrcId))?.status).toBe('CREATED')
  })

  it('a subscription that is given again is asked about each minute, as a new one', async () => {
    const { at, running } = await launched()
    const data = tokenData(at, { ttl: 1, expiresOn: undefined })
    const ask = (ttl: number) => at.service.instruct('qrCode.register', { ...data, ttl }, at.clock.now)
    const first = await ask(1)
    await running.later(2 * HOUR)
    const again = await ask(60)
    expect(again.body.qrcId).toBe(first.body.qrcId)
    const qrcId = String(again.body.qrcId)
    await at.raiffeisen.consent(qrcId, 'SUBSCRIBED', { times: 0 })
    await running.later(MINUTE)
    expect(bindingOf(at, 'farm', qrcId)?.status).toBe('CREATED')
  })

  it('a code that binds is not cancelled at the bank, which states no way: a consent that comes is a fact', async () => {
    const { at, running, qrcId, reference } = await awaiting(RAIFFEISEN)
    const data = { siteId: 'farm', qrcId, reference }
    expect((await at.service.instruct('qrCode.cancel', data, at.clock.now)).status).toBe(204)
    expect(at.raiffeisen.callsOf('cancel')).toEqual([])
    at.clock.now += MINUTE
    await at.raiffeisen.consent(qrcId, 'SUBSCRIBED')
    await running.connector.settle()
    expect(bindingOf(at, 'farm', qrcId)?.status).toBe('CREATED')
  })
})
