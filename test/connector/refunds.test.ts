// Refunds: money is never moved twice. What is in doubt is asked about, or held until the operator decides.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { finishRefund } from '../../connector/refunds.ts'
import {
  CAFE,
  FAKES,
  FARM,
  type Fake,
  fakeOf,
  HOUR,
  MINUTE,
  ofRefund,
  pay,
  refund,
  register,
  start,
  surroundings,
  TEA,
} from './harness.ts'

async function paid(bank: Fake) {
  const at = await surroundings()
  const running = await start(at)
  const link = await register(at, bank.site)
  await pay(at, bank.site, link.qrcId)
  await running.connector.settle()
  expect(at.service.site(bank.site).payments.size).toBe(1)
  return { at, running, link, bank: bank.of(at) }
}

const LOST = [
  ['the answer is lost', { broken: 'after' }],
  ['the request is lost', { broken: 'before' }],
  ['the bank answers 500', { status: 500, executed: true }],
  ['the bank answers 504 and has done nothing', { status: 504 }],
  ['the bank answers 408', { status: 408, executed: true }],
] as const

it.each([424, 409])(
  'holds a refund that Tochka answers by %i: it does not say what was done',
  async (status) => {
    const { at, running, link, bank } = await paid(TEA)
    bank.fail('refund', { status, executed: true })
    await refund(at, 'tea', link, '30.00')
    at.clock.now += HOUR
    await running.connector.settle()
    expect(running.core.disk.refunds.held()).toHaveLength(1)
    expect(bank.callsOf('refund')).toHaveLength(1)
  },
)

it('declines a refund that T-Bank refuses, and holds it if the payment has changed all the same', async () => {
  const { at, running, link } = await paid(CAFE)
  at.tbank.refusal = { ErrorCode: '10', Message: 'Терминал не может вернуть' }
  const refused = await refund(at, 'cafe', link, '30.00')
  await running.connector.settle()
  expect(ofRefund(at, refused)).toEqual({ status: 'DECLINED', reason: '10, Терминал не может вернуть' })
  at.tbank.beforeAnswer = async (operation) => {
    if (operation === 'Cancel') at.tbank.session(link.qrcId).status = 'PARTIAL_REFUNDED'
  }
  await refund(at, 'cafe', link, '20.00')
  await running.connector.settle()
  expect(running.core.disk.refunds.held()).toMatchObject([{ amount: 2_000 }])
})

describe.each([TEA, CAFE])('$site, whose bank has no key of a refund', (each) => {
  it.each(LOST)('holds a refund where %s, and never sends it again', async (_, fault) => {
    const { at, running, link, bank } = await paid(each)
    bank.fail(each.refund, fault)
    const doubtful = await refund(at, each.site, link, '30.00')
    await running.connector.settle()
    const next = await refund(at, each.site, link, '20.00')
    for (let day = 0; day < 3; day++) {
      at.clock.now += 24 * HOUR
      await doubtful.again()
      await next.again()
      await running.connector.settle()
    }
    expect(bank.callsOf(each.refund)).toHaveLength(1)
    expect(running.core.disk.refunds.held()).toMatchObject([{ refundUid: doubtful.refundUid, state: 'HELD' }])
    expect(ofRefund(at, doubtful)).toBeUndefined()
    expect(ofRefund(at, next)).toBeUndefined()
    // The operator's word releases the next one.
    const [row] = running.core.disk.refunds.held()
    expect(row && finishRefund(running.core, row, 'COMPLETED', 'seen in the console')).toBe(true)
    expect(row && finishRefund(running.core, row, 'DECLINED', 'too late')).toBe(false)
    await running.connector.settle()
    expect(ofRefund(at, next)).toEqual({ status: 'COMPLETED', amount: next.amount })
    await doubtful.again()
    await running.connector.settle()
    expect(ofRefund(at, doubtful)).toEqual({ status: 'COMPLETED', amount: doubtful.amount })
    expect(bank.callsOf(each.refund)).toHaveLength(2)
  })
})

