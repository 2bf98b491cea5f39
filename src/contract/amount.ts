// Money: kopecks inside, a decimal with two fraction digits outside, and never a rounding between.
import * as z from 'zod'

/** An amount as it is kept: `kopecks` are whole hundredths of the currency's unit. */
export interface Amount {
  kopecks: number
  currency: string
}

const MAX_KOPECKS = 99_999_999_999
const RULE = 'an amount from 0.01 to 999999999.99 with at most two fraction digits'

const Value = z
  .union([z.number(), z.string()], RULE)
  .transform((value, context) => {
    const kopecks = parseKopecks(value)
    if (kopecks !== undefined) return kopecks
    context.issues.push({ code: 'custom', input: value, message: RULE })
    return z.NEVER
  })
  .meta({
    description:
      'A number, or a string of digits with at most a point and one or two digits behind it; never rounded',
    examples: [10.5],
  })

/** The schema of an amount in a request, for the deployment's currencies (contract, section 3). */
export const amountSchema = (currencies: readonly string[]) =>
  amountIn(z.enum(currencies, `one of ${currencies.join(', ')}`), currencies.includes('RUB'))

/** The schema of an amount in any currency. */
export const AnyAmount = amountIn(
  z.string('three capital letters').regex(/^[A-Z]{3}$/, 'three capital letters'),
  true,
)

function amountIn(currency: z.ZodType<string, string>, defaultsToRub: boolean) {
  return z
    .object({ value: Value, currency: defaultsToRub ? currency.default('RUB') : currency }, 'an object')
    .transform(({ value, currency }): Amount => ({ kopecks: value, currency }))
}

/** The schema of an amount in an answer. */
export const AmountAnswer = z.object({
  value: z
    .string()
    .regex(/^\d{1,9}\.\d{2}$/)
    .meta({ description: 'Exactly two fraction digits', examples: ['10.50'] }),
  currency: z.string().length(3),
})

/** Whole kopecks of a decimal, or undefined where it breaks the rule: 0.01 to 999999999.99, two fraction digits. */
export function parseKopecks(value: number | string): number | undefined {
  const decimal = /^0*(\d{1,9})(?:\.(\d{1,2}))?$/.exec(String(value))
  if (!decimal) return undefined
  const [, whole = '', fraction = ''] = decimal
  const kopecks = Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
  return kopecks >= 1 && kopecks <= MAX_KOPECKS ? kopecks : undefined
}

/** The decimal of whole kopecks: 1050 is `10.50`. */
export const formatKopecks = (kopecks: number): string =>
  `${Math.trunc(kopecks / 100)}.${String(kopecks % 100).padStart(2, '0')}`
