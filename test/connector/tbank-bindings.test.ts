// Bound accounts at T-Bank: bind, pay and bind.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { boundBy, charge, deleteToken, isOnDisk, minutes, PRICE, registerToken } from './bound.ts'
import { DAY, HOUR, MINUTE, refund, register, registerData, start, surroundings } from './harness.ts'
import { bound, LOST, statusOf } from './tbank-bound.ts'

describe('bind', () => {
  it.each([
    ['a number', String],
    ['a UUID', (n: number) => `13021e10-a3ed-4f14-bcd1-${String(n).padStart(12, '0')}`],
  ])(
    'a signed consent under %s is reported once, with the bank’s id and never its token',
    async (_, form) => {
      const { at, running, token, request, binding } = await bound((each) => {
        each.tbank.requestKeyOf = form
      })
      expect(token.reference).toBe(`tbank-cafe:#${request}`)
      expect(statusOf(at, binding.bindingUid)).toEqual({
        ...{ status: 'CREATED', bankMemberId: '100000000004', reference: `tbank-cafe:#${request}` },
      })
      await at.tbank.deliverBinding(request)
      await running.connector.settle()
      expect(at.service.reports.filter(({ path }) => path.includes('/bindings/'))).toHaveLength(1)
      const said = JSON.stringify([at.service.reports, running.log, running.core.disk.reports.since(0)])
      expect(said).not.toContain(`TOKEN${request}`)
      expect([isOnDisk(at, request), isOnDisk(at, `TOKEN${request}`)]).toEqual([true, false])
    },
  )

  it.each([
    [true, 'CREATED'],
    [false, 'REJECTED'],
  ])('an answer %s whose notification is lost is asked for: %s', async (isGiven, status) => {
    const at = await surroundings()
    const running = await start(at)
    const { qrcId } = await registerToken(at, 'cafe')
    await at.tbank.consent(qrcId, isGiven, { times: 0 })
    await minutes({ at, running }, 2)
    expect(statusOf(at, boundBy(at, 'cafe', qrcId).bindingUid)).toMatchObject({ status })
  })

  it('a consent after the end of its code, and after a refusal, is a fact', async () => {
    const at = await surroundings()
    const running = await start(at)
    const { qrcId } = await registerToken(at, 'cafe')
    await at.tbank.consent(qrcId, false)
    await running.connector.settle()
    const { bindingUid } = boundBy(at, 'cafe', qrcId)
    expect(statusOf(at, bindingUid)).toMatchObject({ status: 'REJECTED' })
    at.clock.now += 3 * HOUR
    await at.tbank.consent(qrcId, true, { times: 0 })
    at.clock.now += DAY
    await running.connector.settle()
    expect(statusOf(at, bindingUid)).toMatchObject({ status: 'CREATED' })
  })

  it('an end at the bank is reported within a day, and an old consent does not undo it', async () => {
    const { at, running, token, request, binding } = await bound()
    const consent = at.tbank.bindingNotificationOf(request)
    await at.tbank.consent(token.qrcId, false, { times: 0 })
    for (let hour = 0; hour < 23; hour++) {
      at.clock.now += HOUR
      await running.connector.settle(1)
    }
    expect(statusOf(at, binding.bindingUid)).toMatchObject({ status: 'DELETED' })
    await at.tbank.deliverBinding(request, {}, { ...consent, Message: 'again', Token: undefined })
    await fetch(at.tbank.terminalUrl ?? '', { method: 'POST', body: JSON.stringify(consent) })
    await running.connector.settle()
    expect(statusOf(at, binding.bindingUid)).toMatchObject({ status: 'DELETED' })
  })

  it('a refusal that is sent again after a later consent does not end it: the bank is asked', async () => {
    const at = await surroundings()
    const running = await start(at)
    const { qrcId } = await registerToken(at, 'cafe')
    const request = await at.tbank.consent(qrcId, false, { times: 0 })
    const refusal = at.tbank.bindingNotificationOf(request)
    await at.tbank.consent(qrcId, true)
    await running.connector.settle()
    await fetch(at.tbank.terminalUrl ?? '', { method: 'POST', body: JSON.stringify(refusal) })
    await running.connector.settle()
    expect(statusOf(at, boundBy(at, 'cafe', qrcId).bindingUid)).toMatchObject({ status: 'CREATED' })
  })

  it('a state from before a signed consent does not end it', async () => {
    const at = await surroundings()
    const running = await start(at)
    const { qrcId } = await registerToken(at, 'cafe')
    await at.tbank.consent(qrcId, false, { times: 0 })
    at.tbank.fail('GetAddAccountQrState', { changes: { Status: 'INACTIVE' } })
    await at.tbank.consent(qrcId, true)
    await running.connector.settle()
    expect(statusOf(at, boundBy(at, 'cafe', qrcId).bindingUid)).toMatchObject({ status: 'CREATED' })
  })

  it('an unsigned consent is refused; a signed one of an unknown request is given up after a day', async () => {
    const at = await surroundings()
    const { connector, core } = await start(at)
    const { qrcId } = await registerToken(at, 'cafe')
    const { requestKey } = at.tbank.binding(qrcId)
    at.tbank.binding(qrcId).status = 'ACTIVE'
    await at.tbank.deliverBinding(requestKey, {}, { Status: 'INACTIVE' })
    expect(at.tbank.webhookAnswers.at(-1)).toMatchObject({ status: 401 })
    await at.tbank.deliverBinding('999')
    expect(at.tbank.webhookAnswers.at(-1)).toEqual({ status: 200, text: 'OK' })
    for (let hour = 0; hour < 26; hour++) {
      await connector.settle(1)
      if (hour < 23) expect(core.disk.webhooks.countWaiting()).toBe(1)
      at.clock.now += HOUR
    }
    await connector.settle()
    expect(core.disk.webhooks.countWaiting()).toBe(0)
    expect(at.service.site('cafe').bindings.size).toBe(1)
  })

  it.each(LOST)('a register of which %s is made anew by the same request', async (_, fault) => {
    const at = await surroundings()
    const running = await start(at)
    at.tbank.fail('AddAccountQr', fault)
    await expect(registerToken(at, 'cafe', { key: 'K'.repeat(32) })).rejects.toThrow('503')
    const { qrcId } = await registerToken(at, 'cafe', { key: 'K'.repeat(32) })
    expect((await registerToken(at, 'cafe', { key: 'K'.repeat(32) })).qrcId).toBe(qrcId)
    await at.tbank.consent(qrcId, true)
    await running.connector.settle()
    expect(at.service.site('cafe').bindings.size).toBe(1)
  })

  it.each(LOST)('a consent is learned where of the question about it %s', async (_, fault) => {
    const at = await surroundings()
    const running = await start(at)
    const { qrcId } = await registerToken(at, 'cafe')
    await at.tbank.consent(qrcId, true, { times: 0 })
    at.tbank.fail('GetAddAccountQrState', fault)
    await minutes({ at, running }, 3)
    expect(statusOf(at, boundBy(at, 'cafe', qrcId).bindingUid)).toMatchObject({ status: 'CREATED' })
    expect(at.service.reports.filter(({ path }) => path.includes('/bindings/'))).toHaveLength(1)
  })

  it('a new disk learns from the service what is awaited, bound and ended', async () => {
    const { at, running, token, binding } = await bound()
    const awaited = await registerToken(at, 'cafe')
    const ended = await registerToken(at, 'cafe')
    await at.tbank.consent(ended.qrcId, true)
    await running.connector.settle()
    const gone = boundBy(at, 'cafe', ended.qrcId)
    await running.stop()
    rmSync(join(at.directory, 'connector.sqlite'))
    const expiresOn = new Date(at.clock.now + HOUR).toISOString()
    at.service.bindings = [
      { ...token, ...binding, status: 'CREATED' },
      { siteId: 'cafe', ...awaited, status: 'REJECTED', expiresOn },
      { ...gone, status: 'EXPIRED' },
    ]
    at.clock.now += MINUTE
    const next = await start(at)
    await next.connector.settle()
    const stateOf = (bindingUid: string) => next.core.disk.bindings.get({ site: 'cafe', bindingUid })?.state
    expect(stateOf(binding.bindingUid)).toBe('CREATED')
    expect(stateOf(gone.bindingUid)).toBe('DELETED')
    await at.tbank.consent(awaited.qrcId, true)
    await next.connector.settle()
    expect(statusOf(at, boundBy(at, 'cafe', awaited.qrcId).bindingUid)).toMatchObject({ status: 'CREATED' })
    await charge(at, gone, await register(at, 'cafe', { amount: PRICE }))
    await next.connector.settle()
    expect(at.tbank.callsOf('ChargeQr')).toEqual([])
  })
})

