// Refunds at Tochka Pay Gateway: sent once, asked about by our refundUid, and what each of its errors and reasons decides.
import { describe, expect, it } from 'vitest'
import { compareRefunds } from '../../connector/money/refund/comparison.ts'
import { finishRefund } from '../../connector/money/refund/refunds.ts'
import { ERRORS, errorFault, REASONS, REFUND_REASONS } from '../support/banks/tochka-pay/errors.ts'
import { CLUB, DAY, HOUR, MINUTE, ofRefund, refund, start } from './harness.ts'
import { LOST, paid } from './paid.ts'

/** A refund of 30 roubles that is sent once the test has prepared the bank. */
async function refunded(
  prepare: (of: Awaited<ReturnType<typeof paid>> & { bank: Pay }) => unknown = () => {},
) {
  const { at, running, link } = await paid(CLUB)
  const bank = at.tochkaPay
  await prepare({ at, running, link, bank })
  const asked = await refund(at, 'club', link, '30.00')
  await running.connector.settle()
  return {
    ...{ at, running, link, bank, asked },
    result: () => ofRefund(at, asked),
    told: () => at.service.site('club').waiting.get(`${link.qrcId}/${asked.refundUid}`),
    held: () => running.core.disk.refunds.held(),
    calls: () => bank.callsOf('refund').length,
    /** What the bank has of it. */
    record: () => {
      const found = bank.ledger.payments[0]?.refunds.at(-1)
      if (!found) throw new Error('the bank has no refund')
      return found
    },
  }
}
type Pay = Awaited<ReturnType<typeof paid>>['at']['tochkaPay']

const COMPLETED = { status: 'COMPLETED', amount: { value: '30.00', currency: 'RUB' } }

/** A refusal as the document has it. */
const INVALID = { code: '400', id: 'x', message: 'REQUEST_VALIDATION_ERROR', Errors: [] }

/** The rows of the table of errors: what each decides of a refund. */
const byStatus = (...statuses: number[]) =>
  ERRORS.filter(({ status }) => statuses.includes(status)).map(({ category, errorCode }) => [
    errorCode || category,
  ])
const REFUSED = byStatus(400)
const LOCKED = byStatus(423)
const OPEN = ERRORS.filter(({ status }) => status !== 400 && status !== 423).map(
  ({ category, errorCode }) => [errorCode || category],
)

it('is signed, names the amount and the address of webhooks, and is sent once', async () => {
  const { result, bank, running } = await refunded()
  expect(result()).toEqual(COMPLETED)
  const [call] = bank.callsOf('refund')
  expect(call?.body).toEqual({
    Data: {
      refundUid: expect.stringMatching(/^[0-9a-f]{40}$/),
      amount: { amount: '30.00', currency: 'RUB' },
      callbackUrl: `${running.url}/webhooks/pay-club`,
    },
  })
  expect(bank.refundedSum).toBe(3_000)
})

describe('an error of the table that answers the request', () => {
  it.each(REFUSED)('%s refuses it for good', async (name) => {
    const { result, running, calls } = await refunded(({ bank }) => bank.fail('refund', errorFault(name)))
    expect(result()).toMatchObject({ status: 'DECLINED', reason: expect.stringContaining(name) })
    await running.later(HOUR, 3)
    expect(calls()).toBe(1)
  })

  it.each(REFUSED)('%s of a refund that was made all the same is found by the comparison', async (name) => {
    const { at, running } = await refunded(({ bank }) => bank.fail('refund', errorFault(name, true)))
    expect(await compareRefunds(running.core, 0, at.clock.now + DAY)).toMatchObject([{ kind: 'EXCESS' }])
  })

  it.each(LOCKED)('%s is tried again each minute, until the payment is free', async (name) => {
    const { result, running, calls, told, bank } = await refunded((of) =>
      of.bank.fail('refund', errorFault(name), 61),
    )
    expect([result(), told()]).toEqual([undefined, undefined])
    await running.later(MINUTE, 59, 1)
    await running.later(MINUTE)
    expect(told()).toMatch(/^not sent yet, it is tried again: .*PAYMENT_LOCKED/)
    await running.later(MINUTE, 2)
    expect([result(), calls(), bank.refundedSum]).toEqual([COMPLETED, 62, 3_000])
  })

  it.each(LOCKED)(
    '%s of a refund that was made all the same: the list has it, and it counts once',
    async (name) => {
      const { result, running, calls, bank } = await refunded((of) =>
        of.bank.fail('refund', errorFault(name, true)),
      )
      await running.later(MINUTE, 2)
      expect([result(), calls(), bank.refundedSum]).toEqual([COMPLETED, 1, 3_000])
    },
  )

  it.each(OPEN)('%s decides nothing: not made, it is held after an hour', async (name) => {
    const { result, running, calls, held, bank } = await refunded((of) =>
      of.bank.fail('refund', errorFault(name)),
    )
    await running.later(59 * MINUTE)
    expect([result(), held()]).toEqual([undefined, []])
    await running.later(11 * MINUTE)
    expect(held()).toMatchObject([{ reason: expect.stringContaining('the bank does not have it') }])
    await running.later(HOUR, 2)
    expect([result(), calls(), bank.refundedSum]).toEqual([undefined, 1, 0])
  })

  it.each(OPEN)('%s decides nothing: made, it is completed by the bank’s word', async (name) => {
    const { result, running, calls, bank } = await refunded((of) =>
      of.bank.fail('refund', errorFault(name, true)),
    )
    expect(result()).toBeUndefined()
    await running.later(MINUTE)
    expect([result(), calls(), bank.refundedSum]).toEqual([COMPLETED, 1, 3_000])
  })
})

