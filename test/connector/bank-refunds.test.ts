// Refunds as T-Bank and Raiffeisenbank make them: what each answer decides, and a refund made in the console of T-Bank.
import { describe, expect, it } from 'vitest'
import { derivedId } from '../../connector/derived-id.ts'
import {
  CAFE,
  deliver,
  FARM,
  HOUR,
  launched,
  MINUTE,
  ofRefund,
  pay,
  refund,
  register,
  type Surroundings,
  start,
} from './harness.ts'
import { HTML, paid } from './paid.ts'

describe('T-Bank, where no answer to Cancel says that nothing was done', () => {
  const FAILED = { Success: false, ErrorCode: '9999', Message: 'Повторите попытку позже' }
  const state = (Status: string, changes: object = {}) => ({
    status: 200,
    body: { Success: true, ErrorCode: '0', Status, ...changes },
  })
  const REFUSED = state('CONFIRMED', { QrCancelCode: 'I05043', QrCancelMessage: 'Нет счета', Amount: 3_000 })

  /** A payment, and what its refund of 30 roubles becomes. */
  async function cafe() {
    const { at, running, link } = await paid(CAFE)
    const { tbank, clock } = at
    /** Hours later, with the answers of the bank to all questions about refunds. */
    const later = async (hours: number, answer?: Parameters<typeof tbank.fail>[1]) => {
      for (let minute = 0; minute < hours * 60; minute += 10) {
        clock.now += 10 * MINUTE
        if (answer) tbank.fail('GetQrState', answer)
        await running.connector.settle(1)
        tbank.heal()
      }
    }
    const ask = async () => {
      const asked = await refund(at, 'cafe', link, '30.00')
      await running.connector.settle()
      return asked
    }
    const waiting = ({ refundUid }: { refundUid: string }) =>
      at.service.site('cafe').waiting.get(`${link.qrcId}/${refundUid}`)
    return { at, running, link, tbank, later, ask, waiting, held: () => running.core.disk.refunds.held() }
  }

  it.each(['GetState', 'GetQrState'])(
    'a second refund that was executed and answered false is held, also where %s is stale',
    async (stale) => {
      const { at, tbank, ask, later, held, waiting } = await cafe()
      expect(ofRefund(at, await ask())?.status).toBe('COMPLETED')
      tbank.fail('Cancel', { status: 200, executed: true, body: FAILED })
      tbank.fail(stale, state('PARTIAL_REFUNDED', { QrCancelCode: 'I05043' }))
      const second = await ask()
      await later(3, REFUSED)
      expect(ofRefund(at, second)).toBeUndefined()
      expect(held()).toMatchObject([{ refundUid: second.refundUid }])
      expect(waiting(second)).toMatch(/^held, .* the operator has to look at the bank: Cancel: .*9999/)
      const third = await ask()
      await later(1)
      expect(ofRefund(at, third)).toBeUndefined()
      expect(tbank.refundedSum).toBe(6_000)
      expect(tbank.callsOf('Cancel')).toHaveLength(2)
    },
  )

  it('a first refund that was executed and answered false is held, while the bank says CONFIRMED or anything else', async () => {
    const { at, tbank, ask, later, held, waiting } = await cafe()
    tbank.fail('Cancel', { status: 200, executed: true, body: FAILED })
    tbank.fail('GetState', state('CONFIRMED'), 2)
    const first = await ask()
    for (const status of ['CONFIRMED', 'PARTIAL_REFUNDED', 'REFUNDED', 'ASYNC_REFUNDING', 'REVERSED']) {
      await later(2, state(status))
      expect(ofRefund(at, first)).toBeUndefined()
      expect(held()).toMatchObject([{ refundUid: first.refundUid, reason: expect.stringContaining(status) }])
    }
    expect(waiting(first)).toMatch(/the bank is asked again: .*declined if the bank states for an hour/)
    expect([tbank.refundedSum, tbank.callsOf('Cancel').length]).toEqual([3_000, 1])
  })

  it('the payment’s first refund is declined out of the hold, after the bank has stated for an hour that it failed', async () => {
    const { at, tbank, ask, later, held } = await cafe()
    tbank.refusal = { ErrorCode: '9999', Message: 'Повторите попытку позже' }
    const first = await ask()
    await later(0.5, REFUSED)
    // Between the two statements the bank states something else: the hour begins again.
    await later(0.2, state('CONFIRMED'))
    await later(0.7, REFUSED)
    expect(ofRefund(at, first)).toBeUndefined()
    expect(held()).toHaveLength(1)
    await later(3, REFUSED)
    expect(ofRefund(at, first)).toEqual({ status: 'DECLINED', reason: 'Нет счета' })
    expect([tbank.refundedSum, held()]).toEqual([0, []])
  })

  it('the bank’s error of an earlier refund declines no later one', async () => {
    const { at, tbank, ask, later, held } = await cafe()
    tbank.refusal = { ErrorCode: '9999', Message: 'Повторите попытку позже' }
    await ask()
    await later(3, REFUSED)
    tbank.refusal = undefined
    tbank.fail('Cancel', { status: 200, executed: true, body: FAILED })
    const second = await ask()
    await later(5, REFUSED)
    expect(ofRefund(at, second)).toBeUndefined()
    expect(held()).toMatchObject([{ refundUid: second.refundUid }])
  })

  it.each([true, false])(
    'a later refund that takes its time is held: PARTIAL_REFUNDED is also the status before it (refunded: %s)',
    async (isRefunded) => {
      const { at, tbank, ask, later, held, link } = await cafe()
      await ask()
      tbank.isRefundSlow = true
      const second = await ask()
      tbank.finishRefund(tbank.session(link.qrcId).paymentId, isRefunded)
      await later(2)
      expect(ofRefund(at, second)).toBeUndefined()
      expect(held()).toMatchObject([{ refundUid: second.refundUid }])
    },
  )

  it('a restart does not shorten the hour, and a lost answer of the first refund ends as a refusal does', async () => {
    const { at, running, tbank, ask, later } = await cafe()
    tbank.fail('Cancel', { broken: 'before' })
    const first = await ask()
    await later(0.5, REFUSED)
    await running.stop()
    const next = await start(at)
    tbank.fail('GetQrState', REFUSED)
    await next.connector.settle()
    expect(ofRefund(at, first)).toBeUndefined()
    at.clock.now += HOUR
    tbank.fail('GetQrState', REFUSED)
    await next.connector.settle()
    expect(ofRefund(at, first)?.status).toBe('DECLINED')
  })
})

