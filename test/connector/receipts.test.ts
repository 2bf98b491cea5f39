// Documents of ATOL: each is registered once, whatever the register answers, and the service is told of it.
import { describe, expect, it } from 'vitest'
import { finishReceipt } from '../../connector/cash-registers/receipts.ts'
import type { Fault } from '../support/banks/fake-bank.ts'
import { FakeAtol } from '../support/cash-registers/atol.ts'
import { afterwards, DAY, HOUR, MINUTE, pay, register } from './harness.ts'
import {
  type At,
  instruct,
  launchedWithRegister,
  REGISTER,
  type ReceiptData,
  receiptData,
  registerConfig,
  startWithRegister,
  TEA,
  told,
  withRegister,
} from './with-register.ts'

const FISCAL = {
  ...{ fn: '9999078900003063', fd: '1001', fpd: '3449555942', registration: '0000000400054952' },
  ...{ shift: '23', number: '1', url: 'https://ofd.example/1' },
}

it('has a document registered, reports its fiscal data, and keeps nothing of whom it was for', async () => {
  const { at, core, later } = await launchedWithRegister()
  const data = receiptData(at)
  expect(await instruct(at, data)).toBe(202)
  await later(1_000)
  await later(MINUTE)
  expect(told(at, data)).toEqual({
    state: 'REGISTERED',
    fiscal: { ...FISCAL, dateTime: '2026-11-20T13:10:01+03:00' },
  })
  expect(at.atol.violations).toEqual([])
  expect(core.disk.receipts.get({ site: 'tea', receiptUid: data.receiptUid })).toMatchObject({
    ...{ state: 'REGISTERED', data: '', request: '' },
  })
})

it('sends the body that the document asks for', async () => {
  const { at, later } = await launchedWithRegister()
  const data = receiptData(at, { place: 'https://tea.example', email: 'tea@shop.example' })
  await instruct(at, data)
  await later(1_000)
  expect(at.atol.callsOf('sell')[0]).toMatchObject({
    path: '/possystem/v5/shop_group_1/sell',
    body: {
      external_id: data.receiptUid,
      timestamp: '20.11.2026 13:10:00',
      service: { callback_url: `http://127.0.0.1:1/connector/webhooks/receipts/${REGISTER}` },
      receipt: {
        client: { email: 'payer@mail.example' },
        company: {
          ...{
            email: 'tea@shop.example',
            sno: 'osn',
            inn: '7707083893',
            payment_address: 'https://tea.example',
          },
        },
        items: [
          {
            ...{ name: 'Чай', price: 21.99, quantity: 47.8, measure: 11, sum: 1051.12 },
            ...{ payment_method: 'full_payment', payment_object: 1, vat: { type: 'vat22' } },
          },
        ],
        payments: [{ type: 1, sum: 1051.12 }],
        total: 1051.12,
        internet: true,
      },
    },
  })
})

it.each([
  { kind: 'sale', operation: 'sell', type: 1 },
  { kind: 'refund', operation: 'sell_refund', type: 1 },
  { kind: 'closing', operation: 'sell', type: 2 },
])('sends a $kind as $operation', async ({ kind, operation, type }) => {
  const { at, later } = await launchedWithRegister()
  await instruct(at, receiptData(at, { kind, refundUid: 'r', closingUid: 'c' }))
  await later(1_000)
  expect(at.atol.callsOf(operation)[0]?.body).toMatchObject({
    receipt: { payments: [{ type, sum: 1051.12 }] },
  })
})

/** What a call of `sell` can meet; each can have been executed. */
const LOST: [name: string, fault: Fault][] = [
  ['no answer', { broken: 'after' }],
  ['no answer, and it did not arrive', { broken: 'before' }],
  ['HTML', { status: 502, body: '<html><body>Bad gateway</body></html>', executed: true }],
  ['HTML with 200', { status: 200, body: '<html></html>', executed: true }],
  ['nothing', { status: 200, body: '', executed: true }],
  ['500', { status: 500, executed: true }],
  ['401 twice', { status: 401, executed: true }],
  ['403', { status: 403, executed: true }],
  ['429', { status: 429, executed: true }],
  [
    'an error of an unknown type',
    { changes: { uuid: null, status: 'fail', error: { code: 1, type: 'unknown' } } },
  ],
]

