// Money: whole minor units inside, a decimal with two fraction digits outside, never rounded (contract, section 3).
import * as z from 'zod/mini'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { parsed } from './parsed.ts'

/** `minorUnits` are whole hundredths of the currency's unit, whatever ISO 4217 says of the currency. */
export interface Amount {
  minorUnits: number
  currency: string
}

/** An amount as it is stored in JSON. */
export const StoredAmount = z.object({ minorUnits: z.int(), currency: z.string() })

const MAX_MINOR_UNITS = 99_999_999_999

const CURRENCY = /^[A-Z]{3}$/

function valueUpTo(maxMinorUnits: number, minMinorUnits: 0 | 1 = 1) {
  const rule = `an amount from ${formatMinorUnits(minMinorUnits)} to ${formatMinorUnits(maxMinorUnits)} with at most two fraction digits`
  return parsed(z.union([z.number(), z.string()], rule), rule, (value) =>
    parseMinorUnits(value, maxMinorUnits, minMinorUnits),
  ).apply(meta, {
    description: 'A number, or a text such as 10.50, with at most two fraction digits; never rounded',
    minimum: minMinorUnits / 100,
    maximum: maxMinorUnits / 100,
    pattern: DECIMAL.source,
    examples: [10.5, '10.50'],
  })
}

const DECIMAL = /^0*(\d{1,14})(?:\.(\d{1,2}))?$/

/** The schema of an amount in a merchant's request, in one of the deployment's currencies. */
export const amountRequest = (currencies: readonly string[]) =>
  amountOf(currencies, 1).apply(meta, { id: 'AmountRequest' })

/** The same of an amount that can be zero. */
export const amountFromZero = (currencies: readonly string[]) =>
  amountOf(currencies, 0).apply(meta, { id: 'AmountFromZero' })

function amountOf(currencies: readonly string[], minMinorUnits: 0 | 1) {
  const currency = z
    .enum(currencies, `one of ${currencies.join(', ')}`)
    .apply(meta, { description: 'A currency that the deployment accepts' })
  return z.pipe(
    strictObject({
      value: valueUpTo(MAX_MINOR_UNITS, minMinorUnits),
      currency: currencies.includes('RUB') ? z._default(currency, 'RUB') : currency,
    }),
    z.transform(toAmount),
  )
}

const CURRENCY_RULE = 'three capital letters'
const Currency = z.string(CURRENCY_RULE).check(z.regex(CURRENCY, CURRENCY_RULE))

/** The schema of an amount in a report, in any currency and as large as can be stored exactly; unknown fields are ignored. */
export const ReportedAmount = z
  .pipe(
    z.object(
      {
        value: valueUpTo(Number.MAX_SAFE_INTEGER),
        currency: z._default(Currency, 'RUB').apply(meta, { description: 'Three capital letters' }),
      },
      'an object',
    ),
    z.transform(toAmount),
  )
  .apply(meta, { id: 'ReportedAmount' })

const refundAmount = {
  value: valueUpTo(Number.MAX_SAFE_INTEGER),
  currency: z
    .optional(Currency)
    .apply(meta, { description: 'Three capital letters. If absent, the currency of the payment' }),
}
const toRefundAmount = ({ value, currency }: { value: number; currency?: string | undefined }) => ({
  minorUnits: value,
  currency,
})

/** The schema of the amount of a refund: as large as can be stored exactly; without a currency, it is the payment's. */
export const RefundAmount = z
  .pipe(strictObject(refundAmount), z.transform(toRefundAmount))
  .apply(meta, { id: 'RefundAmount' })

/** The amount of a refund in a report: unknown fields are ignored. */
export const ReportedRefundAmount = z
  .pipe(z.object(refundAmount), z.transform(toRefundAmount))
  .apply(meta, { id: 'ReportedRefundAmount' })

/** The sum of two sums of minor units; one that is larger than can be shown exactly is the largest that can. */
export const addedUp = (sum: number, more: number): number => Math.min(sum + more, Number.MAX_SAFE_INTEGER)

function toAmount({ value, currency }: { value: number; currency: string }): Amount {
  return { minorUnits: value, currency }
}

/** The schema of an amount in an answer. */
export const AmountAnswer = z
  .object({
    value: z
      .string()
      .check(z.regex(/^\d+\.\d{2}$/))
      .apply(meta, { description: 'Exactly two fraction digits', examples: ['10.50'] }),
    currency: z
      .string()
      .check(z.regex(CURRENCY))
      .apply(meta, { description: 'ISO 4217', examples: ['RUB'] }),
  })
  .apply(meta, { id: 'Amount' })

/** The schema of a balance in an answer, which can be negative. */
export const SignedAmountAnswer = z
  .object({
    value: z
      .string()
      .check(z.regex(/^-?\d+\.\d{2}$/))
      .apply(meta, { description: 'Exactly two fraction digits', examples: ['-10.50'] }),
    currency: z
      .string()
      .check(z.regex(CURRENCY))
      .apply(meta, { description: 'ISO 4217', examples: ['RUB'] }),
  })
  .apply(meta, { id: 'SignedAmount' })

/** The answer that shows a balance. */
export const signedAmountAnswer = ({ minorUnits, currency }: Amount): z.infer<typeof SignedAmountAnswer> => ({
  value: signedDecimal(minorUnits),
  currency,
})

/** The decimal of minor units that can be negative: -1050 is `-10.50`. */
export const signedDecimal = (minorUnits: number): string =>
  `${minorUnits < 0 ? '-' : ''}${formatMinorUnits(Math.abs(minorUnits))}`

/** The answer that shows an amount. */
export const amountAnswer = ({ minorUnits, currency }: Amount): z.infer<typeof AmountAnswer> => ({
  value: formatMinorUnits(minorUnits),
  currency,
})

/**
 * The minor units of a decimal with at most two fraction digits, from 0.01 to a request's 999999999.99 unless said
 * otherwise; undefined for any other.
 */
export function parseMinorUnits(
  value: number | string,
  maxMinorUnits = MAX_MINOR_UNITS,
  minMinorUnits = 1,
): number | undefined {
  const decimal = DECIMAL.exec(String(value))
  if (!decimal) return undefined
  const [, whole = '', fraction = ''] = decimal
  const minorUnits = Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
  return minorUnits >= minMinorUnits && minorUnits <= maxMinorUnits ? minorUnits : undefined
}

/** The decimal of minor units: 1050 is `10.50`. */
export function formatMinorUnits(minorUnits: number): string {
  return `${Math.trunc(minorUnits / 100)}.${String(minorUnits % 100).padStart(2, '0')}`
}

/** An amount as the audit and errors show it: `15000.00 RUB`. */
export const amountText = ({ minorUnits, currency }: Amount): string =>
  `${formatMinorUnits(minorUnits)} ${currency}`
