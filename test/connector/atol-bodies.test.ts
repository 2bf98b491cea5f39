// For any basket, and whatever is refunded and closed of it, the body that ATOL gets is valid and says what the service states.
import { expect, it } from 'vitest'
import { rawFieldsOf } from '../../connector/banks/raw-json.ts'
import { bodyOf } from '../../connector/cash-registers/atol/body.ts'
import { documentOf, ReceiptRegister } from '../../connector/cash-registers/instruction.ts'
import { type ReceiptInstruction, receiptInstructionData } from '../../src/contract/receipts/instruction.ts'
import { MAX_ITEMS, ONE } from '../../src/contract/receipts/item.ts'
import { linesOfRefund } from '../../src/contract/receipts/refund-lines.ts'
import { vatOf } from '../../src/contract/receipts/vat.ts'
import { basketOf, historyOf } from '../support/baskets.ts'
import { faultsOfBody, modelOf } from '../support/cash-registers/atol-body.ts'
import { randomOf } from '../support/random.ts'

const BASKETS = Number(process.env.BASKETS ?? 500)
const SEED = Number(process.env.SEED ?? 1)
const REGISTER = { kind: 'atol', ffd: '1.2' } as const
const COMPANY = { inn: '7707083893', email: 'shop@shop.example', place: 'https://shop.example' }
/** Before and after the change of the rate of 2026. */
const TIMES = [Date.UTC(2025, 11, 31, 20, 59, 59) / 1000, Date.UTC(2025, 11, 31, 21) / 1000]

type Said = Pick<ReceiptInstruction, 'kind' | 'items' | 'taxation' | 'contact' | 'at'>

/** The body of a document, by way of the JSON of its instruction. */
function sent(said: Said): string {
  const minorUnits = said.items.reduce((sum, { amount }) => sum + amount, 0)
  const instruction = {
    ...{ receiptUid: 'R', paymentUid: 'P', linkId: 'Q', reference: 'bank:1', register: REGISTER },
    ...{ ...said, amount: { minorUnits, currency: 'RUB' } },
  }
  const data = receiptInstructionData(instruction, { siteId: 'tea', utcOffset: '+03:00' })
  const document = documentOf(ReceiptRegister.parse(JSON.parse(JSON.stringify(data))))
  return bodyOf(document, COMPANY, 'https://pay.example/webhooks/receipts/atol')
}

function expectSaid(said: Said): void {
  const text = sent(said)
  expect(faultsOfBody(rawFieldsOf(text) ?? {})).toEqual([])
  expect(modelOf(text)).toEqual({
    key: 'R',
    contact: said.contact,
    taxation: said.taxation,
    payments: [said.kind === 'closing' ? 2 : 1],
    amount: said.items.reduce((sum, { amount }) => sum + amount, 0),
    items: said.items.map(({ name, price, quantity, amount, vat, method, object, unit }) => ({
      ...{ name, price, quantity, amount, vat: vatOf(vat, method !== 'fullPayment'), method, object, unit },
    })),
  })
}

it(
  `${BASKETS} baskets come back as they are, and their refunds and closings`,
  () => {
    for (let seed = SEED; seed < SEED + BASKETS; seed++) {
      const random = randomOf(seed)
      const at = random.pick([TIMES[0] ?? 0, TIMES[1] ?? 0])
      const { items, taxation, contact } = basketOf(random, at, REGISTER)
      try {
        expectSaid({ kind: 'sale', items, taxation, contact, at })
        for (const { kind, items: parts } of historyOf(random, items, at)) {
          const lines = kind === 'refund' ? linesOfRefund(parts, REGISTER) : parts
          // What remains of a sale and of its closings can be more lines than a receipt has: the site sends no such document.
          if (lines.length <= MAX_ITEMS) expectSaid({ kind, items: lines, taxation, contact, at })
        }
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error })
      }
    }
  },
  60_000 + 50 * BASKETS,
)

const LINE = { vat: '22', method: 'fullPayment', object: 'commodity', unit: 0 } as const
const OTHERS = { taxation: 'osn', contact: { phone: '+79001234567' }, at: TIMES[1] ?? 0 } as const

it.each([
  ['47.8 × 21.99', [{ ...LINE, name: 'Чай', price: 21_99, quantity: 47_800, amount: 1051_12 }]],
  ['a thousandth of a kopeck', [{ ...LINE, name: 'Чай', price: 1, quantity: 500, amount: 1 }]],
  ['the largest sum', [{ ...LINE, name: 'Чай', price: 42_949_672_95, quantity: ONE, amount: 42_949_672_95 }]],
  [
    '100 lines of one kopeck',
    Array.from({ length: 100 }, () => ({ ...LINE, name: 'Ц', price: 1, quantity: ONE, amount: 1 })),
  ],
])('%s', (_, items) => expectSaid({ kind: 'sale', items, ...OTHERS }))

it('numbers are written in digits, with two decimals at most', () => {
  const items = [{ ...LINE, name: 'Чай', price: 1, quantity: 1_000_070, amount: 1000 }]
  expect(sent({ kind: 'sale', items, ...OTHERS })).toContain(
    '"price":0.01,"quantity":1000.07,"measure":0,"sum":10,',
  )
})
