import { describe, expect, it } from 'vitest'
import type { CashRegister } from '../../../src/contract/receipts/cash-register.ts'
import { type ItemSpec, lineAmount, ONE } from '../../../src/contract/receipts/item.ts'
import {
  ReceiptRequest,
  type ReceiptSettings,
  type ReceiptSpec,
} from '../../../src/contract/receipts/receipt.ts'
import {
  type ReceiptSubject,
  refuseReceipt,
  refuseReceiptSettings,
} from '../../../src/contract/receipts/rules.ts'
import { sumOf } from '../../../src/contract/receipts/shares.ts'
import { RATE_22_SINCE } from '../../../src/contract/receipts/vat.ts'
import { ApiError } from '../../../src/errors.ts'
import { validate } from '../../../src/http/validate.ts'

const SANDBOX: CashRegister = { kind: 'sandbox', ffd: '1.2' }
const TBANK: CashRegister = { kind: 'tbank', ffd: '1.05' }
const RAIFFEISEN: CashRegister = { kind: 'raiffeisen', ffd: '1.05' }
const SETTINGS: ReceiptSettings = {
  ...{ taxation: 'osn', vat: '10', email: 'shop@shop.example', place: 'https://shop.example' },
}
const DAY = 86_400

const item = (more: Partial<ItemSpec> = {}): ItemSpec => {
  const { price = 1000, quantity = ONE } = more
  return { name: 'Tea', ...more, price, quantity, amount: lineAmount(price, quantity) }
}

interface Request {
  spec?: Partial<ReceiptSpec>
  register?: CashRegister | undefined
  settings?: ReceiptSettings
  of?: Partial<ReceiptSubject>
}

/** The refusal of a receipt of the sum of its items, which is right but for what is stated. */
function refusal({ spec, register = SANDBOX, settings = SETTINGS, of }: Request) {
  const receipt: ReceiptSpec = { contact: { email: 'customer@shop.example' }, items: [item()], ...spec }
  const amount = { minorUnits: sumOf(receipt.items), currency: 'RUB' }
  const [payableFrom, payableUntil] = [RATE_22_SINCE + DAY, RATE_22_SINCE + 2 * DAY]
  const subject: ReceiptSubject = { type: 'DYNAMIC', amount, payableFrom, payableUntil, ...of }
  return refuseReceipt(receipt, { ...settings, register }, subject)
}

/** The words of a rule of the register. */
const one = (value: string, allowed: string, kind: string) =>
  `is "${value}", must be one of ${allowed} for the cash register ${kind}`

