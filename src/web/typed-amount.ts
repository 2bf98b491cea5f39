// Parses an amount as a person types it.
import { type Amount, parseMinorUnits } from '../contract/amount.ts'

/**
 * The amount of a text: with a comma or a point, spaces anywhere, `1 500,50`; undefined for any other text.
 * @param min the least, in hundredths
 */
export function typedAmount(text: string, currency: string, min = 1): Amount | undefined {
  const minorUnits = parseMinorUnits(text.replaceAll(/\s/gu, '').replace(',', '.'), undefined, min)
  return minorUnits === undefined ? undefined : { minorUnits, currency }
}
