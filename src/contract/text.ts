// Texts as merchants send them: Unicode, counted in code points.
import * as z from 'zod'

/**
 * A schema of a text of at most `max` code points.
 * An unpaired surrogate is refused: it has no UTF-8 form, so it could not come back as it was sent.
 */
export const text = (max: number) => {
  const rule = `Unicode text of at most ${max} characters`
  return z
    .string(rule)
    .refine((value) => value.isWellFormed() && hasAtMost(max, value), rule)
    .meta({ maxLength: max })
}

/** Whether the text has at most `max` code points. */
export const hasAtMost = (max: number, value: string): boolean =>
  value.length <= max || (value.length <= 2 * max && [...value].length <= max)
