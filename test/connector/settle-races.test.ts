// The operator decides while the bank is being asked: what the bank states to have done is a fact.
import { describe, expect, it } from 'vitest'
import { chargeToSettle, refundToSettle } from '../../connector/commands/held.ts'
import { reportHeld, reportSent, reportUnsent } from '../../connector/money/refund/reports.ts'
import { charged, TBANK } from './bound.ts'
import {
  DAY,
  HOUR,
  launched,
  ofRefund,
  pay,
  type Running,
  refund,
  register,
  start,
  type surroundings,
} from './harness.ts'

type At = Awaited<ReturnType<typeof surroundings>>
const DECLINED = { result: 'DECLINED', reason: 'not seen in the console', by: 'anna' } as const

/** Raiffeisenbank has carried out a refund, and has not said so; it is held, and the bank is asked again. */
async function heldRefund() {
  const { at, running } = await launched()
  const link = await register(at, 'farm')
  await pay(at, 'farm', link.qrcId)
  await running.connector.settle()
  at.raiffeisen.refundStatus = 'IN_PROGRESS'
  const asked = await refund(at, 'farm', link, '30.00')
  await running.connector.settle()
  await running.later(4 * DAY)
  expect(running.core.disk.refunds.held()).toHaveLength(1)
  for (const each of at.raiffeisen.refunds.values()) each.status = 'COMPLETED'
  const options = { payment: asked.paymentUid, refund: asked.refundUid }
  const decide = () => refundToSettle(running.core, options, { site: 'farm', ...DECLINED })
  const status = () => ofRefund(at, asked)?.status
  return { at, running, bank: at.raiffeisen, question: 'refund_status', decide, status }
}

/** Raiffeisenbank carries out a refund; a restored disk does not know whether it was sent, and holds it for less than 72 hours. */
async function restoredRefund() {
  const { at, running } = await launched()
  const link = await register(at, 'farm')
  await pay(at, 'farm', link.qrcId)
  await running.connector.settle()
  at.raiffeisen.refundStatus = 'IN_PROGRESS'
  at.raiffeisen.fail('refund', { broken: 'after' })
  const asked = await refund(at, 'farm', link, '30.00')
  await running.connector.settle(1)
  await running.stop()
  const restored = await start(at, { restoredFrom: at.clock.now })
  at.raiffeisen.fail('refund_status', { status: 502 })
  await restored.connector.settle(2)
  expect(restored.core.disk.refunds.held()).toMatchObject([{ told: 'HELD' }])
  const options = { payment: asked.paymentUid, refund: asked.refundUid }
  const decide = () => refundToSettle(restored.core, options, { site: 'farm', ...DECLINED })
  const status = () => ofRefund(at, asked)?.status
  return { at, running: restored, bank: at.raiffeisen, question: 'refund_status', decide, status }
}

/** The same of a charge at T-Bank. */
async function heldCharge() {
  const { at, running, asked } = await charged(TBANK, (of) => TBANK.decide(of.at, 'AUTHORIZING'))
  const row = running.core.disk.charges.get({ site: 'cafe', paymentUid: asked.paymentUid })
  if (!row) throw new Error('the charge is missing')
  running.core.disk.charges.change(row, { state: 'HELD', reason: 'shown to the operator' })
  const paymentId = String(Object(at.tbank.callsOf('ChargeQr')[0]?.body).PaymentId)
  await at.tbank.finishCharge(paymentId, 'CONFIRMED', { times: 0 })
  const decide = () =>
    chargeToSettle(running.core, {
      ...{ site: 'cafe', paymentUid: asked.paymentUid, number: undefined, ...DECLINED },
    })
  return { at, running, bank: at.tbank, question: 'GetState', decide, status: () => asked.result()?.status }
}

/** A refund that could not be sent, and that the operator has read; from now on it can be. */
async function unsentRefund() {
  const { at, running } = await launched()
  const link = await register(at, 'cafe')
  await at.tbank.pay(link.qrcId)
  await running.connector.settle()
  at.tbank.fail('GetState', { changes: { Status: 'SOMETHING_NEW' } })
  const asked = await refund(at, 'cafe', link, '30.00')
  await running.connector.settle(1)
  at.clock.now += 3 * DAY
  const options = { payment: asked.paymentUid, refund: asked.refundUid }
  const late = refundToSettle(running.core, options, { site: 'cafe', ...DECLINED })
  return { at, running, asked, late }
}

async function later(at: At, { connector }: Running) {
  at.clock.now += HOUR
  await connector.settle()
}

it('a refund that could not be sent for 72 hours is not decided while the connector asks whether it can', async () => {
  const { at, running, asked, late } = await unsentRefund()
  const refusals: string[] = []
  at.tbank.beforeAnswer = async (operation) => {
    if (operation !== 'GetState') return
    try {
      running.core.disk.transaction(late.finish)
    } catch (error) {
      refusals.push(String(error))
    }
  }
  await running.connector.settle()
  expect(refusals).toEqual([
    expect.stringContaining('the refund is SENDING, the bank is being asked: try again in a minute'),
  ])
  expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
})

it('a refund that was read as not sent, and is held since, is not decided: it may have been sent', async () => {
  const { at, running, asked, late } = await unsentRefund()
  at.tbank.fail('Cancel', { broken: 'before' })
  await running.connector.settle()
  expect(running.core.disk.refunds.held()).toHaveLength(1)
  expect(() => running.core.disk.transaction(late.finish)).toThrow('has changed meanwhile')
  expect(ofRefund(at, asked)).toBeUndefined()
})

describe.each([
  ['refund', heldRefund],
  ['charge', heldCharge],
])('a held %s', (_, held) => {
  it('that the operator declines while the bank states it completed is completed', async () => {
    const { at, running, bank, question, decide, status } = await held()
    const { disk } = running.core
    let decided = 0
    bank.beforeAnswer = async (operation) => {
      if (operation !== question || decided++ > 0) return
      disk.transaction(decide().finish)
    }
    await later(at, running)
    expect(decided).toBeGreaterThan(0)
    await later(at, running)
    expect(status()).toBe('COMPLETED')
  })

  it('is not declined by an operator who has read it before the bank stated its end', async () => {
    const { at, running, decide, status } = await held()
    const late = decide()
    await later(at, running)
    expect(() => running.core.disk.transaction(late.finish)).toThrow('only a held one can be settled')
    await later(at, running)
    expect(status()).toBe('COMPLETED')
  })
})

it('what the operator decides of a refund while the bank states it in progress is reported, and nothing else', async () => {
  const { at, running, bank, question, decide, status } = await restoredRefund()
  const { disk } = running.core
  bank.beforeAnswer = async (operation) => {
    if (operation !== question) return
    bank.beforeAnswer = async () => {}
    disk.transaction(decide().finish)
  }
  const reports = at.service.reports.length
  await later(at, running)
  expect(status()).toBe('DECLINED')
  expect(at.service.reports.slice(reports)).toMatchObject([{ body: { status: 'DECLINED' } }])
})

it('a report that a refund waits replaces no result that the operator has decided meanwhile', async () => {
  const { at, running, decide, status } = await restoredRefund()
  const { core, connector } = running
  const [read] = core.disk.refunds.held()
  if (!read) throw new Error('it is held')
  core.disk.transaction(decide().finish)
  reportSent(core, read)
  reportUnsent(core, read, 'the bank does not answer')
  reportHeld(core, read, true)
  await connector.settle()
  expect([status(), at.service.reports.at(-1)?.body.status]).toEqual(['DECLINED', 'DECLINED'])
  expect(core.disk.refunds.get(read)?.told).toBe('HELD')
})