describe('an answer that is lost or in another shape', () => {
  it.each([
    ...LOST,
    [
      'a gateway answers 423 in JSON',
      { status: 423, body: { code: '423', message: 'locked' }, executed: true },
    ],
    [
      '400 has the code of another status',
      { status: 400, body: { ...INVALID, code: '500' }, executed: true },
    ],
    ['400 has another category', { status: 400, body: { ...INVALID, message: 'BUSY' }, executed: true }],
    ['400 has no id', { status: 400, body: { ...INVALID, id: undefined }, executed: true }],
    ['the answer has no Data', { status: 200, body: { Meta: { totalPages: 1 } }, executed: true }],
    ['the amount is 1e2', { changes: { amount: { amount: '1e2', currency: 'RUB' } } }],
    ['the amount is a number', { changes: { amount: { amount: 30, currency: 'RUB' } } }],
    ['the currency is another', { changes: { amount: { amount: '30.00', currency: 'USD' } } }],
    ['the refund is another', { changes: { refundUid: 'another' } }],
    [
      'the status is none of the document',
      { changes: { status: { value: 'CREATED', changedDateTime: 'x' } } },
    ],
  ] as const)('is asked about where %s, and never sent again', async (_, fault) => {
    const { result, running, calls, bank, held } = await refunded((of) => of.bank.fail('refund', fault))
    expect(result()).toBeUndefined()
    await running.later(MINUTE, 2)
    const isMade = bank.refundedSum > 0
    expect(result()).toEqual(isMade ? COMPLETED : undefined)
    await running.later(HOUR, 3)
    expect([calls(), bank.refundedSum, held().length]).toEqual([1, isMade ? 3_000 : 0, isMade ? 0 : 1])
  })

  it.each(OPEN)('a question that is answered by %s decides nothing', async (name) => {
    const isNone = name === 'PAYMENT_NOT_FOUND'
    const { result, running, calls, bank, held } = await refunded((of) => {
      of.bank.fail('refund', { broken: 'after' })
      of.bank.fail('refund_status', errorFault(name), 999)
    })
    await running.later(HOUR, 3)
    expect([result(), calls(), held().length]).toEqual([undefined, 1, isNone ? 1 : 0])
    bank.heal()
    await running.later(HOUR)
    expect([result(), calls()]).toEqual([COMPLETED, 1])
  })

  it('another amount under our refundUid is held', async () => {
    const amount = { amount: '31.00', currency: 'RUB' }
    const { held, result } = await refunded((of) => of.bank.fail('refund', { changes: { amount } }))
    expect(held()).toMatchObject([{ reason: 'the bank states a refund of 31.00 RUB under this id' }])
    expect(result()).toBeUndefined()
  })

  it('WAITING is asked about, also where the bank loses it, and its end ends it', async () => {
    const { result, running, bank, record, held, calls } = await refunded((of) => {
      of.bank.ledger.refundResult = 'WAITING'
    })
    await running.later(MINUTE, 5)
    expect([result(), held()]).toEqual([undefined, []])
    bank.lagging.add('refund_status')
    await running.later(HOUR, 2)
    expect(held()).toHaveLength(1)
    bank.lagging.clear()
    await bank.finishRefund(record().refundUid, 'COMPLETED', { times: 0 })
    await running.later(HOUR)
    expect([result(), calls()]).toEqual([COMPLETED, 1])
  })
})

