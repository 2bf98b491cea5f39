// Bound accounts at T-Bank: bind, pay and bind, charge once, let go.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareRefunds } from '../../connector/refund-comparison.ts'
import type { Fault } from '../support/banks/fake-bank.ts'
import {
  boundBy,
  charge,
  chargeData,
  deleteToken,
  isOnDisk,
  minutes,
  PRICE,
  registerToken,
  UNANSWERED,
} from './bound.ts'
import {
  DAY,
  HOUR,
  MINUTE,
  refund,
  register,
  registerData,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'

/** A connector, a binding that its customer has agreed to, and a code to charge. */
async function bound(setUp: (at: Surroundings) => void = () => {}) {
  const at = await surroundings()
  setUp(at)
  const running = await start(at)
  at.clock.now += 1_000
  const token = await registerToken(at, 'cafe')
  const request = await at.tbank.consent(token.qrcId, true)
  await running.connector.settle()
  const binding = boundBy(at, 'cafe', token.qrcId)
  const link = await register(at, 'cafe', { amount: PRICE })
  return { at, running, token, request, binding, link }
}

const statusOf = (at: Surroundings, bindingUid: string) => at.service.site('cafe').bindings.get(bindingUid)

const LOST: [string, Fault][] = [
  ...UNANSWERED,
  [
    'an error that no document has',
    { status: 200, body: { Success: false, ErrorCode: '9999', Message: 'x' }, executed: true },
  ],
]

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

describe('charge', () => {
  it('is made by Init and one ChargeQr, under the instruction’s uid, with its own reference', async () => {
    const { at, running, binding, link, request } = await bound()
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    const [call] = at.tbank.callsOf('ChargeQr')
    const paymentId = String(Object(call?.body).PaymentId)
    expect(asked.result()).toEqual({
      ...{ qrcId: link.qrcId, status: 'COMPLETED', amount: PRICE },
      ...{ networkUid: paymentId, reference: `tbank-cafe:${paymentId}`, bindingUid: binding.bindingUid },
    })
    // The notification of the charge is none of a payment of the link.
    await at.tbank.deliver(paymentId)
    await asked.again()
    await minutes({ at, running }, 3)
    expect(Array.from(at.service.site('cafe').payments.keys())).toEqual([asked.paymentUid])
    expect(at.tbank.callsOf('ChargeQr')).toHaveLength(1)
    // Its refund goes to the charge.
    await refund(
      at,
      'cafe',
      { ...link, paymentUid: asked.paymentUid, reference: `tbank-cafe:${paymentId}` },
      '20.00',
    )
    await running.connector.settle()
    expect(at.tbank.sessions.get(paymentId)?.refunded).toBe(2_000)
    const said = JSON.stringify([at.service.reports, running.log, running.core.disk.reports.since(0)])
    expect(said).not.toContain(`TOKEN${request}`)
    expect([isOnDisk(at, paymentId), isOnDisk(at, `TOKEN${request}`)]).toEqual([true, false])
  })

  it.each([
    ['an hour', HOUR, HOUR],
    ['a few seconds', 20_000, MINUTE],
  ])(
    'ends with the charge that has %s, a minute ahead at least; its PaymentId is on disk before ChargeQr',
    async (...given) => {
      const [, left, due] = given
      const { at, running, binding, link } = await bound()
      at.clock.now = Math.ceil(at.clock.now / 1_000) * 1_000
      const stored: number[] = []
      at.tbank.beforeExecution = async (operation, { body }) => {
        if (operation === 'ChargeQr')
          stored.push(running.core.disk.charges.ofNote(String(Object(body).PaymentId)).length)
      }
      const expiresOn = new Date(at.clock.now + left).toISOString()
      const asked = await charge(at, binding, link, { expiresOn })
      await running.connector.settle()
      const { RedirectDueDate, ...fields } = Object(at.tbank.callsOf('Init').at(-1)?.body)
      expect(fields).toMatchObject({ Recurrent: 'Y', DATA: { QR: 'true' }, Amount: 5_000 })
      const ahead = Date.parse(RedirectDueDate) - at.clock.now
      expect([ahead >= due, ahead < due + MINUTE]).toEqual([true, true])
      expect([stored, asked.result()?.status]).toEqual([[1], 'COMPLETED'])
    },
  )

  const CALLS = ['GetAddAccountQrState', 'CheckOrder', 'Init', 'GetState', 'ChargeQr']
  const cases = CALLS.flatMap((operation) => LOST.map(([name, fault]) => [operation, name, fault] as const))
  it.each(cases)('charges at most once where of %s %s', async (operation, _, fault) => {
    const { at, running, binding, link } = await bound()
    at.tbank.fail(operation, fault)
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    await asked.again()
    await minutes({ at, running }, 3)
    const moved = Array.from(at.tbank.chargesByOrder().values())
    if (operation !== 'ChargeQr') expect(asked.result()?.status).toBe('COMPLETED')
    else if (moved.length === 0) {
      // It was sent, and never is again: the session ends unused.
      expect(asked.result()).toBeUndefined()
      at.clock.now += 2 * HOUR
      await running.connector.settle()
      expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'DEADLINE_EXPIRED' })
    }
    expect(at.tbank.callsOf('ChargeQr')).toHaveLength(1)
    expect(Array.from(at.tbank.chargesByOrder().values())).toEqual(
      asked.result()?.status === 'COMPLETED' ? [1] : [],
    )
  })

  it.each(LOST)(
    'is completed where its answer is lost, and of the question about it %s',
    async (_, fault) => {
      const { at, running, binding, link } = await bound()
      at.tbank.fail('ChargeQr', { broken: 'after' })
      at.tbank.beforeExecution = async (operation) => {
        if (operation === 'ChargeQr') at.tbank.fail('GetState', fault)
      }
      const asked = await charge(at, binding, link)
      await minutes({ at, running }, 4)
      expect(asked.result()?.status).toBe('COMPLETED')
      expect(at.tbank.callsOf('ChargeQr')).toHaveLength(1)
    },
  )

  it.each([
    ['3013', 'DECLINED'],
    ['3041', 'DECLINED'],
    ['3042', 'DECLINED'],
    ['3037', undefined],
    ['3040', undefined],
    ['9999', undefined],
    ['1051', undefined],
  ])('%s of ChargeQr: %s', async (code, status) => {
    const { at, running, binding, link } = await bound()
    at.tbank.chargeResult = code
    const asked = await charge(at, binding, link)
    await minutes({ at, running }, 2)
    expect(asked.result()?.status).toBe(status)
    if (status) expect(asked.result()?.reason).toContain(code)
    else {
      // It can have been carried out: the bank is asked until it states an end.
      await at.tbank.finishCharge(
        String(Object(at.tbank.callsOf('ChargeQr')[0]?.body).PaymentId),
        'CONFIRMED',
        { times: 0 },
      )
      await minutes({ at, running }, 2)
      expect(asked.result()?.status).toBe('COMPLETED')
    }
    expect(at.tbank.callsOf('ChargeQr')).toHaveLength(1)
    const metrics = await (await fetch(`${running.url}/metrics`)).text()
    expect(metrics).toContain(`fps_connector_banks_refusing_charges ${code === '3013' ? 1 : 0}\n`)
  })

  it('3015 declines, and the binding ends only if the bank says so', async () => {
    for (const isOver of [true, false]) {
      const { at, running, binding, link, token } = await bound()
      at.tbank.chargeResult = '3015'
      at.tbank.beforeExecution = async (operation) => {
        if (operation === 'ChargeQr' && isOver) at.tbank.binding(token.qrcId).status = 'INACTIVE'
      }
      const asked = await charge(at, binding, link)
      await minutes({ at, running }, 1)
      expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: expect.stringContaining('3015') })
      expect(statusOf(at, binding.bindingUid)).toMatchObject({ status: isOver ? 'DELETED' : 'CREATED' })
    }
  })

  it.each(['REJECTED', 'AUTH_FAIL', 'CANCELED', 'DEADLINE_EXPIRED'])('%s declines', async (status) => {
    const { at, running, binding, link } = await bound()
    at.tbank.chargeResult = status
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: status })
  })

  it.each(['FORM_SHOWED', 'FORM SHOWED', 'AUTHORIZING', 'CONFIRMING', 'SOMETHING_NEW'])(
    '%s is asked about without end, and never sent again',
    async (status) => {
      const { at, running, binding, link } = await bound()
      at.tbank.chargeResult = status
      const asked = await charge(at, binding, link)
      await running.connector.settle()
      for (let day = 0; day < 40; day++) {
        at.clock.now += DAY
        await running.connector.settle(1)
      }
      expect(asked.result()).toBeUndefined()
      expect(running.core.disk.charges.held()).toEqual([])
      await at.tbank.finishCharge(
        String(Object(at.tbank.callsOf('ChargeQr')[0]?.body).PaymentId),
        'CONFIRMED',
        { times: 0 },
      )
      at.clock.now += HOUR
      await running.connector.settle()
      expect(asked.result()?.status).toBe('COMPLETED')
      expect(at.tbank.callsOf('ChargeQr')).toHaveLength(1)
    },
  )

  it('NEW an hour after the end of the charge is held for the operator, and a late result ends it', async () => {
    const { at, running, binding, link } = await bound()
    at.tbank.fail('ChargeQr', { broken: 'before' })
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    const [session] = Array.from(at.tbank.sessions.values()).filter(({ qrcId }) => qrcId === undefined)
    if (!session) throw new Error('no session')
    session.expiresAt = Number.POSITIVE_INFINITY
    at.clock.now += HOUR + 30 * MINUTE
    await running.connector.settle()
    expect(running.core.disk.charges.held()).toEqual([])
    at.clock.now += HOUR
    await running.connector.settle()
    expect(running.core.disk.charges.held()).toMatchObject([{ paymentUid: asked.paymentUid }])
    expect(asked.result()).toBeUndefined()
    await at.tbank.finishCharge(session.paymentId, 'CONFIRMED', { times: 0 })
    at.clock.now += HOUR
    await running.connector.settle()
    expect(asked.result()?.status).toBe('COMPLETED')
  })

  it('a NEW session of the order that has another amount is not charged: a restored service asked for it then', async () => {
    const { at, running, binding, link } = await bound()
    at.tbank.fail('Init', { broken: 'after' })
    const asked = await charge(at, binding, link)
    at.tbank.beforeExecution = async (operation) => {
      for (const session of at.tbank.sessions.values())
        if (operation === 'CheckOrder' && session.isRecurrent && session.qrcId === undefined)
          session.amount = 1_000
    }
    await minutes({ at, running }, 2)
    expect(asked.result()).toMatchObject({ status: 'COMPLETED', amount: PRICE })
    const sessions = Array.from(at.tbank.sessions.values()).filter(({ isRecurrent }) => isRecurrent)
    expect(sessions.map(({ amount, charges }) => [amount, charges])).toEqual([
      [1_000, 0],
      [5_000, 1],
    ])
    expect(at.tbank.callsOf('Init').filter(({ body }) => Object(body).Recurrent === 'Y')).toHaveLength(2)
  })

  it('a refund of a charge that is made in the bank’s console is reported where all is refunded', async () => {
    const { at, running, binding, link } = await bound()
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    const paymentId = asked.result()?.networkUid
    await at.tbank.refundInConsole(String(paymentId), 1_000)
    await running.connector.settle()
    const told = () => at.service.site('cafe').refunds.get(`${asked.paymentUid}/bank-5000`)
    // Of a part the bank states no sum.
    expect(told()).toBeUndefined()
    at.tbank.fail('GetState', { status: 502 })
    await at.tbank.refundInConsole(String(paymentId), 4_000)
    await running.connector.settle()
    at.clock.now += HOUR
    await running.connector.settle()
    expect(told()).toEqual({ status: 'COMPLETED', amount: PRICE })
    await at.tbank.deliver(String(paymentId))
    await running.connector.settle()
    expect(at.service.site('cafe').refunds.size).toBe(1)
  })

  it('one that was declined, and of which the bank tells a refund, is reported with both', async () => {
    const { at, running, binding, link } = await bound()
    at.tbank.chargeResult = 'REJECTED'
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    expect(asked.result()?.status).toBe('DECLINED')
    const paymentId = String(Object(at.tbank.callsOf('ChargeQr')[0]?.body).PaymentId)
    await at.tbank.finishCharge(paymentId, 'CONFIRMED', { times: 0 })
    await at.tbank.refundInConsole(paymentId, 5_000)
    await running.connector.settle()
    expect(asked.result()).toMatchObject({ status: 'COMPLETED', reference: `tbank-cafe:${paymentId}` })
    const { refunds } = at.service.site('cafe')
    expect(Array.from(refunds.values())).toEqual([{ status: 'COMPLETED', amount: PRICE }])
  })

  it('a refund of a charge that the merchant asked for is not reported twice', async () => {
    const { at, running, binding, link } = await bound()
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    const result = asked.result()
    const payment = { ...link, paymentUid: asked.paymentUid, reference: String(result?.reference) }
    await refund(at, 'cafe', payment, PRICE.value)
    await running.connector.settle()
    await at.tbank.deliver(String(result?.networkUid))
    await running.connector.settle()
    expect(Array.from(at.service.site('cafe').refunds.values())).toEqual([
      { status: 'COMPLETED', amount: PRICE },
    ])
    const now = at.clock.now
    expect(await compareRefunds(running.core, now - HOUR, now + HOUR)).toEqual([])
  })

  it.each([
    ['is paid', 'CONFIRMED'],
    ['is being paid', 'AUTHORIZING'],
  ])('LINK_PAID where the link of the code %s: nothing is charged', async (_, status) => {
    const { at, running, binding, link } = await bound()
    await at.tbank.pay(link.qrcId, { status, times: 0 })
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'LINK_PAID' })
    expect(at.tbank.callsOf('ChargeQr')).toEqual([])
    expect(at.service.site('cafe').payments.get(link.qrcId)?.status).toBe(
      status === 'CONFIRMED' ? 'COMPLETED' : undefined,
    )
  })

  it('without an ACTIVE token nothing begins', async () => {
    const { at, running, binding, link, token } = await bound()
    await at.tbank.consent(token.qrcId, false, { times: 0 })
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'TOKEN_DELETED' })
    expect(statusOf(at, binding.bindingUid)).toMatchObject({ status: 'DELETED' })
    expect(at.tbank.callsOf('ChargeQr')).toEqual([])
    expect(at.tbank.sessions.size).toBe(1)
  })

  it('of a bank that states ACTIVE without a token nothing begins, until it has one', async () => {
    const { at, running, binding, link } = await bound()
    const before = [at.tbank.callsOf('Init').length, at.tbank.callsOf('CheckOrder').length]
    const RequestKey = binding.bindingReference.split('#')[1]
    const body = { Success: true, ErrorCode: '0', RequestKey, Status: 'ACTIVE' }
    at.tbank.fail('GetAddAccountQrState', { status: 200, body }, 3)
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    expect([at.tbank.callsOf('Init').length, at.tbank.callsOf('CheckOrder').length]).toEqual(before)
    expect(running.core.disk.bindings.get({ site: 'cafe', bindingUid: binding.bindingUid })?.state).toBe(
      'CREATED',
    )
    await minutes({ at, running }, 4)
    expect(asked.result()?.status).toBe('COMPLETED')
  })

  it('a bank that does not answer until the end of the charge: it is declined, and was never sent', async () => {
    const { at, running, binding, link } = await bound()
    at.tbank.fail('GetAddAccountQrState', { status: 502 }, 500)
    const asked = await charge(at, binding, link)
    await minutes({ at, running }, 61)
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'EXPIRED' })
    expect(at.tbank.callsOf('Init')).toHaveLength(1)
  })

  it('an order that the bank does not have, and says so by an error, is no obstacle', async () => {
    const { at, running, binding, link } = await bound((each) => {
      each.tbank.refusesUnknownOrders = true
    })
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    expect(asked.result()?.status).toBe('COMPLETED')
  })

  it('an amount under 10 roubles is declined by name', async () => {
    const { at, running, binding, link } = await bound()
    const asked = await charge(at, binding, link, { amount: { value: '9.99', currency: 'RUB' } })
    await running.connector.settle()
    expect(asked.result()).toMatchObject({
      status: 'DECLINED',
      reason: expect.stringContaining('T-Bank takes'),
    })
  })

  it('a site that has changed its bank goes on charging, as long as the old credentials are there', async () => {
    const { at, running, binding, link } = await bound()
    await running.stop()
    Object.assign(at.config.sites, { cafe: { token: { env: 'CAFE_TOKEN' }, bank: 'raif-farm' } })
    const next = await start(at)
    const asked = await charge(at, binding, link)
    await next.connector.settle()
    expect(asked.result()?.status).toBe('COMPLETED')
    await next.stop()
    const { 'tbank-cafe': _, ...banks } = at.config.banks
    Object.assign(at.config, { banks })
    const last = await start(at)
    const declined = await charge(at, binding, link)
    await last.connector.settle()
    expect(declined.result()?.reason).toBe(
      'the connector has no bank tbank-cafe, which has bound this account',
    )
  })
})

