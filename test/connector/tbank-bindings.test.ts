// Bound accounts, in what T-Bank alone has: signed consents, refusals, tokens, and what a restored disk makes of them.
import { describe, expect, it } from 'vitest'
import {
  awaiting,
  bindingOf,
  bound,
  boundBy,
  charge,
  deleteToken,
  isOnDisk,
  PRICE,
  registerToken,
  TBANK,
} from './bound.ts'
import { DAY, HOUR, launched, MINUTE, register, type Surroundings, start } from './harness.ts'

const statusOf = (at: Surroundings, bindingUid: string) => at.service.site('cafe').bindings.get(bindingUid)

describe('bind', () => {
  it.each([
    ['a number', String],
    ['a UUID', (n: number) => `13021e10-a3ed-4f14-bcd1-${String(n).padStart(12, '0')}`],
  ])(
    'a signed consent under %s is reported once, with the bank’s id and never its token',
    async (_, form) => {
      const { at, running, token, request, binding } = await bound(TBANK, (each) => {
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

  it('a refusal whose notification is lost is asked for, and a consent after it, and after the end of the code, is a fact', async () => {
    const { at, running, qrcId } = await awaiting(TBANK)
    await at.tbank.consent(qrcId, false, { times: 0 })
    await running.later(MINUTE, 2)
    expect(bindingOf(at, 'cafe', qrcId)).toMatchObject({ status: 'REJECTED' })
    at.clock.now += 3 * HOUR
    await at.tbank.consent(qrcId, true, { times: 0 })
    await running.later(DAY)
    expect(bindingOf(at, 'cafe', qrcId)).toMatchObject({ status: 'CREATED' })
  })

  it('an end at the bank is reported within a day, and an old consent does not undo it', async () => {
    const { at, running, token, request, binding } = await bound(TBANK)
    const consent = at.tbank.bindingNotificationOf(request)
    await at.tbank.consent(token.qrcId, false, { times: 0 })
    await running.later(HOUR, 23, 1)
    expect(statusOf(at, binding.bindingUid)).toMatchObject({ status: 'DELETED' })
    await at.tbank.deliverBinding(request, {}, { ...consent, Message: 'again', Token: undefined })
    await fetch(at.tbank.terminalUrl ?? '', { method: 'POST', body: JSON.stringify(consent) })
    await running.connector.settle()
    expect(statusOf(at, binding.bindingUid)).toMatchObject({ status: 'DELETED' })
  })

  it('a refusal that is sent again after a later consent does not end it: the bank is asked', async () => {
    const { at, running, qrcId } = await awaiting(TBANK)
    const request = await at.tbank.consent(qrcId, false, { times: 0 })
    const refusal = at.tbank.bindingNotificationOf(request)
    await at.tbank.consent(qrcId, true)
    await running.connector.settle()
    await fetch(at.tbank.terminalUrl ?? '', { method: 'POST', body: JSON.stringify(refusal) })
    await running.connector.settle()
    expect(bindingOf(at, 'cafe', qrcId)).toMatchObject({ status: 'CREATED' })
  })

  it('a state from before a signed consent does not end it', async () => {
    const { at, running, qrcId } = await awaiting(TBANK)
    await at.tbank.consent(qrcId, false, { times: 0 })
    at.tbank.fail('GetAddAccountQrState', { changes: { Status: 'INACTIVE' } })
    await at.tbank.consent(qrcId, true)
    await running.connector.settle()
    expect(bindingOf(at, 'cafe', qrcId)).toMatchObject({ status: 'CREATED' })
  })

  it('an unsigned consent is refused; a signed one of an unknown request is given up after a day', async () => {
    const { at, running, qrcId } = await awaiting(TBANK)
    const { connector, core } = running
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

  it('a new disk learns from the service what is awaited, bound and ended', async () => {
    const { at, running, token, binding } = await bound(TBANK)
    const awaited = await registerToken(at, 'cafe')
    const ended = await registerToken(at, 'cafe')
    await at.tbank.consent(ended.qrcId, true)
    await running.connector.settle()
    const gone = boundBy(at, 'cafe', ended.qrcId)
    await running.loseDisk()
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
    expect(bindingOf(at, 'cafe', awaited.qrcId)).toMatchObject({ status: 'CREATED' })
    await charge(at, gone, await register(at, 'cafe', { amount: PRICE }))
    await next.connector.settle()
    expect(at.tbank.callsOf('ChargeQr')).toEqual([])
  })
})

describe('a binding on a restored disk', () => {
  it('whose consent the service has, and which is over, becomes DELETED: its refusal would never be taken', async () => {
    const { at, running } = await launched()
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
    await next.later(MINUTE, 2)
    await next.later(HOUR)
    expect(statusOf(at, bindingUid)?.status).toBe('DELETED')
    expect(next.core.disk.reports.countNotAccepted()).toBe(0)
  })

  it.each([true, false])(
    'whose consent the service has is known, and the bank is asked at once: refused before: %j',
    async (...given) => {
      const [wasRefused] = given
      const { at, running } = await launched()
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
      const { at, running, binding, link } = await bound(TBANK)
      at.tbank.fail('GetAddAccountQrState', { status: 502 }, 9)
      const waiting = await charge(at, binding, await register(at, 'cafe', { amount: PRICE }))
      await running.connector.settle(1)
      at.tbank.heal()
      const backup = at.clock.now
      await running.stop()
      at.clock.now += 10 * MINUTE
      at.service.bindings = [{ ...binding, reference: binding.bindingReference, status }]
      const next = await start(at, { restoredFrom: backup })
      await next.connector.settle()
      await next.later(2 * HOUR)
      expect(next.core.disk.charges.held()).toMatchObject([{ paymentUid: waiting.paymentUid }])
      // The service is restored too, to a time before the deletion.
      const asked = await charge(at, binding, link)
      await next.connector.settle()
      expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'TOKEN_DELETED' })
      expect(at.tbank.callsOf('ChargeQr')).toEqual([])
    },
  )

  it('whose end is learned after a charge of it came to a new disk leaves that charge unsent', async () => {
    const { at, running, token, binding, link } = await bound(TBANK)
    await running.loseDisk()
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
    const { at, running, binding } = await bound(TBANK)
    await deleteToken(at, binding)
    await running.connector.settle()
    at.service.bindings = [{ ...binding, reference: binding.bindingReference, status: 'CREATED' }]
    await running.later(DAY)
    const { bindingUid } = binding
    expect(running.core.disk.bindings.get({ site: 'cafe', bindingUid })?.state).toBe('DELETED')
    expect(statusOf(at, bindingUid)).toEqual({ status: 'DELETED' })
  })
})

describe('pay and bind', () => {
  it('a new disk finds payment and consent by the reference that the service keeps', async () => {
    const { at, running } = await launched()
    const link = await register(at, 'cafe', { flags: ['CREATE_TOKEN'] })
    await running.loseDisk()
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
    expect(bindingOf(at, 'cafe', link.qrcId)).toMatchObject({ status: 'CREATED' })
  })
})