describe.each(LOST)('where the answer is %s', (name, fault) => {
  it('sends the same bytes again, and has one document', async () => {
    const { at, later } = await launchedWithRegister()
    at.atol.fail('sell', fault, name === '401 twice' ? 2 : 1)
    const data = receiptData(at)
    await instruct(at, data)
    await later(1_000)
    expect(told(at, data)).toBeUndefined()
    await later(MINUTE, 3)
    expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
    expect([at.atol.violations, at.atol.documents.size]).toEqual([[], 1])
    expect(new Set(at.atol.callsOf('sell').map(({ text }) => text)).size).toBe(1)
  })
})

it('sends what never arrived anew', async () => {
  const { at, later } = await launchedWithRegister()
  const data = receiptData(at)
  // No token: nothing was sent.
  at.atol.fail('getToken', { status: 503 }, 3)
  await instruct(at, data)
  await later(1_000)
  expect(at.atol.callsOf('sell')).toEqual([])
  await later(MINUTE, 5)
  expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
})

it('asks for a new token once where the old one has ended', async () => {
  const { at, later } = await launchedWithRegister()
  for (let i = 0; i < 3; i++) await instruct(at, receiptData(at))
  await later(1_000)
  expect(at.atol.callsOf('getToken')).toHaveLength(1)
  at.atol.endTokens()
  const data = receiptData(at)
  await instruct(at, data)
  await later(1_000)
  await later(MINUTE)
  expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
  expect(at.atol.callsOf('getToken')).toHaveLength(2)
})

describe('a refusal', () => {
  it('is a failure that can be retried, where the register has no document', async () => {
    const { at, later } = await launchedWithRegister()
    at.atol.refuses = () => ({ text: 'the e-mail payer@mail.example is bad' })
    const data = receiptData(at)
    await instruct(at, data)
    await later(1_000)
    await later(1_000)
    expect(told(at, data)).toEqual({
      state: 'FAILED',
      reason: 'the e-mail (secret) is bad (50)',
      canRetry: true,
    })
  })

  it.each([
    ...[['system', true] as const, ['driver', true] as const, ['agent', true] as const],
    // The register can print late: another attempt could be a second document.
    ...[['timeout', false] as const, ['none', false] as const],
  ])('of the type %s after the answer, with canRetry %s', async (type, canRetry) => {
    const { at, later } = await launchedWithRegister()
    at.atol.fails = () => ({ text: 'no paper for +79001234567', type })
    const data = receiptData(at)
    await instruct(at, data)
    await later(1_000)
    await later(MINUTE)
    expect(told(at, data)).toEqual({
      state: 'FAILED',
      reason: 'no paper for (contact) (60)',
      canRetry,
    })
    await later(HOUR, 3)
    expect(at.atol.callsOf('sell')).toHaveLength(1)
  })

  it('of the type timeout is no refusal: the same request is sent again', async () => {
    const { at, later } = await launchedWithRegister()
    const refused = [{ text: 'no answer in time', type: 'timeout' }]
    at.atol.refuses = () => refused.pop()
    const data = receiptData(at)
    await instruct(at, data)
    await later(1_000)
    expect(told(at, data)).toBeUndefined()
    await later(MINUTE, 3)
    expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
    const requests = at.atol.callsOf('sell').map(({ body }) => JSON.stringify(body))
    expect([requests.length, new Set(requests).size]).toEqual([2, 1])
  })

  it('of a repeat says nothing of the first request: the document is held', async () => {
    const { at, log, later } = await launchedWithRegister()
    at.atol.fail('sell', { broken: 'before' })
    const data = receiptData(at)
    await instruct(at, data)
    await later(1_000)
    at.atol.refuses = () => ({ text: 'the rate is over' })
    await later(MINUTE, 3)
    expect(told(at, data)).toMatchObject({ state: 'SENT', isHeld: true, reason: /the rate is over/ })
    const calls = at.atol.callsOf('sell').length
    await later(DAY, 3)
    expect(at.atol.callsOf('sell')).toHaveLength(calls)
    expect(log.filter(({ message }) => message === 'a document is held')).toHaveLength(1)
  })
})

it('holds a document of another sum, and asks about it on', async () => {
  const { at, later } = await launchedWithRegister()
  at.atol.otherSum = () => 1
  const data = receiptData(at)
  await instruct(at, data)
  await later(1_000)
  await later(MINUTE)
  expect(told(at, data)).toMatchObject({ isHeld: true, reason: expect.stringContaining('1051.13 RUB') })
  for (const document of at.atol.documents.values()) document.total--
  await later(2 * HOUR)
  expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
})

