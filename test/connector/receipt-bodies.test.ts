// A receipt in the words of T-Bank and Raiffeisenbank: valid by their documents, and nothing of it is lost.
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refused } from '../../connector/banks/bank-errors.ts'
import type { Contact, Item } from '../../connector/cash-registers/cash-register.ts'
import { receiptOf as raiffeisenReceipt } from '../../connector/cash-registers/raiffeisen/body.ts'
import { closingReceiptOf, receiptOf as tbankReceipt } from '../../connector/cash-registers/tbank/body.ts'
import {
  METHOD_WORDS,
  OBJECT_WORDS,
  TAXATION_WORDS,
  UNIT_WORDS,
  VAT_WORDS,
} from '../../connector/cash-registers/words.ts'
import {
  capabilitiesOf,
  FFDS,
  type Ffd,
  type RegisterKind,
} from '../../src/contract/receipts/cash-register.ts'
import { lineAmount, METHODS, OBJECTS, UNITS } from '../../src/contract/receipts/item.ts'
import { TAXATIONS } from '../../src/contract/receipts/receipt.ts'
import { VATS } from '../../src/contract/receipts/vat.ts'
import { RAIFFEISEN_RECEIPT, TBANK_CLOSING, TBANK_RECEIPT } from './fixtures/receipts.ts'

const ajv = new Ajv({ allErrors: true, multipleOfPrecision: 6 })
const RUNS = Number(process.env.BASKETS ?? 200)
const TIMEOUT_MS = 60_000 + 50 * RUNS

/** What the service lets through to a register of the kind. */
const itemOf = (kind: RegisterKind, ffd: Ffd): fc.Arbitrary<Item> => {
  const { vats, methods, objects } = capabilitiesOf({ kind, ffd })
  return fc
    .record({
      name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      price: fc.integer({ min: 0, max: 9_999_99 }),
      quantity: fc.integer({ min: 1, max: 99_999 }),
      vat: fc.constantFrom(...vats),
      method: fc.constantFrom(...methods),
      object: fc.constantFrom(...objects),
      unit: fc.constantFrom(...UNITS),
    })
    .map((item) => ({ ...item, amount: lineAmount(item.price, item.quantity) }))
}
const itemsOf = (kind: RegisterKind, ffd: Ffd) =>
  fc.array(itemOf(kind, ffd), { minLength: 1, maxLength: 100, size: 'medium' })

const EMAIL: Contact = { email: 'buyer@mail.example' }
const contacts = fc.constantFrom<Contact>(EMAIL, { phone: '+79001234567' })

const [TEA]: [Item, ...Item[]] = [
  {
    ...{ name: 'Чай', price: 21_99, quantity: 47_800, amount: 1_051_12, vat: '10', method: 'fullPayment' },
    ...{ object: 'commodity', unit: 11 },
  },
]

/** Our word for a word of a register. */
function ours(words: Readonly<Record<string, string>>, word: string): string {
  const [found] = Object.entries(words).find(([, each]) => each === word) ?? []
  if (found === undefined) throw new Error(`no word is ${word}`)
  return found
}

