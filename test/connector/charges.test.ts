// Charges of bound accounts, at each bank: each is made once, and none after its account is let go.
import { describe, expect, it } from 'vitest'
import {
  bound,
  charge,
  chargeData,
  charged,
  deleteToken,
  isOnDisk,
  onNewDisk,
  PRICE,
  RAIFFEISEN,
  TBANK,
  TOCHKA_PAY,
} from './bound.ts'
import { DAY, fakeOf, HOUR, MINUTE, refund, register, type Surroundings, start } from './harness.ts'

const BANKS = [
  {
    ...TBANK,
    /** The bank's token of a request to bind. */
    tokenOf: (_: Surroundings, request: string) => `TOKEN${request}`,
    /** What it calls before it charges, and which of the calls begins. */
    calls: ['GetAddAccountQrState', 'CheckOrder', 'Init', 'GetState'],
    begin: 'Init',
    /** Whether its call states the end of a binding: at Pay Gateway only the answer to a charge does. */
    tellsEnd: true,
    /** What the report of a charge has besides, and that of a completed one. */
    ...{ more: {}, paid: {} },
    /** How one ends whose call the bank never had: else it is held. */
    unsent: { status: 'DECLINED', reason: 'DEADLINE_EXPIRED' },
    declined: ['REJECTED', 'AUTH_FAIL', 'CANCELED', 'DEADLINE_EXPIRED'].map((each) => [each, each]),
    open: ['FORM_SHOWED', 'FORM SHOWED', 'AUTHORIZING', 'CONFIRMING', 'SOMETHING_NEW'],
  },
  {
    ...RAIFFEISEN,
    tokenOf: (_: Surroundings, request: string) => `TOKEN${request}`,
    ...{ calls: ['subscription', 'charge_status', 'cancel', 'status', 'code'], begin: 'cancel' },
    ...{ more: { linkCancelled: true }, paid: {}, unsent: undefined, tellsEnd: true },
    ...{ declined: [['DECLINED', 'declined by the bank']], open: ['IN_PROGRESS'] },
  },
  {
    ...TOCHKA_PAY,
    tokenOf: (at: Surroundings, request: string) => at.tochkaPay.tokenization(request).token,
    ...{
      calls: ['tokenization', 'payment', 'code_payments'],
      begin: 'payment',
      more: {},
      paid: { method: 'sbp' },
      unsent: undefined,
      tellsEnd: false,
    },
    declined: [['INSUFFICIENT_FUNDS', 'Tochka Pay Gateway: INSUFFICIENT_FUNDS, Отказ']],
    open: ['WAITING'],
  },
]