it('reports what the register has registered, although the operator has said meanwhile that it failed', async () => {
  const { at, core, later } = await launchedWithRegister()
  const data = receiptData(at)
  await instruct(at, data)
  at.atol.beforeAnswer = async (operation) => {
    const row = core.disk.receipts.get({ site: 'tea', receiptUid: data.receiptUid })
    if (operation === 'report' && row)
      finishReceipt(core, row, { state: 'FAILED', reason: 'x', canRetry: true })
  }
  await later(1_000)
  await later(MINUTE)
  expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
})

it.each<[string, object, string]>([
  ['a number that is too great to be exact', { fn_number: 9_999_078_900_003_064 }, 'fn'],
  ['a number of 21 digits', { fiscal_document_number: '1'.repeat(21) }, 'fd'],
  ['an address of 501 characters', { ofd_receipt_url: `https://ofd.example/${'x'.repeat(481)}` }, 'url'],
])('leaves %s out', async (_, payload, name) => {
  const { at, later } = await launchedWithRegister()
  const data = receiptData(at)
  await instruct(at, data)
  await later(1_000)
  const [document] = at.atol.documents.values()
  if (!document) throw new Error('there is no document')
  const report = at.atol.reportOf(document)
  const body = { ...report, payload: { ...Object(report.payload), ...payload } }
  at.atol.fail('report', { status: 200, body })
  await later(MINUTE)
  expect(told(at, data)).toMatchObject({ state: 'REGISTERED', fiscal: { shift: '23' } })
  expect(told(at, data)?.fiscal).not.toHaveProperty(name)
})

it('cuts what the register says of a failure, however long it is', async () => {
  const { at, core, later } = await launchedWithRegister()
  at.atol.fails = () => ({ text: `${'x'.repeat(1_000_000)} payer@mail.example` })
  const data = receiptData(at)
  await instruct(at, data)
  await later(1_000)
  await later(MINUTE)
  expect(core.disk.receipts.get({ ...data, site: 'tea' })).toMatchObject({
    state: 'FAILED',
    reason: 'x'.repeat(300),
  })
})

it('waits for a day, while others are registered', async () => {
  const { at, later } = await launchedWithRegister()
  at.atol.waitMs = () => DAY
  const data = receiptData(at)
  await instruct(at, data)
  await later(1_000)
  await later(5 * HOUR, 4)
  at.atol.waitMs = () => 0
  const other = receiptData(at)
  await instruct(at, other)
  await later(1_000)
  await later(MINUTE)
  expect([told(at, data), told(at, other)]).toMatchObject([undefined, { state: 'REGISTERED' }])
  await later(5 * HOUR)
  expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
})

it('shows a document that waits for three days to the operator, and asks on', async () => {
  const { at, core, later } = await launchedWithRegister()
  at.atol.waitMs = () => 4 * DAY
  const data = receiptData(at)
  await instruct(at, data)
  await later(1_000)
  await later(13 * HOUR, 6)
  expect(told(at, data)).toMatchObject({ isHeld: true })
  expect(core.disk.receipts.held()).toHaveLength(1)
  await later(13 * HOUR, 2)
  expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
})

describe('while the register is down for a day', () => {
  it('each document is registered once afterwards, and no bank is delayed', async () => {
    const { at, later } = await launchedWithRegister()
    at.atol.failAt('/', { status: 503 })
    const documents: ReceiptData[] = []
    for (let hour = 0; hour < 24; hour += 4) {
      const data = receiptData(at)
      documents.push(data)
      await instruct(at, data)
      await later(4 * HOUR)
    }
    at.atol.heal()
    await later(HOUR, 4)
    expect(documents.map((data) => told(at, data)?.state)).toEqual(documents.map(() => 'REGISTERED'))
    expect([at.atol.violations, at.atol.documents.size]).toEqual([[], 6])
  })
})