describe('a binding on a restored disk', () => {
  it('whose consent the service has, and which is over, becomes DELETED: its refusal would never be taken', async () => {
    const at = await surroundings()
    const running = await start(at)
    at.clock.now += 1_000
    const token = await registerToken(at, 'cafe')
    const backup = at.clock.now
    const binding = at.tbank.binding(token.qrcId)
    await running.stop()
    // Agreed, reported by the disk that is lost, and ended at the bank.
    binding.status = 'INACTIVE'
    at.clock.now += 10 * MINUTE
    const next = await start(at, { restoredFrom: backup })
    const [row] = next.core.disk.bindings.ofRequest(binding.requestKey)
    const bindingUid = row?.bindingUid ?? ''
    const of = { siteId: 'cafe', ...token, bindingUid, bindingReference: token.reference }
    at.service.bindings = [{ ...of, status: 'CREATED' }]
    await next.connector.settle()
    await minutes({ at, running: next }, 2)
    at.clock.now += HOUR
    await next.connector.settle()
    expect(statusOf(at, bindingUid)?.status).toBe('DELETED')
    expect(next.core.disk.reports.countNotAccepted()).toBe(0)
  })

  it.each([true, false])(
    'whose consent the service has is known, and the bank is asked at once: refused before: %j',
    async (...given) => {
      const [wasRefused] = given
      const at = await surroundings()
      const running = await start(at)
      at.clock.now += 1_000
      const token = await registerToken(at, 'cafe')
      if (wasRefused) await at.tbank.consent(token.qrcId, false)
      await running.connector.settle()
      const backup = at.clock.now
      await running.stop()
      const request = await at.tbank.consent(token.qrcId, true, { times: 0 })
      at.clock.now += 10 * MINUTE
      const next = await start(at, { restoredFrom: backup })
      const { bindings } = next.core.disk
      const bindingUid = bindings.ofRequest(request)[0]?.bindingUid ?? ''
      const of = { siteId: 'cafe', ...token, bindingUid, bindingReference: token.reference }
      at.service.bindings = [{ ...of, status: 'CREATED' }]
      at.tbank.fail('GetAddAccountQrState', { status: 502 }, 2)
      await next.connector.settle()
      expect(bindings.get({ site: 'cafe', bindingUid })?.state).toBe('CREATED')
      expect(statusOf(at, bindingUid)).toMatchObject({ status: 'CREATED', reference: token.reference })
      expect(at.tbank.callsOf('GetAddAccountQrState').length).toBeGreaterThan(0)
    },
  )

  it.each(['DELETED', 'EXPIRED'])(
    'that has %s at the service is not charged, also where the service is restored later',
    async (status) => {
      const { at, running, binding, link } = await bound()
      const waiting = await (async () => {
        at.tbank.fail('GetAddAccountQrState', { status: 502 }, 9)
        const asked = await charge(at, binding, await register(at, 'cafe', { amount: PRICE }))
        await running.connector.settle(1)
        at.tbank.heal()
        return asked
      })()
      const backup = at.clock.now
      await running.stop()
      at.clock.now += 10 * MINUTE
      at.service.bindings = [{ ...binding, reference: binding.bindingReference, status }]
      const next = await start(at, { restoredFrom: backup })
      await next.connector.settle()
      at.clock.now += 2 * HOUR
      await next.connector.settle()
      expect(next.core.disk.charges.held()).toMatchObject([{ paymentUid: waiting.paymentUid }])
      // The service is restored too, to a time before the deletion.
      const asked = await charge(at, binding, link)
      await next.connector.settle()
      expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'TOKEN_DELETED' })
      expect(at.tbank.callsOf('ChargeQr')).toEqual([])
    },
  )

  it('whose end is learned after a charge of it came to a new disk leaves that charge unsent', async () => {
    const { at, running, token, binding, link } = await bound()
    await running.stop()
    rmSync(join(at.directory, 'connector.sqlite'))
    const next = await start(at)
    await next.connector.settle()
    at.tbank.fail('GetAddAccountQrState', { status: 502 }, 99)
    const asked = await charge(at, binding, link)
    await next.connector.settle()
    expect(asked.result()).toBeUndefined()
    at.service.bindings = [{ ...token, ...binding, status: 'DELETED' }]
    // The lists are read for a consent of an account that is not on disk.
    await at.tbank.consent(token.qrcId, true)
    await next.connector.settle()
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'TOKEN_DELETED' })
    expect(at.tbank.callsOf('ChargeQr')).toEqual([])
  })

  it('that has ended here stays ended, whatever the list says', async () => {
    const { at, running, binding } = await bound()
    await deleteToken(at, binding)
    await running.connector.settle()
    at.service.bindings = [{ ...binding, reference: binding.bindingReference, status: 'CREATED' }]
    at.clock.now += DAY
    await running.connector.settle()
    const { bindingUid } = binding
    expect(running.core.disk.bindings.get({ site: 'cafe', bindingUid })?.state).toBe('DELETED')
    expect(statusOf(at, bindingUid)).toEqual({ status: 'DELETED' })
  })
})