describe.each(BANKS)('a charge at $name', (bank) => {
  const { site, open } = bank
  const [pending = ''] = open

  it('is one order under the instruction’s uid, with its own reference; its refund goes to it', async () => {
    const { at, running, request, binding, link, asked, calls } = await charged(bank)
    const [number = ''] = bank.numbers(at)
    const reference = `${bank.name}:${number}`
    expect(asked.result()).toEqual({
      ...{ qrcId: link.qrcId, status: 'COMPLETED', amount: PRICE, ...bank.more, ...bank.paid },
      ...{ networkUid: number, reference, bindingUid: binding.bindingUid },
    })
    // The webhook of the charge is none of a payment of the link.
    await bank.deliver(at, number)
    await asked.again()
    await running.later(MINUTE, 3)
    const { paymentUid } = asked
    expect(Array.from(at.service.site(site).payments.keys())).toEqual([paymentUid])
    expect(calls()).toBe(1)
    await refund(at, site, { ...link, paymentUid, reference }, '20.00')
    await running.connector.settle()
    expect([bank.refunded(at, number), fakeOf(site).of(at).refundedSum]).toEqual([2_000, 2_000])
    const said = JSON.stringify([at.service.reports, running.log, running.core.disk.reports.since(0)])
    const secret = bank.tokenOf(at, request)
    expect(said).not.toContain(secret)
    expect([isOnDisk(at, number), isOnDisk(at, secret)]).toEqual([true, false])
  })

  const cases = [...bank.calls, bank.charge].flatMap((operation) =>
    bank.lost.map(([name, fault]) => [operation, name, fault] as const),
  )
  it.each(cases)('is made at most once where of %s %s', async (operation, _, fault) => {
    const { at, running, asked, calls } = await charged(bank, (of) => of.bank.fail(operation, fault))
    await asked.again()
    await running.later(MINUTE, 3)
    const isMade = bank.moved(at).size === 1
    if (operation !== bank.charge) expect(isMade).toBe(true)
    expect(asked.result()?.status).toBe(isMade ? 'COMPLETED' : undefined)
    if (!isMade) {
      await running.later(HOUR, 4)
      if (bank.unsent) expect(asked.result()).toMatchObject(bank.unsent)
      else expect(asked.result()).toBeUndefined()
      const held = running.core.disk.charges.held().map(({ paymentUid }) => paymentUid)
      expect(held).toEqual(bank.unsent ? [] : [asked.paymentUid])
    }
    expect(calls()).toBe(1)
    expect(Array.from(bank.moved(at).values())).toEqual(isMade ? [1] : [])
  })

  it.each(bank.lost)('is completed where its answer is lost, and of the question %s', async (_, fault) => {
    const { running, asked, calls } = await charged(bank, (of) => {
      of.bank.fail(bank.charge, { broken: 'after' })
      of.bank.beforeExecution = async (operation) => {
        if (operation === bank.charge) of.bank.fail(bank.result, fault)
      }
    })
    await running.later(MINUTE, 4)
    expect([asked.result()?.status, calls()]).toEqual(['COMPLETED', 1])
  })

  it.each(bank.declined)('%s declines it: %s', async (status, reason) => {
    const { asked } = await charged(bank, ({ at }) => bank.decide(at, status))
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason, ...bank.more })
  })

  it.each(open.flatMap((status) => [true, false].map((isMade) => [status, isMade] as const)))(
    '%s is asked about without end, held after three days, and never sent again; the bank makes it at last: %j',
    async (status, isMade) => {
      const { at, running, asked, calls } = await charged(bank, (of) => bank.decide(of.at, status))
      const heldAfter = async (days: number) => {
        await running.later(DAY, days, 1)
        return running.core.disk.charges.held().length
      }
      expect([await heldAfter(2), await heldAfter(1), await heldAfter(37)]).toEqual([0, 1, 1])
      expect(asked.result()).toBeUndefined()
      await bank.finish(at, bank.numbers(at)[0] ?? '', isMade)
      await running.later(HOUR)
      expect([asked.result()?.status, calls()]).toEqual([isMade ? 'COMPLETED' : 'DECLINED', 1])
    },
  )

  it('that is held for three days counts them from when it was sent, not from when it came', async () => {
    const { running, bank: fake } = await charged(bank, (of) =>
      of.bank.fail(bank.state, { status: 502 }, 500),
    )
    await running.later(MINUTE, 30)
    fake.heal()
    fake.fail(bank.charge, { broken: 'after' })
    await running.later(MINUTE)
    expect(fake.callsOf(bank.charge)).toHaveLength(1)
    fake.fail(bank.result, { status: 502 }, 999)
    await running.later(3 * DAY - 20 * MINUTE)
    expect(running.core.disk.charges.held()).toEqual([])
    await running.later(61 * MINUTE)
    expect(running.core.disk.charges.held()).toHaveLength(1)
  })

  it('that waited half an hour to be sent is asked about each minute then', async () => {
    const {
      running,
      bank: fake,
      asked,
    } = await charged(bank, (of) => of.bank.fail(bank.state, { status: 502 }, 500))
    await running.later(MINUTE, 30)
    fake.heal()
    fake.fail(bank.charge, { broken: 'after' })
    await running.later(MINUTE)
    expect([asked.result(), fake.callsOf(bank.charge).length]).toEqual([undefined, 1])
    await running.later(MINUTE, 2)
    expect(asked.result()?.status).toBe('COMPLETED')
  })

  it('is declined at its end where the bank does not answer until then, and was never sent', async () => {
    let begun = 0
    const {
      running,
      bank: fake,
      asked,
    } = await charged(bank, (of) => {
      begun = of.bank.callsOf(bank.begin).length
      of.bank.fail(bank.state, { status: 502 }, 500)
    })
    await running.later(MINUTE, 61)
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'EXPIRED' })
    expect(fake.callsOf(bank.begin)).toHaveLength(begun)
  })

  it.each([
    ['is paid', true],
    ['is being paid', false],
  ])('is declined as LINK_PAID where the link of the code %s: nothing is charged', async (_, isPaid) => {
    const { at, running, link, asked, calls } = await charged(bank, (of) =>
      bank.pay(of.at, of.link.qrcId, isPaid),
    )
    await running.later(MINUTE)
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'LINK_PAID' })
    expect(calls()).toBe(0)
    const { payments } = at.service.site(site)
    expect(payments.get(link.qrcId)?.status).toBe(isPaid ? 'COMPLETED' : undefined)
  })

  if (bank.tellsEnd)
    it('of an account that is bound no more is not made, and nothing begins', async () => {
      let begun = 0
      const of = await charged(bank, async ({ at, token, bank: fake }) => {
        begun = fake.callsOf(bank.begin).length
        await bank.consent(at, token.qrcId, false, { times: 0 })
        at.clock.now += HOUR
      })
      expect(of.asked.result()).toMatchObject({ status: 'DECLINED', reason: 'TOKEN_DELETED' })
      const { bindings } = of.at.service.site(site)
      expect(bindings.get(of.binding.bindingUid)).toMatchObject({ status: 'DELETED' })
      expect([of.calls(), of.bank.callsOf(bank.begin).length]).toEqual([0, begun])
    })

  it('that was sent goes on where its account is let go; what was not is declined, in whatever order the instructions arrive', async () => {
    const { at, running, binding, asked, calls } = await charged(bank, (of) => bank.decide(of.at, pending))
    const another = async () => charge(at, binding, await register(at, site, { amount: PRICE }))
    const waiting = await another()
    expect((await deleteToken(at, binding)).status).toBe(202)
    const late = await another()
    await running.connector.settle()
    expect(at.service.site(site).bindings.get(binding.bindingUid)).toEqual({ status: 'DELETED' })
    for (const each of [waiting, late])
      expect(each.result()).toMatchObject({ status: 'DECLINED', reason: 'TOKEN_DELETED' })
    await bank.finish(at, bank.numbers(at)[0] ?? '', true)
    await running.later(MINUTE, 5)
    expect([asked.result()?.status, calls()]).toEqual(['COMPLETED', 1])
  })

  it('in progress is asked about at once where its webhook comes', async () => {
    const { at, running, asked } = await charged(bank, (of) => bank.decide(of.at, pending))
    await running.later(10 * MINUTE)
    const [number = ''] = bank.numbers(at)
    await bank.finish(at, number, true)
    await running.connector.settle()
    expect(asked.result()).toBeUndefined()
    await bank.deliver(at, number)
    await running.connector.settle()
    expect(asked.result()?.status).toBe('COMPLETED')
  })

  it.each([true, false])(
    'that is older than a new disk is never sent anew: the bank has made it, else it is held: %j',
    async (isMade) => {
      const { at, running, asked, calls } = await onNewDisk(bank, isMade)
      for (let day = 0; day < 3; day++) {
        await running.connector.settle()
        await asked.again()
        at.clock.now += DAY
      }
      expect(asked.result()?.status).toBe(isMade ? 'COMPLETED' : undefined)
      const held = isMade ? [] : [{ paymentUid: asked.paymentUid, state: 'HELD' }]
      expect(running.core.disk.charges.held()).toMatchObject(held)
      expect(calls()).toBe(isMade ? 1 : 0)
    },
  )

  it('that a restored disk may have sent after its backup is held, and a later one is made', async () => {
    const { at, running, binding, link } = await bound(bank)
    const backup = at.clock.now
    await running.stop()
    at.clock.now += 10 * MINUTE
    const next = await start(at, { restoredFrom: backup })
    const asked = chargeData(at, binding, link)
    at.service.charges = [{ ...asked, createdOn: new Date(at.clock.now).toISOString() }]
    await next.connector.settle()
    expect(next.core.disk.charges.held()).toMatchObject([{ paymentUid: asked.paymentUid }])
    at.clock.now += MINUTE
    const fresh = await charge(at, binding, await register(at, site, { amount: PRICE }))
    await next.connector.settle()
    expect(fresh.result()?.status).toBe('COMPLETED')
  })
})
