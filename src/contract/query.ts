// Values of query parameters, which all come as text.
import * as z from 'zod'

/** An integer in decimal digits, without a sign, a point or leading zeros. */
export const integerParameter = (schema: z.ZodInt) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^(0|[1-9]\d{0,14})$/.test(value) ? Number(value) : value),
    schema,
  )

/** Several values, separated by commas; the same value counts once. */
export const listParameter = <T extends z.ZodType>(item: T) =>
  z
    .preprocess((value) => (typeof value === 'string' ? value.split(',') : value), z.array(item))
    .transform((items) => [...new Set(items)])

const MOMENT_RULE = 'an ISO 8601 date and time with an offset (in a URL, + is %2B)'

/** A date and time as Unix seconds. */
export const DateTime = z.iso
  .datetime({ offset: true, error: MOMENT_RULE })
  .transform((text) => Math.floor(Date.parse(text) / 1000))

/** How many items a page has at most. */
export const limitParameter = ({ byDefault, max }: { byDefault: number; max: number }) => {
  const rule = `a whole number from 1 to ${max}`
  return integerParameter(z.int(rule).min(1, rule).max(max, rule))
    .default(byDefault)
    .meta({ description: 'Items of a page' })
}

const CURSOR_RULE = 'a nextCursor of an earlier answer'

/** The number after which the next page begins. */
export const Cursor = z
  .string(CURSOR_RULE)
  .transform((cursor, context) => {
    const [number] = /^\d{1,15}$/.exec(decode(cursor)) ?? []
    if (number) return Number(number)
    context.issues.push({ code: 'custom', input: cursor, message: CURSOR_RULE })
    return z.NEVER
  })
  .meta({ description: 'nextCursor of the page before' })

/** The cursor of a number; its form may change. */
export const cursorOf = (number: number): string => btoa(`${number}`).replaceAll('=', '')

function decode(cursor: string): string {
  try {
    return atob(cursor)
  } catch {
    return ''
  }
}
