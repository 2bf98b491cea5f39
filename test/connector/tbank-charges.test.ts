// Charges of bound accounts, in what T-Bank alone has: sessions of an order, codes of errors, refunds in its console.
import { describe, expect, it } from 'vitest'
import { compareRefunds } from '../../connector/money/refund/comparison.ts'
import { bound, charge, charged, deleteToken, onNewDisk, PRICE, TBANK } from './bound.ts'
import { DAY, HOUR, MINUTE, refund, register, type Surroundings, start } from './harness.ts'

/** The session of a charge: no link is made of it. */
function sessionOf({ tbank }: Surroundings) {
  const session = Array.from(tbank.sessions.values()).find(({ qrcId }) => qrcId === undefined)
  if (!session) throw new Error('no session')
  return session
}

const refundsOf = (at: Surroundings) => Array.from(at.service.site('cafe').refunds.values())

describe('charge', () => {
  it.each([
    ['an hour', HOUR, HOUR],
    ['a few seconds', 20_000, MINUTE],
  ])(
    'ends with the charge that has %s, a minute ahead at least; its PaymentId is on disk before ChargeQr',
    async (...given) => {
      const [, left, due] = given
      const { at, running, binding, link } = await bound(TBANK)
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

  it.each([
    ['3013', 'DECLINED'],
    ['3041', 'DECLINED'],
    ['3042', 'DECLINED'],
    ['3037', undefined],
    ['3040', undefined],
    ['9999', undefined],
    ['1051', undefined],
  ])('%s of ChargeQr: %s', async (code, status) => {
    const { at, running, asked, calls } = await charged(TBANK, (of) => TBANK.decide(of.at, code))
    await running.later(MINUTE, 2)
    expect(asked.result()?.status).toBe(status)
    if (status) expect(asked.result()?.reason).toContain(code)
    else {
      // It can have been carried out: the bank is asked until it states an end.
      await TBANK.finish(at, sessionOf(at).paymentId, true)
      await running.later(MINUTE, 2)
      expect(asked.result()?.status).toBe('COMPLETED')
    }
    expect(calls()).toBe(1)
    const metrics = await (await fetch(`${running.url}/metrics`)).text()
    expect(metrics).toContain(`fps_connector_banks_refusing_charges ${code === '3013' ? 1 : 0}\n`)
  })

  it.each([true, false])(
    '3015 declines, and the binding ends only if the bank says so: %j',
    async (isOver) => {
      const { at, running, binding, asked } = await charged(TBANK, ({ at: { tbank }, token }) => {
        tbank.chargeResult = '3015'
        tbank.beforeExecution = async (operation) => {
          if (operation === 'ChargeQr' && isOver) tbank.binding(token.qrcId).status = 'INACTIVE'
        }
      })
      await running.later(MINUTE)
      expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: expect.stringContaining('3015') })
      await running.later(HOUR)
      const { bindings } = at.service.site('cafe')
      expect(bindings.get(binding.bindingUid)).toMatchObject({ status: isOver ? 'DELETED' : 'CREATED' })
    },
  )

  it('NEW an hour after the end of the charge is held for the operator, and a late result ends it', async () => {
    const { at, running, asked } = await charged(TBANK, (of) =>
      of.bank.fail('ChargeQr', { broken: 'before' }),
    )
    const session = sessionOf(at)
    session.expiresAt = Number.POSITIVE_INFINITY
    await running.later(HOUR)
    expect(running.core.disk.charges.held()).toEqual([])
    await running.later(HOUR)
    expect(running.core.disk.charges.held()).toMatchObject([{ paymentUid: asked.paymentUid }])
    expect(asked.result()).toBeUndefined()
    await TBANK.finish(at, session.paymentId, true)
    await running.later(HOUR)
    expect(asked.result()?.status).toBe('COMPLETED')
  })

  it.each(['a number that nobody has', 'the number of a payment of another order'])(
    'is not made by %s that Init has answered with: the order has its own',
    async (which) => {
      let other = ''
      const { at, running, asked } = await charged(TBANK, async (of) => {
        const first = await charge(of.at, of.binding, await register(of.at, 'cafe', { amount: PRICE }))
        await of.running.connector.settle()
        other = String(first.result()?.networkUid)
        const PaymentId = which === 'a number that nobody has' ? '999999' : other
        of.bank.fail('Init', { changes: { PaymentId } })
      })
      // A notification of the other payment says nothing of this charge.
      await at.tbank.deliver(other)
      await running.connector.settle()
      expect(asked.result()).toBeUndefined()
      await running.later(MINUTE)
      expect(asked.result()).toMatchObject({ status: 'COMPLETED', amount: PRICE })
      const numbers = TBANK.numbers(at)
      expect(numbers).toEqual([other, asked.result()?.networkUid])
      expect(numbers.map((number) => at.tbank.sessions.get(number)?.charges)).toEqual([1, 1])
    },
  )

  it('an answer of ChargeQr that names another payment decides nothing: the bank is asked', async () => {
    const { at, running, binding, link, bank } = await bound(TBANK)
    bank.fail('ChargeQr', { changes: { PaymentId: '999999', Status: 'REJECTED' } })
    const asked = await charge(at, binding, link)
    await running.connector.settle()
    expect(asked.result()).toBeUndefined()
    await running.later(MINUTE, 2)
    expect(asked.result()?.status).toBe('COMPLETED')
    expect(at.tbank.callsOf('ChargeQr')).toHaveLength(1)
  })

  it('a state and a notification that name another order say nothing of it', async () => {
    const { at, running, asked } = await charged(TBANK, (of) =>
      of.bank.fail('ChargeQr', { broken: 'before' }),
    )
    const session = sessionOf(at)
    const { orderId } = session
    session.orderId = 'another'
    await at.tbank.finishCharge(session.paymentId, 'CONFIRMED', { times: 1 })
    await running.later(MINUTE, 3)
    expect(asked.result()).toBeUndefined()
    session.orderId = orderId
    await running.later(MINUTE)
    expect(asked.result()?.status).toBe('COMPLETED')
  })

  it('without a result for 72 hours is held for the operator, and a late result ends it', async () => {
    const { at, running, asked, calls } = await charged(TBANK, (of) =>
      of.bank.fail('ChargeQr', { broken: 'after' }),
    )
    const body = { Success: false, ErrorCode: '255', Message: 'Неизвестный платёж' }
    at.tbank.fail('GetState', { status: 200, body }, 999)
    await running.later(3 * DAY - MINUTE)
    expect(running.core.disk.charges.held()).toEqual([])
    await running.later(HOUR)
    const reason = 'the bank has stated no result for 72 hours'
    expect(running.core.disk.charges.held()).toMatchObject([{ paymentUid: asked.paymentUid, reason }])
    expect(asked.result()).toBeUndefined()
    at.tbank.heal()
    await running.later(HOUR)
    expect([asked.result()?.status, calls()]).toEqual(['COMPLETED', 1])
  })

  it('a NEW session of the order that has another amount is not charged: a restored service asked for it then', async () => {
    const { at, running, asked } = await charged(TBANK, ({ at: { tbank } }) => {
      tbank.fail('Init', { broken: 'after' })
      tbank.beforeExecution = async (operation) => {
        for (const session of tbank.sessions.values())
          if (operation === 'CheckOrder' && session.isRecurrent && session.qrcId === undefined)
            session.amount = 1_000
      }
    })
    await running.later(MINUTE, 2)
    expect(asked.result()).toMatchObject({ status: 'COMPLETED', amount: PRICE })
    const sessions = Array.from(at.tbank.sessions.values()).filter(({ isRecurrent }) => isRecurrent)
    expect(sessions.map(({ amount, charges }) => [amount, charges])).toEqual([
      [1_000, 0],
      [5_000, 1],
    ])
    expect(at.tbank.callsOf('Init').filter(({ body }) => Object(body).Recurrent === 'Y')).toHaveLength(2)
  })

  it('a refund of a charge that is made in the bank’s console is reported where all is refunded', async () => {
    const { at, running, asked } = await charged(TBANK)
    const paymentId = String(asked.result()?.networkUid)
    await at.tbank.refundInConsole(paymentId, 1_000)
    await running.connector.settle()
    // Of a part the bank states no sum.
    expect(refundsOf(at)).toEqual([])
    at.tbank.fail('GetState', { status: 502 })
    await at.tbank.refundInConsole(paymentId, 4_000)
    await running.connector.settle()
    await running.later(HOUR)
    expect(refundsOf(at)).toEqual([{ status: 'COMPLETED', amount: PRICE }])
    await at.tbank.deliver(paymentId)
    await running.connector.settle()
    expect(refundsOf(at)).toHaveLength(1)
  })

  it('one that was declined, and of which the bank tells a refund, is reported with both', async () => {
    const { at, running, asked } = await charged(TBANK, (of) => TBANK.decide(of.at, 'REJECTED'))
    expect(asked.result()?.status).toBe('DECLINED')
    const { paymentId } = sessionOf(at)
    await TBANK.finish(at, paymentId, true)
    await at.tbank.refundInConsole(paymentId, 5_000)
    await running.connector.settle()
    expect(asked.result()).toMatchObject({ status: 'COMPLETED', reference: `tbank-cafe:${paymentId}` })
    expect(refundsOf(at)).toEqual([{ status: 'COMPLETED', amount: PRICE }])
  })

  it('a refund of a charge that the merchant asked for is not reported twice', async () => {
    const { at, running, link, asked } = await charged(TBANK)
    const result = asked.result()
    const payment = { ...link, paymentUid: asked.paymentUid, reference: String(result?.reference) }
    await refund(at, 'cafe', payment, PRICE.value)
    await running.connector.settle()
    await at.tbank.deliver(String(result?.networkUid))
    await running.connector.settle()
    expect(refundsOf(at)).toEqual([{ status: 'COMPLETED', amount: PRICE }])
    const now = at.clock.now
    expect(await compareRefunds(running.core, now - HOUR, now + HOUR)).toEqual([])
  })

  it('LINK_PAID where the webhook has told of the payment, and the bank’s state is older: nothing is charged', async () => {
    const { asked, calls } = await charged(TBANK, async ({ at: { tbank }, running, link }) => {
      await tbank.pay(link.qrcId)
      await running.connector.settle()
      tbank.session(link.qrcId).status = 'FORM_SHOWED'
    })
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'LINK_PAID' })
    expect(calls()).toBe(0)
  })

  it.each([
    [
      'CheckOrder',
      { OrderId: 'another', Payments: [{ PaymentId: '1', Status: 'CONFIRMED', Amount: 5_000 }] },
    ],
    ['Init', { OrderId: 'another' }],
    ['Init', { Amount: 1 }],
  ])('an answer of %s about something else decides nothing: %o', async (operation, changes) => {
    const { running, asked, calls } = await charged(TBANK, (of) => of.bank.fail(operation, { changes }))
    expect([asked.result(), calls()]).toEqual([undefined, 0])
    await running.later(MINUTE, 3)
    expect([asked.result()?.status, calls()]).toEqual(['COMPLETED', 1])
  })

  it('of a bank that states ACTIVE without a token nothing begins, until it has one', async () => {
    let before = 0
    const counts = ({ tbank }: Surroundings) =>
      tbank.callsOf('Init').length + tbank.callsOf('CheckOrder').length
    const { at, running, binding, asked } = await charged(TBANK, (of) => {
      before = counts(of.at)
      const body = { Success: true, ErrorCode: '0', RequestKey: of.request, Status: 'ACTIVE' }
      of.bank.fail('GetAddAccountQrState', { status: 200, body }, 3)
    })
    expect(counts(at)).toBe(before)
    const { bindingUid } = binding
    expect(running.core.disk.bindings.get({ site: 'cafe', bindingUid })?.state).toBe('CREATED')
    await running.later(MINUTE, 4)
    expect(asked.result()?.status).toBe('COMPLETED')
  })

  it('an order that the bank does not have, and says so by an error, is no obstacle', async () => {
    const { asked } = await charged(TBANK, ({ at: { tbank } }) => {
      tbank.refusesUnknownOrders = true
    })
    expect(asked.result()?.status).toBe('COMPLETED')
  })

  it('an amount under 10 roubles is declined by name', async () => {
    const { at, running, binding, link } = await bound(TBANK)
    const asked = await charge(at, binding, link, { amount: { value: '9.99', currency: 'RUB' } })
    await running.connector.settle()
    const reason = expect.stringContaining('T-Bank takes')
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason })
  })

  it('a site that has changed its bank goes on charging, as long as the old credentials are there', async () => {
    const { at, running, binding, link } = await bound(TBANK)
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

  it('a token that is deleted while the bank prepares the charge is not charged', async () => {
    const { asked, calls } = await charged(TBANK, ({ at, binding }) => {
      at.tbank.beforeAnswer = async (operation) => {
        if (operation === 'Init') await deleteToken(at, binding)
      }
    })
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'TOKEN_DELETED' })
    expect(calls()).toBe(0)
  })
})

describe('a charge that is older than the disk', () => {
  it('is found by its order also beside a session whose amount none can have', async () => {
    const { at, running, asked } = await onNewDisk(TBANK, true)
    const Payments = [
      { PaymentId: '1', Status: 'REJECTED', Amount: 0.5 },
      { PaymentId: TBANK.numbers(at)[0], Status: 'CONFIRMED', Amount: 5_000 },
    ]
    at.tbank.fail('CheckOrder', { changes: { Payments } }, 99)
    await running.connector.settle()
    expect(asked.result()).toMatchObject({ status: 'COMPLETED', amount: PRICE })
  })

  it('and is given anew by a service that was restored, too: its order tells that it was made', async () => {
    const { at, running, asked, calls } = await onNewDisk(TBANK, true)
    at.service.charges = []
    await running.connector.settle()
    const { status } = await at.service.instruct('payment.charge', asked, at.clock.now)
    expect(status).toBe(202)
    await running.connector.settle()
    expect([asked.result()?.status, calls()]).toEqual(['COMPLETED', 1])
  })
})
