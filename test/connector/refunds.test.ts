// Refunds: money is never moved twice. What is in doubt is asked about, or held until the operator decides.
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../connector/disk/database.ts'
import { finishRefund, holdRefund } from '../../connector/money/refund/refunds.ts'
import {
  CAFE,
  FAKES,
  FARM,
  fakeOf,
  HOUR,
  launched,
  MINUTE,
  ofRefund,
  pay,
  refund,
  register,
  start,
  surroundings,
  TEA,
} from './harness.ts'
import { HTML, LOST, paid } from './paid.ts'

it.each([424, 409])(
  'holds a refund that Tochka answers by %i: it does not say what was done',
  async (status) => {
    const { at, running, link, bank } = await paid(TEA)
    bank.fail('refund', { status, executed: true })
    await refund(at, 'tea', link, '30.00')
    await running.later(HOUR)
    expect(running.core.disk.refunds.held()).toHaveLength(1)
    expect(bank.callsOf('refund')).toHaveLength(1)
  },
)

it('tells a service that has the refund again that it is held', async () => {
  const { at, running, link, bank } = await paid(TEA)
  bank.fail('refund', { status: 424, executed: true })
  const asked = await refund(at, 'tea', link, '30.00')
  const { waiting } = at.service.site('tea')
  const told = () => waiting.get(`${link.qrcId}/${asked.refundUid}`)
  await running.later(HOUR)
  expect(told()).toMatch(/^held, because/)
  waiting.clear()
  await asked.again()
  await running.connector.settle()
  expect(told()).toMatch(/^held, because/)
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
    await running.later(MINUTE, 3)
    expect(ofRefund(at, asked)).toEqual({ status: 'COMPLETED', amount: asked.amount })
    expect(at.raiffeisen.refundedSum).toBe(3_000)
  })

  it('finds on a new disk what another disk has sent, by the same id', async () => {
    const { at, running, link, bank } = await paid(FARM)
    const asked = await refund(at, 'farm', link, '30.00')
    await running.connector.settle()
    await running.loseDisk()
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

it.each([TEA, FARM])('$site: reports what the bank’s document calls a refusal as declined', async (each) => {
  const { at, running, link } = await paid(each)
  const asked = await refund(at, each.site, link, '100.01')
  await running.connector.settle()
  expect(ofRefund(at, asked)).toMatchObject({ status: 'DECLINED', reason: expect.stringMatching(/./) })
  expect(running.core.disk.refunds.held()).toEqual([])
})

describe.each(FAKES)('$site', (each) => {
  it('holds every refund that is older than the disk', async () => {
    const { at, running, link, bank } = await paid(each)
    await running.loseDisk()
    const old = { ...link, siteId: each.site, paymentUid: link.qrcId, refundUid: 'old' }
    const data = { ...old, amount: { value: '10.00', currency: 'RUB' } }
    const givenAt = at.clock.now
    at.clock.now += HOUR
    const next = await start(at)
    await at.service.instruct('refund.create', data, givenAt)
    await next.connector.settle()
    await at.service.instruct('refund.create', { ...data, refundUid: 'new' }, at.clock.now)
    await next.connector.settle()
    await next.later(2 * HOUR)
    expect(next.core.disk.refunds.held()).toMatchObject([{ refundUid: 'old' }])
    expect(bank.callsOf(each.refund)).toHaveLength(0)
  })

  it('holds refunds between the backup and a start with --restored, and still after another start', async () => {
    const { at, running, link, bank } = await paid(each)
    const queued = await refund(at, each.site, link, '1.00')
    // The backup has it as taken and unsent; it may have been sent afterwards.
    await running.stop()
    const toldOf = () => Array.from(at.service.site(each.site).waiting)
    expect(toldOf()).toEqual([])
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
    expect(toldOf()).toContainEqual([
      `${link.qrcId}/${queued.refundUid}`,
      expect.stringContaining('it may have been sent after the backup'),
    ])
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

it('of a refund that is not sent for an hour the merchant is told why, once, and that it was sent then', async () => {
  const { at, running, link, bank } = await paid(CAFE)
  bank.fail('GetState', { status: 503 }, 1_000)
  const asked = await refund(at, 'cafe', link, '30.00')
  const waiting = () => at.service.site('cafe').waiting.get(`${link.qrcId}/${asked.refundUid}`)
  await running.connector.settle(1)
  expect(waiting()).toBeUndefined()
  const reports = at.service.reports.length
  await running.later(HOUR, 3, 1)
  expect(waiting()).toBe(
    'not sent yet, it is tried again: GetState: the bank answers 503: fault, the bank has a fault',
  )
  expect(at.service.reports).toHaveLength(reports + 1)
  expect(running.core.disk.refunds.countHeld()).toBe(0)
  bank.heal()
  at.tbank.isRefundSlow = true
  await running.later(MINUTE)
  expect(waiting()).toBe('sent to the bank, which has not stated the result yet')
  at.tbank.finishRefund(at.tbank.session(link.qrcId).paymentId, true)
  await running.later(HOUR)
  expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
  expect(bank.callsOf('Cancel')).toHaveLength(1)
})

it('a refund that waited four days to be sent is asked about each minute then, and is not held', async () => {
  const { at, running, link, bank } = await paid(CAFE)
  bank.fail('GetState', { status: 503 }, 1_000)
  const asked = await refund(at, 'cafe', link, '30.00')
  await running.connector.settle(1)
  await running.later(96 * HOUR, 1, 1)
  expect(bank.callsOf('Cancel')).toEqual([])
  bank.heal()
  at.tbank.isRefundSlow = true
  await running.later(MINUTE)
  expect(bank.callsOf('Cancel')).toHaveLength(1)
  at.tbank.finishRefund(at.tbank.session(link.qrcId).paymentId, true)
  await running.later(MINUTE)
  expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
  expect(running.log.filter(({ message }) => message === 'a refund is held')).toEqual([])
})

it('a held refund that waited three hours to be sent is asked about each minute then', async () => {
  const { at, running, link, bank } = await paid(CAFE)
  bank.fail('GetState', { status: 503 }, 1_000)
  await refund(at, 'cafe', link, '30.00')
  await running.connector.settle(1)
  at.clock.now += 3 * HOUR
  bank.heal()
  bank.fail('Cancel', { broken: 'after' })
  await running.connector.settle(1)
  expect(running.core.disk.refunds.countHeld()).toBe(1)
  const asks = bank.callsOf('GetQrState').length
  await running.later(MINUTE, 1, 1)
  expect(bank.callsOf('GetQrState').length).toBeGreaterThan(asks)
})

it('of a refund that an earlier version has sent, the time counts from when it came', async () => {
  const { at, running, link, bank } = await paid(FARM)
  bank.fail('refund', { broken: 'after' })
  await refund(at, 'farm', link, '30.00')
  await running.connector.settle(1)
  await running.stop()
  const database = openDatabase(at.directory, at.clock.now)
  database.exec('UPDATE refunds SET sent_at = NULL')
  database.close()
  const { core, later } = await start(at)
  bank.fail('refund_status', { status: 502 }, 1_000)
  await later(71 * HOUR, 1, 1)
  expect(core.disk.refunds.countHeld()).toBe(0)
  await later(HOUR + MINUTE, 1, 1)
  expect(core.disk.refunds.countHeld()).toBe(1)
})

it('of a refund that is not sent for reasons that alternate the merchant is told once a day', async () => {
  const { at, running, link, bank } = await paid(CAFE)
  const asked = await refund(at, 'cafe', link, '30.00')
  const reports = () => at.service.reports.filter(({ path }) => path.includes(asked.refundUid)).length
  for (let hour = 0; hour < 24; hour++) {
    bank.heal()
    bank.fail('GetState', { status: hour % 2 === 0 ? 503 : 502 }, 1_000)
    await running.later(HOUR, 1, 1)
  }
  expect(reports()).toBe(1)
  for (let hour = 0; hour < 24; hour++) {
    bank.heal()
    bank.fail('GetState', { status: hour % 2 === 0 ? 503 : 502 }, 1_000)
    await running.later(HOUR, 1, 1)
  }
  expect(reports()).toBe(2)
  expect(bank.callsOf('Cancel')).toHaveLength(0)
})

it('of a refund that was not sent for an hour the merchant is told when a restored disk holds it', async () => {
  const { at, running, link, bank } = await paid(CAFE)
  bank.fail('GetState', { status: 503 }, 1_000)
  const asked = await refund(at, 'cafe', link, '30.00')
  const waiting = () => at.service.site('cafe').waiting.get(`${link.qrcId}/${asked.refundUid}`)
  await running.later(HOUR, 2, 1)
  expect(waiting()).toMatch(/^not sent yet/)
  await running.stop()
  const restored = await start(at, { restoredFrom: at.clock.now - MINUTE })
  await restored.later(MINUTE)
  expect(waiting()).toMatch(/^held, because/)
})

describe('an answer in the bank’s own shape under a status of a gateway decides nothing', () => {
  it.each([
    [TEA, { Data: { requestId: 'openapi-1', status: 'Accepted' } }],
    [CAFE, { Success: true, ErrorCode: '0', Status: 'REFUNDED' }],
  ] as const)('of $0.site: the refund is held', async (each, body) => {
    const { at, running, link, bank } = await paid(each)
    bank.fail(each.refund, { status: 502, body })
    const asked = await refund(at, each.site, link, '30.00')
    await running.connector.settle()
    expect([bank.callsOf(each.refund).length, ofRefund(at, asked)]).toEqual([1, undefined])
    expect(running.core.disk.refunds.countHeld()).toBe(1)
  })

  it.each([
    { code: 'SUCCESS', amount: 30, refundStatus: 'COMPLETED' },
    { code: 'ERROR.REFUND_INSUFFICIENT_FUNDS', message: 'Сумма возврата больше суммы остатка по платежу' },
  ])('of Raiffeisenbank, $code: the bank is asked by the id, and refunds', async (body) => {
    const { at, running, link } = await paid(FARM)
    at.raiffeisen.fail('refund', { status: 502, body })
    const asked = await refund(at, 'farm', link, '30.00')
    await running.connector.settle()
    expect(ofRefund(at, asked)).toBeUndefined()
    await running.later(MINUTE, 3)
    expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
    expect(at.raiffeisen.codes.get(link.qrcId)?.refunded).toBe(3_000)
  })
})

describe('an answer about something else decides nothing', () => {
  it('T-Bank: of another payment before the refund, and of the refund', async () => {
    const { at, running, link, bank } = await paid(CAFE)
    const stated = { Success: true, ErrorCode: '0', PaymentId: '1', Amount: 10_000 }
    bank.fail('GetState', { status: 200, body: { ...stated, Status: 'CONFIRMED' } })
    bank.fail('Cancel', { status: 200, body: { ...stated, Status: 'PARTIAL_REFUNDED' } })
    const asked = await refund(at, 'cafe', link, '30.00')
    await running.connector.settle()
    expect(bank.callsOf('Cancel')).toHaveLength(0)
    await running.later(MINUTE)
    expect([bank.callsOf('Cancel').length, ofRefund(at, asked)]).toEqual([1, undefined])
    expect(running.core.disk.refunds.held()).toMatchObject([
      { reason: expect.stringContaining('another PaymentId') },
    ])
  })

  it('T-Bank: of another order, of the error of a refund that was executed', async () => {
    const { at, running, link, bank } = await paid(CAFE)
    const body = { Success: false, ErrorCode: '9999', Message: 'Повторите попытку позже' }
    bank.fail('Cancel', { status: 200, executed: true, body })
    const asked = await refund(at, 'cafe', link, '30.00')
    await running.connector.settle()
    const stated = { Success: true, ErrorCode: '0', Status: 'CONFIRMED', QrCancelCode: 'I05043' }
    bank.fail('GetQrState', { status: 200, body: { ...stated, OrderId: 'another-order' } }, 1_000)
    await running.later(HOUR, 3, 1)
    expect(bank.callsOf('GetQrState').length).toBeGreaterThan(1)
    expect(ofRefund(at, asked)).toBeUndefined()
    expect(running.core.disk.refunds.countHeld()).toBe(1)
  })

  it('T-Bank: the order of a code that a new disk has from the service’s list is not another one', async () => {
    const { at, running, link } = await paid(CAFE)
    const bank = at.tbank
    const { qrcId, reference } = link
    const createdOn = new Date(at.clock.now).toISOString()
    const amount = { value: '100.00', currency: 'RUB' }
    const code = { siteId: 'cafe', qrcId, reference, type: 'DYNAMIC', status: 'PAYED', amount, createdOn }
    at.service.qrCodes.push(code)
    await running.loseDisk()
    at.clock.now += HOUR
    const next = await start(at)
    await next.connector.settle()
    at.clock.now += HOUR
    bank.isRefundSlow = true
    const asked = await refund(at, 'cafe', link, '100.00')
    await next.connector.settle()
    bank.finishRefund(bank.session(qrcId).paymentId, true)
    await next.later(MINUTE)
    expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
  })

  it('Tochka: of another refund', async () => {
    const { at, running, link } = await paid(TEA)
    at.tochka.refundStatus = 'WaitingForAccept'
    const asked = await refund(at, 'tea', link, '30.00')
    await running.connector.settle()
    const Data = { requestId: 'openapi-other', status: 'Rejected' }
    at.tochka.fail('refund_status', { status: 200, body: { Data } })
    await running.later(MINUTE, 1, 1)
    expect(at.tochka.callsOf('refund_status')).toHaveLength(1)
    expect(ofRefund(at, asked)).toBeUndefined()
    for (const id of at.tochka.refunds.keys()) at.tochka.settleRefund(id, 'Accepted')
    await running.later(MINUTE)
    expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
  })

  it.each(['COMPLETED', 'DECLINED'])(
    'Raiffeisenbank: %s of another amount under the same id is held, and asked about again',
    async (refundStatus) => {
      const { at, running, link } = await paid(FARM)
      at.raiffeisen.fail('refund', { status: 200, body: { code: 'SUCCESS', amount: 50, refundStatus } })
      const asked = await refund(at, 'farm', link, '30.00')
      await running.connector.settle()
      expect(ofRefund(at, asked)).toBeUndefined()
      expect(running.core.disk.refunds.held()).toMatchObject([
        { reason: expect.stringContaining('50.00 RUB') },
      ])
    },
  )
})

it.each(FAKES)('$site: a held refund blocks no other payment’s refund', async (each) => {
  const { at, running, link, bank } = await paid(each)
  bank.fail(each.refund, { status: 502, body: HTML })
  await refund(at, each.site, link, '1.00')
  await running.connector.settle()
  const [row] = running.core.disk.refunds.ofPayment(each.site, link.qrcId)
  if (row) holdRefund(running.core, row, { reason: 'the bank answers 502' })
  // More than a turn takes, all behind the one that is held.
  for (let i = 0; i < 150; i++) await refund(at, each.site, link, '0.01')
  const other = await register(at, each.site)
  await pay(at, each.site, other.qrcId)
  await running.connector.settle()
  const asked = await refund(at, each.site, other, '30.00')
  await running.connector.settle(1)
  await running.connector.settle(1)
  expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
  expect(bank.callsOf(each.refund)).toHaveLength(2)
})

it.each([TEA, FARM])(
  '$site: a refund without a result for 72 hours is held, and asked about until it has one',
  async (each) => {
    const { at, running, link, bank } = await paid(each)
    at.tochka.refundStatus = 'WaitingForAccept'
    at.raiffeisen.fail('refund', { broken: 'after' })
    at.raiffeisen.fail('refund_status', { status: 400, body: HTML }, 1_000)
    const asked = await refund(at, each.site, link, '30.00')
    for (let hour = 0; hour < 80; hour++) {
      expect(running.core.disk.refunds.countHeld()).toBe(hour <= 72 ? 0 : 1)
      await running.later(HOUR, 1, 1)
    }
    await running.connector.settle()
    expect(at.service.site(each.site).waiting.get(`${link.qrcId}/${asked.refundUid}`)).toBe(
      'held, because it is not known whether the money has gone; the bank is asked again: the bank has stated no result for 72 hours',
    )
    expect(running.log.filter(({ message }) => message === 'a refund is held')).toHaveLength(1)
    at.raiffeisen.heal()
    for (const id of at.tochka.refunds.keys()) at.tochka.settleRefund(id, 'Accepted')
    await running.later(HOUR)
    expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
    expect(bank.callsOf(each.refund)).toHaveLength(1)
  },
)

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
    await running.later(MINUTE)
    expect(ofRefund(at, asked)).toBeUndefined()
    for (const id of at.tochka.refunds.keys())
      at.tochka.settleRefund(id, isRefunded ? 'Accepted' : 'Rejected')
    for (const id of at.raiffeisen.refunds.keys())
      at.raiffeisen.settleRefund(id, isRefunded ? 'COMPLETED' : 'DECLINED')
    for (const id of at.tbank.sessions.keys()) at.tbank.finishRefund(id, isRefunded)
    await running.later(HOUR, 3)
    expect(ofRefund(at, asked)?.status).toBe(isRefunded ? 'COMPLETED' : 'DECLINED')
    expect(bank.callsOf(each.refund)).toHaveLength(1)
    expect(bank.refundedSum).toBe(isRefunded ? 3_000 : 0)
  })
})

it.each([
  ['refunds the same payment for somebody else', 'ASYNC_REFUNDING'],
  ['states what was true before the payment', 'FORM_SHOWED'],
  ['has not stored the payment everywhere', 'CONFIRMING'],
  ['states a status that no document has', 'SOMETHING_NEW'],
])('a refund waits while T-Bank %s', async (_, status) => {
  const { at, running, bank, link } = await paid(CAFE)
  const session = at.tbank.session(link.qrcId)
  session.status = status
  const asked = await refund(at, 'cafe', link, '30.00')
  await running.connector.settle()
  expect([ofRefund(at, asked), bank.callsOf('Cancel')]).toEqual([undefined, []])
  session.status = 'CONFIRMED'
  await running.later(HOUR)
  expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
})

it.each(['REFUNDED', 'REVERSED', 'CANCELED'])(
  'a refund of a payment that is %s at T-Bank is declined',
  async (status) => {
    const { at, running, bank, link } = await paid(CAFE)
    at.tbank.session(link.qrcId).status = status
    const asked = await refund(at, 'cafe', link, '30.00')
    await running.connector.settle()
    expect(ofRefund(at, asked)).toMatchObject({
      status: 'DECLINED',
      reason: `T-Bank: a payment with the status ${status} cannot be refunded`,
    })
    expect(bank.callsOf('Cancel')).toEqual([])
  },
)

it('a refund of which T-Bank states that nothing was taken from the amount is not reported as made', async () => {
  const { at, running, bank, link } = await paid(CAFE)
  bank.fail('Cancel', { changes: { NewAmount: 10_000 } })
  const asked = await refund(at, 'cafe', link, '30.00')
  await running.connector.settle()
  expect(ofRefund(at, asked)).toBeUndefined()
  expect(running.core.disk.refunds.held()).toMatchObject([
    { reason: expect.stringContaining('all of the amount is left') },
  ])
})

it.each([0.5, -1, '100.00', null])(
  'a refund at T-Bank is made where the answers to Cancel and GetQrState state the amount %j, which is not read',
  async (Amount) => {
    const { at, running, bank, link } = await paid(CAFE)
    at.tbank.isRefundSlow = true
    bank.fail('Cancel', { changes: { Amount } })
    const asked = await refund(at, 'cafe', link, '30.00')
    await running.connector.settle()
    expect(running.core.disk.refunds.held()).toEqual([])
    at.tbank.finishRefund(at.tbank.session(link.qrcId).paymentId, true)
    bank.fail('GetQrState', { changes: { Amount } }, 9)
    await running.later(HOUR)
    expect(ofRefund(at, asked)).toMatchObject({ status: 'COMPLETED' })
  },
)

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
    await running.later(HOUR)
    expect(bank.callsOf(each.refund)).toHaveLength(1)
    expect(refunds.held()).toMatchObject([{ refundUid: asked.refundUid }])
  },
)

