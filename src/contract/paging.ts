// The pages of a list: how many entries one has, and where the next one begins.
import * as z from 'zod'

const LIMIT_RULE = 'a whole number from 1 to 100'
const CURSOR_RULE = 'a nextCursor of an earlier answer'

/** The schema of `limit`; every value of a query comes as text. */
export const limitOr = (byDefault: number) =>
  z
    .string()
    .regex(/^([1-9]\d?|100)$/, LIMIT_RULE)
    .transform(Number)
    .default(byDefault)

/** The schema of `cursor`: the number of the entry that the page before ended with. */
export const Cursor = z.string(CURSOR_RULE).transform((cursor, context) => {
  const [number] = /^\d{1,15}$/.exec(decode(cursor)) ?? []
  if (number) return Number(number)
  context.issues.push({ code: 'custom', input: cursor, message: CURSOR_RULE })
  return z.NEVER
})

/** The cursor of a number, opaque to the caller. */
export const cursorOf = (number: number): string => btoa(`${number}`).replaceAll('=', '')

function decode(cursor: string): string {
  try {
    return atob(cursor)
  } catch {
    return ''
  }
}