describe('farm, whose bank takes an id of ours', () => {
  it.each(LOST)('refunds once where %s', async (_, fault) => {
    const { at, running, link, bank } = await paid(FARM)
    bank.fail('refund', fault)
    const asked = await refund(at, 'farm', link, '30.00')
    await running.connector.settle()
    at.clock.now += 2 * MINUTE
    await running.connector.settle()
    expect(ofRefund(at, asked)).toEqual({ status: 'COMPLETED', amount: asked.amount })
    expect(at.raiffeisen.refundedSum).toBe(3_000)
  })

  it('finds on a new disk what another disk has sent, by the same id', async () => {
    const { at, running, link, bank } = await paid(FARM)
    const asked = await refund(at, 'farm', link, '30.00')
    await running.connector.settle()
    await running.stop()
    rmSync(join(at.directory, 'connector.sqlite'))
    at.service.site('farm').refunds.clear()
    at.service.waitingRefunds.push({ ...asked, createdOn: new Date(at.clock.now).toISOString() })
    at.clock.now += MINUTE
    const next = await start(at)
    await next.connector.settle()
    expect(ofRefund(at, asked)).toEqual({ status: 'COMPLETED', amount: asked.amount })
    expect(bank.callsOf('refund')).toHaveLength(1)
    expect(next.core.disk.refunds.held()).toEqual([])
  })

  it('asks by the id after a restart, and sends it under the same id', async () => {
    const { at, running, link, bank } = await paid(FARM)
    bank.fail('refund', { broken: 'after' })
    const asked = await refund(at, 'farm', link, '30.00')
    await running.connector.settle()
    await running.stop()
    at.clock.now += 2 * MINUTE
    const next = await start(at)
    await next.connector.settle()
    expect(ofRefund(at, asked)).toEqual({ status: 'COMPLETED', amount: asked.amount })
    expect(bank.callsOf('refund')).toHaveLength(1)
  })
})

describe.each(FAKES)('$site', (each) => {
  it('reports what the bank refuses as declined', async () => {
    const { at, running, link } = await paid(each)
    const asked = await refund(at, each.site, link, '100.01')
    await running.connector.settle()
    expect(ofRefund(at, asked)).toMatchObject({ status: 'DECLINED', reason: expect.stringMatching(/./) })
    expect(running.core.disk.refunds.held()).toEqual([])
  })

  it.each([
    ['429', { status: 429, retryAfter: 120 }],
    ['a refusal of the credentials', { status: 401 }],
  ])('sends again after %s: it was not executed', async (_, fault) => {
    const { at, running, link, bank } = await paid(each)
    bank.fail(each.refund, fault)
    const asked = await refund(at, each.site, link, '30.00')
    await running.connector.settle()
    at.clock.now += 3 * MINUTE
    await running.connector.settle()
    expect(ofRefund(at, asked)).toEqual({ status: 'COMPLETED', amount: asked.amount })
    expect(bank.callsOf(each.refund)).toHaveLength(2)
  })

  it('holds every refund that is older than the disk', async () => {
    const { at, running, link, bank } = await paid(each)
    await running.stop()
    rmSync(join(at.directory, 'connector.sqlite'))
    const old = { ...link, siteId: each.site, paymentUid: link.qrcId, refundUid: 'old' }
    const data = { ...old, amount: { value: '10.00', currency: 'RUB' } }
    const givenAt = at.clock.now
    at.clock.now += MINUTE
    const next = await start(at)
    await at.service.instruct('refund.create', data, givenAt)
    at.clock.now += 1_000
    await at.service.instruct('refund.create', { ...data, refundUid: 'new' }, at.clock.now)
    await next.connector.settle()
    at.clock.now += 2 * HOUR
    await next.connector.settle()
    expect(next.core.disk.refunds.held()).toMatchObject([{ refundUid: 'old' }])
    expect(bank.callsOf(each.refund)).toHaveLength(0)
  })

  it('in the second of a new disk, holds what may be older, and sends what cannot be', async () => {
    const at = await surroundings({ now: Date.parse('2026-11-20T10:00:00.700Z') })
    const { connector, core } = await start(at)
    const link = await register(at, each.site)
    await pay(at, each.site, link.qrcId)
    await connector.settle()
    const young = await refund(at, each.site, link, '1.00')
    const data = { ...link, siteId: each.site, paymentUid: 'of-another-disk', refundUid: 'r' }
    await at.service.instruct('refund.create', { ...data, amount: young.amount }, at.clock.now)
    await connector.settle()
    expect(ofRefund(at, young)).toEqual({ status: 'COMPLETED', amount: young.amount })
    expect(core.disk.refunds.held()).toMatchObject([{ paymentUid: 'of-another-disk' }])
  })

  it('holds refunds between the backup and a start with --restored, and still after another start', async () => {
    const { at, running, link, bank } = await paid(each)
    const queued = await refund(at, each.site, link, '1.00')
    // The backup has it as taken and unsent; it may have been sent afterwards.
    await running.stop()
    const backup = at.clock.now - MINUTE
    const between = at.clock.now + MINUTE
    at.clock.now += 10 * MINUTE
    const restored = await start(at, { restoredFrom: backup })
    await restored.stop()
    const next = await start(at)
    const data = {
      ...link,
      siteId: each.site,
      paymentUid: link.qrcId,
      amount: { value: '2.00', currency: 'RUB' },
    }
    await at.service.instruct('refund.create', { ...data, refundUid: 'between' }, between)
    await next.connector.settle()
    const held = next.core.disk.refunds.held().map(({ refundUid }) => refundUid)
    expect(held).toEqual([queued.refundUid, 'between'])
    expect(bank.callsOf(each.refund)).toHaveLength(0)
  })
})