/** «Справочники»: what says that nothing was returned. */
const NOT_RETURNED = [
  ...['LIMIT_EXCEEDED', 'OPERATION_NOT_SUPPORTED', 'NOT_PERMITTED', 'VALIDATION_ERROR', 'INSUFFICIENT_FUNDS'],
  ...['SUSPECTED_FRAUD', 'PAYMENT_EXECUTION_REJECTED', 'ACCOUNT_BLOCKED', 'ACCOUNT_CLOSED'],
]
const UNSURE = [...REASONS, ...REFUND_REASONS, 'HEARD_FOR_THE_FIRST_TIME'].filter(
  (reason) => !NOT_RETURNED.includes(reason),
)

describe('a decline', () => {
  it.each(NOT_RETURNED)('for %s is final', async (reason) => {
    const { result, calls, bank } = await refunded((of) => {
      of.bank.ledger.refundResult = reason
    })
    expect(result()).toEqual({ status: 'DECLINED', reason: `Tochka Pay Gateway: ${reason}, Отказ` })
    expect([calls(), bank.refundedSum]).toEqual([1, 0])
  })

  it.each(UNSURE)('for %s counts after the bank’s sums have been equal for an hour', async (reason) => {
    const { result, running, held, told } = await refunded((of) => {
      of.bank.ledger.refundResult = reason
    })
    await running.later(MINUTE)
    await running.later(10 * MINUTE, 5)
    expect(result()).toBeUndefined()
    expect(held()).toMatchObject([{ reason: expect.stringContaining(reason) }])
    expect(told()).toMatch(/the bank is asked again: .*declined if .* for an hour/)
    await running.later(10 * MINUTE)
    expect(result()).toEqual({ status: 'DECLINED', reason: `Tochka Pay Gateway: ${reason}, Отказ` })
  })

  it.each(UNSURE)(
    'for %s of a refund that was made is held, until the bank says that it was',
    async (reason) => {
      const { result, running, held, bank, record, calls } = await refunded((of) => {
        of.bank.ledger.refundResult = reason
        of.bank.ledger.movesDeclined = true
      })
      await running.later(HOUR, 8)
      expect(result()).toBeUndefined()
      expect(held()).toMatchObject([
        { reason: expect.stringMatching(/30\.00 RUB are refunded, the list has 0\.00/) },
      ])
      await bank.finishRefund(record().refundUid, 'COMPLETED', { times: 0 })
      await running.later(HOUR)
      expect([result(), calls(), bank.refundedSum]).toEqual([COMPLETED, 1, 3_000])
    },
  )

  it('without a reason is unsure, too', async () => {
    const status = { value: 'DECLINED', changedDateTime: '2026-11-20T10:00:00Z' }
    const { result, held, running } = await refunded((of) => {
      of.bank.ledger.refundResult = 'INSUFFICIENT_FUNDS'
      of.bank.fail('refund', { changes: { status } })
      of.bank.fail('refund_status', { changes: { status } }, 99)
    })
    await running.later(MINUTE, 2)
    expect(result()).toBeUndefined()
    expect(held()).toMatchObject([{ reason: expect.stringContaining('no reason') }])
  })

  it('a payment that the bank does not state says nothing of whether it has the refund', async () => {
    const { running, result, held } = await refunded((of) => {
      of.bank.ledger.refundResult = 'TECH_ERROR'
      of.bank.fail('payment', errorFault('PAYMENT_NOT_FOUND'), 99)
    })
    await running.later(HOUR, 3)
    expect([result(), held()]).toEqual([undefined, []])
  })

  it('that answers the request is never sent again, also where the list lags behind and the payment is not stated', async () => {
    const { running, calls } = await refunded((of) => {
      of.bank.ledger.refundResult = 'TECH_ERROR'
      of.bank.lagging.add('refunds')
      of.bank.fail('payment', errorFault('CONNECTION_BROKEN'), 99)
    })
    await running.later(MINUTE, 5)
    expect(calls()).toBe(1)
  })

  it('a clock that jumps an hour between two questions does not end the hour', async () => {
    const { at, result, running, held } = await refunded((of) => {
      of.bank.ledger.refundResult = 'TECH_ERROR'
    })
    await running.later(MINUTE)
    at.clock.now += HOUR
    await running.later(MINUTE, 3)
    expect([result(), held().length]).toEqual([undefined, 1])
  })

  it('the hour begins again where the sums differ meanwhile', async () => {
    const { result, running, bank, record, held } = await refunded((of) => {
      of.bank.ledger.refundResult = 'GATEWAY_TIMEOUT'
    })
    await running.later(10 * MINUTE, 5)
    const { refundUid } = record()
    record().isMoved = true
    await running.later(10 * MINUTE)
    record().isMoved = false
    await running.later(10 * MINUTE, 5)
    expect([result(), held().length]).toEqual([undefined, 1])
    await running.later(HOUR, 6)
    expect(result()).toBeUndefined()
    await running.later(HOUR, 2)
    expect(result()?.status).toBe('DECLINED')
    expect(bank.ledger.returned).not.toContain(refundUid)
  })

  it('is not decided while another refund is in progress, or the list has a second page', async () => {
    const { at, result, running, bank, link } = await refunded(async (of) => {
      of.bank.ledger.locks = false
      const { paymentUid } = of.bank.ledger.payments[0] ?? { paymentUid: '' }
      await of.bank.refundInConsole(paymentUid, 500, { times: 0 })
      await of.bank.refundInConsole(paymentUid, 500, { times: 0 })
      of.bank.ledger.refundResult = 'TECH_ERROR'
    })
    const [payment] = bank.ledger.payments
    const [first, second] = payment?.refunds ?? []
    if (!first || !second) throw new Error('the bank has no refunds')
    bank.refundsPerPage = 2
    await running.later(HOUR, 8)
    expect(result()).toBeUndefined()
    bank.refundsPerPage = 100
    bank.ledger.settle(second, 'WAITING')
    await running.later(HOUR, 8)
    expect(result()).toBeUndefined()
    bank.ledger.settle(second, 'COMPLETED')
    await running.later(HOUR, 7)
    expect(result()?.status).toBe('DECLINED')
    expect(at.service.site('club').refunds.has(`${link.qrcId}/${first.refundUid}`)).toBe(false)
  })
})