describe('let go', () => {
  it('charges that were not sent are declined, in whatever order the instructions arrive; one that was sent goes on', async () => {
    const { at, running, binding, link } = await bound()
    at.tbank.chargeResult = 'FORM_SHOWED'
    const sent = await charge(at, binding, link)
    await running.connector.settle()
    const waiting = await charge(at, binding, await register(at, 'cafe', { amount: PRICE }))
    expect((await deleteToken(at, binding)).status).toBe(202)
    const late = await charge(at, binding, await register(at, 'cafe', { amount: PRICE }))
    await running.connector.settle()
    expect(statusOf(at, binding.bindingUid)).toEqual({ status: 'DELETED' })
    for (const each of [waiting, late])
      expect(each.result()).toMatchObject({ status: 'DECLINED', reason: 'TOKEN_DELETED' })
    const [call] = at.tbank.callsOf('ChargeQr')
    await at.tbank.finishCharge(String(Object(call?.body).PaymentId), 'CONFIRMED')
    await running.connector.settle()
    expect(sent.result()?.status).toBe('COMPLETED')
    expect(at.tbank.callsOf('ChargeQr')).toHaveLength(1)
  })

  it('a token that is deleted while the bank prepares the charge is not charged', async () => {
    const { at, running, binding, link } = await bound()
    at.tbank.beforeAnswer = async (operation) => {
      if (operation === 'Init') await deleteToken(at, binding)
    }
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'TOKEN_DELETED' })
    expect(at.tbank.callsOf('ChargeQr')).toEqual([])
  })
})

