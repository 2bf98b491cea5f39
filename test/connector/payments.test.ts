// One payment is one payment, however the bank writes its time, and two are two, also where the bank leaves their numbers empty.
import { describe, expect, it } from 'vitest'
import type { BankPayment } from '../../connector/banks/bank.ts'
import { fakeOf, launched, MINUTE, pay, type Running, register } from './harness.ts'

/** A paid code, whose row on disk has a key of an older version. */
async function paid(fraction: '' | '.109') {
  const { at, running } = await launched()
  const link = await register(at, 'farm')
  await pay(at, 'farm', link.qrcId, { times: 0 })
  const code = at.raiffeisen.codes.get(link.qrcId)
  if (!code?.payment) throw new Error('nothing was paid')
  const { payment, order } = code
  const write = (text: string) => {
    payment.transactionDate = `2026-11-20T13:00:05${text}+03:00`
  }
  write(fraction)
  const site = () => at.service.site('farm')
  return { at, ...running, link, payment, order, write, site }
}

describe.each([
  ['', '.109227'],
  ['.109', ''],
] as const)('a time written as 05%s and then as 05%s', (before, after) => {
  it.each(['with its number', 'without its number', 'by a row of an older version'])(
    'is one payment, %s',
    async (how) => {
      const { at, connector, core, link, payment, order, write, site } = await paid(before)
      if (how === 'by a row of an older version') {
        const { identity } = core.banks.get('raif-farm')?.bank ?? { identity: '' }
        const time = Date.parse(payment.transactionDate)
        core.disk.payments.put({
          ...{ identity, key: `${order} ${time}`, number: String(payment.transactionId), site: 'farm' },
          ...{
            qrcId: link.qrcId,
            paymentUid: link.qrcId,
            status: 'COMPLETED',
            ...{ isAmountAssumed: false, saleUid: null },
            amount: 10_000,
          },
          createdAt: at.clock.now,
        })
      }
      at.clock.now += MINUTE
      await at.raiffeisen.deliver(link.qrcId)
      await connector.settle()
      write(after)
      if (how === 'without its number') Object.assign(payment, { transactionId: undefined })
      await at.raiffeisen.deliver(link.qrcId)
      await connector.settle()
      expect(core.disk.payments.ofCode('farm', link.qrcId)).toHaveLength(1)
      expect(site().payments.size).toBeLessThanOrEqual(1)
      expect(core.disk.webhooks.countWaiting()).toBe(0)
    },
  )
})

it.each([
  ['neither time nor number', { transactionId: undefined, transactionDate: undefined }, {}],
  ['a number alone', { transactionDate: undefined }, { transactionId: undefined }],
])('a payment of which the bank states %s at first is one payment', async (_, first, then) => {
  const { at, connector, later, core } = await launched()
  const link = await register(at, 'farm')
  await pay(at, 'farm', link.qrcId, { times: 0 })
  at.raiffeisen.fail('status', { changes: first })
  await later(MINUTE)
  at.raiffeisen.fail('status', { changes: then })
  await at.raiffeisen.deliver(link.qrcId)
  await connector.settle()
  expect(core.disk.payments.ofCode('farm', link.qrcId)).toHaveLength(1)
  expect(Array.from(at.service.site('farm').payments.keys())).toEqual([link.qrcId])
  expect(core.disk.webhooks.countWaiting()).toBe(0)
})

it('a webhook of a link is done where the bank states the payment without its time', async () => {
  const { at, connector, core } = await launched()
  const link = await register(at, 'farm')
  at.raiffeisen.fail('status', { changes: { transactionDate: undefined } }, 99)
  await pay(at, 'farm', link.qrcId)
  await connector.settle()
  expect(Array.from(at.service.site('farm').payments.keys())).toEqual([link.qrcId])
  expect(core.disk.webhooks.countWaiting()).toBe(0)
})

it('a number that is larger than a safe integer is none: the payment of a link is reported all the same', async () => {
  const { at, later, core } = await launched()
  const link = await register(at, 'farm')
  at.raiffeisen.fail('status', { changes: { transactionId: 2 ** 53 } })
  await pay(at, 'farm', link.qrcId, { times: 0 })
  await later(MINUTE)
  expect(core.disk.payments.ofCode('farm', link.qrcId)).toMatchObject([
    { number: link.reference.split(':')[1] },
  ])
})

it.each([
  ['cafe', 'GetState', { Amount: 0 }],
  ['cafe', 'GetState', { Amount: 0.5 }],
  ['cafe', 'GetState', { Amount: -10_000 }],
  ['farm', 'status', { amount: 0 }],
])(
  '%s: a payment of which %s states an amount that none can have is told once it is known: %o',
  async (site, operation, changes) => {
    const { at, later, core } = await launched()
    const link = await register(at, site)
    await pay(at, site, link.qrcId, { times: 0 })
    fakeOf(site).of(at).fail(operation, { changes })
    await later(MINUTE, 3)
    expect(Array.from(at.service.site(site).payments.values())).toMatchObject([
      { status: 'COMPLETED', amount: { value: '100.00' } },
    ])
    expect(core.disk.payments.ofCode(site, link.qrcId)).toMatchObject([{ amount: 10_000 }])
  },
)