describe('before the request', () => {
  it.each([
    ['the list of refunds has a second page', 'pages'],
    ['the list of refunds is not answered', 'lost'],
  ])('nothing is sent while %s', async (_, how) => {
    const { result, running, calls, bank } = await refunded(async (of) => {
      if (how === 'lost') return of.bank.fail('refunds', errorFault('CONNECTION_TIMEOUT'), 999)
      const { paymentUid } = of.bank.ledger.payments[0] ?? { paymentUid: '' }
      await of.bank.refundInConsole(paymentUid, 500, { times: 0 })
      await of.bank.refundInConsole(paymentUid, 500, { times: 0 })
      of.bank.refundsPerPage = 1
    })
    await running.later(MINUTE, 5)
    expect([result(), calls()]).toEqual([undefined, 0])
    bank.heal()
    bank.refundsPerPage = 100
    await running.later(MINUTE)
    expect([result(), calls()]).toEqual([COMPLETED, 1])
  })

  it('one that the bank lists is not sent again where service and connector have lost it', async () => {
    const { at, running, link, asked, bank, calls } = await refunded()
    const networkUid = bank.ledger.payments[0]?.paymentUid
    await running.loseDisk()
    at.service.site('club').refunds.clear()
    at.service.waitingRefunds.length = 0
    at.clock.now += HOUR
    const next = await start(at)
    await next.connector.settle()
    at.clock.now += 10 * MINUTE
    const { again: _, ...data } = asked
    await at.service.instruct('refund.create', { ...data, networkUid }, at.clock.now)
    await next.later(MINUTE, 2)
    expect([ofRefund(at, asked), calls(), bank.refundedSum, link.qrcId]).toEqual([
      COMPLETED,
      1,
      3_000,
      data.qrcId,
    ])
  })
})

describe('the comparison', () => {
  it('finds nothing where the bank has what was reported, also of a decline by sums', async () => {
    const { at, running, link, bank } = await refunded()
    bank.ledger.refundResult = 'TECH_ERROR'
    const unsure = await refund(at, 'club', link, '20.00')
    await running.later(HOUR, 8)
    expect(ofRefund(at, unsure)?.status).toBe('DECLINED')
    expect(await compareRefunds(running.core, 0, at.clock.now)).toEqual([])
  })

  it('does not call what the operator has declined an excess while the bank’s decline is in doubt', async () => {
    const { at, running, held } = await refunded((of) => {
      of.bank.ledger.refundResult = 'TECH_ERROR'
    })
    await running.later(MINUTE, 2)
    const [row] = held()
    expect(row && finishRefund(running.core, row, 'DECLINED', 'seen in the registry')).toBe(true)
    expect(await compareRefunds(running.core, 0, at.clock.now + DAY)).toMatchObject([
      { kind: 'NOT_COMPARABLE' },
    ])
  })

  it('finds what was declined, and has been returned since', async () => {
    const { at, running, bank, record } = await refunded((of) => {
      of.bank.ledger.refundResult = 'INSUFFICIENT_FUNDS'
    })
    await bank.finishRefund(record().refundUid, 'COMPLETED', { times: 0 })
    expect(await compareRefunds(running.core, 0, at.clock.now + DAY)).toMatchObject([{ kind: 'EXCESS' }])
  })
})
