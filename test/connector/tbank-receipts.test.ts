// Receipts at T-Bank: they ride on Init and Cancel, and a notification without a key of ours ends their documents.
import { cpSync, renameSync, rmSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { finishReceipt } from '../../connector/cash-registers/receipts.ts'
import { unsentRefunds } from '../../connector/commands/held.ts'
import type { Fault } from '../support/banks/fake-bank.ts'
import { bind, charge, isOnDisk, TBANK } from './bound.ts'
import { TBANK_CLOSING, TBANK_RECEIPT } from './fixtures/receipts.ts'
import { DAY, HOUR, MINUTE, register, registerData, start } from './harness.ts'
import {
  askFor,
  EMAIL,
  GOODS,
  launchedWithBankRegisters,
  paidWithReceipt,
  refundWith,
  registered,
  riding,
} from './with-bank-registers.ts'

const ajv = new Ajv({ allErrors: true, multipleOfPrecision: 6 })
const [, CUP] = GOODS
const CUPS = GOODS.slice(1)
const FISCAL = {
  ...{ fn: '9999078900001234', fd: '101', fpd: '3000000101', registration: '0000000400054952' },
  ...{ shift: '7', number: '1', dateTime: '2026-11-20T13:10:00+03:00', url: 'https://ofd.example/101' },
}
const fieldsOf = (call: { body: unknown } | undefined): Record<string, unknown> => Object(call?.body)

describe('a code', () => {
  it('carries its receipt in Init, and its Token leaves the receipt out', async () => {
    const { at } = await launchedWithBankRegisters()
    await registered(at)
    const { Receipt } = fieldsOf(at.tbank.callsOf('Init')[0])
    expect(ajv.validate(TBANK_RECEIPT, Receipt), ajv.errorsText()).toBe(true)
    expect(Receipt).toEqual({
      ...{ FfdVersion: '1.2', Taxation: 'osn', Email: EMAIL },
      Items: [
        {
          ...{ Name: 'Чай', Price: 3_000, Quantity: 2, Amount: 6_000, Tax: 'vat10', MeasurementUnit: 'шт' },
          ...{ PaymentMethod: 'full_payment', PaymentObject: 'commodity' },
        },
        {
          ...{ Name: 'Чашка', Price: 4_000, Quantity: 1, Amount: 4_000, Tax: 'vat10', MeasurementUnit: 'шт' },
          ...{ PaymentMethod: 'full_payment', PaymentObject: 'commodity' },
        },
      ],
    })
  })

  it.each([
    ['309', undefined, 'T-Bank: 309, Поле Receipt не должно быть пустым'],
    ['308', riding(CUPS), 'T-Bank: 308, Сумма позиций не равна сумме оплаты'],
  ])('is refused in the words of the bank where it answers %s', async (_, receipt, description) => {
    const { at } = await launchedWithBankRegisters()
    const data = registerData(at, 'cafe', { receipt })
    expect(await at.service.instruct('qrCode.register', data, at.clock.now)).toMatchObject({
      status: 422,
      body: { description },
    })
  })

  it.each([
    ['308', `Неверные параметры: ${EMAIL}`, 'T-Bank: 308, Неверные параметры: (secret)'],
    // Not as it was sent.
    ['308', 'Phone 8 (900) 123-45-67', 'T-Bank: 308, Phone (contact)'],
    ['1', 'Неверные параметры: 8 (900) 123-45-67', 'T-Bank: 1, Неверные параметры: (contact)'],
    ['7', 'Phone 8 (900) 123-45-67', undefined],
  ])(
    'is refused with %s without a word of the contact that the bank quotes',
    async (ErrorCode, Message, description) => {
      const { at, log } = await launchedWithBankRegisters()
      at.tbank.fail('Init', { status: 200, body: { Success: false, ErrorCode, Message } })
      const data = registerData(at, 'cafe', { receipt: riding() })
      const { body } = await at.service.instruct('qrCode.register', data, at.clock.now)
      if (description) expect(body.description).toBe(description)
      expect(JSON.stringify([body, log])).not.toMatch(/@mail|123-45-67/)
    },
  )

  it('whose Init got no answer has its receipt in the next one', async () => {
    const { at } = await launchedWithBankRegisters()
    at.tbank.fail('Init', { broken: 'after' })
    const data = registerData(at, 'cafe', { receipt: riding() })
    expect((await at.service.instruct('qrCode.register', data, at.clock.now)).status).toBe(503)
    expect((await at.service.instruct('qrCode.register', data, at.clock.now)).status).toBe(200)
    const [first, second] = at.tbank.callsOf('Init').map((call) => fieldsOf(call).Receipt)
    expect(second).toEqual(first)
  })

  it('of another bank is not registered without the receipt', async () => {
    const { at } = await launchedWithBankRegisters()
    const data = registerData(at, 'farm', { receipt: riding() })
    expect(await at.service.instruct('qrCode.register', data, at.clock.now)).toMatchObject({
      status: 422,
      body: { description: 'Raiffeisenbank: no receipt can be a part of its calls' },
    })
    expect(at.raiffeisen.callsOf('register')).toEqual([])
  })

  it('leaves no contact on the disk', async () => {
    const { at } = await launchedWithBankRegisters()
    await registered(at)
    expect(isOnDisk(at, EMAIL)).toBe(false)
  })
})

describe('a charge', () => {
  const charged = async (prepare: (of: Awaited<ReturnType<typeof launchedWithBankRegisters>>) => void) => {
    const launched = await launchedWithBankRegisters()
    const { at, running } = launched
    const { binding } = await bind({ at, running }, TBANK)
    const amount = { value: '100.00', currency: 'RUB' }
    const link = await register(at, 'cafe', { amount, receipt: riding() })
    prepare(launched)
    const asked = await charge(at, binding, link, { amount, receipt: riding() })
    await running.later(1_000)
    return { ...launched, asked }
  }
  const receiptsOf = (at: Parameters<typeof register>[0]) =>
    at.tbank
      .callsOf('Init')
      .slice(1)
      .map((call) => fieldsOf(call).Receipt)

  it('carries the receipt of its code, of which no contact stays on the disk', async () => {
    const { at, asked, core } = await charged(() => {})
    expect(asked.result()).toMatchObject({ status: 'COMPLETED' })
    const [receipt] = receiptsOf(at)
    expect(ajv.validate(TBANK_RECEIPT, receipt), ajv.errorsText()).toBe(true)
    expect(receipt).toMatchObject({ Email: EMAIL, Items: [{ Name: 'Чай' }, { Name: 'Чашка' }] })
    expect(core.disk.payerData.emptyLog()).toBe(true)
    expect(isOnDisk(at, EMAIL)).toBe(false)
  })

  it('has the same receipt in Init, as often as Init is sent', async () => {
    const { at, later, asked } = await charged(({ at }) => at.tbank.fail('Init', { status: 502 }, 2))
    expect(asked.result()).toBeUndefined()
    await later(MINUTE, 3)
    expect(asked.result()).toMatchObject({ status: 'COMPLETED' })
    const receipts = receiptsOf(at)
    expect(receipts).toHaveLength(3)
    expect(new Set(receipts.map((each) => JSON.stringify(each))).size).toBe(1)
  })

  it('keeps its receipt over a restart', async () => {
    const launched = await charged(({ at }) => at.tbank.fail('Init', { status: 502 }))
    await launched.stop()
    const next = await start(launched.at)
    await next.later(MINUTE, 2)
    expect(launched.asked.result()).toMatchObject({ status: 'COMPLETED' })
    expect(receiptsOf(launched.at)).toHaveLength(2)
  })

  it('that the bank refuses for its receipt is declined in the words of the bank', async () => {
    const body = { Success: false, ErrorCode: '309', Message: 'Поле Receipt' }
    const { at, asked } = await charged(({ at }) => at.tbank.fail('Init', { status: 200, body }))
    expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'T-Bank: 309, Поле Receipt' })
    expect(at.tbank.callsOf('ChargeQr')).toEqual([])
  })
})

