// Parses an amount as a person types it.
import { type Amount, parseMinorUnits } from '../contract/amount.ts'

/** The amount of a text: with a comma or a point, spaces anywhere, `1 500,50`; undefined for any other text. */
export function typedAmount(text: string, currency: string): Amount | undefined {
  const minorUnits = parseMinorUnits(text.replaceAll(/\s/gu, '').replace(',', '.'))
  return minorUnits === undefined ? undefined : { minorUnits, currency }
}
