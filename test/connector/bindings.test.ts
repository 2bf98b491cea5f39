// Bound accounts: what every bank owes, and what is refused by name.
import { describe, expect, it } from 'vitest'
import { awaiting, bindingOf, RAIFFEISEN, TBANK, TOCHKA_PAY } from './bound.ts'
import {
  DAY,
  fakeOf,
  HOUR,
  launched,
  MINUTE,
  ofRefund,
  pay,
  refund,
  register,
  registerData,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'

const amount = { value: '50.00', currency: 'RUB' }

it.each([
  ['tea', { type: 'TOKEN', amount: undefined }, /^Tochka: .*TOKEN/],
  ['tea', { flags: ['CREATE_TOKEN'] }, /^Tochka: accounts cannot be bound \(DYNAMIC, CREATE_TOKEN\)/],
  ['farm', { type: 'STATIC', flags: ['CREATE_TOKEN'] }, /^Raiffeisenbank: accounts cannot be bound/],
])('%s: a code %j is refused by the name of its bank', async (site, changes, text) => {
  const { at } = await launched()
  const answer = await at.service.instruct('qrCode.register', registerData(at, site, changes), at.clock.now)
  expect(answer).toEqual({ status: 422, body: { description: expect.stringMatching(text) } })
})

it.each([
  ['nobody', undefined, 'no bank has bound this account'],
  [
    'a bank that is not configured',
    'tbank-old:#77',
    'the connector has no bank tbank-old, which has bound this account',
  ],
  ['a bank that has no charges', 'tochka-main:#77', 'Tochka: accounts cannot be charged'],
])('a charge of an account that %s has bound is declined by name', async (_, bindingReference, reason) => {
  const { at, connector } = await launched()
  await connector.settle()
  const charge = {
    ...{ siteId: 'tea', qrcId: 'AD1', paymentUid: 'CHARGE1', bindingUid: 'B1', amount, bindingReference },
    expiresOn: new Date(at.clock.now + HOUR).toISOString(),
  }
  expect((await at.service.instruct('payment.charge', charge, at.clock.now)).status).toBe(202)
  await connector.settle()
  expect(at.service.site('tea').payments.get('CHARGE1')).toEqual({
    ...{ qrcId: 'AD1', bindingUid: 'B1', status: 'DECLINED', amount, reason },
  })
})

it('a token.delete of an unknown binding is confirmed, and its end kept: no later charge of it is made', async () => {
  const { at, connector, core } = await launched()
  await connector.settle()
  const binding = { siteId: 'tea', qrcId: 'AD1', bindingUid: 'B1' }
  expect((await at.service.instruct('token.delete', binding, at.clock.now)).status).toBe(202)
  const charge = { ...binding, paymentUid: 'CHARGE1', amount, bindingReference: 'tbank-cafe:#77' }
  const expiresOn = new Date(at.clock.now + HOUR).toISOString()
  await at.service.instruct('payment.charge', { ...charge, expiresOn }, at.clock.now)
  await connector.settle()
  expect(at.service.site('tea').bindings.get('B1')).toEqual({ status: 'DELETED' })
  expect(at.service.site('tea').payments.get('CHARGE1')).toMatchObject({ reason: 'TOKEN_DELETED' })
  expect(core.disk.bindings.get({ site: 'tea', bindingUid: 'B1' })?.state).toBe('DELETED')
})

type Outcome = [name: string, isPaid: boolean, hasAgreed: boolean | undefined, statuses: string[]]

const BANKS = [
  {
    ...TBANK,
    /** The calls that make a code that is paid and binds. */
    registers: ['Init', 'GetQr'],
    /** Whether the bank makes the same request to bind once, by our key. */
    hasKey: false,
    /** The bank's numbers of a code that is paid and binds: of the payment, and of the request to bind. */
    numbersOf({ tbank }: Surroundings, qrcId: string) {
      const { paymentId, requestKey } = tbank.session(qrcId)
      return `${paymentId}#${requestKey}`
    },
    outcomes: [
      ['paid, and did not agree', true, false, ['REJECTED']],
      ['paid in an app that cannot bind', true, undefined, []],
    ] satisfies Outcome[],
  },
  {
    ...{ ...RAIFFEISEN, registers: ['register'], hasKey: true },
    numbersOf: ({ raiffeisen }: Surroundings, qrcId: string) =>
      `${raiffeisen.codes.get(qrcId)?.order}#${raiffeisen.subscription(qrcId).id}`,
    outcomes: [
      ['paid, and did not agree, or in an app that cannot bind', true, undefined, []],
    ] satisfies Outcome[],
  },
  {
    ...{ ...TOCHKA_PAY, registers: ['register'], hasKey: false },
    numbersOf: ({ tochkaPay }: Surroundings, qrcId: string) =>
      `${tochkaPay.code(qrcId).merchantQrcId}#${qrcId}`,
    outcomes: [
      ['paid, and did not agree', true, false, ['REJECTED']],
      ['paid in an app that cannot bind', true, undefined, []],
    ] satisfies Outcome[],
  },
]

describe.each(BANKS)('$name', (bank) => {
  const { site } = bank

  it.each([['nothing is lost', undefined] as const, ...bank.lost])(
    'a consent whose notification is lost is learned where of the question about it %s',
    async (_, fault) => {
      const { at, running, qrcId } = await awaiting(bank)
      await bank.consent(at, qrcId, true, { times: 0 })
      if (fault) bank.of(at).fail(bank.state, fault)
      await running.later(MINUTE, fault ? 3 : 2)
      expect(bindingOf(at, site, qrcId)).toMatchObject({ status: 'CREATED' })
      expect(at.service.reports.filter(({ path }) => path.includes('/bindings/'))).toHaveLength(1)
    },
  )

  it('a consent after the end of its code is a fact', async () => {
    const { at, running, qrcId } = await awaiting(bank)
    // Asked after the end, the bank has no answer yet.
    await running.later(2 * DAY)
    await bank.consent(at, qrcId, true, { times: 0 })
    await running.later(DAY)
    expect(bindingOf(at, site, qrcId)).toMatchObject({ status: 'CREATED' })
  })

  it.each([
    ['paid and agreed', true, true, ['CREATED']],
    ...bank.outcomes,
    ['agreed, and did not pay', false, true, ['CREATED']],
  ] satisfies Outcome[])('%s: two facts', async (_, isPaid, hasAgreed, statuses) => {
    const { at, running } = await launched()
    const link = await register(at, site, { flags: ['CREATE_TOKEN'], tokenizationPurpose: 'Monthly tea' })
    expect(link.reference).toBe(`${bank.name}:${bank.numbersOf(at, link.qrcId)}`)
    at.clock.now += MINUTE
    if (hasAgreed !== undefined) await bank.consent(at, link.qrcId, hasAgreed)
    if (isPaid) await pay(at, site, link.qrcId)
    await running.connector.settle()
    const { payments, bindings } = at.service.site(site)
    expect(payments.get(link.qrcId)?.status).toBe(isPaid ? 'COMPLETED' : undefined)
    expect(Array.from(bindings.values(), ({ status }) => status)).toEqual(statuses)
    if (!isPaid) return
    // Its refund goes to the payment.
    const asked = await refund(at, site, link, '10.00')
    await running.connector.settle()
    expect(fakeOf(site).of(at).refundedSum).toBe(1_000)
    expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
  })

  const cases = [bank.bind, ...bank.registers].flatMap((operation) =>
    bank.lost.map(([name, fault]) => [operation, name, fault] as const),
  )
  it.each(cases)(
    'where of %s %s, the same request has one link and one binding',
    async (operation, _, fault) => {
      const at = await surroundings()
      let running = await start(at)
      const isPaid = operation !== bank.bind
      const kind = isPaid ? { flags: ['CREATE_TOKEN'] } : { type: 'TOKEN', amount: undefined }
      const data = registerData(at, site, { ...kind, tokenizationPurpose: 'Tea' })
      const ask = () => at.service.instruct('qrCode.register', data, at.clock.now)
      bank.of(at).fail(operation, fault)
      const first = await ask()
      if (!isPaid && !bank.hasKey) expect(first.status).toBe(503)
      const { status, body } = await ask()
      if (!isPaid && bank.hasKey) {
        await running.loseDisk()
        running = await start(at)
      }
      expect([status, (await ask()).body.qrcId]).toEqual([200, body.qrcId])
      at.clock.now += MINUTE
      const qrcId = String(body.qrcId)
      await bank.consent(at, qrcId, true)
      if (isPaid) await pay(at, site, qrcId)
      await running.connector.settle()
      const { payments, bindings } = at.service.site(site)
      expect([Array.from(payments.keys()), bindings.size]).toEqual([isPaid ? [qrcId] : [], 1])
      if (!isPaid && bank.hasKey) expect(at.raiffeisen.subscriptions.size).toBe(1)
    },
  )
})
