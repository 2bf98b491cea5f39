// Documents of Raiffeisenbank's cash register: each becomes one fiscal document, whatever the bank answers.
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { idOf } from '../../connector/cash-registers/receipts.ts'
import type { Fault } from '../support/banks/fake-bank.ts'
import { RAIFFEISEN_FISCAL } from './fixtures/receipts.ts'
import { HOUR, MINUTE, type Surroundings, start } from './harness.ts'
import { askFor, EMAIL, GOODS, launchedWithBankRegisters, type Payment } from './with-bank-registers.ts'

let payments = 0
const payment = (): Payment => {
  const qrcId = `AD${++payments}`
  return { siteId: 'farm', qrcId, reference: `raif-farm:order-${payments}`, paymentUid: qrcId }
}

const documentOf = (at: Surroundings, receiptUid: string) => at.raiffeisen.register.documents.get(receiptUid)
const callsOf = (at: Surroundings) =>
  at.raiffeisen.calls.map(({ operation }) => operation).filter((each) => each.startsWith('fiscal_'))

it('creates a document, registers it, asks about it, and reports that it has no fiscal data', async () => {
  const { at, later } = await launchedWithBankRegisters()
  const { receiptUid, told } = await askFor(at, payment(), { items: GOODS })
  await later(1_000)
  expect(callsOf(at)).toEqual(['fiscal_create', 'fiscal_register'])
  await later(MINUTE)
  expect(callsOf(at)).toEqual(['fiscal_create', 'fiscal_register', 'fiscal_status'])
  expect(told()).toEqual({ state: 'REGISTERED', fiscal: {} })
  expect(documentOf(at, receiptUid)).toMatchObject({
    ...{ type: 'SELL', status: 'DONE', made: 1 },
    receipt: { receiptNumber: receiptUid, client: { email: EMAIL }, total: 100 },
  })
})

it('every request is valid by the document of the bank', async () => {
  const { at, later } = await launchedWithBankRegisters()
  await askFor(at, payment(), { items: GOODS })
  await askFor(at, payment(), { kind: 'refund', refundUid: 'r', items: GOODS.slice(0, 1) })
  await later(1_000)
  await later(MINUTE)
  const ajv = new Ajv({ allErrors: true, multipleOfPrecision: 6 })
  const calls = at.raiffeisen.calls.filter(({ operation }) => operation.startsWith('fiscal_'))
  expect(calls).toHaveLength(6)
  for (const { method, path, body } of calls) {
    const rule = RAIFFEISEN_FISCAL.find((each) => each.method === method && each.path.test(path))
    expect(rule, `${method} ${path}`).toBeDefined()
    expect(ajv.validate(rule?.body ?? false, body ?? null), ajv.errorsText()).toBe(true)
  }
})

it('a refund is a document of its own type', async () => {
  const { at, later } = await launchedWithBankRegisters()
  const of = { kind: 'refund', refundUid: 'r', items: GOODS.slice(1) }
  const { receiptUid, told } = await askFor(at, payment(), of)
  await later(1_000)
  await later(MINUTE)
  expect(told()).toMatchObject({ state: 'REGISTERED' })
  expect(documentOf(at, receiptUid)).toMatchObject({ type: 'REFUND', receipt: { total: 40 } })
})

it('waits while the bank states that it is about to send the document', async () => {
  const { at, later } = await launchedWithBankRegisters()
  at.raiffeisen.register.waiting = 'AWAITING'
  const { told } = await askFor(at, payment(), { items: GOODS })
  await later(1_000)
  expect(told()).toBeUndefined()
  await later(MINUTE)
  expect(told()).toMatchObject({ state: 'REGISTERED' })
})

/** What any of the calls can meet; each can have been executed. */
const FAULTS: [string, Fault][] = [
  ['no answer', { broken: 'after' }],
  ['no answer, and it did not arrive', { broken: 'before' }],
  ['HTML', { status: 502, body: '<html><body>Bad gateway</body></html>', executed: true }],
  ['HTML with 200', { status: 200, body: '<html></html>', executed: true }],
  ['500, and the code of a failed registration', { status: 500, executed: true, body: failed() }],
  ['429', { status: 429, executed: true }],
  [
    '403, because the merchant is not connected',
    { status: 403, body: { code: 'MERCHANT_NOT_FOUND', message: 'x' } },
  ],
]

function failed() {
  return { code: 'RECEIPT_REGISTRATION_FAILED', message: 'x' }
}

describe.each(['fiscal_create', 'fiscal_register', 'fiscal_status'])('where %s gets', (operation) => {
  it.each(FAULTS)('%s, the document is made once', async (_, fault) => {
    const { at, later } = await launchedWithBankRegisters()
    at.raiffeisen.fail(operation, fault, 2)
    const { receiptUid, told } = await askFor(at, payment(), { items: GOODS })
    await later(1_000)
    await later(MINUTE, 8)
    expect(told()).toEqual({ state: 'REGISTERED', fiscal: {} })
    expect(documentOf(at, receiptUid)).toMatchObject({ made: 1 })
    expect(at.raiffeisen.register.documents.size).toBe(1)
  })
})