describe('a refund', () => {
  it('of a whole payment carries no receipt: the bank has what was sold', async () => {
    const { at, running, later } = await launchedWithBankRegisters()
    const payment = await paidWithReceipt(at, running)
    const { result } = await refundWith(at, payment, '100.00', riding(GOODS, { isWholePayment: true }))
    await later(1_000)
    expect(result()).toMatchObject({ status: 'COMPLETED' })
    expect(fieldsOf(at.tbank.callsOf('Cancel')[0])).not.toHaveProperty('Receipt')
    expect(at.tbank.register.documents.at(-1)).toMatchObject({ type: 'IncomeReturn', amount: 10_000 })
  })

  it('of a part lists its items, and does not wait for the document of the sale', async () => {
    const { at, running, later } = await launchedWithBankRegisters((at) => {
      at.tbank.register.notifies = 'later'
    })
    const payment = await paidWithReceipt(at, running)
    const sale = await askFor(at, payment, { items: GOODS })
    const { result } = await refundWith(at, payment, '40.00', riding(CUPS))
    await later(1_000)
    expect(result()).toMatchObject({ status: 'COMPLETED' })
    expect(sale.told()).toBeUndefined()
    const { Receipt } = fieldsOf(at.tbank.callsOf('Cancel')[0])
    expect(ajv.validate(TBANK_RECEIPT, Receipt), ajv.errorsText()).toBe(true)
    expect(Receipt).toMatchObject({ Items: [{ Name: 'Чашка', Amount: 4_000 }] })
  })

  it.each([
    ['308', `Receipt ${EMAIL}`, 'T-Bank refused Cancel for its receipt: 308, Receipt (secret)'],
    ['309', '8 (900) 123-45-67', 'T-Bank refused Cancel for its receipt: 309, (contact)'],
  ])(
    'that the bank refuses for its receipt with %s is held by name, and not sent again',
    async (ErrorCode, Message, why) => {
      const { at, running, later, core } = await launchedWithBankRegisters()
      const payment = await paidWithReceipt(at, running)
      at.tbank.refusal = { ErrorCode, Message }
      const { result, waitsFor } = await refundWith(at, payment, '40.00', riding(CUPS))
      await later(1_000)
      await later(25 * HOUR, 4)
      expect(result()).toBeUndefined()
      expect(waitsFor()).toContain(why)
      expect(at.tbank.callsOf('Cancel')).toHaveLength(1)
      expect(core.disk.refunds.countHeld()).toBe(1)
    },
  )

  it.each<[string, object, string]>([
    [
      'whose contact was erased',
      riding(CUPS, { contact: undefined }),
      'T-Bank: a receipt needs an e-mail or a phone',
    ],
    [
      'whose receipt the bank has no word for',
      riding(CUPS.map((item) => ({ ...item, vat: '18' }))),
      'T-Bank has no rate of VAT 18',
    ],
  ])(
    '%s is neither sent nor held: the merchant reads why, and the operator can settle it',
    async (_, receipt, why) => {
      const { at, running, later, core } = await launchedWithBankRegisters()
      const payment = await paidWithReceipt(at, running)
      const { result, waitsFor, refundUid } = await refundWith(at, payment, '40.00', receipt)
      await later(1_000)
      await later(HOUR, 73)
      expect(result()).toBeUndefined()
      expect(waitsFor()).toBe(`not sent yet, it is tried again: Cancel cannot have its receipt: ${why}`)
      expect(at.tbank.callsOf('Cancel')).toEqual([])
      expect(core.disk.refunds.countHeld()).toBe(0)
      expect(unsentRefunds(core)).toMatchObject([{ refundUid }])
    },
  )

  it('that was not sent keeps its receipt, and has no contact on the disk once it has ended', async () => {
    const { at, running, later, core } = await launchedWithBankRegisters()
    const payment = await paidWithReceipt(at, running)
    at.tbank.fail('GetState', { status: 502 })
    const { result } = await refundWith(at, payment, '40.00', riding(CUPS))
    await later(1_000)
    expect(at.tbank.callsOf('Cancel')).toEqual([])
    await later(MINUTE, 2)
    expect(result()).toMatchObject({ status: 'COMPLETED' })
    expect(fieldsOf(at.tbank.callsOf('Cancel')[0])).toHaveProperty('Receipt')
    expect(core.disk.payerData.emptyLog()).toBe(true)
    expect(isOnDisk(at, EMAIL)).toBe(false)
  })
})