describe('a callback', () => {
  it('makes the connector ask', async () => {
    const { at, later, connector } = await launchedWithRegister()
    const data = receiptData(at)
    at.atol.waitMs = () => 25 * MINUTE
    await instruct(at, data)
    await later(1_000)
    await later(20 * MINUTE)
    at.clock.now += 6 * MINUTE
    await at.atol.notify(data.receiptUid)
    await connector.settle()
    expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
    expect(at.atol.webhookAnswers).toEqual([{ status: 200, text: 'ok' }])
  })

  it('that comes before the answer, and twice, makes no second document', async () => {
    const { at, later } = await launchedWithRegister()
    const data = receiptData(at)
    at.atol.beforeAnswer = async (operation) => {
      if (operation === 'sell') await at.atol.notify(data.receiptUid, 2)
    }
    at.atol.fail('sell', { status: 500, executed: true })
    await instruct(at, data)
    await later(11_000)
    await later(11_000)
    await later(MINUTE)
    expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
    expect([at.atol.documents.size, at.atol.violations]).toEqual([1, []])
    expect(at.atol.webhookAnswers.length).toBeGreaterThanOrEqual(2)
  })

  it('of nobody knows whom is believed in nothing, and asks at most once in ten seconds', async () => {
    const { at, later, connector } = await launchedWithRegister()
    at.atol.waitMs = () => DAY
    const data = receiptData(at)
    await instruct(at, data)
    await later(1_000)
    const document = at.atol.documents.get(data.receiptUid)
    if (!document) throw new Error('there is no document')
    const forged = { ...at.atol.reportOf({ ...document, doneAt: 0 }), external_id: data.receiptUid }
    await later(30_000)
    const asked = at.atol.callsOf('report').length
    for (let i = 0; i < 5; i++) {
      await at.atol.callBack(forged)
      await connector.settle()
    }
    expect(at.atol.callsOf('report').length).toBeLessThanOrEqual(asked + 1)
    expect(told(at, data)).toBeUndefined()
  })

  it.each(['', '{', '[]', 'null', '{"uuid": 1}', '{"uuid":"unknown"}', '<html>'])(
    'of %j is answered',
    async (body) => {
      const { at } = await launchedWithRegister()
      await at.atol.callBack(body)
      expect(at.atol.webhookAnswers).toEqual([{ status: 200, text: 'ok' }])
    },
  )

  it('to a name that is no cash register is not found', async () => {
    const { url } = await launchedWithRegister()
    const { status } = await fetch(`${url}/webhooks/receipts/other`, { method: 'POST', body: '{}' })
    expect(status).toBe(404)
  })
})

describe('an instruction', () => {
  it('that comes twice makes one document, and reports its result again', async () => {
    const { at, later } = await launchedWithRegister()
    const data = receiptData(at)
    await instruct(at, data)
    await instruct(at, data)
    await later(1_000)
    await later(MINUTE)
    at.service.site('tea').receipts.clear()
    expect(await instruct(at, data)).toBe(202)
    await later(1_000)
    expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
    expect(at.atol.callsOf('sell')).toHaveLength(1)
  })

  it.each([
    ['of a site without a cash register', { siteId: 'cafe' }],
    ['for another kind of register', { register: { kind: 'raiffeisen', ffd: '1.05' } }],
    ['whose items do not sum to the amount', { amount: { value: '1051.13', currency: 'RUB' } }],
    ['without items', { items: [] }],
  ])('%s is not taken', async (_, changes) => {
    const { at, core, later } = await launchedWithRegister()
    expect(await instruct(at, receiptData(at, changes))).toBe(503)
    await later(MINUTE)
    expect([core.disk.receipts.open().count, at.atol.calls]).toEqual([0, []])
  })

  it.each([
    ['no contact', { contact: undefined }, 'the contact of the payer is missing'],
    ['no taxation', { taxation: undefined }, 'ATOL has no taxation (none is stated)'],
  ])('with %s fails before anything is sent', async (_, changes, reason) => {
    const { at, later } = await launchedWithRegister()
    const data = receiptData(at, changes)
    await instruct(at, data)
    await later(1_000)
    await later(1_000)
    expect(told(at, data)).toEqual({ state: 'FAILED', reason, canRetry: true })
    expect(at.atol.callsOf('sell')).toEqual([])
  })
})

describe('a new disk', () => {
  it('asks about what another disk may have sent, with the same bytes', async () => {
    const { at, later, loseDisk } = await launchedWithRegister()
    at.atol.waitMs = () => HOUR
    const data = receiptData(at)
    await instruct(at, data)
    await later(1_000)
    await loseDisk()
    at.clock.now += 10 * MINUTE
    const running = await startWithRegister(at)
    await running.later(MINUTE, 2)
    await running.later(HOUR)
    expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
    expect([at.atol.violations, at.atol.documents.size]).toEqual([[], 1])
  })
})