describe('a receipt', () => {
  it.each<[string, Request]>([
    [
      'that states everything',
      {
        spec: {
          taxation: 'patent',
          items: [item({ vat: '22', method: 'advance', object: 'other', unit: 11 })],
        },
        settings: {},
      },
    ],
    ['whose taxation and rate are in the settings', {}],
    ['without a contact, which the payer can give', { spec: { contact: undefined } }],
    ['with a phone', { spec: { contact: { phone: '+79001234567' } } }],
    ['of a sale', { of: { type: 'SALE' } }],
    ['of a STATIC code with an amount', { of: { type: 'STATIC', payableUntil: undefined } }],
    ['at T-Bank', { register: TBANK }],
    ['of as much as a document holds', { spec: { items: [item({ price: 9_999_999_999 })] } }],
    ['at Raiffeisenbank, without taxation', { register: RAIFFEISEN, settings: { vat: '10' } }],
    [
      'at T-Bank with the general rate of 2026, and with the computed one',
      { register: TBANK, spec: { items: [item({ vat: '22' }), item({ vat: '22', method: 'advance' })] } },
    ],
    [
      'at Raiffeisenbank with a rate that the operator has added',
      {
        register: { ...RAIFFEISEN, vats: ['22'] },
        spec: { taxation: undefined, items: [item({ vat: '22' })] },
        settings: {},
      },
    ],
    ['of a fraction of three decimals', { register: TBANK, spec: { items: [item({ quantity: 1001 })] } }],
  ])('%s is accepted', (_, request) => expect(refusal(request)).toBeUndefined())

  it.each<[string, Request, Record<string, string[]>]>([
    [
      'without a rate of VAT',
      { settings: { taxation: 'osn' }, spec: { items: [item({ vat: '0' }), item()] } },
      { 'receipt.items.1.vat': ['is missing, must be stated here or in the setting receipts'] },
    ],
    [
      'without taxation',
      { settings: { vat: '10' } },
      { 'receipt.taxation': ['is missing, must be stated here or in the setting receipts'] },
    ],
    [
      'of a sum that is a kopeck too small',
      { of: { amount: { minorUnits: 1001, currency: 'RUB' } } },
      { 'receipt.items': ['have the sum 10.00, 0.01 less than 10.01, which is the amount of the payment'] },
    ],
    [
      'of a sum that is a kopeck too large',
      { of: { amount: { minorUnits: 999, currency: 'RUB' } } },
      { 'receipt.items': ['have the sum 10.00, 0.01 more than 9.99, which is the amount of the payment'] },
    ],
    [
      'of a TOKEN code',
      { of: { type: 'TOKEN' } },
      { receipt: ['is present, must be absent where qrCode.type is TOKEN'] },
    ],
    [
      'of a COUNTER code',
      { of: { type: 'COUNTER', amount: undefined } },
      { receipt: ['is present, must be absent where qrCode.type is COUNTER'] },
    ],
    [
      'of a code without an amount',
      { of: { type: 'STATIC', amount: undefined } },
      { receipt: ['is present, must be absent without an amount'] },
    ],
    [
      'in another currency',
      { of: { amount: { minorUnits: 1000, currency: 'KZT' } } },
      { receipt: ['is present, must be absent where the currency is KZT, not RUB'] },
    ],
    [
      'with a phone at Raiffeisenbank',
      { register: RAIFFEISEN, spec: { contact: { phone: '+79001234567' } } },
      { 'receipt.contact.phone': ['is present, must be email for the cash register raiffeisen'] },
    ],
    [
      'with taxation at Raiffeisenbank',
      { register: RAIFFEISEN, spec: { taxation: 'osn' } },
      { 'receipt.taxation': ['is "osn", must be absent for the cash register raiffeisen'] },
    ],
    [
      'with a prepayment at Raiffeisenbank',
      { register: RAIFFEISEN, spec: { items: [item({ method: 'advance' })] } },
      { 'receipt.items.0.method': [one('advance', 'fullPayment', 'raiffeisen')] },
    ],
    [
      'with an object that Raiffeisenbank has no word for',
      { register: RAIFFEISEN, spec: { items: [item({ object: 'composite' })] } },
      {
        'receipt.items.0.object': [
          one('composite', 'commodity, excise, job, service, payment, other', 'raiffeisen'),
        ],
      },
    ],
    [
      'without a contact at T-Bank',
      { register: TBANK, spec: { contact: undefined } },
      {
        'receipt.contact': [
          'is missing, must be stated for the cash register tbank, which cannot ask the payer later',
        ],
      },
    ],
    [
      'with a rate that Raiffeisenbank has no word for',
      { register: RAIFFEISEN, spec: { taxation: undefined, items: [item({ vat: '22' })] }, settings: {} },
      { 'receipt.items.0.vat': [one('22', 'none, 0, 10, 20', 'raiffeisen')] },
    ],
    [
      'with a composite object at FFD 1.2 of T-Bank',
      { register: { kind: 'tbank', ffd: '1.2' }, spec: { items: [item({ object: 'composite' })] } },
      {
        'receipt.items.0.object': [
          one('composite', 'commodity, excise, job, service, payment, agentCommission, other', 'tbank'),
        ],
      },
    ],
    [
      'with a unit at FFD 1.05 of T-Bank',
      { register: TBANK, spec: { items: [item({ unit: 11 })] } },
      { 'receipt.items.0.unit': ['is 11, must be 0 for the cash register tbank'] },
    ],
    [
      'with a quantity of nine characters at T-Bank',
      { register: TBANK, spec: { items: [item({ price: 1, quantity: 12_345_678 })] } },
      {
        'receipt.items.0.quantity': [
          'is "12345.678", must have at most 8 characters for the cash register tbank',
        ],
      },
    ],
    [
      'with more decimals than the operator states',
      {
        register: { ...TBANK, decimals: 2 },
        spec: { items: [item({ quantity: 1230 }), item({ quantity: 1234 })] },
      },
      {
        'receipt.items.1.quantity': ['is "1.234", must have at most 2 decimals for the cash register tbank'],
      },
    ],
    [
      'with more items than the operator states',
      { register: { ...SANDBOX, maxItems: 2 }, spec: { items: [item(), item(), item()] } },
      { 'receipt.items': ['are 3, must be at most 2 for the cash register sandbox'] },
    ],
    [
      'of more than a document holds',
      { spec: { items: [item({ price: 9_999_999_999 }), item({ price: 1 })] } },
      { 'receipt.items': ['are too much, must be at most 99999999.99 for the cash register sandbox'] },
    ],
    [
      'with a sum that a document does not hold',
      { spec: { items: [item({ price: 9_999_999_999, quantity: 2 * ONE })] } },
      {
        'receipt.items': ['are too much, must be at most 99999999.99 for the cash register sandbox'],
        'receipt.items.0.amount': [
          'is 199999999.98, must be at most 99999999.99 for the cash register sandbox',
        ],
      },
    ],
    [
      'at ATOL without the address of the shop',
      { register: { kind: 'atol', ffd: '1.2' }, settings: { ...SETTINGS, place: undefined } },
      {
        receipt: ['is refused, the setting receipts must have place for the cash register atol'],
      },
    ],
    [
      'at ATOL without the address and the e-mail of the shop',
      { register: { kind: 'atol', ffd: '1.2' }, settings: { vat: '10', taxation: 'osn' } },
      { receipt: ['is refused, the setting receipts must have email and place for the cash register atol'] },
    ],
  ])('%s is refused', (_, request, fields) => expect(refusal(request)).toEqual(fields))

  it('at a site without a cash register is refused', () => {
    const spec = { items: [item()] }
    const of = { type: 'DYNAMIC', amount: undefined, payableFrom: 0, payableUntil: 1 } as const
    expect(refuseReceipt(spec, undefined, of)).toEqual({
      receipt: ['is present, must be absent at a site without a cash register'],
    })
  })
})

