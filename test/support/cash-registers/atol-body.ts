// The rules of the body of `sell` and `sell_refund`, as ATOL's table gives them, and what a body says in the words of the service.
import * as z from 'zod'
import { rawFieldsOf } from '../../../connector/banks/raw-json.ts'

const MEASURES = [
  ...[0, 10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42, 50, 51, 70, 71, 72, 73, 80, 81, 82, 83, 255],
]
const VATS = [
  ...(['none', 'vat0', 'vat5', 'vat7', 'vat10', 'vat20', 'vat22'] as const),
  ...(['vat105', 'vat107', 'vat110', 'vat120', 'vat122'] as const),
]
const METHODS = ['full_prepayment', 'prepayment', 'advance', 'full_payment'] as const
const OBJECTS = [1, 2, 3, 4, 10, 11, 12, 13]

const Item = z.strictObject({
  name: z.string().min(1).max(128),
  price: z.number().min(0),
  quantity: z.number().positive(),
  measure: z.int().refine((measure) => MEASURES.includes(measure)),
  sum: z.number().min(0),
  payment_method: z.enum(METHODS),
  payment_object: z.int().refine((object) => OBJECTS.includes(object)),
  vat: z.strictObject({ type: z.enum(VATS) }),
})

export const Sell = z.strictObject({
  external_id: z.string().min(1).max(128),
  timestamp: z.string().regex(/^\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d$/),
  service: z.strictObject({ callback_url: z.url().max(256) }).optional(),
  receipt: z.strictObject({
    client: z.union([
      z.strictObject({ email: z.email().max(64) }),
      z.strictObject({ phone: z.string().regex(/^\+\d{10,15}$/) }),
    ]),
    company: z.strictObject({
      email: z.email().max(64),
      sno: z.enum(['osn', 'usn_income', 'usn_income_outcome', 'esn', 'patent']),
      inn: z.string().regex(/^(\d{10}|\d{12})$/),
      payment_address: z.string().min(1).max(256),
    }),
    items: z.array(Item).min(1).max(100),
    payments: z.array(z.strictObject({ type: z.int().min(0).max(4), sum: z.number() })).min(1),
    total: z.number(),
    internet: z.boolean(),
  }),
})
export type Sell = z.output<typeof Sell>

const nameOf = <Name extends string>(names: Record<Name, unknown>, word: unknown): string =>
  Object.entries(names).find(([, each]) => each === word)?.[0] ?? `unknown: ${word}`

const RATES = {
  ...{ none: 'none', '0': 'vat0', '5': 'vat5', '7': 'vat7', '10': 'vat10', '20': 'vat20', '22': 'vat22' },
  ...{ '5/105': 'vat105', '7/107': 'vat107', '10/110': 'vat110', '20/120': 'vat120', '22/122': 'vat122' },
}
const METHOD_NAMES = {
  ...{ fullPayment: 'full_payment', fullPrepayment: 'full_prepayment' },
  ...{ prepayment: 'prepayment', advance: 'advance' },
}
const OBJECT_NAMES = {
  ...{
    commodity: 1,
    excise: 2,
    job: 3,
    service: 4,
    payment: 10,
    agentCommission: 11,
    composite: 12,
    other: 13,
  },
}
const TAXATION_NAMES = {
  ...{
    osn: 'osn',
    usnIncome: 'usn_income',
    usnIncomeOutcome: 'usn_income_outcome',
    esn: 'esn',
    patent: 'patent',
  },
}

/** What a body says: money in kopecks, quantities in thousandths. @param text as it is sent */
export function modelOf(text: string) {
  const { external_id: key, receipt } = Sell.parse(JSON.parse(text))
  const raw = Object(rawFieldsOf(text)?.receipt)
  return {
    key,
    contact: receipt.client,
    taxation: nameOf(TAXATION_NAMES, receipt.company.sno),
    payments: receipt.payments.map(({ type }) => type),
    amount: hundredths(raw.total),
    items: receipt.items.map((item, index) => ({
      name: item.name,
      price: hundredths(raw.items[index].price),
      quantity: scaled(raw.items[index].quantity, 3),
      amount: hundredths(raw.items[index].sum),
      vat: nameOf(RATES, item.vat.type),
      method: nameOf(METHOD_NAMES, item.payment_method),
      object: nameOf(OBJECT_NAMES, item.payment_object),
      unit: item.measure,
    })),
  }
}

/** Hundredths of a decimal as JSON writes it; NaN of one with an exponent or more decimals. */
const hundredths = (text: unknown): number => scaled(text, 2)
const scaled = (text: unknown, digits: number): number => {
  const [, units, fraction = ''] = /^(\d{1,12})(?:\.(\d+))?$/.exec(String(text)) ?? []
  if (units === undefined || fraction.length > digits) return Number.NaN
  return Number(units + fraction.padEnd(digits, '0'))
}

/**
 * What is wrong with the numbers of a body: they are read as they are written, without a double between.
 * @param raw the body with its numbers as texts
 */
export function faultsOfBody(raw: Record<string, unknown>): string[] {
  const receipt = Object(raw.receipt)
  const items: Record<string, unknown>[] = Array.isArray(receipt.items) ? receipt.items : []
  const payments: Record<string, unknown>[] = Array.isArray(receipt.payments) ? receipt.payments : []
  const faults: string[] = []
  let total = 0
  for (const [index, item] of items.entries()) {
    const [price, quantity, sum] = [hundredths(item.price), scaled(item.quantity, 3), hundredths(item.sum)]
    if (Number.isNaN(price + quantity + sum)) faults.push(`item ${index}: its numbers have too many digits`)
    // Half a kopeck up.
    const right = (BigInt(price || 0) * BigInt(quantity || 0) * 2n + 1000n) / 2000n
    if (BigInt(sum || 0) !== right) faults.push(`item ${index}: its sum is ${sum}, must be ${right}`)
    total += sum
  }
  const paid = payments.reduce((all, payment) => all + hundredths(payment.sum), 0)
  if (hundredths(receipt.total) !== total) faults.push(`the total is ${receipt.total}, must be ${total}`)
  if (paid !== total) faults.push(`the payments are ${paid}, must be ${total}`)
  return faults
}
