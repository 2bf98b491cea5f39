// Amounts are exact: a text of roubles and kopecks on the wire, whole kopecks to calculate with, never a float.

/** What is paid or refunded. An `amount` of an answer can be sent as it is. */
export interface AmountInput {
  /** Digits with at most two after the point, such as "10.50". Not a number: 0.1 + 0.2 is not 0.3. */
  value: string
  /** ISO 4217. If absent, RUB, or in a refund the currency of the payment. */
  currency?: string
}

/**
 * The kopecks of an amount: "10.50" → 1050. Exact up to 90071992547409.91.
 * @throws RangeError if the text is not digits with at most two after the point
 */
export const toKopecks = (value: string): number => kopecksOf(value, 'value')

/** The kopecks of an amount. @param name of the value, for the error. @throws RangeError as toKopecks */
export function kopecksOf(value: string, name: string): number {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(String(value)) ?? []
  const kopecks = whole === undefined ? Number.NaN : Number(whole + fraction.padEnd(2, '0'))
  if (typeof value === 'string' && Number.isSafeInteger(kopecks)) return kopecks
  throw new RangeError(`${name} is ${JSON.stringify(value)}, must be a string such as "10.50"`)
}

/**
 * The text of an amount: 1050 → "10.50".
 * @throws RangeError if kopecks is not a whole number from 0 to 2^53 - 1
 */
export function fromKopecks(kopecks: number): string {
  if (!Number.isSafeInteger(kopecks) || kopecks < 0)
    throw new RangeError(`kopecks is ${kopecks}, must be a whole number`)
  const digits = String(kopecks).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** The amount as it is sent. @throws RangeError naming `amount.value` and its rule */
export function checkedAmount(amount: AmountInput): AmountInput {
  kopecksOf(amount.value, 'amount.value')
  return amount
}