describe('a rate of VAT holds as long as the code can be paid', () => {
  const RULE = 'must hold as long as it can be paid: 20 before 2026-01-01 in Moscow, 22 from then on'
  const [LAST_SECOND, FIRST_SECOND] = [Date.parse('2025-12-31T23:59:59+03:00') / 1000, RATE_22_SINCE]

  it.each<[rate: '20' | '22' | '10' | 'none', from: number, until: number | undefined, isAccepted: boolean]>([
    ['20', LAST_SECOND, FIRST_SECOND, true],
    ['20', LAST_SECOND, FIRST_SECOND + 1, false],
    ['20', LAST_SECOND, undefined, false],
    ['20', FIRST_SECOND, FIRST_SECOND + 60, false],
    ['22', LAST_SECOND, FIRST_SECOND, false],
    ['22', LAST_SECOND, FIRST_SECOND + 60, false],
    ['22', LAST_SECOND, undefined, false],
    ['22', FIRST_SECOND, FIRST_SECOND + 60, true],
    ['22', FIRST_SECOND, undefined, true],
    ['10', LAST_SECOND, undefined, true],
    ['none', LAST_SECOND, FIRST_SECOND + 60, true],
  ])('%s from %d until %s: accepted is %s', (vat, payableFrom, payableUntil, isAccepted) => {
    const of = { payableFrom, payableUntil }
    const expected = isAccepted ? undefined : { 'receipt.items.0.vat': [`is "${vat}", ${RULE}`] }
    expect(refusal({ spec: { items: [item({ vat })] }, of })).toEqual(expected)
    // The rate of the settings is checked as one of the request.
    expect(refusal({ settings: { ...SETTINGS, vat }, of })).toEqual(expected)
  })
})

describe('a request without a receipt', () => {
  const of = { type: 'DYNAMIC', payableFrom: RATE_22_SINCE, payableUntil: RATE_22_SINCE + DAY } as const
  const amount = { minorUnits: 1000, currency: 'RUB' }
  const RULE =
    'must be stated for the cash register tbank, which makes a receipt only of an amount and with a contact'

  it.each<[string, ReceiptSettings, CashRegister, Partial<ReceiptSubject>]>([
    ['that gets none', SETTINGS, TBANK, {}],
    ['that gets a default one later', { ...SETTINGS, default: true }, SANDBOX, {}],
    ['whose default one will fail, which delays no payment', { default: true, vat: '20' }, SANDBOX, {}],
    ['of a TOKEN code', { ...SETTINGS, default: true }, TBANK, { type: 'TOKEN', amount: undefined }],
    ['of a COUNTER code', { ...SETTINGS, default: true }, TBANK, { type: 'COUNTER', amount: undefined }],
    [
      'in another currency',
      { ...SETTINGS, default: true },
      TBANK,
      { amount: { minorUnits: 1, currency: 'KZT' } },
    ],
  ])('%s is accepted', (_, settings, register, more) =>
    expect(refuseReceipt(undefined, { ...settings, register }, { ...of, amount, ...more })).toBeUndefined(),
  )

  it('at T-Bank is refused where a default receipt would be made', () => {
    const terms = { ...SETTINGS, default: true, register: TBANK }
    const receipt = [`is missing, ${RULE}`]
    expect(refuseReceipt(undefined, terms, { ...of, amount })).toEqual({ receipt })
    expect(refuseReceipt(undefined, terms, { ...of, type: 'STATIC', amount: undefined })).toEqual({
      amount: [`is missing, ${RULE}`],
      receipt,
    })
  })

  it('at a site without a cash register is accepted', () =>
    expect(refuseReceipt(undefined, undefined, { ...of, amount })).toBeUndefined())
})

