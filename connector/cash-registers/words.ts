// The words that cash registers share for what an item has: rates of VAT, methods, objects, units, systems of taxation.
import { Refused } from '../banks/bank-errors.ts'

/** A register's words by those of the instruction. */
type Words = Readonly<Record<string, string>>

/** Tag 1199. */
export const VAT_WORDS = {
  none: 'none',
  '0': 'vat0',
  '5': 'vat5',
  '7': 'vat7',
  '10': 'vat10',
  '20': 'vat20',
  '22': 'vat22',
  '5/105': 'vat105',
  '7/107': 'vat107',
  '10/110': 'vat110',
  '20/120': 'vat120',
  '22/122': 'vat122',
} as const satisfies Words

/** Tag 1214. */
export const METHOD_WORDS = {
  fullPayment: 'full_payment',
  fullPrepayment: 'full_prepayment',
  prepayment: 'prepayment',
  advance: 'advance',
} as const satisfies Words

/** Tag 1212. */
export const OBJECT_WORDS = {
  commodity: 'commodity',
  excise: 'excise',
  job: 'job',
  service: 'service',
  payment: 'payment',
  agentCommission: 'agent_commission',
  composite: 'composite',
  other: 'another',
} as const satisfies Words

/** Tag 1055. */
export const TAXATION_WORDS = {
  osn: 'osn',
  usnIncome: 'usn_income',
  usnIncomeOutcome: 'usn_income_outcome',
  esn: 'esn',
  patent: 'patent',
} as const satisfies Words

/** The units of tag 2108, as a receipt prints them: at most 16 characters. */
export const UNIT_WORDS = {
  0: 'шт',
  10: 'г',
  11: 'кг',
  12: 'т',
  20: 'см',
  21: 'дм',
  22: 'м',
  30: 'кв. см',
  31: 'кв. дм',
  32: 'кв. м',
  40: 'мл',
  41: 'л',
  42: 'куб. м',
  50: 'кВт·ч',
  51: 'Гкал',
  70: 'сутки',
  71: 'час',
  72: 'мин',
  73: 'с',
  80: 'Кбайт',
  81: 'Мбайт',
  82: 'Гбайт',
  83: 'Тбайт',
  255: 'иное',
} as const satisfies Words

/**
 * @param title of the register
 * @param what the value is, such as `method`
 * @throws Refused where the register has no word for it: the service refuses it before
 */
export function wordOf<T>(
  title: string,
  what: string,
  words: Readonly<Record<string, T>>,
  value: string | number = '',
): T {
  const word = Object.hasOwn(words, value) ? words[value] : undefined
  if (word === undefined)
    throw new Refused(`${title} has no ${what} ${value === '' ? '(none is stated)' : value}`)
  return word
}