describe('the notification of a document', () => {
  it('registers the sale, with the fiscal data that it states', async () => {
    const { at, running, later } = await launchedWithBankRegisters()
    const payment = await paidWithReceipt(at, running)
    const { status, told } = await askFor(at, payment, { items: GOODS })
    expect(status).toBe(202)
    await later(1_000)
    expect(told()).toEqual({ state: 'REGISTERED', fiscal: FISCAL })
    expect(at.tbank.webhookAnswers.every((each) => each.text === 'OK')).toBe(true)
  })

  it('before CONFIRMED is kept until the service asks for the document', async () => {
    const { at, later } = await launchedWithBankRegisters((at) => {
      at.tbank.register.notifies = 'before'
    })
    const payment = await registered(at)
    await at.tbank.pay(payment.qrcId)
    await later(1_000)
    await later(10 * HOUR, 3)
    const { told } = await askFor(at, payment, { items: GOODS })
    await later(1_000)
    expect(told()).toEqual({ state: 'REGISTERED', fiscal: FISCAL })
  })

  it.each([2, 3])('that comes %i times counts once', async (times) => {
    const { at, later, core } = await launchedWithBankRegisters((at) => {
      at.tbank.register.notifies = 'later'
    })
    const payment = await registered(at)
    await at.tbank.pay(payment.qrcId)
    const { told } = await askFor(at, payment, { items: GOODS })
    await later(1_000)
    await at.tbank.deliverReceipts({ times })
    await later(1_000)
    await later(HOUR)
    expect(told()).toEqual({ state: 'REGISTERED', fiscal: FISCAL })
    expect(at.service.reports.filter(({ path }) => path.includes('/receipts/'))).toHaveLength(1)
    expect(core.disk.webhooks.countWaiting()).toBe(0)
  })

  it('again after the closing of the same sum is still that of the sale', async () => {
    const prepaid = GOODS.map((item) => ({ ...item, vat: '10/110', method: 'fullPrepayment' }))
    const { at, later } = await launchedWithBankRegisters((at) => {
      at.tbank.register.notifies = 'later'
    })
    const payment = await registered(at, riding(prepaid))
    await at.tbank.pay(payment.qrcId)
    const sale = await askFor(at, payment, { items: prepaid })
    const [notice] = at.tbank.receiptNotices
    if (!notice) throw new Error('a document was made')
    await at.tbank.deliverReceipts()
    await later(1_000)
    const closing = await askFor(at, payment, { kind: 'closing', closingUid: 'c', items: GOODS })
    await later(1_000)
    await at.tbank.deliverReceipt(notice)
    await later(1_000)
    expect(closing.told()).toBeUndefined()
    await at.tbank.deliverReceipts()
    await later(1_000)
    expect(sale.told()).toMatchObject({ state: 'REGISTERED', fiscal: { fd: '101' } })
    expect(closing.told()).toMatchObject({ state: 'REGISTERED', fiscal: { fd: '102' } })
  })

  const IS_HELD = { state: 'SENT', isHeld: true }
  it.each<[string, string, number, object]>([
    ['that comes again is not taken for that of the closing', '101', 10 * MINUTE, IS_HELD],
    ['that comes again in the same minute is not taken for that of the closing', '101', 1_000, IS_HELD],
    ['of the closing registers it', '102', 10 * MINUTE, { state: 'REGISTERED', fiscal: { fd: '102' } }],
  ])('%s, on a disk that lacks the sale of the same sum', async (_, number, wait, told) => {
    const prepaid = GOODS.map((item) => ({ ...item, vat: '10/110', method: 'fullPrepayment' }))
    const { at, later, running } = await launchedWithBankRegisters()
    const payment = await paidWithReceipt(at, running, riding(prepaid))
    const sale = await askFor(at, payment, { items: prepaid })
    await later(1_000)
    expect(sale.told()).toMatchObject({ state: 'REGISTERED' })
    await running.stop()
    rmSync(at.directory, { recursive: true })
    at.service.receipts.splice(0)
    const next = await start(at)
    await next.later(wait)
    const closing = await askFor(at, payment, { kind: 'closing', closingUid: 'c', items: GOODS })
    await next.later(1_000)
    const notice = at.tbank.madeNotices.find((each) => String(each.FiscalDocumentNumber) === number)
    if (!notice) throw new Error(`the document ${number} was made`)
    await at.tbank.deliverReceipt(notice)
    await next.later(1_000)
    expect(closing.told()).toMatchObject(told)
  })

  it('of a refund that a restored disk lacks is not taken for that of another one', async () => {
    const { at, running } = await launchedWithBankRegisters()
    const payment = await paidWithReceipt(at, running)
    const sale = await askFor(at, payment, { items: GOODS })
    await running.later(1_000)
    expect(sale.told()).toMatchObject({ state: 'REGISTERED' })
    const backup = `${at.directory}-backup`
    await running.stop()
    cpSync(at.directory, backup, { recursive: true })
    const restoredFrom = at.clock.now
    const first = await start(at)
    const lost = await refundWith(at, payment, '40.00', riding(CUPS))
    await first.later(MINUTE)
    expect(lost.result()).toMatchObject({ status: 'COMPLETED' })
    const notice = at.tbank.madeNotices.at(-1)
    if (!notice) throw new Error('a document was made')
    await first.stop()
    rmSync(at.directory, { recursive: true })
    renameSync(backup, at.directory)
    at.clock.now += HOUR
    at.service.waitingRefunds.splice(0)
    const next = await start(at, { restoredFrom })
    await next.later(10 * MINUTE)
    at.tbank.register.notifies = 'later'
    const { refundUid } = await refundWith(at, payment, '40.00', riding(CUPS))
    await next.later(MINUTE)
    const { told } = await askFor(at, payment, { kind: 'refund', refundUid, items: CUPS })
    await next.later(1_000)
    await at.tbank.deliverReceipt(notice)
    await next.later(1_000)
    expect(told()).toMatchObject({ state: 'SENT', isHeld: true })
  })

  it('of a refund that the disk knows registers it, on a disk that lacks the sale', async () => {
    const { at, running } = await launchedWithBankRegisters()
    const payment = await paidWithReceipt(at, running)
    await running.stop()
    rmSync(at.directory, { recursive: true })
    const next = await start(at)
    await next.later(10 * MINUTE)
    at.tbank.register.notifies = 'later'
    const { refundUid, result } = await refundWith(at, payment, '40.00', riding(CUPS))
    await next.later(1_000)
    expect(result()).toMatchObject({ status: 'COMPLETED' })
    await next.later(10 * MINUTE)
    const { told } = await askFor(at, payment, { kind: 'refund', refundUid, items: CUPS })
    await next.later(1_000)
    await at.tbank.deliverReceipts()
    await next.later(1_000)
    expect(told()).toMatchObject({ state: 'REGISTERED' })
  })

  it('with a forged Token, or of another terminal, is refused, and nothing of it is kept', async () => {
    const { at, later, core } = await launchedWithBankRegisters((at) => {
      at.tbank.register.notifies = 'later'
    })
    const payment = await registered(at)
    await at.tbank.pay(payment.qrcId)
    const { told } = await askFor(at, payment, { items: GOODS })
    await later(1_000)
    const [notice] = at.tbank.receiptNotices.splice(0)
    if (!notice) throw new Error('a document was made')
    for (const changes of [
      { FiscalDocumentNumber: 7 },
      { Token: '0'.repeat(64) },
      { TerminalKey: 'other' },
    ]) {
      await at.tbank.deliverReceipt(notice, {}, changes)
      expect(at.tbank.webhookAnswers.at(-1)?.status).toBe(401)
    }
    await later(1_000)
    expect([told(), core.disk.webhooks.countWaiting()]).toEqual([undefined, 0])
  })

  it('has its receipt dropped: the contact and the items are nowhere on the disk', async () => {
    const { at, running, later } = await launchedWithBankRegisters()
    const payment = await paidWithReceipt(at, running, riding(GOODS, { contact: { phone: '+79001234567' } }))
    await later(1_000)
    expect(at.tbank.delivered.has(payment.qrcId)).toBe(true)
    expect(isOnDisk(at, 'FiscalDocumentNumber') || isOnDisk(at, '9001234567')).toBe(false)
    expect(isOnDisk(at, '9999078900001234')).toBe(true)
  })

  it.each<[string, object]>([
    ['another sum', { Amount: 9_999 }],
    ['a return', { Type: 'IncomeReturn' }],
    ['an unknown type', { Type: 'Expense' }],
  ])('of %s is not that of the sale, and waits', async (name, changes) => {
    const { at, later, core } = await launchedWithBankRegisters((at) => {
      at.tbank.register.notifies = 'later'
    })
    const payment = await registered(at)
    await at.tbank.pay(payment.qrcId)
    const { told } = await askFor(at, payment, { items: GOODS })
    await later(1_000)
    const [notice] = at.tbank.receiptNotices.splice(0)
    const { Token: _, ...fields } = { ...notice, ...changes }
    await at.tbank.deliverReceipt({ ...fields, Token: at.tbank.tokenOf(fields) })
    await later(1_000)
    // Without a type the only document of the payment with this sum is meant.
    if (name === 'an unknown type') expect(told()).toMatchObject({ state: 'REGISTERED' })
    else {
      expect(told()).toBeUndefined()
      expect(core.disk.webhooks.waiting()).toMatchObject([{ problem: 'NO_RECEIPT' }])
    }
  })

  it('that can be of two refunds holds both, and the operator sees it', async () => {
    const { at, running, later, core } = await launchedWithBankRegisters((at) => {
      at.tbank.register.notifies = 'later'
    })
    const payment = await paidWithReceipt(at, running)
    await at.tbank.deliverReceipts()
    const halves = [0, 1].map(() => [{ ...CUP, price: '40.00' }])
    const documents = []
    for (const [i, items] of halves.entries()) {
      await refundWith(at, payment, '40.00', riding(items))
      await later(1_000)
      documents.push(
        await askFor(at, payment, { kind: 'refund', refundUid: `r${i}`, items: [CUP ?? { amount: '' }] }),
      )
    }
    await later(1_000)
    await at.tbank.deliverReceipts()
    await later(1_000)
    for (const { told } of documents) {
      expect(told()).toMatchObject({
        isHeld: true,
        reason: expect.stringContaining('can be of several documents of the payment'),
      })
    }
    expect(core.disk.webhooks.waiting().map(({ problem }) => problem)).toEqual([
      ...['NO_RECEIPT', 'SEVERAL_RECEIPTS', 'SEVERAL_RECEIPTS'],
    ])
    // Neither is told again of what it waits for already.
    const count = () => at.service.reports.filter(({ path }) => path.includes('/receipts/')).length
    const before = count()
    await later(HOUR, 5)
    expect(count()).toBe(before)
  })

  it('that the document was not made fails it, without the contact, and it cannot be retried', async () => {
    const { at, running, later } = await launchedWithBankRegisters((at) => {
      at.tbank.register.failures.push(`Касса не отвечает, ${EMAIL}`)
    })
    const payment = await paidWithReceipt(at, running)
    const { told } = await askFor(at, payment, { items: GOODS })
    await later(1_000)
    const reason = 'T-Bank: 330, Касса не отвечает, (contact)'
    expect(told()).toEqual({ state: 'FAILED', reason, canRetry: false })
  })

  it('that never comes leaves the document held after a day; one that comes later registers it', async () => {
    const { at, running, later } = await launchedWithBankRegisters((at) => {
      at.tbank.register.notifies = 'later'
    })
    const payment = await paidWithReceipt(at, running)
    const { told } = await askFor(at, payment, { items: GOODS })
    await later(1_000)
    await later(HOUR, 23)
    expect(told()).toBeUndefined()
    await later(HOUR, 2)
    expect(told()).toMatchObject({ state: 'SENT', isHeld: true })
    await at.tbank.deliverReceipts()
    await later(1_000)
    expect(told()).toEqual({ state: 'REGISTERED', fiscal: FISCAL })
  })

  describe('of a sale that the operator has settled without its numbers', () => {
    const settled = async (numbers: object) => {
      const launched = await launchedWithBankRegisters((at) => {
        at.tbank.register.notifies = 'later'
      })
      const { at, running, later, core } = launched
      const prepaid = GOODS.map((item) => ({ ...item, vat: '10/110', method: 'fullPrepayment' }))
      const payment = await paidWithReceipt(at, running, riding(prepaid))
      const sale = await askFor(at, payment, { items: prepaid })
      await later(1_000)
      await later(HOUR, 25)
      const [held] = core.disk.receipts.held()
      if (!held) throw new Error('the document is held')
      finishReceipt(core, held, { state: 'REGISTERED', fiscal: numbers })
      await later(1_000)
      return { ...launched, payment, sale }
    }

    it('tells its numbers', async () => {
      const { at, sale, later, core } = await settled({})
      await at.tbank.deliverReceipts({ times: 2 })
      await later(1_000)
      expect(sale.told()).toEqual({ state: 'REGISTERED', fiscal: FISCAL })
      expect(core.disk.webhooks.countWaiting()).toBe(0)
    })

    it('is not taken for that of the closing of the same sum', async () => {
      const { at, payment, later, core } = await settled({})
      const closing = await askFor(at, payment, { kind: 'closing', closingUid: 'c', items: GOODS })
      await later(1_000)
      const [notice] = at.tbank.receiptNotices
      if (!notice) throw new Error('a document was made')
      await at.tbank.deliverReceipt(notice)
      await later(1_000)
      expect(closing.told()).toMatchObject({ state: 'SENT', isHeld: true })
      expect(core.disk.webhooks.waiting()).toMatchObject([{ problem: 'SEVERAL_RECEIPTS' }])
    })

    it('is known by the number that the operator has read', async () => {
      const { at, later, core } = await settled({ fd: FISCAL.fd })
      await at.tbank.deliverReceipts()
      await later(1_000)
      expect(core.disk.webhooks.countWaiting()).toBe(0)
    })
  })

  it('is awaited for a day, also where the clock goes back', async () => {
    const { at, running, later } = await launchedWithBankRegisters((at) => {
      at.tbank.register.notifies = 'later'
    })
    const payment = await paidWithReceipt(at, running)
    const { told } = await askFor(at, payment, { items: GOODS })
    await later(1_000)
    await later(-10 * MINUTE)
    await later(HOUR, 20)
    expect(told()).toBeUndefined()
    await later(HOUR, 5)
    expect(told()).toMatchObject({ state: 'SENT', isHeld: true })
  })

  it('of a terminal whose receipts nobody here asks for is ignored', async () => {
    const { at, running, later, core } = await launchedWithBankRegisters((at) => {
      Object.assign(at.config, { cashRegisters: {} })
      for (const site of [at.config.sites.cafe, at.config.sites.farm])
        Object.assign(site, { cashRegister: undefined })
    })
    await paidWithReceipt(at, running)
    await later(1_000)
    expect(at.tbank.webhookAnswers.map(({ status }) => status)).toEqual([200, 200])
    expect(core.disk.webhooks.countWaiting()).toBe(0)
  })
})

