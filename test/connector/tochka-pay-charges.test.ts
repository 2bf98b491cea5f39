// Charges at Tochka Pay Gateway: one signed request each, and what each of its errors and reasons decides.
import { describe, expect, it } from 'vitest'
import { chargeToSettle } from '../../connector/commands/held.ts'
import { compareCharges } from '../../connector/money/charge/comparison.ts'
import { ERRORS, errorFault, REASONS, REFUND_REASONS } from '../support/banks/tochka-pay/errors.ts'
import { bindingOf, bound, charge, charged, PRICE, TOCHKA_PAY } from './bound.ts'
import { DAY, HOUR, MINUTE, register, start } from './harness.ts'

type Prepare = Parameters<typeof charged>[1]

/** A charge that is asked for once the test has prepared the bank. */
async function asked(prepare?: Prepare) {
  const of = await charged(TOCHKA_PAY, prepare)
  const { at, running } = of
  return {
    ...of,
    bank: at.tochkaPay,
    status: () => of.asked.result()?.status,
    held: () => running.core.disk.charges.held(),
    number: () => TOCHKA_PAY.numbers(at)[0] ?? '',
    /** How often money moved. */
    moved: () => Array.from(TOCHKA_PAY.moved(at).values()),
  }
}

const nameOf = ({ category, errorCode }: (typeof ERRORS)[number]) => [errorCode || category]
const REFUSED = ERRORS.filter(({ status }) => status === 400).map(nameOf)
const OPEN = ERRORS.filter(({ status }) => status !== 400).map(nameOf)
const NOT_NONE = ERRORS.filter(({ errorCode }) => errorCode !== 'PAYMENT_NOT_FOUND').map(nameOf)

it('asks for the token, then for the payment, and charges by the token under our paymentUid', async () => {
  const { at, bank, running, request, number } = await asked()
  const operations = bank.calls.map(({ operation }) => operation)
  const charge = operations.indexOf('charge')
  expect(operations.slice(charge - 3, charge)).toEqual(['tokenization', 'payment', 'code_payments'])
  expect(bank.callsOf('charge')[0]?.body).toEqual({
    Data: {
      paymentUid: expect.stringMatching(/^[0-9a-f]{32}$/),
      amount: { amount: '50.00', currency: 'RUB' },
      paymentMethod: { type: 'SBP_TOKEN', token: at.tochkaPay.tokenization(request).token },
      comment: 'Tea',
      callbackUrl: `${running.url}/webhooks/pay-club`,
    },
  })
  const [before] = bank.callsOf('payment')
  expect(before?.path).toMatch(new RegExp(`/payments/${number()}$`))
})

it.each([
  ['cut where the purpose is longer', 'ё'.repeat(256), 'ё'.repeat(255)],
  ['left out where there is none', '', undefined],
])('the comment is of 1 to 255 characters, %s', async (_, paymentPurpose, comment) => {
  const { at, running, binding, link } = await bound(TOCHKA_PAY)
  const of = await charge(at, binding, link, { paymentPurpose })
  await running.connector.settle()
  const [call] = at.tochkaPay.callsOf('charge')
  expect([Object(call?.body).Data.comment, of.result()?.status]).toEqual([comment, 'COMPLETED'])
})

it('the token is in no log where the bank’s error repeats it', async () => {
  let secret = ''
  const { running, status } = await asked(({ at, bank, request }) => {
    secret = at.tochkaPay.tokenization(request).token
    bank.fail('charge', { status: 500, body: { code: '500', message: `no token ${secret}` } })
  })
  expect(status()).toBeUndefined()
  const said = JSON.stringify(running.log)
  expect([said.includes('no token (secret)'), said.includes(secret)]).toEqual([true, false])
})

it('a consent of another code is not believed: nothing is charged', async () => {
  const { running, calls } = await asked(({ bank }) =>
    bank.fail('tokenization', { changes: { qrcId: 'AD-ANOTHER' } }, 99),
  )
  await running.later(10 * MINUTE)
  expect(calls()).toBe(0)
})