describe('the setting receipts', () => {
  const AT = RATE_22_SINCE
  const REQUIRED = 'is missing, must be stated where receipts.default is true'

  it.each<[string, ReceiptSettings, CashRegister]>([
    [
      'of a default receipt',
      { ...SETTINGS, vat: '22', default: true, askContact: true },
      { kind: 'atol', ffd: '1.2' },
    ],
    ['with nothing', {}, SANDBOX],
    ['of a default receipt at Raiffeisenbank', { vat: '20', default: true }, RAIFFEISEN],
    ['that asks for a contact at T-Bank', { askContact: true }, TBANK],
  ])('%s is accepted', (_, settings, register) =>
    expect(refuseReceiptSettings(settings, register, settings.vat === '20' ? AT - 1 : AT)).toBeUndefined(),
  )

  it.each<[string, ReceiptSettings, CashRegister | undefined, Record<string, string[]>]>([
    [
      'at a site without a cash register',
      {},
      undefined,
      { receipts: ['is present, must be absent at a site without a cash register'] },
    ],
    [
      'with the rate of another time',
      { vat: '20' },
      SANDBOX,
      { 'receipts.vat': ['is "20", must be "22": 20 before 2026-01-01 in Moscow, 22 from then on'] },
    ],
    [
      'with a rate that the register has no word for',
      { vat: '5' },
      RAIFFEISEN,
      { 'receipts.vat': [one('5', 'none, 0, 10, 20', 'raiffeisen')] },
    ],
    [
      'with a method and an object that the register does not have',
      { method: 'advance', object: 'composite' },
      RAIFFEISEN,
      {
        'receipts.method': [one('advance', 'fullPayment', 'raiffeisen')],
        'receipts.object': [
          one('composite', 'commodity, excise, job, service, payment, other', 'raiffeisen'),
        ],
      },
    ],
    [
      'with taxation where the register takes none',
      { taxation: 'osn' },
      RAIFFEISEN,
      { 'receipts.taxation': ['is "osn", must be absent for the cash register raiffeisen'] },
    ],
    [
      'of a default receipt that lacks what it needs',
      { default: true },
      { kind: 'atol', ffd: '1.2' },
      {
        'receipts.vat': [REQUIRED],
        'receipts.taxation': [REQUIRED],
        'receipts.email': [REQUIRED],
        'receipts.place': [REQUIRED],
      },
    ],
    [
      'of a default receipt that asks for a contact at T-Bank',
      { ...SETTINGS, default: true, askContact: true },
      TBANK,
      {
        'receipts.askContact': [
          'is true, must be false where receipts.default is true for the cash register tbank, which takes a contact only when a code is made',
        ],
      },
    ],
  ])('%s is refused', (_, settings, register, fields) =>
    expect(refuseReceiptSettings(settings, register, AT)).toEqual(fields),
  )
})

