// What a request may say of a receipt: each broken rule is named, and changes nothing (contract, sections 3, 8, 12, 15 to 17).
import { describe, expect, it } from 'vitest'
import { AuditAnswer } from '../../src/contract/audit.ts'
import { SettingsAnswer } from '../../src/contract/settings.ts'
import { qrCodeBody } from '../support/client.ts'
import { healthOf } from '../support/operator.ts'
import { item, receipt, receiptSite, setRegister } from '../support/receipts.ts'
import { call, errorOf, serviceWith, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

const site = await receiptSite()

const CONTACT_RULE = 'either email or phone'
const EMAIL_RULE = 'an e-mail address of at most 64 characters'
const PHONE_RULE = '+ and 10 to 15 digits'
const ITEMS_RULE = 'an array of 1 to 100'
const QUANTITY_RULE = 'a text such as 1.5, above 0, of at most 5 digits and 3 decimals'
const MONEY_RULE = 'a sum from 0.00 to 99999999.99 with at most two decimals'
const NAME_RULE = 'a line of 1 to 128 characters, not blank and without control characters'
const VAT_RULE = 'one of none, 0, 5, 7, 10, 20, 22'
const TAXATION_RULE = 'one of osn, usnIncome, usnIncomeOutcome, esn, patent'

/** The names of the broken fields, each with what it must be. */
async function refusedIn(response: Response): Promise<Record<string, string>> {
  expect(response.status).toBe(400)
  const { errorCode, cause = {} } = await errorOf(response)
  expect(errorCode).toBe('validation.error')
  return Object.fromEntries(
    Object.entries(cause).map(([field, [text = '']]) => [field, text.replace(/^is .*, must be /, '')]),
  )
}

type Row = [what: string, receipt: unknown, refused: Record<string, string>]

const withItem = (more: Record<string, unknown>) => receipt({ items: [item(), item(more)] })

/** What is refused of a receipt, whoever states it. */
const BROKEN: Row[] = [
  ['no object', 'x', { receipt: 'an object' }],
  ['an unknown field', receipt({ mail: 'x' }), { 'receipt.mail': 'is unknown' }],
  [
    'two contacts',
    receipt({ contact: { email: 'a@b.example', phone: '+79001234567' } }),
    { 'receipt.contact': CONTACT_RULE },
  ],
  ['an empty contact', receipt({ contact: {} }), { 'receipt.contact': CONTACT_RULE }],
  [
    'an e-mail in the phone',
    receipt({ contact: { phone: 'a@b.example' } }),
    { 'receipt.contact.phone': PHONE_RULE },
  ],
  [
    'a phone without +',
    receipt({ contact: { phone: '89001234567' } }),
    { 'receipt.contact.phone': PHONE_RULE },
  ],
  [
    'a phone of 9 digits',
    receipt({ contact: { phone: '+790012345' } }),
    { 'receipt.contact.phone': PHONE_RULE },
  ],
  [
    'a phone of 16 digits',
    receipt({ contact: { phone: '+7900123456789012' } }),
    { 'receipt.contact.phone': PHONE_RULE },
  ],
  [
    'a phone in the e-mail',
    receipt({ contact: { email: '+79001234567' } }),
    { 'receipt.contact.email': EMAIL_RULE },
  ],
  [
    'an e-mail of 65 characters',
    receipt({ contact: { email: `${'a'.repeat(53)}@shop.example` } }),
    { 'receipt.contact.email': EMAIL_RULE },
  ],
  ['a taxation that is none', receipt({ taxation: 'npd' }), { 'receipt.taxation': TAXATION_RULE }],
  ['no items', receipt({ items: [] }), { 'receipt.items': ITEMS_RULE }],
  [
    '101 items',
    receipt({ items: Array.from({ length: 101 }, () => item({ price: '0.04' })) }),
    { 'receipt.items': ITEMS_RULE },
  ],
  ['a name of 129 characters', withItem({ name: 'я'.repeat(129) }), { 'receipt.items.1.name': NAME_RULE }],
  ['a blank name', withItem({ name: ' ' }), { 'receipt.items.1.name': NAME_RULE }],
  ['a name with a line break', withItem({ name: 'a\nb' }), { 'receipt.items.1.name': NAME_RULE }],
  ['quantity 0', withItem({ quantity: '0' }), { 'receipt.items.1.quantity': QUANTITY_RULE }],
  ['quantity 1e3', withItem({ quantity: '1e3' }), { 'receipt.items.1.quantity': QUANTITY_RULE }],
  [
    'a quantity of 4 decimals',
    withItem({ quantity: '1.0001' }),
    { 'receipt.items.1.quantity': QUANTITY_RULE },
  ],
  ['a quantity of 6 digits', withItem({ quantity: '100000' }), { 'receipt.items.1.quantity': QUANTITY_RULE }],
  ['a quantity that is a number', withItem({ quantity: 1 }), { 'receipt.items.1.quantity': QUANTITY_RULE }],
  ['a negative price', withItem({ price: '-1' }), { 'receipt.items.1.price': MONEY_RULE }],
  ['a price of three decimals', withItem({ price: '1.001' }), { 'receipt.items.1.price': MONEY_RULE }],
  ['no price', withItem({ price: undefined }), { 'receipt.items.1.price': MONEY_RULE }],
  [
    'an amount that is not price × quantity',
    withItem({ price: '21.99', quantity: '47.8', amount: '1051.13' }),
    { 'receipt.items.1.amount': '1051.12, which is price × quantity' },
  ],
  ['a rate that is none', withItem({ vat: '18' }), { 'receipt.items.1.vat': VAT_RULE }],
  ['a computed rate', withItem({ vat: '22/122' }), { 'receipt.items.1.vat': VAT_RULE }],
  ['a rate that is a number', withItem({ vat: 20 }), { 'receipt.items.1.vat': VAT_RULE }],
  [
    'a method that is none',
    withItem({ method: 'credit' }),
    { 'receipt.items.1.method': 'one of fullPayment, fullPrepayment, prepayment, advance' },
  ],
  [
    'an object that is none',
    withItem({ object: 'marked' }),
    {
      'receipt.items.1.object':
        'one of commodity, excise, job, service, payment, agentCommission, composite, other',
    },
  ],
  [
    'a unit that is none',
    withItem({ unit: 13 }),
    {
      'receipt.items.1.unit':
        'one of 0, 10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42, 50, 51, 70, 71, 72, 73, 80, 81, 82, 83, 255',
    },
  ],
  ['a mark of an item', withItem({ mark: 'x' }), { 'receipt.items.1.mark': 'is unknown' }],
]

describe('a receipt is refused by name', () => {
  it.each(BROKEN)('of a create: %s', async (_, stated, refused) => {
    const body = qrCodeBody({ amount: { value: 5 }, receipt: stated })
    expect(await refusedIn(await site.ask('/sbp/qrCodes', { body }))).toEqual(refused)
    const path = `/sbp/qrCodes/${body.qrCodeUid}`
    expect(await refusedIn(await site.ask(path, { method: 'PUT', body }))).toEqual(refused)
    expect((await site.ask(path)).status).toBe(404)
  })

  it.each(BROKEN)('of a sale: %s', async (_, stated, refused) => {
    const { qrCodeUid } = await site.make({ amount: undefined }, { type: 'COUNTER' })
    const path = `/sbp/qrCodes/${qrCodeUid}/sales/sale-1`
    const body = { amount: { value: 5 }, receipt: stated }
    expect(await refusedIn(await site.ask(path, { method: 'PUT', body }))).toEqual(refused)
    expect((await site.ask(path)).status).toBe(404)
  })

  it.each(
    BROKEN.filter(([, , refused]) => Object.keys(refused).every((field) => /items|contact/.test(field))),
  )('of a refund: %s', async (_, stated, refused) => {
    const { linkId } = await site.make()
    const { paymentUid } = await site.pay(linkId)
    const { contact, items } = stated as { contact: unknown; items: unknown }
    const body = { receipt: { contact, items } }
    expect(await refusedIn(await site.refund(paymentUid, 5, 'refund-1', body))).toEqual(refused)
    expect((await site.readRefund(paymentUid, 'refund-1')).status).toBe(404)
  })

  it('of a refund, which has no taxation of its own', async () => {
    const { linkId } = await site.make()
    const { paymentUid } = await site.pay(linkId)
    const body = { receipt: { items: [item()], taxation: 'osn' } }
    const refused = await refusedIn(await site.refund(paymentUid, 5, 'refund-1', body))
    expect(refused).toEqual({ 'receipt.taxation': 'is unknown' })
  })

  it('of a refund, with a contact that the cash register does not take', async () => {
    const own = await receiptSite({ kind: 'raiffeisen', ffd: '1.05' })
    const email = { email: 'a@b.example' }
    const { paymentUid } = await own.paid({ contact: email, items: [item()] })
    const refused = async (contact: object) =>
      Object.keys(await refusedIn(await own.refund(paymentUid, 4, 'refund-1', { receipt: { contact } })))
    expect(await refused({ phone: '+79001234567' })).toEqual(['receipt.contact.phone'])
    expect((await own.refund(paymentUid, 4, 'refund-1', { receipt: { contact: email } })).status).toBe(200)
  })
})

describe('a create has no receipt', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
    ['of a TOKEN code', { type: 'TOKEN' }, {}, 'absent where qrCode.type is TOKEN'],
    ['of a COUNTER code', { type: 'COUNTER' }, { amount: undefined }, 'absent where qrCode.type is COUNTER'],
    ['without an amount', {}, { amount: undefined }, 'absent where there is no amount'],
    [
      'of a STATIC code without an amount',
      { type: 'STATIC' },
      { amount: undefined },
      'absent where there is no amount',
    ],
  ])('%s', async (_, qrCode, more, rule) => {
    const body = qrCodeBody({ amount: { value: 5 }, receipt: receipt(), ...more }, qrCode)
    expect(await refusedIn(await site.ask('/sbp/qrCodes', { body }))).toEqual({ receipt: rule })
  })
})