it.each([0, '', -10_000, 0.5])(
  'a payment of which a webhook of T-Bank states the amount %j has that which the bank states when asked',
  async (Amount) => {
    const { at, connector, core } = await launched()
    const { qrcId } = await register(at, 'cafe')
    const paymentId = await at.tbank.pay(qrcId, { times: 0 })
    const { Data: _, ...notification } = at.tbank.notificationOf(paymentId)
    const Token = at.tbank.tokenOf({ ...notification, Amount })
    await at.tbank.deliver(paymentId, {}, { Amount, Token })
    expect(at.tbank.webhookAnswers).toMatchObject([{ status: 200 }])
    await connector.settle()
    expect(at.tbank.callsOf('GetState')).toHaveLength(1)
    expect(core.disk.payments.ofCode('cafe', qrcId)).toMatchObject([{ status: 'COMPLETED', amount: 10_000 }])
  },
)

/** Two codes of Tochka, each with a payment whose numbers the bank leaves empty. */
async function unnumbered(status: 'Accepted' | 'Rejected', changes: object = {}) {
  const { at, connector, later } = await launched()
  const links = [await register(at, 'tea', changes), await register(at, 'tea', changes)]
  for (const { qrcId } of links) await at.tochka.pay(qrcId, { status, times: 0 })
  const made = Array.from(at.tochka.codes.values(), ({ payments }) => payments).flat()
  const numbers = made.map(({ refTransactionId }) => refTransactionId)
  for (const payment of made) Object.assign(payment, { refTransactionId: '', trxId: '' })
  await later(MINUTE)
  const reported = () => Array.from(at.service.site('tea').payments.values())
  return { at, connector, links, made, numbers, reported }
}

it('paid links to whose payments Tochka gives no number are told once it does, each', async () => {
  const { at, connector, links, made, numbers, reported } = await unnumbered('Accepted')
  expect(reported()).toEqual([])
  made.forEach((payment, i) => {
    Object.assign(payment, { refTransactionId: numbers[i] })
  })
  at.clock.now += MINUTE
  await connector.settle()
  expect(reported()).toMatchObject(
    links.map(({ qrcId }, i) => ({ qrcId, status: 'COMPLETED', networkUid: numbers[i] })),
  )
})

it.each([
  ['a link', {}],
  ['a static code', { type: 'STATIC', ttl: undefined, expiresOn: undefined }],
])('a rejected payment of %s of Tochka without a number hides that of no other', async (_, changes) => {
  const { links, reported } = await unnumbered('Rejected', changes)
  expect(reported()).toMatchObject(links.map(({ qrcId }) => ({ qrcId, status: 'DECLINED' })))
})

/** Makes the bank of the site state a method of its payments, as one does whose document has it. */
function stateMethod({ core }: Running, method: NonNullable<BankPayment['method']> | undefined): void {
  const bank = core.banks.get('raif-farm')?.bank
  if (!bank) throw new Error('there is no bank')
  const state = bank.state.bind(bank)
  bank.state = async (code) => {
    const stated = await state(code)
    const payments = stated.payments.map((payment) => ({ ...payment, ...(method && { method }) }))
    return { ...stated, payments }
  }
}

it.each(['sbp', 'digitalRouble', 'other', undefined] as const)(
  'the method %s that a bank states is in the report, and nothing is where it states none',
  async (method) => {
    const { at, running, later } = await launched()
    stateMethod(running, method)
    const link = await register(at, 'farm')
    await pay(at, 'farm', link.qrcId, { times: 0 })
    await later(MINUTE)
    const reports = at.service.reports.filter(({ path }) => path.includes('/payments/'))
    expect(reports.map(({ body }) => [body.status, body.method, 'method' in body])).toEqual([
      ['COMPLETED', method, method !== undefined],
    ])
  },
)

it('a payment that is completed after a decline has the method of the completed one', async () => {
  const { at, running, later } = await launched()
  stateMethod(running, 'digitalRouble')
  const link = await register(at, 'farm')
  await pay(at, 'farm', link.qrcId, { times: 0 })
  at.raiffeisen.fail('status', { changes: { paymentStatus: 'DECLINED' } })
  await later(MINUTE)
  stateMethod(running, 'sbp')
  await at.raiffeisen.deliver(link.qrcId)
  await running.connector.settle()
  const reports = at.service.reports.filter(({ path }) => path.includes('/payments/'))
  expect(reports.map(({ body }) => [body.status, body.method])).toEqual([
    ['DECLINED', 'digitalRouble'],
    ['COMPLETED', 'sbp'],
  ])
})
