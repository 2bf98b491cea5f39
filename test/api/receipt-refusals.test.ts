// What a cash register cannot put on a receipt, and rates of VAT that do not hold: a create, a sale and the settings are refused.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { freshSite } from '../support/admin.ts'
import { item, receipt, receiptSite } from '../support/receipts.ts'
import { errorOf, serviceWith } from '../support/service.ts'

/** A minute before 2026 begins in Moscow, where QR codes are made for 60 minutes. */
const EVE = Date.parse('2025-12-31T20:59:00Z')
const IN_2025 = Date.parse('2025-12-01T00:00:00Z')
const IN_2026 = Date.parse('2026-11-20T12:00:00Z')
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: IN_2026 }))
afterEach(() => void vi.useRealTimers())

const refusedIn = async (response: Response) => {
  expect(response.status).toBe(400)
  const { errorCode, cause = {} } = await errorOf(response)
  expect(errorCode).toBe('validation.error')
  return cause
}

const REGISTERS = {
  sandbox: { kind: 'sandbox', ffd: '1.2' },
  tbank: { kind: 'tbank', ffd: '1.05' },
  raiffeisen: { kind: 'raiffeisen', ffd: '1.05' },
  few: { kind: 'sandbox', ffd: '1.2', maxItems: 1, decimals: 2 },
} as const
type Kind = keyof typeof REGISTERS
// The time of a test is that of its requests.
const service = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' }, now: () => Date.now() })
const siteOf = (kind: Kind) => receiptSite(REGISTERS[kind], service)

const withItem = (more: object) => receipt({ items: [item({ ...more })] })
const ofRaiffeisen = (more: object = {}) => receipt({ taxation: undefined, ...more })

describe('a receipt that the cash register cannot make is refused', () => {
  it.each<[string, Kind, object, string, string]>([
    ['a sum off by a kopeck', 'sandbox', withItem({ price: '4.99' }), 'receipt.items', '0.01'],
    ['no rate of VAT', 'sandbox', withItem({ vat: undefined }), 'receipt.items.0.vat', 'missing'],
    ['no taxation', 'sandbox', receipt({ taxation: undefined }), 'receipt.taxation', 'missing'],
    [
      'more items than it takes',
      'few',
      receipt({ items: [item({ price: '2' }), item({ price: '3' })] }),
      'receipt.items',
      'at most 1',
    ],
    [
      'more decimals than it takes',
      'few',
      withItem({ price: '4', quantity: '1.251' }),
      'receipt.items.0.quantity',
      'at most 2',
    ],
    ['no contact at T-Bank', 'tbank', receipt({ contact: undefined }), 'receipt.contact', 'tbank'],
    ['a unit at T-Bank with FFD 1.05', 'tbank', withItem({ unit: 11 }), 'receipt.items.0.unit', 'tbank'],
    [
      'a phone at Raiffeisenbank',
      'raiffeisen',
      ofRaiffeisen({ contact: { phone: '+79001234567' } }),
      'receipt.contact.phone',
      'email',
    ],
    [
      'a taxation at Raiffeisenbank',
      'raiffeisen',
      ofRaiffeisen({ taxation: 'osn' }),
      'receipt.taxation',
      'absent',
    ],
    [
      '5 at Raiffeisenbank',
      'raiffeisen',
      ofRaiffeisen({ items: [item({ vat: '5' })] }),
      'receipt.items.0.vat',
      'raiffeisen',
    ],
    [
      '22 at Raiffeisenbank',
      'raiffeisen',
      ofRaiffeisen({ items: [item({ vat: '22' })] }),
      'receipt.items.0.vat',
      'raiffeisen',
    ],
    [
      'a prepayment at Raiffeisenbank',
      'raiffeisen',
      ofRaiffeisen({ items: [item({ method: 'fullPrepayment' })] }),
      'receipt.items.0.method',
      'fullPayment',
    ],
    [
      'an agent’s commission at Raiffeisenbank',
      'raiffeisen',
      ofRaiffeisen({ items: [item({ object: 'agentCommission' })] }),
      'receipt.items.0.object',
      'raiffeisen',
    ],
  ])('%s', async (_, kind, stated, field, part) => {
    const site = await siteOf(kind)
    const response = await site.create({ receipt: stated })
    const refused = await refusedIn(response)
    expect(Object.keys(refused)).toEqual([field])
    expect(refused[field]?.[0]).toContain(part)
    expect((await site.list()).receipts).toEqual([])
  })

  it.each([
    ['sandbox', receipt()],
    ['tbank', receipt({ items: [item({ vat: '10' })] })],
    ['raiffeisen', ofRaiffeisen()],
    ['few', withItem({ price: '4', quantity: '1.25' })],
  ] as const)('where it can, it is not: %s', async (kind, stated) => {
    expect((await (await siteOf(kind)).create({ receipt: stated })).status).toBe(200)
  })

  it('of a sale too', async () => {
    const site = await siteOf('sandbox')
    const { qrCodeUid } = await site.make({ amount: undefined }, { type: 'COUNTER' })
    const path = `/sbp/qrCodes/${qrCodeUid}/sales/sale-1`
    const put = (stated: object) =>
      site.ask(path, { method: 'PUT', body: { amount: { value: 5 }, receipt: stated } })
    expect(await refusedIn(await put(withItem({ price: '5.01' })))).toHaveProperty('receipt.items')
    expect((await put(receipt())).status).toBe(200)
  })

  it('of a site without a cash register', async () => {
    const site = freshSite(service)
    await site.ask('/settings', { method: 'PUT', body: {} })
    const refused = await refusedIn(await site.create({ receipt: receipt() }))
    expect(refused).toEqual({ receipt: [expect.stringContaining('without a cash register')] })
  })
})

