// Charges of bound accounts at T-Bank: each once, and none after its account is let go.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareRefunds } from '../../connector/money/refund/comparison.ts'
import { charge, chargeData, deleteToken, heldAfter, isOnDisk, minutes, PRICE } from './bound.ts'
import { DAY, HOUR, MINUTE, refund, register, start } from './harness.ts'
import { bound, LOST, statusOf } from './tbank-bound.ts'

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
      at.clock.now += HOUR
      await running.connector.settle()
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
    '%s is asked about without end, held after three days, and never sent again',
    async (status) => {
      const { at, running, binding, link } = await bound()
      at.tbank.chargeResult = status
      const asked = await charge(at, binding, link)
      await running.connector.settle()
      expect(await heldAfter({ at, running }, [2, 1, 37])).toEqual([0, 1, 1])
      expect(asked.result()).toBeUndefined()
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

  it.each(['a number that nobody has', 'the number of a payment of another order'])(
    'is not made by %s that Init has answered with: the order has its own',
    async (which) => {
      const { at, running, binding, link } = await bound()
      const first = await charge(at, binding, await register(at, 'cafe', { amount: PRICE }))
      await running.connector.settle()
      const other = String(first.result()?.networkUid)
      const PaymentId = which === 'a number that nobody has' ? '999999' : other
      at.tbank.fail('Init', { changes: { PaymentId } })
      const asked = await charge(at, binding, link)
      await running.connector.settle()
      // A notification of the other payment says nothing of this charge.
      await at.tbank.deliver(other)
      await running.connector.settle()
      expect(asked.result()).toBeUndefined()
      await minutes({ at, running }, 1)
      expect(asked.result()).toMatchObject({ status: 'COMPLETED', amount: PRICE })
      const numbers = at.tbank.callsOf('ChargeQr').map(({ body }) => String(Object(body).PaymentId))
      expect(numbers).toEqual([other, asked.result()?.networkUid])
      expect(at.tbank.sessions.get(numbers[1] ?? '')?.charges).toBe(1)
      expect(at.tbank.sessions.get(other)?.charges).toBe(1)
    },
  )

  it('a state and a notification that name another order say nothing of it', async () => {
    const { at, running, binding, link } = await bound()
    at.tbank.fail('ChargeQr', { broken: 'before' })
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    const session = Array.from(at.tbank.sessions.values()).find(({ qrcId }) => qrcId === undefined)
    if (!session) throw new Error('no session')
    const { orderId } = session
    session.orderId = 'another'
    await at.tbank.finishCharge(session.paymentId, 'CONFIRMED', { times: 1 })
    await minutes({ at, running }, 3)
    expect(asked.result()).toBeUndefined()
    session.orderId = orderId
    await minutes({ at, running }, 1)
    expect(asked.result()?.status).toBe('COMPLETED')
  })

  it('without a result for 72 hours is held for the operator, and a late result ends it', async () => {
    const { at, running, binding, link } = await bound()
    at.tbank.fail('ChargeQr', { broken: 'after' })
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    at.tbank.fail(
      'GetState',
      { status: 200, body: { Success: false, ErrorCode: '255', Message: 'Неизвестный платёж' } },
      999,
    )
    at.clock.now += 3 * DAY - MINUTE
    await running.connector.settle()
    expect(running.core.disk.charges.held()).toEqual([])
    at.clock.now += HOUR
    await running.connector.settle()
    expect(running.core.disk.charges.held()).toMatchObject([
      { paymentUid: asked.paymentUid, reason: 'the bank has stated no result for 72 hours' },
    ])
    expect(asked.result()).toBeUndefined()
    at.tbank.heal()
    at.clock.now += HOUR
    await running.connector.settle()
    expect(asked.result()?.status).toBe('COMPLETED')
    expect(at.tbank.callsOf('ChargeQr')).toHaveLength(1)
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
    const told = () => Array.from(at.service.site('cafe').refunds.values())[0]
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

  it('LINK_PAID where the webhook has told of the payment, and the bank’s state is older: nothing is charged', async () => {
    const { at, running, binding, link } = await bound()
    await at.tbank.pay(link.qrcId)
    await running.connector.settle()
    at.tbank.session(link.qrcId).status = 'FORM_SHOWED'
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'LINK_PAID' })
    expect(at.tbank.callsOf('ChargeQr')).toEqual([])
  })

  it.each([
    [
      'CheckOrder',
      { OrderId: 'another', Payments: [{ PaymentId: '1', Status: 'CONFIRMED', Amount: 5_000 }] },
    ],
    ['Init', { OrderId: 'another' }],
    ['Init', { Amount: 1 }],
  ])('an answer of %s about something else decides nothing: %o', async (operation, changes) => {
    const { at, running, binding, link } = await bound()
    at.tbank.fail(operation, { changes })
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    expect([asked.result(), at.tbank.callsOf('ChargeQr')]).toEqual([undefined, []])
    await minutes({ at, running }, 3)
    expect(asked.result()).toMatchObject({ status: 'COMPLETED' })
    expect(at.tbank.callsOf('ChargeQr')).toHaveLength(1)
  })

  it('without an ACTIVE token nothing begins', async () => {
    const { at, running, binding, link, token } = await bound()
    await at.tbank.consent(token.qrcId, false, { times: 0 })
    at.clock.now += HOUR
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

  it('one that waited half an hour to be sent is asked about each minute then', async () => {
    const { at, running, binding, link } = await bound()
    at.tbank.fail('GetAddAccountQrState', { status: 502 }, 500)
    const asked = await charge(at, binding, link)
    await minutes({ at, running }, 30)
    at.tbank.heal()
    at.tbank.fail('ChargeQr', { broken: 'after' })
    await minutes({ at, running }, 1)
    expect(at.tbank.callsOf('ChargeQr')).toHaveLength(1)
    expect(asked.result()).toBeUndefined()
    await minutes({ at, running }, 2)
    expect(asked.result()?.status).toBe('COMPLETED')
  })

  it('one that waited to be sent is held 72 hours after it was sent', async () => {
    const { at, running, binding, link } = await bound()
    at.tbank.fail('GetAddAccountQrState', { status: 502 }, 500)
    await charge(at, binding, link)
    await minutes({ at, running }, 30)
    at.tbank.heal()
    at.tbank.fail('ChargeQr', { broken: 'after' })
    await minutes({ at, running }, 1)
    expect(at.tbank.callsOf('ChargeQr')).toHaveLength(1)
    at.tbank.fail('GetState', { status: 502 }, 999)
    const held: number[] = []
    for (const wait of [3 * DAY - 20 * MINUTE, 61 * MINUTE]) {
      at.clock.now += wait
      await running.connector.settle()
      held.push(running.core.disk.charges.held().length)
    }
    expect(held).toEqual([0, 1])
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

  it('is found by its order also beside a session whose amount none can have', async () => {
    const { at, next, asked } = await onNewDisk(true)
    const PaymentId = String(Object(at.tbank.callsOf('ChargeQr')[0]?.body).PaymentId)
    const Payments = [
      { PaymentId: '1', Status: 'REJECTED', Amount: 0.5 },
      { PaymentId, Status: 'CONFIRMED', Amount: 5_000 },
    ]
    at.tbank.fail('CheckOrder', { changes: { Payments } }, 99)
    await next.connector.settle()
    expect(asked.result()).toMatchObject({ status: 'COMPLETED', amount: PRICE })
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