describe('a closing receipt', () => {
  const prepaid = GOODS.map((item) => ({ ...item, vat: '10/110', method: 'fullPrepayment' }))
  const closed = async (fault?: Fault) => {
    const launched = await launchedWithBankRegisters()
    const { at, running, later } = launched
    const payment = await paidWithReceipt(at, running, riding(prepaid))
    await askFor(at, payment, { items: prepaid })
    await later(1_000)
    if (fault) at.tbank.fail('SendClosingReceipt', fault)
    const closing = await askFor(at, payment, { kind: 'closing', closingUid: 'c', items: GOODS })
    await later(1_000)
    return { ...launched, closing, calls: () => at.tbank.callsOf('SendClosingReceipt') }
  }

  it('is a call of its own, valid by the document of the bank, and its notification registers it', async () => {
    const { at, later, closing, calls } = await closed()
    const [call] = calls()
    expect(call?.path).toMatch(TBANK_CLOSING.path)
    expect(ajv.validate(TBANK_CLOSING.body, call?.body), ajv.errorsText()).toBe(true)
    await later(HOUR, 3)
    expect(closing.told()).toBeUndefined()
    await at.tbank.deliverReceipts()
    await later(1_000)
    expect(closing.told()).toMatchObject({ state: 'REGISTERED', fiscal: { fd: '102' } })
  })

  it.each<[string, Fault]>([
    ['no answer', { broken: 'after' }],
    ['no answer, and it did not arrive', { broken: 'before' }],
    ['HTML', { status: 200, body: '<html></html>', executed: true }],
    [
      'an error that no document has',
      { status: 200, body: { Success: false, ErrorCode: '9999', Message: 'x' } },
    ],
    ['503', { status: 503, executed: true }],
    // They are of the general list of codes, which does not say of which calls.
    ['308', { status: 200, body: { Success: false, ErrorCode: '308', Message: 'Receipt' } }],
    ['309', { status: 200, body: { Success: false, ErrorCode: '309', Message: 'Receipt' } }],
  ])('with %s is held, never sent again, and cannot be retried', async (_, fault) => {
    const { later, closing, calls } = await closed(fault)
    await later(25 * HOUR, 4)
    expect(closing.told()).toMatchObject({ state: 'SENT', isHeld: true })
    expect(calls()).toHaveLength(1)
  })

  it('whose answer was lost is registered by its notification', async () => {
    const { at, later, closing } = await closed({ broken: 'after' })
    await at.tbank.deliverReceipts()
    await later(1_000)
    expect(closing.told()).toMatchObject({ state: 'REGISTERED', fiscal: { fd: '102' } })
  })

  it('that the bank refuses failed, and can be retried', async () => {
    const body = { Success: false, ErrorCode: '1', Message: 'Неверные параметры', Details: EMAIL }
    const { closing, calls } = await closed({ status: 200, body })
    expect(closing.told()).toEqual({
      ...{ state: 'FAILED', reason: 'T-Bank: 1, Неверные параметры, (secret)', canRetry: true },
    })
    expect(calls()).toHaveLength(1)
  })
})