describe('pay and bind', () => {
  it.each([
    ['paid and agreed', true, true],
    ['paid, and did not agree', true, false],
    ['paid in an app that cannot bind', true, undefined],
    ['agreed, and did not pay', false, true],
  ])('%s: two facts', async (_, isPaid, consent) => {
    const at = await surroundings()
    const running = await start(at)
    const link = await register(at, 'cafe', { flags: ['CREATE_TOKEN'], tokenizationPurpose: 'Monthly tea' })
    const { paymentId, requestKey } = at.tbank.session(link.qrcId)
    expect(link.reference).toBe(`tbank-cafe:${paymentId}#${requestKey}`)
    if (consent !== undefined) await at.tbank.consent(link.qrcId, consent)
    if (isPaid) await at.tbank.pay(link.qrcId)
    await running.connector.settle()
    const { payments, bindings } = at.service.site('cafe')
    expect(payments.get(link.qrcId)?.status).toBe(isPaid ? 'COMPLETED' : undefined)
    const statuses = Array.from(bindings.values(), ({ status }) => status)
    expect(statuses).toEqual(consent === undefined ? [] : [consent ? 'CREATED' : 'REJECTED'])
    if (!isPaid) return
    // Its refund goes to the payment.
    const asked = await refund(at, 'cafe', link, '10.00')
    await running.connector.settle()
    expect(at.tbank.session(link.qrcId).refunded).toBe(1_000)
    expect(at.service.site('cafe').refunds.get(`${link.qrcId}/${asked.refundUid}`)?.status).toBe('COMPLETED')
  })

  const cases = ['Init', 'GetQr'].flatMap((operation) =>
    LOST.map(([name, fault]) => [operation, name, fault] as const),
  )
  it.each(cases)(
    'where of %s %s, the same request has one link, one payment and one binding',
    async (...given) => {
      const [operation, , fault] = given
      const at = await surroundings()
      const running = await start(at)
      const data = registerData(at, 'cafe', { flags: ['CREATE_TOKEN'], tokenizationPurpose: 'Monthly tea' })
      const ask = () => at.service.instruct('qrCode.register', data, at.clock.now)
      at.tbank.fail(operation, fault)
      await ask()
      const { status, body } = await ask()
      expect([status, (await ask()).body.qrcId]).toEqual([200, body.qrcId])
      await at.tbank.consent(String(body.qrcId), true)
      await at.tbank.pay(String(body.qrcId))
      await running.connector.settle()
      const { payments, bindings } = at.service.site('cafe')
      expect([Array.from(payments.keys()), bindings.size]).toEqual([[body.qrcId], 1])
    },
  )

  it('a new disk finds payment and consent by the reference that the service keeps', async () => {
    const at = await surroundings()
    const running = await start(at)
    const link = await register(at, 'cafe', { flags: ['CREATE_TOKEN'] })
    await running.stop()
    rmSync(join(at.directory, 'connector.sqlite'))
    const times = { createdOn: new Date(at.clock.now).toISOString(), expiresOn: link.expiresOn }
    const of = { siteId: 'cafe', qrcId: link.qrcId, reference: link.reference, ...times }
    at.service.qrCodes = [
      { ...of, type: 'DYNAMIC', status: 'CREATED', amount: { value: '100.00', currency: 'RUB' } },
    ]
    at.service.bindings = [{ ...of, status: 'WAITING' }]
    at.clock.now += MINUTE
    const next = await start(at)
    await at.tbank.pay(link.qrcId)
    await at.tbank.consent(link.qrcId, true)
    await next.connector.settle()
    expect(at.service.site('cafe').payments.get(link.qrcId)?.status).toBe('COMPLETED')
    expect(statusOf(at, boundBy(at, 'cafe', link.qrcId).bindingUid)).toMatchObject({ status: 'CREATED' })
  })
})