it('a document that the bank refuses failed, in the words of the bank without the e-mail', async () => {
  const { at, later, log } = await launchedWithBankRegisters()
  at.raiffeisen.fail('fiscal_create', {
    status: 400,
    body: { code: 'RECEIPT_VALIDATION_FAILED', message: `Чек не прошел валидацию: ${EMAIL}` },
  })
  const { told } = await askFor(at, payment(), { items: GOODS })
  await later(1_000)
  expect(told()).toEqual({
    state: 'FAILED',
    reason: 'Raiffeisenbank: RECEIPT_VALIDATION_FAILED, Чек не прошел валидацию: (secret)',
    canRetry: true,
  })
  expect(JSON.stringify(log)).not.toContain(EMAIL)
})

it('a registration that failed can be tried again under another number', async () => {
  const { at, later } = await launchedWithBankRegisters()
  at.raiffeisen.register.result = 'FAILED'
  const of = payment()
  const { told } = await askFor(at, of, { items: GOODS })
  await later(1_000)
  await later(MINUTE)
  expect(told()).toEqual({
    state: 'FAILED',
    reason: 'Raiffeisenbank: the registration failed; it gives no reason',
    canRetry: true,
  })
  at.raiffeisen.register.result = 'DONE'
  const next = await askFor(at, of, { items: GOODS })
  await later(1_000)
  await later(MINUTE)
  expect(next.told()).toMatchObject({ state: 'REGISTERED' })
})

describe('the bank has no word for', () => {
  it.each<[string, Record<string, unknown>]>([
    ['a phone', { contact: { phone: '+79001234567' } }],
    ['a prepayment', { items: GOODS.map((item) => ({ ...item, method: 'prepayment' })) }],
    ['a closing receipt', { kind: 'closing', closingUid: 'c' }],
  ])('%s: nothing is sent, and the document failed by name', async (_, changes) => {
    const { at, later } = await launchedWithBankRegisters()
    const { told } = await askFor(at, payment(), { items: GOODS, ...changes })
    await later(1_000)
    expect(told()).toMatchObject({ state: 'FAILED', reason: expect.stringMatching(/^Raiffeisenbank/) })
    expect(callsOf(at)).toEqual([])
  })
})

it.each<[string, object]>([
  ['another sum', { total: 99 }],
  ['another number', { receiptNumber: 'X' }],
  ['another type', { receiptType: 'REFUND' }],
])('a document of %s under our number is held', async (_, changes) => {
  const { at, later } = await launchedWithBankRegisters()
  at.raiffeisen.fail('fiscal_create', { changes: { ...changes } })
  const { told } = await askFor(at, payment(), { items: GOODS })
  await later(1_000)
  expect(told()).toMatchObject({
    ...{ state: 'SENT', isHeld: true },
    reason: expect.stringContaining('the bank states another document under this number'),
  })
  expect(callsOf(at)).toEqual(['fiscal_create'])
})

it('a new disk goes on with what the earlier one has sent', async () => {
  const { at, later, loseDisk } = await launchedWithBankRegisters()
  at.raiffeisen.fail('fiscal_register', { broken: 'after' })
  const { receiptUid, told } = await askFor(at, payment(), { items: GOODS })
  await later(1_000)
  await loseDisk()
  at.clock.now += HOUR
  const next = await start(at)
  await next.later(1_000)
  await next.later(MINUTE, 3)
  expect(told()).toMatchObject({ state: 'REGISTERED' })
  expect(documentOf(at, receiptUid)).toMatchObject({ made: 1 })
})

it('a question registers nothing, also of a document that was created and not registered', async () => {
  const { at, later, core } = await launchedWithBankRegisters()
  at.raiffeisen.fail('fiscal_register', { status: 503 }, 9)
  const { receiptUid, told } = await askFor(at, payment(), { items: GOODS })
  await later(1_000)
  const row = core.disk.receipts.get({ site: 'farm', receiptUid })
  const register = core.cashRegisters.get('kassa-farm')?.register
  if (!row || !register?.state) throw new Error('the document is on disk')
  const before = at.raiffeisen.callsOf('fiscal_register').length
  await expect(register.state(idOf(row), '')).rejects.toThrow('has not registered it')
  expect(at.raiffeisen.callsOf('fiscal_register')).toHaveLength(before)
  at.raiffeisen.heal()
  await later(MINUTE, 3)
  expect(told()).toMatchObject({ state: 'REGISTERED' })
})

it('says whether its credentials work', async () => {
  const { at, core } = await launchedWithBankRegisters()
  const check = () => core.cashRegisters.get('kassa-farm')?.register.checkCredentials()
  expect(await check()).toEqual([{ isGood: true, text: 'the credentials of the cash register work' }])
  at.raiffeisen.register.refusal = 'CREDENTIALS_NOT_FOUND'
  expect(await check()).toEqual([
    { isGood: false, text: 'fiscal_status: the bank answers 403 to the credentials' },
  ])
})
