// Refunds compared with what banks state of them: by id, by the status of the payment, or not at all.
import { describe, expect, it } from 'vitest'
import { compareRefunds, countExcess } from '../../connector/money/refund/comparison.ts'
import { finishRefund } from '../../connector/money/refund/refunds.ts'
import {
  DAY,
  HOUR,
  launched,
  MINUTE,
  pay,
  type Running,
  refund,
  register,
  type Surroundings,
} from './harness.ts'

async function paid(site: string) {
  const { at, running } = await launched()
  const link = await register(at, site)
  at.clock.now += MINUTE
  await pay(at, site, link.qrcId)
  await running.connector.settle()
  /** A refund, and what follows from it. */
  const refunded = async (value: string) => {
    const { refundUid } = await refund(at, site, link, value)
    await running.connector.settle()
    return refundUid
  }
  return { at, ...running, link, refunded }
}

const findings = (at: Surroundings, { core }: Pick<Running, 'core'>) =>
  compareRefunds(core, at.clock.now - DAY, at.clock.now + DAY)

/** The only refund that the fake has. */
const onlyOf = (refunds: ReadonlyMap<string, unknown>): string => Array.from(refunds.keys())[0] ?? ''

it('a declined refund that Raiffeisenbank has carried out is an excess', async () => {
  const { at, core, link, refunded } = await paid('farm')
  at.raiffeisen.refundStatus = 'DECLINED'
  const refundUid = await refunded('30.00')
  expect(await findings(at, { core })).toEqual([])
  at.raiffeisen.settleRefund(onlyOf(at.raiffeisen.refunds), 'COMPLETED')
  expect(await findings(at, { core })).toEqual([
    {
      kind: 'EXCESS',
      text: `farm refund ${refundUid} of ${link.qrcId}, 30.00 RUB: reported as DECLINED, at the bank it is COMPLETED`,
    },
  ])
})

it('a completed refund that Raiffeisenbank does not have is a difference', async () => {
  const { at, core, refunded } = await paid('farm')
  await refunded('30.00')
  expect(await findings(at, { core })).toEqual([])
  at.raiffeisen.refunds.clear()
  expect(await findings(at, { core })).toMatchObject([
    { kind: 'DIFFERENCE', text: expect.stringContaining('at the bank it is not known') },
  ])
})

it('a refund of Tochka is compared by the bank’s number, where it has given one', async () => {
  const { at, core, later, refunded } = await paid('tea')
  at.tochka.refundStatus = 'WaitingForAccept'
  await refunded('30.00')
  const id = onlyOf(at.tochka.refunds)
  at.tochka.settleRefund(id, 'Rejected')
  await later(HOUR)
  expect(await findings(at, { core })).toEqual([])
  at.tochka.settleRefund(id, 'Accepted')
  expect(await findings(at, { core })).toMatchObject([{ kind: 'EXCESS' }])
})

it('a refund of Tochka that ends at once is compared too', async () => {
  const { at, core, refunded } = await paid('tea')
  at.tochka.refundStatus = 'Rejected'
  await refunded('30.00')
  expect(await findings(at, { core })).toEqual([])
  at.tochka.settleRefund(onlyOf(at.tochka.refunds), 'Accepted')
  expect(await findings(at, { core })).toMatchObject([{ kind: 'EXCESS' }])
})

it('a refund of Tochka without a number is not comparable, and not taken as equal', async () => {
  const { at, core, refunded } = await paid('tea')
  const refusal = { code: '400', id: '1', message: 'нет', Errors: [] }
  at.tochka.fail('refund', { status: 400, body: refusal, executed: true })
  await refunded('30.00')
  expect(await findings(at, { core })).toMatchObject([
    {
      kind: 'NOT_COMPARABLE',
      text: expect.stringContaining('the bank has given it no number: not comparable'),
    },
  ])
})

it.each([
  ['all, and a part was reported', '30.00', 7_000, 'EXCESS'],
  ['all, and all was reported', '100.00', 0, undefined],
  ['a part, and a part was reported', '30.00', 1_000, 'NOT_COMPARABLE'],
])('T-Bank states %s', async (_, reported, more, kind) => {
  const { at, core, link, refunded } = await paid('cafe')
  await refunded(reported)
  const { paymentId } = at.tbank.session(link.qrcId)
  if (more > 0) await at.tbank.refundInConsole(paymentId, more, { times: 0 })
  expect((await findings(at, { core })).map((finding) => finding.kind)).toEqual(kind ? [kind] : [])
})

describe('T-Bank, of the only refund', () => {
  /** A refund that the bank answered with a refusal, and the operator has decided. */
  async function decided(state: 'COMPLETED' | 'DECLINED', executed: boolean) {
    const of = await paid('cafe')
    const body = { Success: false, ErrorCode: '9999', Message: 'Повторите попытку позже' }
    of.at.tbank.fail('Cancel', { status: 200, executed, body })
    await of.refunded('30.00')
    const { disk } = of.core
    const [held] = disk.refunds.held()
    if (held) finishRefund(of.core, held, state, 'decided')
    return of
  }

  it.each([
    ['declined, and was carried out, is an excess', 'DECLINED', true, 'EXCESS'],
    ['completed, and was not carried out, is a difference', 'COMPLETED', false, 'DIFFERENCE'],
    ['declined, and was not carried out, is equal', 'DECLINED', false, undefined],
  ] as const)('one that was %s', async (_, state, executed, kind) => {
    const { at, core } = await decided(state, executed)
    expect((await findings(at, { core })).map((finding) => finding.kind)).toEqual(kind ? [kind] : [])
  })

  it('one without a result is not comparable, nor is a declined one beside it', async () => {
    const { at, core, refunded } = await decided('DECLINED', true)
    const body = { Success: false, ErrorCode: '9999', Message: 'Повторите попытку позже' }
    at.tbank.fail('Cancel', { status: 200, body })
    await refunded('10.00')
    expect(core.disk.refunds.countHeld()).toBe(1)
    expect(await findings(at, { core })).toMatchObject([
      { kind: 'NOT_COMPARABLE', text: expect.stringContaining('one of them has no result') },
    ])
  })
})