describe('a charge that is older than the disk', () => {
  /** The charge is asked for on one disk, which is lost; another one begins. */
  async function onNewDisk(isSent: boolean) {
    const { at, running, binding, link } = await bound()
    if (!isSent) at.tbank.fail('GetAddAccountQrState', { status: 502 }, 3)
    const asked = await charge(at, binding, link)
    const failures = at.service.failures
    failures.push(...Array<number>(99).fill(500))
    await running.connector.settle()
    failures.length = 0
    await running.stop()
    rmSync(join(at.directory, 'connector.sqlite'))
    at.service.charges = [{ ...asked, createdOn: new Date(at.clock.now).toISOString() }]
    at.tbank.heal()
    at.clock.now += MINUTE
    const next = await start(at)
    return { at, next, asked }
  }

  it('is never sent anew: what the bank has made of it is found by its order', async () => {
    const { at, next, asked } = await onNewDisk(true)
    await next.connector.settle()
    expect(asked.result()?.status).toBe('COMPLETED')
    expect(at.tbank.callsOf('ChargeQr')).toHaveLength(1)
  })

  it('and of which the bank knows nothing is held, until the operator ends it', async () => {
    const { at, next, asked } = await onNewDisk(false)
    for (let day = 0; day < 3; day++) {
      await next.connector.settle()
      await asked.again()
      at.clock.now += DAY
    }
    expect(next.core.disk.charges.held()).toMatchObject([{ paymentUid: asked.paymentUid, state: 'HELD' }])
    expect(asked.result()).toBeUndefined()
    expect(at.tbank.callsOf('ChargeQr')).toEqual([])
  })

  it('and is given anew by a service that was restored, too: its order tells that it was made', async () => {
    const { at, next, asked } = await onNewDisk(true)
    at.service.charges = []
    await next.connector.settle()
    const { status } = await at.service.instruct('payment.charge', asked, at.clock.now)
    expect(status).toBe(202)
    await next.connector.settle()
    expect(asked.result()?.status).toBe('COMPLETED')
    expect(at.tbank.callsOf('ChargeQr')).toHaveLength(1)
  })

  it('a restored disk holds what it may have sent after its backup', async () => {
    const { at, running, binding, link } = await bound()
    const backup = at.clock.now
    await running.stop()
    at.clock.now += 10 * MINUTE
    const next = await start(at, { restoredFrom: backup })
    const asked = chargeData(at, binding, link)
    at.service.charges = [{ ...asked, createdOn: new Date(at.clock.now).toISOString() }]
    await next.connector.settle()
    expect(next.core.disk.charges.held()).toMatchObject([{ paymentUid: asked.paymentUid }])
    at.clock.now += MINUTE
    const fresh = await charge(at, binding, await register(at, 'cafe', { amount: PRICE }))
    await next.connector.settle()
    expect(fresh.result()?.status).toBe('COMPLETED')
  })
})