describe('a receipt of T-Bank', () => {
  const validate = ajv.compile(TBANK_RECEIPT)

  it('is valid by the document of the bank, and read back it is the same receipt', {
    timeout: TIMEOUT_MS,
  }, () => {
    const inputs = fc.constantFrom(...FFDS).chain((ffd) =>
      fc.record({
        ffd: fc.constant(ffd),
        items: itemsOf('tbank', ffd),
        taxation: fc.constantFrom(...TAXATIONS),
        contact: contacts,
      }),
    )
    fc.assert(
      fc.property(inputs, ({ ffd, items, taxation, contact }) => {
        const body = tbankReceipt({ ffd, items, taxation, contact })
        expect(validate(body), ajv.errorsText(validate.errors)).toBe(true)
        const { Email, Phone } = { Email: undefined, Phone: undefined, ...body }
        const read = {
          ffd: body.FfdVersion,
          taxation: ours(TAXATION_WORDS, body.Taxation),
          contact: Email === undefined ? { phone: Phone } : { email: Email },
          items: body.Items.map((item, i) => ({
            name: item.Name,
            price: item.Price,
            quantity: Math.round(item.Quantity * 1000),
            amount: item.Amount,
            vat: ours(VAT_WORDS, item.Tax),
            method: ours(METHOD_WORDS, item.PaymentMethod),
            object: ours(OBJECT_WORDS, item.PaymentObject),
            // FFD 1.05 has no units.
            unit:
              'MeasurementUnit' in item
                ? Number(ours(UNIT_WORDS, String(item.MeasurementUnit)))
                : items[i]?.unit,
          })),
        }
        expect(read).toEqual({ ffd, taxation, contact, items })
      }),
      { numRuns: RUNS },
    )
  })

  it('that closes another offsets the prepayment, and no money moves', () => {
    const Receipt = closingReceiptOf({ ffd: '1.2', items: [TEA], taxation: 'osn', contact: EMAIL })
    expect(Receipt.Payments).toEqual({ Electronic: 0, AdvancePayment: 1_051_12 })
    const body = { TerminalKey: 'T', Token: '0'.repeat(64), PaymentId: '1', Receipt }
    expect(ajv.validate(TBANK_CLOSING.body, body), ajv.errorsText()).toBe(true)
  })

  it.each([
    ['a contact', { contact: undefined }],
    ['a taxation', { taxation: undefined }],
    ['a known rate of VAT', { items: [{ ...TEA, vat: '18' }] }],
    ['a known unit', { items: [{ ...TEA, unit: 99 }] }],
  ])('needs %s', (_, changes) => {
    const lines = { ffd: '1.2', items: [TEA], taxation: 'osn', contact: EMAIL, ...changes }
    expect(() => tbankReceipt(lines)).toThrow(Refused)
  })
})

describe('a receipt of Raiffeisenbank', () => {
  const validate = ajv.compile(RAIFFEISEN_RECEIPT)
  const key = '0123456789ABCDEFGHIJKLMNOPQRSTUV'

  it('is valid by the document of the bank, and read back it is the same receipt', {
    timeout: TIMEOUT_MS,
  }, () => {
    fc.assert(
      fc.property(itemsOf('raiffeisen', '1.05'), (items) => {
        const body = raiffeisenReceipt({ key, items, contact: EMAIL })
        expect(validate(body), ajv.errorsText(validate.errors)).toBe(true)
        const kopecks = (roubles: number) => Math.round(roubles * 100)
        const read = body.items.map((item) => ({
          name: item.name,
          price: kopecks(item.price),
          quantity: Math.round(item.quantity * 1000),
          amount: kopecks(item.amount),
          vat: ours(VAT_WORDS, item.vatType),
          method: 'fullPayment',
          object: ours(OBJECT_WORDS, item.paymentObject),
          unit: Number(ours(UNIT_WORDS, item.measurementUnit)),
        }))
        expect(read).toEqual(items)
        expect(kopecks(body.total)).toBe(items.reduce((sum, { amount }) => sum + amount, 0))
      }),
      { numRuns: RUNS },
    )
  })

  it.each([
    ['without a contact', { contact: undefined }],
    ['to a phone', { contact: { phone: '+79001234567' } }],
    ['of a prepayment', { items: [{ ...TEA, method: 'prepayment' }] }],
    ['of an agent’s commission', { items: [{ ...TEA, object: 'agentCommission' }] }],
  ])('%s is refused', (_, changes) => {
    expect(() => raiffeisenReceipt({ key, items: [TEA], contact: EMAIL, ...changes })).toThrow(Refused)
  })
})

it.each(['5', '7', '22', '5/105', '7/107', '22/122'] as const)('VAT %s has its word at both banks', (vat) => {
  const items = [{ ...TEA, vat }]
  const { Items } = tbankReceipt({ ffd: '1.2', items, taxation: 'osn', contact: EMAIL })
  expect(Items[0]?.Tax).toBe(VAT_WORDS[vat])
  const body = raiffeisenReceipt({ key: 'A', items, contact: EMAIL })
  expect(body.items[0]?.vatType).toBe(VAT_WORDS[vat])
})

it('the connector has a word for each of the contract', () => {
  expect(Object.keys(METHOD_WORDS)).toEqual([...METHODS])
  expect(Object.keys(VAT_WORDS).sort()).toEqual(VATS.toSorted())
  expect(Object.keys(OBJECT_WORDS).sort()).toEqual(OBJECTS.toSorted())
  expect(Object.keys(TAXATION_WORDS).sort()).toEqual(TAXATIONS.toSorted())
  expect(Object.keys(UNIT_WORDS).map(Number)).toEqual([...UNITS])
})