describe('the setting `receipts`', () => {
  const settingsIn = async (response: Response) => {
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    return strict(SettingsAnswer).parse(await response.json())
  }
  const FULL = {
    ...{ taxation: 'osn', vat: '22', method: 'fullPrepayment', object: 'service', itemName: 'Order' },
    ...{ place: 'https://shop.example', email: 'shop@shop.example', askContact: true, default: true },
  }

  it('is set, shown, patched field by field, kept by a client that does not know it, and removed by null', async () => {
    const own = await receiptSite()
    const put = async (body: object) => settingsIn(await own.ask('/settings', { method: 'PUT', body }))
    const patch = async (receipts: unknown) =>
      (await settingsIn(await own.ask('/settings', { method: 'PATCH', body: { receipts } }))).receipts
    expect((await put({ receipts: FULL })).receipts).toEqual(FULL)
    expect((await put({ name: 'Shop' })).receipts).toEqual(FULL)
    expect(await patch({ vat: '5', itemName: null, askContact: false })).toEqual({
      ...{ taxation: 'osn', vat: '5', method: 'fullPrepayment', object: 'service', default: true },
      ...{ place: 'https://shop.example', email: 'shop@shop.example' },
    })
    expect(await patch(null)).toBeUndefined()
    expect(await patch({ default: true, vat: 'none', taxation: 'patent' })).toEqual({
      ...{ default: true, vat: 'none', taxation: 'patent' },
    })
    expect((await put({ receipts: {} })).receipts).toBeUndefined()
  })

  it('that changes nothing is no change', async () => {
    const own = await receiptSite()
    const first = await own.ask('/settings', { method: 'PATCH', body: { receipts: { vat: '5' } } })
    for (const receipts of [{ vat: '5' }, { vat: '5', default: false }, { vat: '5', askContact: null }]) {
      const again = await own.ask('/settings', { method: 'PATCH', body: { receipts } })
      expect(again.headers.get('ETag')).toBe(first.headers.get('ETag'))
    }
  })

  it.each<[string, unknown, string]>([
    ['receipts', 'x', 'an object'],
    ['receipts.taxation', 'npd', TAXATION_RULE],
    ['receipts.vat', 5, VAT_RULE],
    ['receipts.method', 'credit', 'one of fullPayment, fullPrepayment, prepayment, advance'],
    ['receipts.itemName', 'я'.repeat(129), NAME_RULE],
    ['receipts.place', 'shop.example', 'an http or https URL of at most 256 characters'],
    [
      'receipts.place',
      `https://shop.example/${'x'.repeat(256)}`,
      'an http or https URL of at most 256 characters',
    ],
    ['receipts.email', 'shop', EMAIL_RULE],
    ['receipts.askContact', 'yes', 'true or false'],
    ['receipts.default', 1, 'true or false'],
    ['receipts.always', true, 'is unknown'],
  ])('is refused where %s is %j', async (field, value, rule) => {
    const [, name] = field.split('.')
    const receipts = name === undefined ? value : { [name]: value }
    for (const method of ['PUT', 'PATCH'])
      expect(await refusedIn(await site.ask('/settings', { method, body: { receipts } }))).toEqual({
        [field]: rule,
      })
    expect((await settingsIn(await site.ask('/settings'))).receipts).toBeUndefined()
  })
})