it('has its paymentUid on disk before the request', async () => {
  let known: unknown
  await asked(({ bank, running }) => {
    bank.beforeExecution = async (operation, { body }) => {
      if (operation !== 'charge') return
      const { paymentUid } = Object(body).Data
      known = running.core.disk.charges.ofOrder(String(paymentUid)).map(({ state }) => state)
    }
  })
  expect(known).toEqual(['SENDING'])
})

describe('an error of the table that answers the request', () => {
  it.each(REFUSED)('%s declines it where the bank does not have the payment', async (name) => {
    const {
      asked: of,
      running,
      calls,
      moved,
    } = await asked(({ bank }) => bank.fail('charge', errorFault(name)))
    expect(of.result()).toMatchObject({ status: 'DECLINED', reason: expect.stringContaining(name) })
    await running.later(HOUR, 3)
    expect([calls(), moved()]).toEqual([1, []])
  })

  it.each(REFUSED)('%s is not believed where the bank has the payment', async (name) => {
    const { status, calls, moved } = await asked(({ bank }) => bank.fail('charge', errorFault(name, true)))
    expect([status(), calls(), moved()]).toEqual(['COMPLETED', 1, [1]])
  })

  it.each([true, false])(
    '400 is not believed while the bank does not answer; it has the payment: %j',
    async (isMade) => {
      const { status, running, calls, bank, held } = await asked((of) => {
        of.bank.fail('charge', errorFault('data.amount', isMade))
        of.bank.fail('payment', { delayMs: 0 })
        of.bank.fail('payment', errorFault('CONNECTION_TIMEOUT'))
      })
      expect([status(), bank.callsOf('payment').length]).toEqual([undefined, 2])
      await running.later(MINUTE)
      expect(status()).toBe(isMade ? 'COMPLETED' : undefined)
      await running.later(HOUR)
      expect([calls(), held().length]).toEqual([1, isMade ? 0 : 1])
    },
  )

  it.each(OPEN)('%s decides nothing: not made, it is held after an hour', async (name) => {
    const { status, running, calls, held, moved } = await asked(({ bank }) =>
      bank.fail('charge', errorFault(name)),
    )
    await running.later(59 * MINUTE)
    expect([status(), held()]).toEqual([undefined, []])
    await running.later(11 * MINUTE)
    expect(held()).toMatchObject([{ reason: expect.stringContaining('the bank does not have it') }])
    await running.later(HOUR, 3)
    expect([status(), calls(), moved()]).toEqual([undefined, 1, []])
  })

  it.each(OPEN)('%s decides nothing: made, it is completed by the bank’s word', async (name) => {
    const { status, running, calls, moved } = await asked(({ bank }) =>
      bank.fail('charge', errorFault(name, true)),
    )
    expect(status()).toBeUndefined()
    await running.later(MINUTE)
    expect([status(), calls(), moved()]).toEqual(['COMPLETED', 1, [1]])
  })
})

describe('an error of the table that answers the question', () => {
  it('404 of another subcategory is not taken for a payment that does not exist', async () => {
    const Errors = [{ errorCode: 'QR_CODE_NOT_FOUND', message: 'x', url: 'x' }]
    const body = { code: '404', id: 'x', message: 'ENTITY_NOT_FOUND', Errors }
    const { running, calls } = await asked(({ bank }) => bank.fail('payment', { status: 404, body }, 99))
    await running.later(10 * MINUTE)
    expect(calls()).toBe(0)
  })

  it.each(NOT_NONE)(
    '%s before the request: nothing is sent until the bank says that it has none',
    async (name) => {
      const {
        status,
        running,
        calls,
        bank,
        asked: of,
      } = await asked(({ bank }) => bank.fail('payment', errorFault(name), 999))
      await running.later(59 * MINUTE)
      expect([status(), calls()]).toEqual([undefined, 0])
      bank.heal()
      await running.later(30_000)
      expect([status(), calls()]).toEqual(['COMPLETED', 1])
      expect(of.result()).toMatchObject({ amount: PRICE })
    },
  )

  it('before the request, until the end of the charge: it expires, and was never sent', async () => {
    const {
      asked: of,
      running,
      calls,
    } = await asked(({ bank }) => bank.fail('payment', errorFault('CONNECTION_BROKEN'), 999))
    await running.later(MINUTE, 61)
    expect(of.result()).toMatchObject({ status: 'DECLINED', reason: 'EXPIRED' })
    expect(calls()).toBe(0)
  })

  it.each(NOT_NONE)('%s after the request decides nothing', async (name) => {
    const { status, running, calls, bank, held } = await asked((of) => {
      of.bank.fail('charge', { broken: 'after' })
      of.bank.fail('payment', { delayMs: 0 })
      of.bank.fail('payment', errorFault(name), 999)
    })
    await running.later(HOUR, 3)
    expect([status(), held()]).toEqual([undefined, []])
    bank.heal()
    await running.later(HOUR)
    expect([status(), calls()]).toEqual(['COMPLETED', 1])
  })
})

