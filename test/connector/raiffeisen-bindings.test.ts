// Bound accounts at Raiffeisenbank: bind, pay and bind.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { boundBy, minutes, registerToken } from './bound.ts'
import { DAY, HOUR, MINUTE, refund, register, registerData, start, surroundings } from './harness.ts'
import { bound, LOST, statusOf } from './raiffeisen-bound.ts'

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

  it.each([
    ['has answered from before', undefined],
    ['does not answer', { status: 502, executed: true }],
  ])('a consent that is notified while the bank %s is learned a minute later', async (_, fault) => {
    const at = await surroundings()
    const running = await start(at)
    const { qrcId } = await registerToken(at, 'farm')
    // By now it is asked each ten minutes.
    await minutes({ at, running }, 30)
    if (fault) at.raiffeisen.fail('subscription', fault)
    at.raiffeisen.beforeAnswer = async (operation) => {
      if (operation !== 'subscription') return
      at.raiffeisen.beforeAnswer = async () => {}
      await at.raiffeisen.consent(qrcId, 'SUBSCRIBED')
    }
    at.clock.now += 10 * MINUTE
    await running.connector.settle(1)
    expect(at.service.site('farm').bindings.size).toBe(0)
    at.clock.now += MINUTE
    await running.connector.settle()
    expect(statusOf(at, boundBy(at, 'farm', qrcId).bindingUid)?.status).toBe('CREATED')
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