it('after the retention no contact, and no address of a receipt, is in a byte of the disk', async () => {
  const { at, running, later, core } = await launchedWithBankRegisters((at) => {
    Object.assign(at.config, { retentionDays: 30 })
  })
  const payment = await paidWithReceipt(at, running)
  const { told } = await askFor(at, payment, { items: GOODS })
  await later(1_000)
  // One of which the service asks for no document.
  await at.tbank.pay((await registered(at)).qrcId)
  await later(1_000)
  expect(told()).toMatchObject({ state: 'REGISTERED' })
  const texts = [EMAIL, 'ofd.example']
  expect(texts.map((text) => isOnDisk(at, text))).toEqual([true, true])
  await later(32 * DAY, 2)
  expect(core.disk.payerData.emptyLog()).toBe(true)
  expect(texts.map((text) => isOnDisk(at, text))).toEqual([false, false])
})

it('a sale of a bank that carries no receipts is refused', async () => {
  const { at } = await launchedWithBankRegisters()
  const counter = await register(at, 'tea', {
    ...{ type: 'COUNTER', amount: undefined, ttl: undefined, expiresOn: undefined },
  })
  const sale = {
    ...{ siteId: 'tea', ...counter, saleUid: 's1', amount: { value: '100.00', currency: 'RUB' }, ttl: 5 },
    ...{ expiresOn: new Date(at.clock.now + MINUTE).toISOString(), receipt: riding() },
  }
  expect(await at.service.instruct('sale.activate', sale, at.clock.now)).toMatchObject({
    status: 422,
    body: { description: 'Tochka: no receipt can be a part of its calls' },
  })
})

it('the terminal of the cash register is that of the site’s bank', async () => {
  await expect(
    launchedWithBankRegisters((at) => {
      const { cashRegisters } = Object(at.config)
      cashRegisters['kassa-cafe'].terminalKey = 'Other'
    }),
  ).rejects.toThrow('sites.cafe.cashRegister: kassa-cafe is tbank:Other, must be tbank:TinkoffBankTest')
})