it.each([
  ['the status is none of the document', { status: { value: 'AUTHORIZED', changedDateTime: 'x' } }],
  ['the amount is 1e2', { amount: { amount: '1e2', currency: 'RUB' } }],
  ['the amount is a number', { amount: { amount: 50, currency: 'RUB' } }],
  ['the amount is nothing', { amount: { amount: '0.00', currency: 'RUB' } }],
  ['the currency is another', { amount: { amount: '50.00', currency: 'USD' } }],
  ['the payment is another', { paymentUid: 'another' }],
])('an answer in which %s is asked about, and says nothing itself', async (_, changes) => {
  const { status, running, calls } = await asked(({ bank }) => bank.fail('charge', { changes }))
  expect(status()).toBeUndefined()
  await running.later(MINUTE)
  expect([status(), calls()]).toEqual(['COMPLETED', 1])
})

/** «Справочники»: what says that nothing was charged, besides the end of the binding. */
const NOT_CHARGED = [
  ...['LIMIT_EXCEEDED', 'OPERATION_NOT_SUPPORTED', 'NOT_PERMITTED', 'VALIDATION_ERROR', 'INSUFFICIENT_FUNDS'],
  ...['SUSPECTED_FRAUD', 'PAYMENT_EXECUTION_REJECTED', 'ACCOUNT_BLOCKED', 'ACCOUNT_CLOSED'],
  ...['SUBSCRIPTION_REJECTED_BY_PAYER', 'SUBSCRIPTION_UNAVAILABLE'],
]
const OVER = 'SUBSCRIPTION_TOKEN_NOT_FOUND'
const UNSURE = [...REASONS, ...REFUND_REASONS, 'HEARD_FOR_THE_FIRST_TIME'].filter(
  (reason) => !NOT_CHARGED.includes(reason) && reason !== OVER,
)