it('a refund that the lists of the service show, and that is older than the disk, is held from the start', async () => {
  const at = await surroundings()
  const item = {
    ...{
      siteId: 'tea',
      refundUid: 'r',
      paymentUid: 'p',
      qrcId: 'q',
      amount: { value: '1.00', currency: 'RUB' },
    },
    reference: 'tochka-main:MF0000000042:40702810500000000001/044525104',
  }
  at.service.waitingRefunds.push({ ...item, createdOn: new Date(at.clock.now - HOUR).toISOString() })
  at.service.waitingRefunds.push({
    ...item,
    refundUid: 's',
    createdOn: new Date(at.clock.now + HOUR).toISOString(),
  })
  const { connector, core } = await start(at)
  await connector.settle()
  expect(core.disk.refunds.held()).toMatchObject([{ refundUid: 'r', amount: 100 }])
  expect(core.disk.refunds.open().count).toBe(1)
})

describe('a refund that takes its time', () => {
  it.each([
    ['tea', true],
    ['tea', false],
    ['cafe', true],
    ['cafe', false],
    ['farm', true],
    ['farm', false],
  ])('at the bank of %s ends as the bank says (refunded: %s)', async (site, isRefunded) => {
    const each = fakeOf(site)
    const { at, running, link, bank } = await paid(each)
    at.tochka.refundStatus = 'WaitingForAccept'
    at.raiffeisen.refundStatus = 'IN_PROGRESS'
    at.tbank.isRefundSlow = true
    const asked = await refund(at, site, link, '30.00')
    await running.connector.settle()
    at.clock.now += MINUTE
    await running.connector.settle()
    expect(ofRefund(at, asked)).toBeUndefined()
    for (const id of at.tochka.refunds.keys())
      at.tochka.settleRefund(id, isRefunded ? 'Accepted' : 'Rejected')
    for (const id of at.raiffeisen.refunds.keys())
      at.raiffeisen.settleRefund(id, isRefunded ? 'COMPLETED' : 'DECLINED')
    for (const id of at.tbank.sessions.keys()) at.tbank.finishRefund(id, isRefunded)
    at.clock.now += MINUTE
    await running.connector.settle()
    expect(ofRefund(at, asked)?.status).toBe(isRefunded ? 'COMPLETED' : 'DECLINED')
    expect(bank.callsOf(each.refund)).toHaveLength(1)
    expect(bank.refundedSum).toBe(isRefunded ? 3_000 : 0)
  })
})