it.each([
  ['waits', 1],
  ['is held', 80],
])(
  'the notification of the end of a refund that %s counts while T-Bank states what was before',
  async (_, age) => {
    const { at, running, link } = await paid(CAFE)
    const { connector, later, core } = running
    at.tbank.isRefundSlow = true
    const asked = await refund(at, 'cafe', link, '30.00')
    await connector.settle()
    await later(age * HOUR)
    expect(core.disk.refunds.countHeld()).toBe(age > 72 ? 1 : 0)
    const { paymentId } = at.tbank.session(link.qrcId)
    at.tbank.beforeAnswer = async () => {
      at.tbank.beforeAnswer = async () => {}
      at.tbank.finishRefund(paymentId, true)
      await at.tbank.deliver(paymentId)
      connector.turn()
      await expect.poll(() => core.disk.webhooks.countWaiting()).toBe(0)
    }
    await later(HOUR + 1_000, 1, 1)
    expect(ofRefund(at, asked)).toBeUndefined()
    await connector.settle()
    expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
  },
)

it('the notification of the end of a refund asks T-Bank one question, about the refund', async () => {
  const { at, running, link } = await paid(CAFE)
  at.tbank.isRefundSlow = true
  const asked = await refund(at, 'cafe', link, '30.00')
  await running.connector.settle()
  const { paymentId } = at.tbank.session(link.qrcId)
  at.tbank.finishRefund(paymentId, true)
  const before = at.tbank.calls.length
  await at.tbank.deliver(paymentId)
  await running.connector.settle()
  expect(at.tbank.calls.slice(before).map(({ operation }) => operation)).toEqual(['GetQrState'])
  expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
})

