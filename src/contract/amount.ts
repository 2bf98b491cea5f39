// Money: whole minor units inside, a decimal with two fraction digits outside, never rounded (contract, section 3).
import * as z from 'zod'
import { strictObject } from './object.ts'

/** `minorUnits` are whole hundredths of the currency's unit, whatever ISO 4217 says of the currency. */
export interface Amount {
  minorUnits: number
  currency: string
}

const MAX_MINOR_UNITS = 99_999_999_999
const RULE = 'an amount from 0.01 to 999999999.99 with at most two fraction digits'

const CURRENCY = /^[A-Z]{3}$/
const DECIMAL = /^0*(\d{1,9})(?:\.(\d{1,2}))?$/

const Value = z
  .union([z.number(), z.string()], RULE)
  .transform((value, context) => {
    const minorUnits = parseMinorUnits(value)
    if (minorUnits !== undefined) return minorUnits
    context.issues.push({ code: 'custom', input: value, message: RULE })
    return z.NEVER
  })
  .meta({
    description:
      'A number, or a string of digits with at most a point and one or two digits after it; never rounded',
    minimum: 0.01,
    maximum: 999_999_999.99,
    pattern: DECIMAL.source,
    examples: [10.5, '10.50'],
  })

/** The schema of an amount in a merchant's request, in one of the deployment's currencies. */
export const amountRequest = (currencies: readonly string[]) =>
  strictObject(fieldsOf(z.enum(currencies, `one of ${currencies.join(', ')}`), currencies.includes('RUB')))
    .transform(toAmount)
    .meta({ id: 'AmountRequest' })

/** The schema of an amount in a report, in any currency; unknown fields are ignored. */
export const ReportedAmount = z
  .object(
    fieldsOf(z.string('three capital letters').regex(CURRENCY, 'three capital letters'), true),
    'an object',
  )
  .transform(toAmount)
  .meta({ id: 'ReportedAmount' })

function fieldsOf(currency: z.ZodType<string, string>, defaultsToRub: boolean) {
  return { value: Value, currency: defaultsToRub ? currency.default('RUB') : currency }
}

function toAmount({ value, currency }: { value: number; currency: string }): Amount {
  return { minorUnits: value, currency }
}

/** The schema of an amount in an answer. */
export const AmountAnswer = z
  .object({
    value: z
      .string()
      .regex(/^\d{1,9}\.\d{2}$/)
      .meta({ description: 'Exactly two fraction digits', examples: ['10.50'] }),
    currency: z
      .string()
      .regex(CURRENCY)
      .meta({ description: 'ISO 4217', examples: ['RUB'] }),
  })
  .meta({ id: 'Amount' })

/** The answer that shows an amount. */
export const amountAnswer = ({ minorUnits, currency }: Amount): z.infer<typeof AmountAnswer> => ({
  value: formatMinorUnits(minorUnits),
  currency,
})

/** The minor units of a decimal from 0.01 to 999999999.99 with at most two fraction digits; undefined for any other. */
export function parseMinorUnits(value: number | string): number | undefined {
  const decimal = DECIMAL.exec(String(value))
  if (!decimal) return undefined
  const [, whole = '', fraction = ''] = decimal
  const minorUnits = Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
  return minorUnits >= 1 && minorUnits <= MAX_MINOR_UNITS ? minorUnits : undefined
}

/** The decimal of minor units: 1050 is `10.50`. */
export const formatMinorUnits = (minorUnits: number): string =>
  `${Math.trunc(minorUnits / 100)}.${String(minorUnits % 100).padStart(2, '0')}`