it.each([TEA, CAFE])(
  '$site: a refund whose result could not be stored is held, not sent again',
  async (each) => {
    const { at, running, link, bank } = await paid(each)
    const { refunds } = running.core.disk
    const change = refunds.change.bind(refunds)
    let isFull = false
    bank.beforeAnswer = async (operation) => {
      isFull ||= operation === each.refund
    }
    refunds.change = (...args) => {
      if (isFull) throw new Error('database or disk is full')
      return change(...args)
    }
    const asked = await refund(at, each.site, link, '30.00')
    await running.connector.settle()
    isFull = false
    bank.beforeAnswer = async () => {}
    at.clock.now += HOUR
    await running.connector.settle()
    expect(bank.callsOf(each.refund)).toHaveLength(1)
    expect(refunds.held()).toMatchObject([{ refundUid: asked.refundUid }])
  },
)

it('a refund names the completed payment of a link, not an attempt that was declined before', async () => {
  const at = await surroundings()
  const { connector } = await start(at)
  const link = await register(at, 'tea')
  await at.tochka.pay(link.qrcId, { status: 'Rejected' })
  at.clock.now += MINUTE
  await connector.settle()
  expect(at.service.site('tea').payments.get(link.qrcId)?.status).toBe('DECLINED')
  const number = await at.tochka.pay(link.qrcId)
  await connector.settle()
  const asked = await refund(at, 'tea', link, '30.00')
  await connector.settle()
  expect(at.tochka.callsOf('refund')).toMatchObject([{ body: { Data: { refTransactionId: number } } }])
  expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
})

describe('a refund made in the console of T-Bank', () => {
  it('is reported with its amount, once', async () => {
    const { at, running, link } = await paid(CAFE)
    const { paymentId } = at.tbank.session(link.qrcId)
    await at.tbank.refundInConsole(paymentId, 2_500, { times: 2 })
    await running.connector.settle()
    expect(Array.from(at.service.site('cafe').refunds)).toEqual([
      [`${link.qrcId}/bank-2500`, { status: 'COMPLETED', amount: { value: '25.00', currency: 'RUB' } }],
    ])
    await at.tbank.refundInConsole(paymentId, 7_500)
    await running.connector.settle()
    expect(at.service.site('cafe').refunds.get(`${link.qrcId}/bank-10000`)).toEqual({
      ...{ status: 'COMPLETED', amount: { value: '75.00', currency: 'RUB' } },
    })
    expect(at.service.site('cafe').refunds.size).toBe(2)
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
      const at = await surroundings()
      const before = await start(at)
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

  it('is not made up of a refund of ours that is completed', async () => {
    const { at, running, link } = await paid(CAFE)
    const asked = await refund(at, 'cafe', link, '100.00')
    await running.connector.settle()
    await at.tbank.deliver(at.tbank.session(link.qrcId).paymentId)
    await running.connector.settle()
    expect(Array.from(at.service.site('cafe').refunds.keys())).toEqual([`${link.qrcId}/${asked.refundUid}`])
  })
})

it('a charge is declined and a token.delete confirmed: no bank binds accounts here', async () => {
  const at = await surroundings()
  const { connector } = await start(at)
  const amount = { value: '5.00', currency: 'RUB' }
  const charge = { siteId: 'tea', qrcId: 'AD1', paymentUid: 'CHARGE1', bindingUid: 'B1', amount }
  expect((await at.service.instruct('payment.charge', charge, at.clock.now)).status).toBe(202)
  const remove = { siteId: 'tea', qrcId: 'AD1', bindingUid: 'B1' }
  expect((await at.service.instruct('token.delete', remove, at.clock.now)).status).toBe(202)
  await connector.settle()
  expect(at.service.site('tea').payments.get('CHARGE1')).toMatchObject({ status: 'DECLINED', amount })
  expect(at.service.site('tea').bindings.get('B1')).toEqual({ status: 'DELETED' })
})

it.each([
  ['of a site that is not configured', { siteId: 'other', reference: 'tbank-cafe:1' }, 503],
  ['of a bank that is not configured', { siteId: 'cafe', reference: 'tbank-old:1' }, 503],
])('a refund %s is not taken', async (_, changes, status) => {
  const at = await surroundings()
  await start(at)
  const data = {
    ...{ qrcId: 'q', paymentUid: 'p', refundUid: 'r', amount: { value: '1.00', currency: 'RUB' } },
    ...changes,
  }
  expect((await at.service.instruct('refund.create', data, at.clock.now)).status).toBe(status)
})