describe('Raiffeisenbank, where after a lost answer only the status by the id decides', () => {
  const refusal = (code: string) => ({ status: 400, body: { code: `ERROR.${code}`, message: 'нет' } })

  async function farm() {
    const { at, running, link } = await paid(FARM)
    const bank = at.raiffeisen
    const later = async (minutes: number) => {
      await running.later(MINUTE, minutes, 2)
    }
    return { at, running, link, bank, later, refunds: running.core.disk.refunds }
  }

  it.each([
    ['a gateway answers 404 to everything', { '*': { status: 404, body: HTML } }],
    ['a gateway answers 400 to everything', { '*': { status: 400, body: { error: 'no' } } }],
    ['its status call answers 400', { refund_status: { status: 400, body: HTML } }],
    [
      'its status call answers 200 and no status',
      { refund_status: { status: 200, body: { code: 'SUCCESS' } } },
    ],
    [
      'the bank does not find it, and a gateway answers 404 to the repeat',
      {
        refund_status: refusal('REFUND_NOT_FOUND'),
        refund: { status: 404, body: HTML },
      },
    ],
    [
      'the bank does not find it, and refuses the repeat',
      {
        refund_status: refusal('REFUND_NOT_FOUND'),
        refund: refusal('REFUND_INSUFFICIENT_FUNDS'),
      },
    ],
  ])('an executed refund whose connection broke is not declined where %s', async (_, faults) => {
    const { at, running, link, bank, later } = await farm()
    bank.fail('refund', { broken: 'after' })
    const asked = await refund(at, 'farm', link, '100.00')
    await running.connector.settle()
    for (const [operation, fault] of Object.entries(faults)) bank.fail(operation, fault, 50)
    const second = await refund(at, 'farm', link, '100.00')
    await later(30)
    expect([ofRefund(at, asked), ofRefund(at, second)]).toEqual([undefined, undefined])
    expect(bank.refundedSum).toBe(10_000)
    bank.heal()
    await later(121)
    expect(ofRefund(at, asked)).toEqual({ status: 'COMPLETED', amount: asked.amount })
    // The first request of the second one: its refusal decides.
    expect(ofRefund(at, second)?.status).toBe('DECLINED')
    expect(bank.refundedSum).toBe(10_000)
  })

  it.each(['REFUND_INSUFFICIENT_FUNDS', 'INVALID_REQUEST'])(
    'the documented %s of the first attempt declines',
    async (code) => {
      const { at, running, link, bank } = await farm()
      bank.fail('refund', refusal(code))
      const asked = await refund(at, 'farm', link, '30.00')
      await running.connector.settle()
      expect(ofRefund(at, asked)).toEqual({
        status: 'DECLINED',
        reason: `Raiffeisenbank: ERROR.${code}, нет`,
      })
    },
  )

  it.each(['REFUND_NOT_FOUND', 'NOT_FOUND', 'REFUND_ID_ALREADY_USED'])(
    '%s of the first attempt decides nothing, and the refund counts once',
    async (code) => {
      const { at, running, link, bank, later } = await farm()
      bank.fail('refund', { ...refusal(code), executed: true })
      const asked = await refund(at, 'farm', link, '30.00')
      await running.connector.settle()
      expect(ofRefund(at, asked)).toBeUndefined()
      await later(2)
      expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
      expect(bank.refundedSum).toBe(3_000)
    },
  )

  it('what the bank does not find is sent again under the same id, and the answer to that is asked for by the id', async () => {
    const { at, running, link, bank, later } = await farm()
    bank.fail('refund', { broken: 'before' })
    const asked = await refund(at, 'farm', link, '30.00')
    await running.connector.settle()
    await later(2)
    expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
    const ids = bank.callsOf('refund').map(({ body }) => Object(body).refundId)
    expect(ids).toEqual([ids[0], ids[0]])
    expect(bank.callsOf('refund_status')).toHaveLength(2)
  })

  it('what is sent again after hours without the bank has its result at once', async () => {
    const { at, running, link, bank } = await farm()
    bank.fail('refund', { broken: 'before' })
    const asked = await refund(at, 'farm', link, '30.00')
    await running.connector.settle()
    await running.later(3 * HOUR)
    expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
    expect(bank.callsOf('refund')).toHaveLength(2)
  })

  it.each([
    ['that it does not have it', refusal('REFUND_NOT_FOUND')],
    ['nothing', { status: 502 }],
    ['HTML', { status: 404, body: HTML }],
    [
      'that it was declined',
      { status: 200, body: { code: 'SUCCESS', amount: 30, refundStatus: 'DECLINED' } },
    ],
  ])('what is sent again is asked about once more where the bank then states %s', async (_, stated) => {
    const { at, running, link, bank, later, refunds } = await farm()
    bank.fail('refund', { broken: 'before' })
    const asked = await refund(at, 'farm', link, '30.00')
    await running.connector.settle()
    bank.fail('refund_status', refusal('REFUND_NOT_FOUND'))
    bank.fail('refund_status', stated)
    await running.later(MINUTE, 1, 1)
    expect([bank.refundedSum, ofRefund(at, asked), refunds.countHeld()]).toEqual([3_000, undefined, 0])
    await later(2)
    expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
    expect(bank.refundedSum).toBe(3_000)
  })

  it('what is sent again after days is new at the bank: it is asked about each minute, and not held', async () => {
    const { at, running, link, bank, later, refunds } = await farm()
    bank.fail('refund', { broken: 'before' })
    const asked = await refund(at, 'farm', link, '30.00')
    await running.connector.settle()
    bank.refundStatus = 'IN_PROGRESS'
    await running.later(96 * HOUR, 1, 1)
    expect([bank.refundedSum, refunds.countHeld()]).toEqual([3_000, 0])
    for (const each of bank.refunds.values()) each.status = 'COMPLETED'
    await later(1)
    expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
  })

  it('of a held refund that the bank then has in progress the merchant is told so', async () => {
    const { at, running, link, bank, later, refunds } = await farm()
    bank.fail('refund', { broken: 'before' })
    const asked = await refund(at, 'farm', link, '30.00')
    const told = () => at.service.site('farm').waiting.get(`${link.qrcId}/${asked.refundUid}`)
    await running.connector.settle()
    bank.fail('refund', refusal('INVALID_REQUEST'))
    await later(2)
    expect([refunds.countHeld(), told()]).toEqual([1, expect.stringMatching(/^held, /)])
    const inProgress = { code: 'SUCCESS', amount: 30, refundStatus: 'IN_PROGRESS' }
    bank.fail('refund_status', { status: 200, body: inProgress }, 9)
    await later(2)
    expect([refunds.countHeld(), told()]).toEqual([
      0,
      'sent to the bank, which has not stated the result yet',
    ])
  })

  it('a status that never finds the refund has it sent again at most once a minute', async () => {
    const { at, running, link, bank } = await farm()
    bank.fail('refund', { broken: 'after' })
    bank.fail('refund_status', refusal('REFUND_NOT_FOUND'), 1_000)
    await refund(at, 'farm', link, '30.00')
    for (let second = 0; second < 300; second += 10) {
      await running.later(10_000, 1, 1)
    }
    expect(bank.callsOf('refund').length).toBeLessThanOrEqual(5)
  })

  it('a refund that the bank had taken, and does not find any more, is held', async () => {
    const { at, running, link, bank, later, refunds } = await farm()
    bank.refundStatus = 'IN_PROGRESS'
    await refund(at, 'farm', link, '30.00')
    await running.connector.settle()
    bank.fail('refund_status', refusal('REFUND_NOT_FOUND'), 1_000)
    await later(5)
    expect(bank.callsOf('refund')).toHaveLength(1)
    expect(refunds.held()).toHaveLength(1)
  })

  it('a refund by the order is held where one link has two payments', async () => {
    const { at, running, link, bank, later, refunds } = await farm()
    at.clock.now += MINUTE
    await pay(at, 'farm', link.qrcId)
    await running.connector.settle()
    expect(at.service.site('farm').payments.size).toBe(2)
    const asked = await refund(at, 'farm', link, '30.00')
    await later(70)
    expect([bank.callsOf('refund').length, ofRefund(at, asked)]).toEqual([0, undefined])
    expect(refunds.held()).toMatchObject([{ reason: expect.stringContaining('several payments') }])
  })
})

