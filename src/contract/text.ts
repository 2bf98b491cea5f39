// Texts as merchants send them: Unicode, counted in code points.
import * as z from 'zod/mini'
import { ifValid } from './if-valid.ts'
import { meta } from './meta.ts'

/**
 * The most characters of what a customer is told: `paymentPurpose`, `tokenizationPurpose`. The banks of the connector take as many
 * (`maxLength: 140` in the documents of Tochka, T-Bank and Raiffeisenbank), so the connector sends a purpose as it is.
 */
export const MAX_PURPOSE = 140

/**
 * A schema of a text of at most `max` code points.
 * An unpaired surrogate is refused: it has no UTF-8 form, so it could not come back as it was sent.
 */
export const unicodeText = (max: number) => {
  const rule = `Unicode text of at most ${max} characters`
  return z
    .string(rule)
    .check(z.refine((value) => value.isWellFormed() && hasAtMost(max, value), rule))
    .apply(meta, { maxLength: max })
}

/** A schema of a line that people read: 1 to `max` code points, not blank, without control characters. */
export const line = (max: number) => {
  const rule = `a line of 1 to ${max} characters, not blank and without control characters`
  return z
    .string(rule)
    .check(z.refine((value) => isLine(max, value), rule))
    .apply(meta, { minLength: 1, maxLength: max })
}

/** Whether a text is such a line. */
export const isLine = (max: number, value: string): boolean =>
  value.isWellFormed() && hasAtMost(max, value) && value.trim() !== '' && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)

/** An optional text of a report: it is a fact that the report came, so a text that breaks its rule is left out. */
export const optionalText = (max: number) => ifValid(unicodeText(max))

/** Whether the text has at most `max` code points. */
export const hasAtMost = (max: number, value: string): boolean =>
  value.length <= max || (value.length <= 2 * max && [...value].length <= max)