describe('what ends while the bank is asked', () => {
  it.each([
    ['with its result', 'COMPLETED', []],
    ['where it has none', 'SENDING', [{ kind: 'NOT_COMPARABLE' }]],
  ] as const)('counts at T-Bank, %s', async (_, state, expected) => {
    const { at, core, connector, link, refunded } = await paid('cafe')
    await refunded('30.00')
    at.tbank.beforeExecution = async (operation) => {
      if (operation !== 'GetState') return
      at.tbank.beforeExecution = async () => {}
      const { refundUid } = await refund(at, 'cafe', link, '70.00')
      await connector.settle()
      const row = core.disk.refunds.get({ site: 'cafe', paymentUid: link.qrcId, refundUid })
      if (row) core.disk.refunds.change(row, { state })
    }
    expect(await findings(at, { core })).toMatchObject(expected)
  })

  it('counts at Raiffeisenbank: a refund that was declined before', async () => {
    const { at, core, link, refunded } = await paid('farm')
    at.raiffeisen.refundStatus = 'DECLINED'
    const refundUid = await refunded('30.00')
    at.raiffeisen.settleRefund(onlyOf(at.raiffeisen.refunds), 'COMPLETED')
    at.raiffeisen.beforeAnswer = async () => {
      const row = core.disk.refunds.get({ site: 'farm', paymentUid: link.qrcId, refundUid })
      if (row) finishRefund(core, row, 'COMPLETED', '')
    }
    expect(await findings(at, { core })).toEqual([])
  })
})

it('T-Bank states a part of a payment of which all was reported: a difference', async () => {
  const { at, core, refunded } = await paid('cafe')
  await refunded('100.00')
  const stated = { Success: true, ErrorCode: '0', Status: 'PARTIAL_REFUNDED', Amount: 7_000 }
  at.tbank.fail('GetState', { status: 200, body: stated })
  expect(await findings(at, { core })).toMatchObject([{ kind: 'DIFFERENCE' }])
})

it('a bank that does not answer is not comparable', async () => {
  const { at, core, refunded } = await paid('farm')
  await refunded('30.00')
  at.raiffeisen.fail('refund_status', { status: 503 })
  expect(await findings(at, { core })).toMatchObject([{ kind: 'NOT_COMPARABLE' }])
})

it('the running connector compares what an operator has decided this week, also where it was given long before', async () => {
  const { at, core, connector, later, link } = await paid('farm')
  at.raiffeisen.refundStatus = 'IN_PROGRESS'
  const { refundUid } = await refund(at, 'farm', link, '30.00')
  await connector.settle()
  await later(DAY, 10)
  const [held] = core.disk.refunds.held()
  expect(held).toMatchObject({ refundUid })
  at.clock.now += MINUTE
  if (held) {
    const { site, paymentUid, amount } = held
    const of = {
      site,
      paymentUid,
      refundUid,
      receiptUid: null,
      result: 'DECLINED' as const,
      amount,
      reason: 'not found',
    }
    core.disk.decisions.insert({ ...of, by: 'anna', decidedAt: at.clock.now })
    finishRefund(core, held, 'DECLINED', 'not found')
  }
  at.raiffeisen.settleRefund(onlyOf(at.raiffeisen.refunds), 'COMPLETED')
  await later(6 * HOUR)
  expect(countExcess(core.disk)).toBe(1)
  await later(8 * DAY)
  expect(countExcess(core.disk)).toBe(0)
})

it('a stop does not wait for the comparison of all refunds', async () => {
  const { at, connector, stop, refunded } = await paid('farm')
  for (let i = 0; i < 20; i++) await refunded('1.00')
  at.clock.now += 6 * HOUR
  let stopped: Promise<void> | undefined
  at.raiffeisen.beforeAnswer = async (operation) => {
    if (operation === 'refund_status') stopped ??= stop()
  }
  connector.turn()
  await expect.poll(() => stopped !== undefined).toBe(true)
  await stopped
  expect(at.raiffeisen.callsOf('refund_status').length).toBeLessThan(20)
})

it('the running connector compares every six hours, and has the excess in its metrics and its log', async () => {
  const { at, later, log, url, refunded } = await paid('farm')
  at.raiffeisen.refundStatus = 'DECLINED'
  await refunded('30.00')
  at.raiffeisen.settleRefund(onlyOf(at.raiffeisen.refunds), 'COMPLETED')
  const excess = async () => {
    await later(6 * HOUR)
    const text = await (await fetch(`${url}/metrics`)).text()
    return /^fps_connector_excess_refunds (\d+)$/m.exec(text)?.[1]
  }
  expect(await excess()).toBe('1')
  expect(log).toContainEqual({
    level: 'error',
    message: 'a bank has refunded more than was reported',
    fields: { finding: expect.stringContaining('reported as DECLINED, at the bank it is COMPLETED') },
  })
  at.raiffeisen.settleRefund(onlyOf(at.raiffeisen.refunds), 'DECLINED')
  expect(await excess()).toBe('0')
})