it('a refund of the second payment of a link is held at Raiffeisenbank, on a disk that has neither payment', async () => {
  const { at, running, link, bank } = await paid(FARM)
  at.clock.now += MINUTE
  await pay(at, 'farm', link.qrcId)
  await running.connector.settle()
  const second = Array.from(at.service.site('farm').payments.keys()).find((uid) => uid !== link.qrcId) ?? ''
  await running.loseDisk()
  at.clock.now += HOUR
  const next = await start(at)
  await next.connector.settle()
  at.clock.now += HOUR
  const asked = await refund(at, 'farm', { ...link, paymentUid: second }, '30.00')
  await next.connector.settle()
  expect([bank.callsOf('refund').length, ofRefund(at, asked)]).toEqual([0, undefined])
  expect(next.core.disk.refunds.held()).toMatchObject([
    { paymentUid: second, reason: expect.stringContaining('several payments') },
  ])
})

describe('a refund made in the console of T-Bank', () => {
  it('is reported once, where the bank states that all of the payment is refunded', async () => {
    const { at, running, link } = await paid(CAFE)
    const { paymentId } = at.tbank.session(link.qrcId)
    await at.tbank.refundInConsole(paymentId, 2_500, { times: 2 })
    await running.connector.settle()
    // The bank states no sum of a part: its Amount is that of the last cancellation, perhaps of a failed one.
    expect(at.service.site('cafe').refunds.size).toBe(0)
    expect(running.log).toContainEqual(
      expect.objectContaining({ message: 'the refunds of a payment at the bank are unclear' }),
    )
    await at.tbank.refundInConsole(paymentId, 7_500, { times: 2 })
    await running.connector.settle()
    expect(Array.from(at.service.site('cafe').refunds)).toEqual([
      [
        expect.stringMatching(new RegExp(`^${link.qrcId}/bank-[0-9a-f]{16}$`)),
        { status: 'COMPLETED', amount: { value: '100.00', currency: 'RUB' } },
      ],
    ])
  })

  describe('and whose identifier a refund of the merchant has', () => {
    const AMOUNT = { value: '70.00', currency: 'RUB' }
    const refundsOf = (at: Surroundings) =>
      Array.from(at.service.site('cafe').refunds, ([key, { amount }]) => [key.split('/')[1], amount])
    /** The identifiers under which a refund of 70.00 of a payment is reported, one after the other. */
    const uidOf = ({ qrcId }: { qrcId: string }, number: number) =>
      `bank-${derivedId(['cafe', qrcId, '7000', String(number)], 16)}`

    /** A payment of 100.00 of which an instruction has refunded 30.00 under the identifier, and the console the rest. */
    async function refunded(refundUid: (link: { qrcId: string }) => string) {
      const { at, running, link } = await paid(CAFE)
      await refund(at, 'cafe', link, '30.00', refundUid(link))
      await running.connector.settle()
      await at.tbank.refundInConsole(at.tbank.session(link.qrcId).paymentId, 7_000)
      await running.connector.settle()
      return { at, running, link }
    }

    it.each([
      ['of 0.3.0', () => 'bank-10000', 0],
      ['that this version takes first', (link: { qrcId: string }) => uidOf(link, 0), 1],
    ])('%s: each has its own, and both are reported', async (_, merchants, number) => {
      const { at, link, running } = await refunded(merchants)
      expect(refundsOf(at)).toEqual([
        [merchants(link), { value: '30.00', currency: 'RUB' }],
        [uidOf(link, number), AMOUNT],
      ])
      expect(running.core.disk.reports.notAccepted()).toEqual([])
    })

    it('that the service alone knows: the next one is taken, once, also after a restart', async () => {
      const { at, running, link } = await paid(CAFE)
      const taken = {
        paymentUid: link.qrcId,
        refundUid: uidOf(link, 0),
        amount: { value: '30.00', currency: 'RUB' },
      }
      at.service
        .site('cafe')
        .refunds.set(`${link.qrcId}/${taken.refundUid}`, { status: 'DECLINED', amount: taken.amount })
      await refund(at, 'cafe', link, '30.00')
      await running.connector.settle()
      await at.tbank.refundInConsole(at.tbank.session(link.qrcId).paymentId, 7_000)
      await running.connector.settle()
      await running.stop()
      const next = await start(at)
      await deliver(at, 'cafe', link.qrcId)
      await next.connector.settle()
      expect(refundsOf(at).slice(2)).toEqual([[uidOf(link, 1), AMOUNT]])
      expect(next.core.disk.reports.notAccepted()).toEqual([])
    })

    it('and which the service then instructs: it is carried out, and that of the bank is reported under the next one', async () => {
      const { at, running, link } = await paid(CAFE)
      await refund(at, 'cafe', link, '20.00')
      await running.connector.settle()
      await at.tbank.refundInConsole(at.tbank.session(link.qrcId).paymentId, 8_000)
      await running.connector.settle()
      const [, [first] = []] = refundsOf(at)
      const uid = String(first)
      expect(uid).toBe(`bank-${derivedId(['cafe', link.qrcId, '8000', '0'], 16)}`)
      // A restored service has lost that report, and the merchant has used its identifier.
      at.service.site('cafe').refunds.delete(`${link.qrcId}/${uid}`)
      await refund(at, 'cafe', link, '5.00', uid)
      await running.connector.settle()
      const reported = new Map(refundsOf(at).map(([key, amount]) => [key, amount]))
      expect(reported.get(`bank-${derivedId(['cafe', link.qrcId, '8000', '1'], 16)}`)).toMatchObject({
        value: '80.00',
      })
      expect(
        running.core.disk.refunds.get({ site: 'cafe', paymentUid: link.qrcId, refundUid: uid }),
      ).toMatchObject({ amount: 500, bankUid: null })
    })

    it('on a disk of 0.3.0 that reports it under the merchant’s identifier: each has its own', async () => {
      const { at, running, link } = await paid(CAFE)
      await refund(at, 'cafe', link, '30.00', 'bank-10000')
      await running.connector.settle()
      const path = `payments/${link.qrcId}/refunds/bank-10000`
      const body = { status: 'COMPLETED', amount: AMOUNT }
      running.core.disk.reports.put({ site: 'cafe', path, body }, at.clock.now)
      await running.connector.settle()
      expect(running.core.disk.reports.notAccepted()).toEqual([])
      await at.tbank.refundInConsole(at.tbank.session(link.qrcId).paymentId, 7_000)
      await running.connector.settle()
      expect(refundsOf(at)).toEqual([
        ['bank-10000', { value: '30.00', currency: 'RUB' }],
        [uidOf(link, 0), AMOUNT],
      ])
    })

    it('a service that refuses every identifier is not asked for ever: the report is listed as not accepted', async () => {
      const { at, running, link } = await paid(CAFE)
      at.service.answerTo('/refunds/bank-', {
        status: 409,
        body: { errorCode: 'payin.resource.already.exists' },
      })
      await at.tbank.refundInConsole(at.tbank.session(link.qrcId).paymentId, 10_000)
      await running.connector.settle(30)
      expect(at.service.reports.filter(({ path }) => path.includes('/refunds/bank-'))).toHaveLength(10)
      expect(running.core.disk.reports.notAccepted()).toHaveLength(1)
    })
  })

  it('is not made up while a refund of ours is in flight or held', async () => {
    const { at, running, link, bank } = await paid(CAFE)
    bank.fail('Cancel', { broken: 'after' })
    await refund(at, 'cafe', link, '100.00')
    await running.connector.settle()
    await at.tbank.deliver(at.tbank.session(link.qrcId).paymentId)
    await running.connector.settle()
    expect(at.service.site('cafe').refunds.size).toBe(0)
    expect(running.core.disk.refunds.held()).toHaveLength(1)
  })

  it.each(['before', 'after'])(
    'is not made up of one that a restored disk lacks: the payment is found %s the restore',
    async (found) => {
      const { at, running: before } = await launched()
      const link = await register(at, 'cafe')
      await pay(at, 'cafe', link.qrcId, { times: found === 'before' ? 1 : 0 })
      await before.connector.settle(2)
      await before.stop()
      at.clock.now += MINUTE
      const backup = at.clock.now
      // Refunded by an instruction that the backup does not have; the service knows the result.
      at.clock.now += MINUTE
      const { paymentId } = at.tbank.session(link.qrcId)
      await at.tbank.refundInConsole(paymentId, 3_000, { times: 0 })
      const after = await start(at, { restoredFrom: backup })
      at.clock.now += MINUTE
      await at.tbank.deliver(paymentId)
      await after.connector.settle()
      expect(at.service.site('cafe').payments.size).toBe(1)
      expect(at.service.site('cafe').refunds.size).toBe(0)
      expect(after.log).toContainEqual(
        expect.objectContaining({ message: 'the refunds of a payment at the bank are unclear' }),
      )
    },
  )

  it.each(['100.00', '0.01'])(
    'is neither made up nor suspected where a refund of ours of %s is completed',
    async (value) => {
      const { at, running, link } = await paid(CAFE)
      const asked = await refund(at, 'cafe', link, value)
      await running.connector.settle()
      await at.tbank.deliver(at.tbank.session(link.qrcId).paymentId)
      await running.connector.settle()
      expect(Array.from(at.service.site('cafe').refunds.keys())).toEqual([`${link.qrcId}/${asked.refundUid}`])
      expect(running.log.filter(({ level }) => level !== 'info')).toEqual([])
    },
  )
})
