// The text of the request that registers a document at ATOL (FFD 1.2): the same of the same document and settings.
import { Refused } from '../../banks/bank-errors.ts'
import type { Item, NewDocument } from '../cash-register.ts'
import { METHOD_WORDS, TAXATION_WORDS, VAT_WORDS, wordOf } from '../words.ts'
import { CASHLESS, OBJECTS, PREPAID } from './words.ts'

const TITLE = 'ATOL'

/** What the configuration says of the company. */
export interface Company {
  inn: string
  /** Where the site's settings state none: the e-mail and the internet address of the shop. */
  email: string
  place: string
}

/** @throws Refused where ATOL has no word for something of it, or the contact is missing */
export function bodyOf(document: NewDocument, company: Company, callbackUrl: string): string {
  const { key, kind, dateTime, amount, contact, items } = document
  if (!contact) throw new Refused('the contact of the payer is missing')
  return JSON.stringify({
    external_id: key,
    timestamp: timestampOf(dateTime),
    service: { callback_url: callbackUrl },
    receipt: {
      client: contact,
      company: {
        email: document.email ?? company.email,
        sno: wordOf(TITLE, 'taxation', TAXATION_WORDS, document.taxation),
        inn: company.inn,
        payment_address: document.place ?? company.place,
      },
      items: items.map(itemOf),
      payments: [{ type: kind === 'closing' ? PREPAID : CASHLESS, sum: roubles(amount) }],
      total: roubles(amount),
      internet: true,
    },
  })
}

const itemOf = ({ name, price, quantity, amount, vat, method, object, unit }: Item) => ({
  name,
  price: roubles(price),
  quantity: quantity / 1000,
  measure: unit,
  sum: roubles(amount),
  payment_method: wordOf(TITLE, 'method', METHOD_WORDS, method),
  payment_object: wordOf(TITLE, 'object', OBJECTS, object),
  vat: { type: wordOf(TITLE, 'rate of VAT', VAT_WORDS, vat) },
})

/**
 * The number that JSON writes with at most two digits behind the point: a quotient is the double that is nearest to the decimal,
 * and the shortest text of that double is the decimal.
 */
const roubles = (kopecks: number): number => kopecks / 100

/** `22.07.2023 09:14:38` in Moscow. */
function timestampOf(time: number): string {
  const [date = '', clock = ''] = new Date(time + 3 * 3_600_000).toISOString().split(/[T.]/)
  return `${date.split('-').reverse().join('.')} ${clock}`
}