describe('a decline', () => {
  it.each(NOT_CHARGED)('for %s is final, and leaves the binding', async (reason) => {
    const { asked: of, at, token, moved } = await asked((of) => TOCHKA_PAY.decide(of.at, reason))
    expect(of.result()).toMatchObject({
      ...{ status: 'DECLINED', reason: `Tochka Pay Gateway: ${reason}, Отказ` },
    })
    expect([bindingOf(at, 'club', token.qrcId)?.status, moved()]).toEqual(['CREATED', []])
  })

  it(`for ${OVER} is final, and ends the binding with its other charges`, async () => {
    const {
      asked: of,
      at,
      running,
      token,
      binding,
      calls,
    } = await asked((of) => of.at.tochkaPay.endBinding(of.token.qrcId))
    expect(of.result()).toMatchObject({ status: 'DECLINED', reason: expect.stringContaining(OVER) })
    expect(bindingOf(at, 'club', token.qrcId)?.status).toBe('DELETED')
    const next = await charge(at, binding, await register(at, 'club', { amount: PRICE }))
    await running.later(MINUTE)
    expect(next.result()).toMatchObject({ status: 'DECLINED', reason: 'TOKEN_DELETED' })
    expect(calls()).toBe(1)
  })

  it.each(UNSURE)('for %s is asked about, and held an hour after it was sent', async (reason) => {
    const { status, running, held, at, number, calls } = await asked((of) => TOCHKA_PAY.decide(of.at, reason))
    await running.later(59 * MINUTE)
    expect([status(), held()]).toEqual([undefined, []])
    await running.later(11 * MINUTE)
    expect(held()).toMatchObject([{ reason: `Tochka Pay Gateway: ${reason}, Отказ` }])
    await TOCHKA_PAY.finish(at, number(), false)
    await running.later(HOUR)
    expect([status(), calls()]).toEqual(['DECLINED', 1])
  })

  it.each(UNSURE)('for %s of a charge that was made is completed by the bank’s word', async (reason) => {
    const { status, running, at, bank, number, calls, moved } = await asked((of) => {
      TOCHKA_PAY.decide(of.at, reason)
      of.at.tochkaPay.ledger.movesDeclined = true
    })
    await running.later(HOUR, 2)
    expect(status()).toBeUndefined()
    await bank.finish(number(), 'COMPLETED', { times: 0 })
    await running.later(HOUR)
    expect([status(), calls(), moved()]).toEqual(['COMPLETED', 1, [1]])
    expect(await compareCharges(running.core, 0, at.clock.now + DAY)).toEqual([])
  })

  it('without a reason is asked about, too', async () => {
    const status = { value: 'DECLINED', changedDateTime: '2026-11-20T10:00:00Z' }
    const {
      asked: of,
      running,
      held,
    } = await asked(({ at, bank }) => {
      TOCHKA_PAY.decide(at, 'INSUFFICIENT_FUNDS')
      bank.fail('charge', { changes: { status } })
      bank.fail('payment', { delayMs: 0 })
      bank.fail('payment', { changes: { status } }, 999)
    })
    await running.later(HOUR, 2)
    expect(of.result()).toBeUndefined()
    expect(held()).toMatchObject([{ reason: 'Tochka Pay Gateway: no reason' }])
  })
})

it.each([
  [false, undefined, 1],
  [true, 'COMPLETED', 0],
])('a test payment is money where the credentials are of a test: %j', async (test, expected, count) => {
  const { at, running, binding, link } = await bound(TOCHKA_PAY, ({ config }) => {
    Object.assign(config.banks['pay-club'], { test })
  })
  at.tochkaPay.codes.isTest = true
  const of = await charge(at, binding, link)
  await running.connector.settle()
  await running.later(HOUR, 2)
  const { charges } = running.core.disk
  expect([
    of.result()?.status,
    charges.held().length,
    charges.ofOrder(TOCHKA_PAY.numbers(at)[0] ?? '').length,
  ]).toEqual([...[expected, count, 1]])
})

it('in progress is not made again where both disks have lost it, and the merchant repeats it', async () => {
  const {
    at,
    running,
    binding,
    link,
    asked: first,
    calls,
  } = await asked((of) => TOCHKA_PAY.decide(of.at, 'WAITING'))
  await running.loseDisk()
  at.clock.now += MINUTE
  const next = await start(at)
  await next.connector.settle()
  at.clock.now += 10 * MINUTE
  const { paymentUid, expiresOn } = first
  const repeated = await charge(at, binding, link, { paymentUid, expiresOn })
  await next.later(MINUTE)
  expect([repeated.result(), calls()]).toEqual([undefined, 1])
  await TOCHKA_PAY.finish(at, TOCHKA_PAY.numbers(at)[0] ?? '', true)
  await next.later(MINUTE, 2)
  expect([repeated.result()?.status, calls()]).toEqual(['COMPLETED', 1])
})

it('the operator settles a held charge by its order alone', async () => {
  const {
    running,
    asked: of,
    held,
    number,
    status,
  } = await asked(({ bank }) => bank.fail('charge', { broken: 'before' }))
  await running.later(HOUR, 2)
  expect(held()).toHaveLength(1)
  const decision = { site: 'club', result: 'COMPLETED', reason: '', by: 'anna' } as const
  const { paymentUid } = of
  expect(() => chargeToSettle(running.core, { ...decision, paymentUid, number: '1' })).toThrow(
    'Tochka Pay Gateway finds it by its order: leave out --number',
  )
  chargeToSettle(running.core, { ...decision, paymentUid, number: undefined }).finish()
  await running.connector.settle()
  expect([status(), of.result()?.reference]).toEqual(['COMPLETED', `pay-club:${number()}`])
})