describe('a rate of VAT holds as long as the code can be paid', () => {
  it.each<[string, number, string, Record<string, unknown>]>([
    ['20 in 2026', IN_2026, '20', {}],
    ['22 in 2025', IN_2025, '22', { ttl: 60 }],
    ['20 of a code that ends in 2026', EVE, '20', { ttl: 60 }],
    ['22 of a code that begins in 2025', EVE, '22', { ttl: 60 }],
    ['20 of a STATIC code, which has no end', IN_2025, '20', { type: 'STATIC' }],
  ])('%s is refused', async (_, now, vat, qrCode) => {
    vi.setSystemTime(now)
    const site = await siteOf('sandbox')
    const refused = await refusedIn(await site.create({ receipt: withItem({ vat }) }, qrCode))
    expect(refused).toEqual({ 'receipt.items.0.vat': [expect.stringContaining('2026-01-01')] })
  })

  it.each<[string, number, string, Record<string, unknown>]>([
    ['22 in 2026', IN_2026, '22', {}],
    ['22 of a STATIC code in 2026', IN_2026, '22', { type: 'STATIC' }],
    ['20 in 2025', IN_2025, '20', { ttl: 60 }],
    ['20 of a code that ends with 2025', EVE - 3_540_000, '20', { ttl: 60 }],
    ['10 of a code that ends in 2026', EVE, '10', { ttl: 60 }],
  ])('%s is not', async (_, now, vat, qrCode) => {
    vi.setSystemTime(now)
    const site = await siteOf('sandbox')
    expect((await site.create({ receipt: withItem({ vat }) }, qrCode)).status).toBe(200)
  })
})

describe('the receipt is a part of what makes a repeat equal', () => {
  it.each<[string, object | undefined]>([
    ['another item', receipt({ items: [item({ name: 'Coffee' })] })],
    ['another taxation', receipt({ taxation: 'osn' })],
    ['no receipt', undefined],
  ])('%s contradicts the first request', async (_, other) => {
    const site = await siteOf('sandbox')
    const { qrCodeUid } = await site.make({ receipt: receipt() })
    const response = await site.create({ qrCodeUid, ...(other && { receipt: other }) })
    expect(response.status).toBe(409)
    expect(Object.keys((await errorOf(response)).cause ?? {})).toEqual(['receipt'])
  })

  it('the same items in other words are equal', async () => {
    const site = await siteOf('sandbox')
    const { qrCodeUid } = await site.make({ receipt: receipt() })
    const same = receipt({ items: [item({ price: 5, quantity: '1.000', amount: '5.00' })] })
    const response = await site.create({ qrCodeUid, receipt: same })
    expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
  })
})

describe('the setting `receipts` is refused', () => {
  it.each<[string, Kind, object, string]>([
    ['default without a rate of VAT', 'sandbox', { default: true, taxation: 'osn' }, 'receipts.vat'],
    ['default without a taxation', 'sandbox', { default: true, vat: '22' }, 'receipts.taxation'],
    ['a taxation at Raiffeisenbank', 'raiffeisen', { taxation: 'osn' }, 'receipts.taxation'],
    ['a rate that it has no word for', 'raiffeisen', { vat: '22' }, 'receipts.vat'],
    ['20 in 2026', 'sandbox', { vat: '20' }, 'receipts.vat'],
    [
      'default beside askContact at T-Bank',
      'tbank',
      { default: true, askContact: true, vat: '10', taxation: 'osn' },
      'receipts.askContact',
    ],
  ])('%s', async (_, kind, receipts, field) => {
    const site = await siteOf(kind)
    for (const method of ['PUT', 'PATCH']) {
      const refused = await refusedIn(await site.ask('/settings', { method, body: { receipts } }))
      expect(Object.keys(refused)).toEqual([field])
    }
    const settings = await site.ask('/settings')
    expect(await settings.json()).not.toHaveProperty('receipts')
  })

  it('at a site without a cash register', async () => {
    const site = freshSite(service)
    const refused = await refusedIn(
      await site.ask('/settings', { method: 'PATCH', body: { receipts: { vat: '22' } } }),
    )
    expect(refused).toEqual({ receipts: [expect.stringContaining('without a cash register')] })
  })
})

it('with default each payment without a receipt of its own gets one item', async () => {
  const site = await siteOf('sandbox')
  const settings = { receipts: { default: true, vat: '22', taxation: 'osn', itemName: 'Order' } }
  await site.ask('/settings', { method: 'PATCH', body: settings })
  const { paymentUid } = await site.paid(null, { paymentPurpose: 'Order 7' })
  expect(await site.latestOf(paymentUid)).toMatchObject({
    items: [{ name: 'Order', price: '5.00', quantity: '1', amount: '5.00', vat: '22' }],
    waitsFor: 'contact',
  })
  const own = await site.paid(receipt())
  expect(await site.latestOf(own.paymentUid)).toMatchObject({
    items: [{ name: 'Tea' }],
    taxation: 'usnIncome',
  })
})