describe('the cash register of a site', () => {
  it('is set by the operator, shown, replaced and removed', async () => {
    const own = await receiptSite()
    const external = serviceWith({ settings: { PAYMENT_NETWORK: 'external' } })
    const registerOf = async () => (await healthOf(own, external)).limits?.cashRegister
    await setRegister(own, { kind: 'atol', ffd: '1.2', maxItems: 50 }, external)
    expect(await registerOf()).toEqual({ kind: 'atol', ffd: '1.2', maxItems: 50 })
    await setRegister(own, { kind: 'tbank', ffd: '1.05', decimals: 2, vats: ['22', '5', '22'] }, external)
    expect(await registerOf()).toEqual({ kind: 'tbank', ffd: '1.05', decimals: 2, vats: ['5', '22'] })
    const token = await tokenOf({ sub: '*', jti: 'operator', scope: 'operator' })
    const path = `/operator/v1/sites/${own.siteId}/cashRegister`
    expect((await call(path, { method: 'DELETE', token }, external)).status).toBe(200)
    expect(await registerOf()).toBeUndefined()
    const audit = await call(`/operator/v1/audit?siteId=${own.siteId}`, { token }, external)
    const rows = strict(AuditAnswer)
      .parse(await audit.json())
      .rows.filter(({ result }) => result === 'STARTED')
    expect(rows.map(({ act, details }) => [act, details]).slice(0, 3)).toEqual([
      ['site.cashRegister', {}],
      ['site.cashRegister', { kind: 'tbank', ffd: '1.05', decimals: 2, vats: '5, 22' }],
      ['site.cashRegister', { kind: 'atol', ffd: '1.2', maxItems: 50 }],
    ])
  })

  it.each<[object, Record<string, string>]>([
    [{ kind: 'evotor', ffd: '1.2' }, { kind: 'one of sandbox, atol, tbank, raiffeisen' }],
    [{ kind: 'atol', ffd: '1.1' }, { ffd: 'one of 1.05, 1.2' }],
    [{ kind: 'atol', ffd: '1.05' }, { ffd: '1.2 where kind is atol' }],
    [{ kind: 'raiffeisen', ffd: '1.2' }, { ffd: '1.05 where kind is raiffeisen' }],
    [{ kind: 'atol', ffd: '1.2', maxItems: 0 }, { maxItems: 'a whole number from 1 to 100' }],
    [{ kind: 'atol', ffd: '1.2', maxItems: 101 }, { maxItems: 'a whole number from 1 to 100' }],
    [{ kind: 'atol', ffd: '1.2', decimals: 4 }, { decimals: 'one of 0, 1, 2, 3' }],
    [{ kind: 'atol', ffd: '1.2', vats: ['22', '22/122'] }, { 'vats.1': VAT_RULE }],
    [{ kind: 'atol', ffd: '1.2', password: 'x' }, { password: 'is unknown' }],
    [{}, { kind: 'one of sandbox, atol, tbank, raiffeisen', ffd: 'one of 1.05, 1.2' }],
  ])('is refused where it is %j', async (register, refused) => {
    const before = (await healthOf(site)).limits
    expect(await refusedIn(await setRegister(site, register))).toEqual(refused)
    expect((await healthOf(site)).limits).toEqual(before)
  })

  it('is not that of the sandbox where money moves', async () => {
    const external = serviceWith({ settings: { PAYMENT_NETWORK: 'external' } })
    expect(await refusedIn(await setRegister(site, undefined, external))).toEqual({
      kind: 'another one: the site is not of the sandbox',
    })
  })
})