describe('the fields of a receipt', () => {
  const right = { name: 'Tea', price: '10.00' }
  const causeOf = (body: unknown) => {
    try {
      return validate(ReceiptRequest, body) && undefined
    } catch (error) {
      return error instanceof ApiError ? error.fields : undefined
    }
  }
  const QUANTITY = 'must be a text such as 1.5, above 0, of at most 5 digits and 3 decimals'
  const MONEY = 'must be a sum from 0.00 to 99999999.99 with at most two decimals'

  it.each([
    [{ ...right, quantity: '1' }],
    [{ ...right, quantity: '99999.999', amount: '999999.99' }],
    [{ ...right, price: '21.99', quantity: '47.8', amount: '1051.12' }],
    [
      {
        ...right,
        name: 'ц'.repeat(128),
        price: 0,
        vat: 'none',
        method: 'advance',
        object: 'other',
        unit: 255,
      },
    ],
  ])('%o is an item', (it) => expect(causeOf({ items: [it] })).toBeUndefined())

  it.each<[string, unknown, Record<string, string[]>]>([
    ['no items', { items: [] }, { items: ['is an array, must be an array of 1 to 100'] }],
    [
      '101 items',
      { items: Array(101).fill(right) },
      { items: ['is an array, must be an array of 1 to 100'] },
    ],
    [
      'a quantity of 0',
      { items: [{ ...right, quantity: '0' }] },
      { 'items.0.quantity': [`is "0", ${QUANTITY}`] },
    ],
    [
      'a quantity of 0.000',
      { items: [{ ...right, quantity: '0.000' }] },
      { 'items.0.quantity': [`is "0.000", ${QUANTITY}`] },
    ],
    [
      'a quantity of 1e3',
      { items: [{ ...right, quantity: '1e3' }] },
      { 'items.0.quantity': [`is "1e3", ${QUANTITY}`] },
    ],
    [
      'a quantity that is a number',
      { items: [{ ...right, quantity: 1 }] },
      { 'items.0.quantity': [`is 1, ${QUANTITY}`] },
    ],
    [
      'a negative quantity',
      { items: [{ ...right, quantity: '-1' }] },
      { 'items.0.quantity': [`is "-1", ${QUANTITY}`] },
    ],
    [
      'a quantity of four decimals',
      { items: [{ ...right, quantity: '1.0001' }] },
      { 'items.0.quantity': [`is "1.0001", ${QUANTITY}`] },
    ],
    [
      'a quantity of six digits',
      { items: [{ ...right, quantity: '100000' }] },
      { 'items.0.quantity': [`is "100000", ${QUANTITY}`] },
    ],
    [
      'a negative price',
      { items: [{ ...right, price: '-1.00' }] },
      { 'items.0.price': [`is "-1.00", ${MONEY}`] },
    ],
    [
      'a price of three decimals',
      { items: [{ ...right, price: '1.001' }] },
      { 'items.0.price': [`is "1.001", ${MONEY}`] },
    ],
    [
      'a price beyond the largest',
      { items: [{ ...right, price: '100000000.00' }] },
      { 'items.0.price': [`is "100000000.00", ${MONEY}`] },
    ],
    [
      'another amount than price × quantity',
      { items: [{ ...right, price: '21.99', quantity: '47.8', amount: '1051.00' }] },
      { 'items.0.amount': ['is "1051.00", must be 1051.12, which is price × quantity'] },
    ],
    [
      'a name of 129 characters',
      { items: [{ ...right, name: 'n'.repeat(129) }] },
      { 'items.0.name': [expect.stringContaining('must be a line of 1 to 128 characters')] },
    ],
    [
      'a blank name',
      { items: [{ ...right, name: ' ' }] },
      { 'items.0.name': [expect.stringContaining('not blank')] },
    ],
    [
      'a rate of 18',
      { items: [{ ...right, vat: '18' }] },
      { 'items.0.vat': ['is "18", must be one of none, 0, 5, 7, 10, 20, 22'] },
    ],
    [
      'a computed rate',
      { items: [{ ...right, vat: '22/122' }] },
      { 'items.0.vat': [expect.stringContaining('must be one of none')] },
    ],
    [
      'a credit',
      { items: [{ ...right, method: 'credit' }] },
      { 'items.0.method': [expect.stringContaining('must be one of fullPayment')] },
    ],
    [
      'a unit that is none',
      { items: [{ ...right, unit: 1 }] },
      { 'items.0.unit': [expect.stringContaining('must be one of 0, 10, 11')] },
    ],
    ['marking', { items: [{ ...right, markCode: '1' }] }, { 'items.0.markCode': ['is unknown'] }],
    ['a supplier', { items: [{ ...right, supplier: {} }] }, { 'items.0.supplier': ['is unknown'] }],
    [
      'an e-mail in the phone',
      { items: [right], contact: { phone: 'customer@shop.example' } },
      { 'contact.phone': ['is not shown here, must be + and 10 to 15 digits'] },
    ],
    [
      'a phone in the e-mail',
      { items: [right], contact: { email: '+79001234567' } },
      { 'contact.email': ['is not shown here, must be an e-mail address of at most 64 characters'] },
    ],
    [
      'a phone that is a number',
      { items: [right], contact: { phone: 79001234567 } },
      { 'contact.phone': ['is not shown here, must be + and 10 to 15 digits'] },
    ],
    [
      'a contact that is a text',
      { items: [right], contact: 'customer@shop.example' },
      { contact: ['is not shown here, must be an object'] },
    ],
    [
      'both contacts',
      { items: [right], contact: { email: 'a@shop.example', phone: '+79001234567' } },
      { contact: [expect.stringContaining('must be either email or phone')] },
    ],
    [
      'a contact without either',
      { items: [right], contact: {} },
      { contact: [expect.stringContaining('must be either email or phone')] },
    ],
    [
      'unknown taxation',
      { items: [right], taxation: 'npd' },
      { taxation: [expect.stringContaining('is "npd", must be one of osn')] },
    ],
  ])('%s is refused', (_, body, fields) => expect(causeOf(body)).toEqual(fields))
})