it('a bank that does not answer delays no refund at another', async () => {
  const { at, running, link } = await paid(FARM)
  const silence = Promise.withResolvers<void>()
  at.tbank.beforeExecution = (operation) => (operation === 'Cancel' ? silence.promise : Promise.resolve())
  for (let i = 0; i < 20; i++) {
    const silent = await register(at, 'cafe')
    await pay(at, 'cafe', silent.qrcId)
    await refund(at, 'cafe', silent, '30.00')
  }
  running.connector.turn()
  await expect.poll(() => at.tbank.callsOf('Cancel').length).toBe(16)
  const asked = await refund(at, 'farm', link, '30.00')
  await expect
    .poll(() => {
      running.connector.turn()
      return ofRefund(at, asked)?.status
    })
    .toBe('COMPLETED')
  expect(at.tbank.callsOf('Cancel')).toHaveLength(16)
  silence.resolve()
})

it('a refund names the completed payment of a link, not an attempt that was declined before', async () => {
  const { at, connector, later } = await launched()
  const link = await register(at, 'tea')
  await at.tochka.pay(link.qrcId, { status: 'Rejected' })
  await later(MINUTE)
  expect(at.service.site('tea').payments.get(link.qrcId)?.status).toBe('DECLINED')
  const number = await at.tochka.pay(link.qrcId)
  await connector.settle()
  const asked = await refund(at, 'tea', link, '30.00')
  await connector.settle()
  expect(at.tochka.callsOf('refund')).toMatchObject([{ body: { Data: { refTransactionId: number } } }])
  expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
})

it('a refund of a payment that an older version has stored without its number asks Tochka for it', async () => {
  const { at, connector, core } = await launched()
  const link = await register(at, 'tea')
  const number = await at.tochka.pay(link.qrcId)
  await connector.settle()
  for (const row of core.disk.payments.ofCode('tea', link.qrcId))
    core.disk.payments.put({ ...row, number: '' })
  const asked = await refund(at, 'tea', link, '30.00')
  await connector.settle()
  expect(at.tochka.callsOf('refund')).toMatchObject([{ body: { Data: { refTransactionId: number } } }])
  expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
})

it.each([
  ['of a site that is not configured', { siteId: 'other', reference: 'tbank-cafe:1' }, 503],
  ['of a bank that is not configured', { siteId: 'cafe', reference: 'tbank-old:1' }, 503],
])('a refund %s is not taken', async (_, changes, status) => {
  const { at } = await launched()
  const data = {
    ...{ qrcId: 'q', paymentUid: 'p', refundUid: 'r', amount: { value: '1.00', currency: 'RUB' } },
    ...changes,
  }
  expect((await at.service.instruct('refund.create', data, at.clock.now)).status).toBe(status)
})