describe('a restored disk', () => {
  it.each([
    ['an hour later', { down: HOUR, ahead: 0 }],
    ['a minute later, where the clock of the service is ahead', { down: MINUTE, ahead: 4 * MINUTE }],
  ])('goes on only with what the service has no result of, %s', async (_, { down, ahead }) => {
    const at = await withRegister()
    const first = await startWithRegister(at)
    await first.later(10 * MINUTE)
    // The backup knows both as unsent.
    at.atol.fail('getToken', { status: 503 }, 100)
    const [open, over] = [receiptData(at), receiptData(at)]
    for (const data of [open, over]) {
      at.service.receipts.push(data)
      const { status } = await at.service.instruct('receipt.register', data, at.clock.now + ahead)
      expect(status).toBe(202)
    }
    await first.later(1_000)
    const restoredFrom = at.clock.now
    await first.stop()
    at.atol.heal()
    at.clock.now += down
    // Since then the service was told that one of them failed: another attempt may have been made of it.
    at.service.site('tea').receipts.set(over.receiptUid, { state: 'FAILED', canRetry: true })
    const second = await startWithRegister(at, { restoredFrom })
    await second.later(MINUTE, 3)
    expect(told(at, open)).toMatchObject({ state: 'REGISTERED' })
    expect(Array.from(at.atol.documents.keys())).toEqual([open.receiptUid])
    expect(second.core.disk.receipts.open().count).toBe(0)
    // The service was restored, too, and asks for it again.
    at.service.site('tea').receipts.delete(over.receiptUid)
    await instruct(at, over)
    await second.later(MINUTE, 3)
    expect(told(at, over)).toMatchObject({ state: 'REGISTERED' })
  })
})

it('a restored disk goes on with nothing and gives up nothing, until a service that was restored too is resumed', async () => {
  const at = await withRegister()
  const first = await startWithRegister(at)
  await first.later(10 * MINUTE)
  at.atol.fail('getToken', { status: 503 }, 100)
  const data = receiptData(at)
  at.service.receipts.push(data)
  await instruct(at, data)
  await first.later(1_000)
  const restoredFrom = at.clock.now
  await first.stop()
  at.atol.heal()
  at.clock.now += HOUR
  at.service.restored.add('tea')
  const second = await startWithRegister(at, { restoredFrom })
  await second.later(MINUTE, 3)
  expect([second.core.disk.receipts.open().count, at.atol.documents.size]).toEqual([1, 0])
  at.service.restored.delete('tea')
  await second.later(HOUR, 2)
  expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
})

it('a register that is down delays no other, and no bank', async () => {
  const at = await withRegister()
  const other = new FakeAtol(() => at.clock.now)
  afterwards(() => other.close())
  const { [REGISTER]: config } = registerConfig(await other.listen(), other)
  Object.assign(Object(at.config).cashRegisters, { other: config })
  at.config.sites.cafe = { ...at.config.sites.cafe, cashRegister: 'other' }
  const { connector, later } = await startWithRegister(at)
  await later(10 * MINUTE)
  const down = Promise.withResolvers<void>()
  at.atol.beforeExecution = (operation) => (operation === 'sell' ? down.promise : Promise.resolve())
  for (let i = 0; i < 20; i++) await instruct(at, receiptData(at))
  connector.turn()
  await expect.poll(() => at.atol.callsOf('sell').length).toBe(16)
  const data = receiptData(at, { siteId: 'cafe' })
  await instruct(at, data)
  const { qrcId } = await register(at, 'tea')
  await pay(at, 'tea', qrcId)
  at.clock.now += 1_000
  const isDone = () => {
    connector.turn()
    at.clock.now += 5_000
    return [told(at, data)?.state, at.service.site('tea').payments.get(qrcId)?.status]
  }
  await expect.poll(isDone).toEqual(['REGISTERED', 'COMPLETED'])
  expect(at.atol.documents.size).toBe(0)
  down.resolve()
})

it('the metrics say what waits, what is held, and nothing of whom a document is for', async () => {
  const { at, url, later } = await launchedWithRegister()
  at.atol.otherSum = (key) => (key === first.receiptUid ? 1 : 0)
  const first = receiptData(at)
  at.atol.waitMs = () => (at.atol.documents.size === 0 ? 0 : DAY)
  await instruct(at, first)
  await later(1_000)
  await instruct(at, receiptData(at))
  await later(MINUTE, 2)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toContain('\nfps_connector_held_receipts 1\n')
  expect(metrics).toContain('\nfps_connector_open_receipts 1\n')
  expect(metrics).toContain('\nfps_connector_oldest_receipt_seconds 120\n')
  expect(metrics).toContain(
    `fps_connector_register_calls_total{register="${REGISTER}",operation="sell",outcome="ok"} 2\n`,
  )
  expect(metrics).not.toMatch(/mail\.example/)
})

describe('under one key, after a restore of the service', () => {
  const CORRECTED = { ...TEA, name: 'Чай зелёный' }

  it('reports the items that the register was told of, and not those of a later instruction', async () => {
    const { at, core, later } = await launchedWithRegister()
    const data = receiptData(at, { items: [CORRECTED] })
    await instruct(at, data)
    await later(1_000)
    await later(MINUTE)
    expect(at.service.reportedItems.get(data.receiptUid)).toEqual([CORRECTED])
    at.service.site('tea').receipts.clear()
    at.service.reportedItems.clear()
    await instruct(at, { ...data, items: [TEA] })
    await later(1_000)
    expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
    expect(at.service.reportedItems.get(data.receiptUid)).toEqual([CORRECTED])
    expect(at.atol.documents.size).toBe(1)
    expect(core.disk.receipts.get({ site: 'tea', receiptUid: data.receiptUid })).toMatchObject({
      data: '',
      request: '',
    })
  })

  it('tells a service that has the document again that it is held', async () => {
    const { at, later } = await launchedWithRegister()
    at.atol.otherSum = () => 1
    const data = receiptData(at)
    await instruct(at, data)
    await later(1_000)
    await later(MINUTE)
    expect(told(at, data)).toMatchObject({ isHeld: true })
    at.service.site('tea').heldReceipts.clear()
    await instruct(at, data)
    await later(1_000)
    expect(told(at, data)).toMatchObject({ isHeld: true })
  })

  it('reports the items of a document that was held', async () => {
    const { at, later } = await launchedWithRegister()
    at.atol.otherSum = () => 1
    const data = receiptData(at)
    await instruct(at, data)
    await later(1_000)
    await later(MINUTE)
    expect(told(at, data)).toMatchObject({ isHeld: true })
    for (const document of at.atol.documents.values()) document.total -= 1
    await later(HOUR, 2)
    expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
    expect(at.service.reportedItems.get(data.receiptUid)).toEqual([TEA])
  })

  const OTHER = {
    amount: { value: '1000.00', currency: 'RUB' },
    items: [{ ...TEA, price: '1000.00', quantity: '1', amount: '1000.00' }],
  }

  it.each<[string, (at: At) => void]>([
    ['is registered', () => {}],
    [
      'is at the register',
      (at) => {
        at.atol.waitMs = () => HOUR
      },
    ],
    ['may have been sent', (at) => at.atol.fail('sell', { broken: 'after' }, 100)],
  ])(
    'holds another amount of a document that %s, and does not report it as registered',
    async (_, prepare) => {
      const { at, later, log } = await launchedWithRegister()
      prepare(at)
      const data = receiptData(at)
      await instruct(at, data)
      await later(1_000)
      await later(MINUTE)
      at.service.site('tea').receipts.clear()
      await instruct(at, { ...data, ...OTHER })
      await later(1_000)
      expect(told(at, data)).toMatchObject({
        ...{ state: 'SENT', isHeld: true },
        reason: expect.stringContaining('with another amount: 1051.12 RUB'),
      })
      await later(HOUR, 4)
      await instruct(at, { ...data, ...OTHER })
      await later(1_000)
      expect(told(at, data)).toMatchObject({ state: 'SENT', isHeld: true })
      expect(log.some(({ message }) => message === 'a document is held')).toBe(true)
      expect(at.atol.documents.size).toBe(1)
    },
  )

  it('reports again that one failed, whatever amount is asked for', async () => {
    const { at, later } = await launchedWithRegister()
    at.atol.fails = () => ({ text: 'no paper', type: 'driver' })
    const data = receiptData(at)
    await instruct(at, data)
    await later(1_000)
    await later(MINUTE)
    at.service.site('tea').receipts.clear()
    await instruct(at, { ...data, ...OTHER })
    await later(1_000)
    expect(told(at, data)).toMatchObject({ state: 'FAILED', canRetry: true })
  })
})
